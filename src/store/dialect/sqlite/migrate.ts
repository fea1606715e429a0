// Brings a SQLite file to the present schema: one transaction for each migration, under the file's write lock,
// so that two processes that start at once apply each of them once.
import { renameSync, rmSync } from 'node:fs';
import { backup } from 'node:sqlite';
import type { Clock } from '../../../model/glossary.ts';
import {
  appliedVersion,
  applyMigration,
  finishMigrating,
  isUpToDate,
  type MigrateOptions,
  pendingMigrations,
  readMigrations,
  refuseHalfBuilt,
} from '../../migrations.ts';
import { openSqlite, untilFree } from './connection.ts';
import { sqliteSession } from './session.ts';

export async function migrateSqlite(path: string, now: Clock, options: MigrateOptions = {}): Promise<void> {
  const { migrations = readMigrations('sqlite'), through = (direct) => direct } = options;
  const db = await openSqlite(path, 'write');
  const session = through(sqliteSession(db));
  let copied = false;
  try {
    await refuseHalfBuilt(session, options);
    // The usual start: nothing to do, and no lock to wait for.
    if (await isUpToDate(session, options)) return;
    for (;;) {
      // The lock first, the version after: another process may have migrated while we waited, and copied the file
      // aside, which takes as long as the file is large.
      await untilFree(() => db.exec('BEGIN IMMEDIATE'), { giveUpAfterMs: 10 * 60_000 });
      try {
        const applied = await appliedVersion(session);
        const [next] = pendingMigrations(migrations, applied);
        if (next) {
          if (applied > 0 && !copied) await copyAside(path, applied);
          copied = true;
          await applyMigration(session, next, now());
        } else {
          await finishMigrating(session, options);
        }
        await session.run('COMMIT');
        if (!next) return;
      } finally {
        if (db.isTransaction) db.exec('ROLLBACK');
      }
    }
  } finally {
    db.close();
  }
}

/** A copy of the file as it was at schema `version`, complete even while the WAL holds part of it. */
async function copyAside(path: string, version: number): Promise<void> {
  const copy = `${path}.schema-${version}.bak`;
  const partial = `${copy}.partial`;
  const source = await openSqlite(path, 'read');
  try {
    await backup(source, partial);
    renameSync(partial, copy);
  } finally {
    source.close();
    for (const left of [partial, `${partial}-journal`, `${partial}-wal`, `${partial}-shm`]) {
      rmSync(left, { force: true });
    }
  }
}
