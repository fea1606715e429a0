// Brings a SQLite file to the present schema: one transaction for each migration, under the file's write lock,
// so that two processes that start at once apply each of them once.
import { renameSync, rmSync } from 'node:fs';
import { backup, type DatabaseSync } from 'node:sqlite';
import { StartupError } from '../../../errors.ts';
import type { Clock } from '../../../model/glossary.ts';
import { type Migration, pendingMigrations, readMigrations } from '../../migrations.ts';
import { openSqlite, untilFree } from './connection.ts';

export async function migrateSqlite(
  path: string,
  now: Clock,
  migrations: readonly Migration[] = readMigrations('sqlite'),
): Promise<void> {
  const db = await openSqlite(path, 'write');
  let copied = false;
  try {
    if (await untilFree(() => isPresent(db, migrations))) return;
    for (;;) {
      // The lock first, the version after: another process may have migrated while we waited, and copied the file
      // aside, which takes as long as the file is large.
      await untilFree(() => db.exec('BEGIN IMMEDIATE'), { giveUpAfterMs: 10 * 60_000 });
      try {
        const applied = appliedVersion(db);
        const [next] = pendingMigrations(migrations, applied);
        if (!next) return;
        if (applied > 0 && !copied) await copyAside(path, applied);
        copied = true;
        apply(db, next, now());
        db.exec('COMMIT');
      } finally {
        if (db.isTransaction) db.exec('ROLLBACK');
      }
    }
  } finally {
    db.close();
  }
}

/** The usual start: nothing to do, and no lock to wait for. */
function isPresent(db: DatabaseSync, migrations: readonly Migration[]): boolean {
  return hasHistory(db) && pendingMigrations(migrations, appliedVersion(db)).length === 0;
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

function apply(db: DatabaseSync, { version, name, sql }: Migration, appliedAt: number): void {
  try {
    db.exec(sql);
  } catch (cause) {
    throw new StartupError(
      `Migration ${version} (${name}) failed and was undone; nothing was lost: ${(cause as Error).message}`,
      { cause },
    );
  }
  db.prepare('INSERT INTO schema_migrations (version, name, applied_at) VALUES (?, ?, ?)').run(
    version,
    name,
    appliedAt,
  );
}

function appliedVersion(db: DatabaseSync): number {
  if (!hasHistory(db)) {
    db.exec(
      'CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT',
    );
  }
  return (
    (db.prepare('SELECT max(version) AS version FROM schema_migrations').get() as { version: number | null })
      .version ?? 0
  );
}

function hasHistory(db: DatabaseSync): boolean {
  return (
    db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'").get() !==
    undefined
  );
}
