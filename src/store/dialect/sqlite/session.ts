import type { DatabaseSync } from 'node:sqlite';
import type { Session } from '../../session.ts';
import { openSqlite } from './connection.ts';

export function sqliteSession(db: DatabaseSync): Session {
  return {
    engine: 'sqlite',
    run: async (sql) => db.exec(sql),
    rows: async <R>(sql: string, parameters: readonly (string | number | null)[] = []) => {
      // SQLite reads $1 as a name; ?1 is its word for the first parameter.
      const statement = db.prepare(sql.replaceAll(/\$(\d+)/g, '?$1'));
      return statement.all(...parameters) as R[];
    },
  };
}

export async function openSqliteSession(
  path: string,
): Promise<{ session: Session; close: () => Promise<void> }> {
  const db = await openSqlite(path, 'write');
  return { session: sqliteSession(db), close: async () => db.close() };
}
