// What is wrong with a file, in sentences for whoever named it. The messages of others are left out: they may name other files.
import { Invalid, type LecternError, Upstream } from '../../errors.ts';

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_READONLY = 8;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
const SQLITE_IOERR_SHORT_READ = 522;

export function toFailure(path: string, cause: unknown): LecternError {
  const { errcode = 0, code } = cause as { errcode?: number; code?: string };
  const kind = errcode & 0xff;
  if (kind === SQLITE_NOTADB) return noDatabase(path, cause);
  if (kind === SQLITE_CORRUPT || errcode === SQLITE_IOERR_SHORT_READ) return damaged(path, cause);
  if (kind === SQLITE_BUSY || kind === SQLITE_LOCKED)
    return new Upstream(`${path} is locked by another program: try again, or close that program first`, {
      cause,
    });
  // Only somebody who may write can undo what was begun.
  if (kind === SQLITE_READONLY)
    return new Upstream(
      `${path} was left in the middle of a change: open it once in Research, which finishes or undoes that`,
      { cause },
    );
  if (code === 'EACCES' || code === 'EPERM')
    return new Invalid(`${path} may not be read by this server: give it the right to read it`, { cause });
  if (code === 'ENOENT') return notThere(path, cause);
  return new Upstream(`${path} could not be read: check that its disk works, and try again`, { cause });
}

export function notThere(path: string, cause?: unknown): Upstream {
  return new Upstream(`${path} is not there: check the path, and that its disk is connected`, { cause });
}

export function noDatabase(path: string, cause?: unknown): Invalid {
  return new Invalid(`${path} is not a SQLite database: name the database file of Research`, { cause });
}

export function damaged(path: string, cause?: unknown): Invalid {
  return new Invalid(
    `${path} is damaged and cannot be read whole: repair it with "sqlite3 FILE .recover", or restore it from a backup`,
    { cause },
  );
}
