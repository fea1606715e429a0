// The file itself: it is looked at before it is opened, opened so that nothing is made beside it or changed in it, and read
// in one transaction.
import { closeSync, lstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Invalid, LecternError, Upstream } from '../../errors.ts';
import type { Snapshot } from '../../model/highlight.ts';
import { openAtRest } from '../legacy/detect.ts';
import { noDatabase, notThere, toFailure } from './research-failures.ts';
import { readTables } from './research-tables.ts';

const busyTimeoutMs = 2_000;
const mostTries = 5;
const magic = 'SQLite format 3\0';
const headerBytes = 100;

/** In the thread that reads: it waits for locks. */
export function openAndRead(path: string): Snapshot {
  if (!isAbsolute(path) || path.includes('\0'))
    throw new Invalid(
      `${path.replaceAll('\0', '')} is no path from the root: name the whole path of the file`,
    );
  try {
    for (let tries = 1; ; tries++) {
      requireFile(path);
      const isWal = readHeader(path) === 'wal';
      const before = stampOf(path);
      // A WAL that nobody has open and that holds nothing would be made anew by opening the file, and left behind.
      const atRest = isWal && !before.hasWal;
      const snapshot = readFrom(atRest ? openAtRest(path) : openLocked(path), path);
      // What is read as being at rest is read without locks: it counts only if it was.
      if (!atRest || before.text === stampOf(path).text) return snapshot;
      if (tries === mostTries)
        throw new Upstream(`${path} changes while it is read: try again when its program is idle`);
    }
  } catch (error) {
    throw error instanceof LecternError ? error : toFailure(path, error);
  }
}

function requireFile(path: string): void {
  const stats = lstat(path);
  if (!stats) throw notThere(path);
  if (stats.isSymbolicLink()) throw new Invalid(`${path} is a link: name the file that it points to`);
  if (stats.isDirectory()) throw new Invalid(`${path} is a folder: name the database file in it`);
  if (!stats.isFile()) throw new Invalid(`${path} is no file: name the database file of Research`);
  if (stats.size === 0)
    throw new Invalid(`${path} is empty: it may have been copied only in part, so copy or restore it again`);
}

function lstat(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A part of the path is a file: nothing is below it.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Bytes 18 and 19 say whether changes go to a WAL: https://www.sqlite.org/fileformat2.html#file_format_version_numbers */
function readHeader(path: string): 'wal' | 'journal' {
  const header = Buffer.alloc(headerBytes);
  const file = openSync(path, 'r');
  try {
    const read = readSync(file, header, 0, headerBytes, 0);
    if (read < headerBytes || header.toString('latin1', 0, magic.length) !== magic) throw noDatabase(path);
  } finally {
    closeSync(file);
  }
  return header[18] === 2 || header[19] === 2 ? 'wal' : 'journal';
}

function stampOf(path: string): { readonly text: string; readonly hasWal: boolean } {
  const [main, wal] = ['', '-wal'].map((suffix) =>
    statSync(path + suffix, { bigint: true, throwIfNoEntry: false }),
  );
  const text = [main, wal].map((one) => (one ? `${one.ino} ${one.size} ${one.mtimeNs}` : '')).join(', ');
  return { text, hasWal: (wal?.size ?? 0n) > 0n };
}

/** With locks, since its program may be writing. Where it keeps a WAL, this may leave a `-shm` if there was none. */
function openLocked(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
}

function readFrom(db: DatabaseSync, path: string): Snapshot {
  try {
    // The schema is somebody else's: nothing in it may call anything, and pages are checked as they are read.
    db.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON; BEGIN');
    return readTables(db, path);
  } finally {
    db.close();
  }
}
