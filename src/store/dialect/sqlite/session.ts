import type { DatabaseSync } from 'node:sqlite';
import type { Session } from '../../session.ts';
import { openSqlite, untilFree } from './connection.ts';

export function sqliteSession(db: DatabaseSync): Session {
  return {
    engine: 'sqlite',
    run: async (sql) => db.exec(sql),
    // A read, too, can meet a lock: when another process creates or recovers the WAL, or closes the file as the last one.
    rows: <R>(sql: string, parameters: readonly (string | number | null)[] = []) =>
      untilFree(() => {
        // SQLite reads $1 as a name; ?1 is its word for the first parameter.
        const statement = db.prepare(sql.replaceAll(/\$(\d+)/g, '?$1'));
        return statement.all(...parameters) as R[];
      }),
  };
}

export async function openSqliteSession(
  path: string,
): Promise<{ session: Session; close: () => Promise<void> }> {
  const db = await openSqlite(path, 'write');
  return { session: sqliteSession(db), close: async () => db.close() };
}
