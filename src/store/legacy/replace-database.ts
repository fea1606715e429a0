// Puts a new index in the place of an old database: a copy is made, the index is built beside it, and one rename decides.
// Whenever the process ends, the old file is there whole or the new one is; the copy has its name only when it is whole.
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartupError, Unavailable } from '../../errors.ts';
import type { Clock, RandomText } from '../../model/glossary.ts';
import { isBusy, untilFree } from '../dialect/sqlite/connection.ts';
import { detectDatabase, type OldDatabase, openAtRest } from './detect.ts';
import { requireWhole } from './source.ts';
import { nodeSwapFiles, type SwapFiles } from './swap-files.ts';

export interface ReplaceDeps {
  readonly path: string;
  readonly now: Clock;
  readonly randomText: RandomText;
  readonly files?: SwapFiles;
  /** Asked before anything is changed; throws where it must not be. */
  readonly allow: (old: OldDatabase) => Promise<void>;
  /** Makes an index at `target` from the copy, and closes it. */
  readonly build: (input: { old: OldDatabase; copy: string; target: string }) => Promise<void>;
  readonly onWaiting: () => void;
}

/** For the copy, the new index and what is written beside them. */
const roomFactor = 3;
/** Another process may be at it, for as long as the database is large. */
const waitMs = 60 * 60_000;

const isOld = (kind: string) => kind === 'legacy' || kind === 'current';

/** The file that the old database is kept as; undefined when there was none to replace. */
export async function replaceOldDatabase(deps: ReplaceDeps): Promise<string | undefined> {
  const { path, files = nodeSwapFiles } = deps;
  if (!isOld((await detectDatabase(path)).kind)) return undefined;
  const lock = await takeLock(deps);
  try {
    const old = await detectDatabase(path);
    let kept: string | undefined;
    // Another process may have done it while we waited.
    if (old.kind === 'legacy' || old.kind === 'current') {
      await deps.allow(old);
      await removeLeftovers(path, files);
      await requireRoom(path, files);
      kept = await replaceUnderLock(deps, files, old);
    }
    // Only now: had we failed, whoever waits for this lock and whoever makes a new one would both begin.
    await files.remove(lockOf(path));
    return kept;
  } finally {
    lock.close();
  }
}

async function replaceUnderLock(deps: ReplaceDeps, files: SwapFiles, old: OldDatabase): Promise<string> {
  const { path, now, build } = deps;
  const target = `${path}.migrating.${deps.randomText(6)}`;
  const copy = `${target}.bak`;
  let kept: string | undefined;
  try {
    const source = await openExclusively(path);
    try {
      source.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      await files.copy(source, copy);
      await files.copyMode(path, copy);
      await files.sync(copy);
      requireWhole(copy, path);
      await build({ old, copy, target });
      await files.copyMode(path, target);
      await requireSound(target, files);
      await files.sync(target);
    } finally {
      source.close();
    }
    // A WAL that were left here would be taken for one of the new file.
    if ((await files.sizeBytes(`${path}-wal`)) > 0) throw inUse(path);
    for (const side of ['-wal', '-shm']) await files.remove(path + side);
    kept = await freeName(path, Math.floor(now() / 1000), files);
    await files.rename(copy, kept);
    await files.syncFolder(dirname(path));
    await files.rename(target, path);
    await files.syncFolder(dirname(path));
    return kept;
  } catch (error) {
    // What cannot be removed now is removed by the next attempt.
    await removeLeftovers(path, files).catch(() => {});
    if (kept !== undefined) await removeNeedless(path, kept, files).catch(() => {});
    throw explained(path, error);
  }
}

const lockOf = (path: string) => `${path}.migrating.lock`;

