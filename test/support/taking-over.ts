// A start on an old database, up to the index that comes of it.
import { readdirSync, renameSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { takeOverOldDatabase } from '../../src/cli/take-over.ts';
import { openAtRest } from '../../src/store/legacy/detect.ts';
import type { SwapFiles } from '../../src/store/legacy/swap-files.ts';
import { nodeSwapFiles } from '../../src/store/legacy/swap-files.ts';
import { requireOwnIndex } from '../../src/store/open.ts';
import { TestClock } from './clock.ts';
import type { Faults } from './faults.ts';
import { pull } from './importing.ts';
import { folderFiles, openPair, randomText } from './library.ts';

export interface OldPlace {
  /** What LECTERN_DATABASE_URL names. */
  readonly path: string;
  readonly library: string;
  readonly clock: TestClock;
}

export function oldPlace(folder: string): OldPlace {
  return { path: join(folder, 'index.db'), library: join(folder, 'library'), clock: new TestClock() };
}

export async function takeOver({ path, library, clock }: OldPlace, swapFiles?: SwapFiles): Promise<string[]> {
  const messages: string[] = [];
  const log = { info: (...args: unknown[]) => void messages.push(String(args.at(-1))) };
  await takeOverOldDatabase(
    { now: clock.now, randomText, ...(swapFiles && { swapFiles }) },
    {
      config: { database: { engine: 'sqlite', path }, pull: { ...pull, concurrency: 1, timeoutMs: 1 } },
      log: log as never,
      files: await folderFiles(library, clock),
    },
  );
  await requireOwnIndex({ engine: 'sqlite', path });
  return messages;
}

export async function openTaken({ path, library, clock }: OldPlace) {
  return openPair({ engine: 'sqlite', path }, await folderFiles(library, clock), clock);
}

/** The names beside the index, without its library. */
export function besides({ path }: OldPlace): string[] {
  return readdirSync(join(path, '..')).filter((name) => name !== 'library' && name !== 'index.db');
}

/** How many items an old database has, if it is whole. */
export function itemsIn(path: string): number {
  const db = openAtRest(path);
  try {
    const check = db.prepare('PRAGMA integrity_check').get() as { integrity_check: string };
    if (check.integrity_check !== 'ok') throw new Error(`${path}: ${check.integrity_check}`);
    return (db.prepare('SELECT count(*) AS n FROM items').get() as { n: number }).n;
  } finally {
    db.close();
  }
}

export function faultySwapFiles(faults: Faults): SwapFiles {
  const real = nodeSwapFiles;
  return {
    copy: (from, to) =>
      faults.step(
        'copy',
        () => real.copy(from, to),
        // As far as it came: a file that is none yet.
        async () => {
          await real.copy(from, `${to}.whole`);
          truncateSync(`${to}.whole`, 5_000);
          renameSync(`${to}.whole`, to);
        },
      ),
    rename: (from, to) => faults.step('rename', () => real.rename(from, to)),
    remove: (path) => faults.step('remove', () => real.remove(path)),
    sync: (path) => faults.step('sync', () => real.sync(path)),
    syncFolder: (path) => faults.step('sync-folder', () => real.syncFolder(path)),
    copyMode: (from, to) => faults.step('mode', () => real.copyMode(from, to)),
    list: (folder) => faults.look('list', () => real.list(folder)),
    sizeBytes: (path) => faults.look('size', () => real.sizeBytes(path)),
    freeBytes: (folder) => faults.look('free', () => real.freeBytes(folder)),
  };
}
