// SQLite as the store's engine: migrate the file, then one writer, one inline reader, one reader thread.
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CompiledQuery, type Kysely } from 'kysely';
import type { Clock } from '../../../model/glossary.ts';
import { type Database, withoutNesting } from '../../database.ts';
import type { Tables } from '../../tables.ts';
import { openExistingSqlite, openSqlite, SqliteConnection } from './connection.ts';
import { kyselyOn, ReadDriver, Turns, WriteDriver } from './dialect.ts';
import { migrateSqlite } from './migrate.ts';
import { ReaderThread } from './reader-thread-client.ts';
import { restrictFiles } from './restrict-files.ts';

/** Asking costs some microseconds; nobody notices that a job waited for so long. */
const lookEveryMs = 50;

export async function openSqliteDatabase(
  path: string,
  now: Clock,
  { asItIs }: { asItIs: boolean },
): Promise<Database> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  restrictFiles(path);
  if (!asItIs) await migrateSqlite(path, now);

  const writerConnection = new SqliteConnection(await openSqlite(path, 'write'));
  const readerConnection = new SqliteConnection(await openSqlite(path, 'read'));
  const opened = statSync(path, { bigint: true });
  // The inode of an open file is given to no other file, so a file with the same one is the one that is open.
  const isInPlace = () => {
    const present = statSync(path, { bigint: true, throwIfNoEntry: false });
    return present?.dev === opened.dev && present.ino === opened.ino;
  };
  const thread = new ReaderThread(path);
  const turns = new Turns();
  const writer = kyselyOn(new WriteDriver(writerConnection, turns, 'NORMAL'));
  const diskWriter = kyselyOn(new WriteDriver(writerConnection, turns, 'FULL'));
  let deletedIndexRead: Promise<unknown> = Promise.resolve();

  return {
    engine: 'sqlite',
    read: kyselyOn(new ReadDriver(readerConnection)),
    heavyRead: kyselyOn(new ReadDriver(thread)),
    heavyRows: async <R>(query: CompiledQuery) => (await thread.executeQuery<R>(query)).rows,
    write: async (work, { toDisk = false } = {}) => {
      if (!toDisk) return withoutNesting(() => writer.transaction().execute(work));
      await sendToDisk(`${path}-wal`);
      return withoutNesting(() => diskWriter.transaction().execute(work));
    },
    writeOne: async (statement) => (await withoutNesting(() => statement.execute(writer))).rows,
    dataVersion: () => readerConnection.dataVersion(),
    watch: (onChange) => {
      let seen = readerConnection.dataVersion();
      const looking = setInterval(() => {
        const version = readerConnection.dataVersion();
        if (version === seen) return;
        seen = version;
        onChange();
      }, lookEveryMs);
      looking.unref();
      return { stop: async () => clearInterval(looking) };
    },
    isInPlace,
    snapshot: async (work) => {
      if (!isInPlace()) {
        // One at a time: a connection has one transaction.
        const read = deletedIndexRead.then(() => readDeletedIndex(readerConnection, work));
        deletedIndexRead = read.catch(() => {});
        return read;
      }
      // A connection of its own: on the shared one, everyone else's reads would fall into the transaction.
      const connection = new SqliteConnection(await openExistingSqlite(path, 'read'));
      try {
        await connection.executeQuery(CompiledQuery.raw('BEGIN'));
        return await work(kyselyOn(new ReadDriver(connection)));
      } finally {
        connection.db.close();
      }
    },
    schemaVersion: async () => {
      const { rows } = readerConnection.run<{ version: number }>(
        'SELECT max(version) AS version FROM schema_migrations',
        [],
      );
      return rows[0]?.version ?? 0;
    },
    tidy: (effort) => thread.checkpoint(effort),
    close: async () => {
      // A transaction that is still open gets to end before its connection goes.
      await writer.connection().execute(async () => {});
      await thread.close();
      // The last connection to close deletes the WAL by its name, and that may be the WAL of the file that replaced ours.
      if (!isInPlace() && existsSync(path)) return;
      readerConnection.db.close();
      writerConnection.db.close();
    },
  };
}

/**
 * The file is not at its path any more, so no other connection can be opened to it. Other reads run inside this transaction. The
 * process is about to stop.
 */
async function readDeletedIndex<T>(
  connection: SqliteConnection,
  work: (reader: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  await connection.executeQuery(CompiledQuery.raw('BEGIN'));
  try {
    return await work(kyselyOn(new ReadDriver(connection)));
  } finally {
    connection.db.exec('COMMIT');
  }
}

/**
 * What was written so far, while others go on: a commit that waits for the disk holds this thread and the lock, and then
 * has only itself to wait for. The locks of SQLite are not on this file, so that closing it gives none of them up.
 */
async function sendToDisk(walPath: string): Promise<void> {
  try {
    await using wal = await open(walPath, 'r');
    await wal.datasync();
  } catch (error) {
    // Nothing was written yet.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
