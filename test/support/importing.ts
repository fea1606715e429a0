// An import as the command makes it, into an open store.
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { importReedme } from '../../src/feeds/reedme/import-reedme.ts';
import type { ImportReport } from '../../src/feeds/reedme/report.ts';
import { openSnapshot } from '../../src/store/legacy/snapshot.ts';
import type { UserRows } from '../../src/store/store.ts';
import { TestClock } from './clock.ts';

export const pull = { intervalMs: 1_800_000, maxBackoffMs: 172_800_000 };

export function temporaryPlace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-old-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Importing {
  readonly clock?: TestClock;
  readonly dryRun?: boolean;
  readonly isFirst?: boolean;
  /** Where the copy is made. */
  readonly folder?: string;
  readonly onProgress?: (done: number, total: number) => Promise<void> | void;
}

export async function importFile(
  { imports }: Pick<UserRows, 'imports'>,
  path: string,
  options: Importing = {},
): Promise<ImportReport> {
  const { clock = new TestClock(), dryRun = false, isFirst = false, onProgress = () => {} } = options;
  const { folder = temporaryPlace() } = options;
  const { source, close } = await openSnapshot(path, { folder, now: clock.now() });
  try {
    return await importReedme({ imports, now: clock.now, pull, onProgress }, source, { dryRun, isFirst });
  } finally {
    await close();
  }
}

/** Every file that begins with this name, by its bytes and the time of its last change. */
export function filesOf(path: string): Record<string, string> {
  const names = readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)));
  return Object.fromEntries(
    names.map((name) => {
      const file = join(dirname(path), name);
      const hash = createHash('sha256').update(readFileSync(file)).digest('hex');
      return [name, `${hash} ${statSync(file, { bigint: true }).mtimeNs}`];
    }),
  );
}
