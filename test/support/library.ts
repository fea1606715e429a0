// An index and a library that belong together, for suites about the journal.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Files } from '../../src/library/files/files.ts';
import { openFolderFiles } from '../../src/library/files/folder-files.ts';
import { type FlushDeps, flushJournal } from '../../src/library/journal/flush.ts';
import { joinLibrary, type Library } from '../../src/library/library.ts';
import { type ReinflateDeps, type Reinflated, reinflate } from '../../src/library/reinflate.ts';
import { ulidMaker } from '../../src/library/ulid.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase, type Target } from '../../src/store/open.ts';
import { openRebuild, type RebuildOptions } from '../../src/store/reinflate/open-rebuild.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { TestClock } from './clock.ts';

export const randomText = (bytes: number) => randomBytes(bytes).toString('base64url');

export async function temporaryFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-library-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function folderFiles(folder: string, clock = new TestClock()): Promise<Files> {
  return openFolderFiles(folder, { now: clock.now, randomText });
}

export interface OpenedPair {
  readonly database: Database;
  readonly store: Store;
  readonly library: Library;
  readonly flushDeps: FlushDeps;
  flush(): Promise<number>;
  close(): Promise<void>;
}

/** A target to open, or the suite's shared open database (`emptyDatabase`). */
export type IndexPlace = Target | { readonly database: Database };

/** Opens the index together with the library, as a start of Lectern does. A shared index stays open. */
export async function openPair(
  place: IndexPlace,
  files: Files,
  clock = new TestClock(),
): Promise<OpenedPair> {
  const isShared = 'database' in place;
  const database = isShared
    ? place.database
    : await openDatabase(place, { now: clock.now, onIdleError: () => {} });
  const close = async () => {
    if (!isShared) await database.close();
  };
  try {
    const store = createStore(database, clock.now);
    const library = await joinLibrary({ files, index: store.index, randomText });
    const flushDeps: FlushDeps = {
      library,
      journal: store.journal,
      leases: store.leases,
      now: clock.now,
      newUlid: ulidMaker(clock.now, randomText),
    };
    const flush = async () => {
      const flushed = await flushJournal(flushDeps, 'test');
      if (!flushed) throw new Error('the lease is held by another');
      return flushed.facts;
    };
    return { database, store, library, flushDeps, flush, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export async function reinflateInto(
  target: Target,
  files: Files,
  options: Partial<RebuildOptions> &
    Pick<ReinflateDeps, 'until' | 'plan'> & { onProgress?: () => void; release?: boolean } = {},
): Promise<Reinflated> {
  const { now = new TestClock().now, onProgress = () => {}, until, plan, release = true } = options;
  const rebuild = await openRebuild(target, { pullIntervalMs: 1_800_000, ...options, now });
  try {
    const reinflated = await reinflate({ files, rebuild, now, randomText, until, plan, onProgress });
    if (release) await rebuild.release();
    return reinflated;
  } finally {
    await rebuild.close();
  }
}
