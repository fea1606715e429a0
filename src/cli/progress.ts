// A bar for long work, on a terminal; elsewhere nothing, so that logs stay readable.
import type { Runtime } from './runtime.ts';

export interface ProgressBar {
  update(done: number, total: number): void;
  end(): void;
}

const width = 30;

export function progressBar({ stderr }: Pick<Runtime, 'stderr'>, label: string): ProgressBar {
  let shown = '';
  return {
    update(done, total) {
      if (!stderr.isTTY) return;
      const line = bar(label, done, total);
      if (line !== shown) stderr.write(`\r${line}`);
      shown = line;
    },
    end() {
      if (shown !== '') stderr.write('\n');
    },
  };
}

export function bar(label: string, done: number, total: number): string {
  const share = total > 0 ? Math.min(1, done / total) : 1;
  const filled = Math.round(share * width);
  const percent = String(Math.floor(share * 100)).padStart(3);
  return `${label} ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${percent} %  ${done} of ${total}`;
}