/** Given up by the system when the process ends, however that happens. */
async function takeLock({ path, onWaiting }: ReplaceDeps): Promise<DatabaseSync> {
  for (let tries = 1; ; tries++) {
    const lock = new DatabaseSync(lockOf(path), { timeout: 0 });
    try {
      if (!isLocked(lock)) return lock;
      if (tries === 1) onWaiting();
      await untilFree(() => lock.exec('BEGIN EXCLUSIVE'), { giveUpAfterMs: waitMs });
      return lock;
    } catch (error) {
      lock.close();
      // Whoever held it is done, and has removed the file that we waited on.
      if (error instanceof Unavailable || tries === 5) throw explained(path, error);
    }
  }
}

function isLocked(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  }
}

/** Nobody else may have it open, not even idly: what they would write after us would be lost. */
async function openExclusively(path: string): Promise<DatabaseSync> {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    await untilFree(() => db.exec('BEGIN EXCLUSIVE'));
    db.exec('COMMIT');
    return db;
  } catch (error) {
    db.close();
    throw error instanceof Unavailable ? inUse(path) : error;
  }
}

async function requireSound(target: string, files: SwapFiles): Promise<void> {
  if ((await files.sizeBytes(`${target}-wal`)) > 0) throw new Error('the new index was not closed');
  const db = openAtRest(target);
  try {
    const broken = db.prepare('PRAGMA foreign_key_check').all();
    const found = (db.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[]).map(
      (row) => row.integrity_check,
    );
    if (broken.length > 0 || found.join() !== 'ok')
      throw new Error(
        `the new index is not sound: ${broken.length} rows without parents, ${found.join(', ')}`,
      );
  } finally {
    db.close();
  }
}

/** What an attempt has left that was ended before its last step. The lock stays: it is held. */
async function removeLeftovers(path: string, files: SwapFiles): Promise<void> {
  const [folder, prefix] = [dirname(path), `${basename(path)}.migrating.`];
  for (const name of await files.list(folder)) {
    if (name.startsWith(prefix) && !name.startsWith(`${prefix}lock`)) await files.remove(join(folder, name));
  }
}

/** Where the old file is in its place still, each attempt would leave one more copy of it. */
async function removeNeedless(path: string, kept: string, files: SwapFiles): Promise<void> {
  if (isOld((await detectDatabase(path)).kind)) await files.remove(kept);
}

async function requireRoom(path: string, files: SwapFiles): Promise<void> {
  const sizes = await Promise.all(['', '-wal'].map((suffix) => files.sizeBytes(path + suffix)));
  const needed = roomFactor * sizes.reduce((sum, size) => sum + size, 0);
  const free = await files.freeBytes(dirname(path));
  if (free >= needed) return;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1_000_000)} MB`;
  throw new StartupError(
    `${path} is a database of ReedMe or Fusion, and to bring it over takes about ${megabytes(needed)} beside it: ` +
      `there are ${megabytes(free)}. It was not changed. Make room, or import it from another disk with "lectern import reedme".`,
  );
}

async function freeName(path: string, seconds: number, files: SwapFiles): Promise<string> {
  const names = await files.list(dirname(path));
  let at = seconds;
  while (names.includes(`${basename(path)}.bak.${at}`)) at += 1;
  return `${path}.bak.${at}`;
}

function inUse(path: string): StartupError {
  return new StartupError(
    `${path} is a database of ReedMe or Fusion that another program has open. Stop that program, and start Lectern again.`,
  );
}

function explained(path: string, error: unknown): Error {
  if (error instanceof StartupError) return error;
  const { message, code } = error as NodeJS.ErrnoException;
  const isFull = code === 'ENOSPC' || /disk is full/.test(message);
  if (code === 'EBUSY' || code === 'EXDEV')
    return new StartupError(
      `${path} could not be brought over: another file cannot be put in its place (${message}). It holds what it held before. ` +
        'If it is mounted as a single file, as containers can have it, mount the folder that it is in, and start Lectern again.',
      { cause: error },
    );
  return new StartupError(
    `${path} could not be brought over: ${isFull ? 'there is no room left on its disk' : message}. ` +
      'It holds what it held before; start Lectern again to try once more.',
    { cause: error },
  );
}
