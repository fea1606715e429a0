import type { RestoredFiles } from '../items/restore-files.ts';
import type { Runtime } from './runtime.ts';

export function printRestoredFiles({ stdout }: Runtime, { queued, lost }: RestoredFiles): void {
  if (queued.length > 0) {
    const items = queued.length === 1 ? '1 item lacks files' : `${queued.length} items lack files`;
    stdout.write(`${items}. Lectern fetches these pages again:\n`);
    for (const { itemId, url } of queued) stdout.write(`  item ${itemId}  ${url}\n`);
  }
  if (lost.length === 0) return;
  stdout.write(`${lost.length} files could not be restored:\n`);
  for (const { key, what } of lost) stdout.write(`  ${key}: ${what}\n`);
}
