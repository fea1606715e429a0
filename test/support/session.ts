import { postgresSession } from '../../src/store/dialect/postgres/migrate.ts';
import { openSqlite } from '../../src/store/dialect/sqlite/connection.ts';
import { sqliteSession } from '../../src/store/dialect/sqlite/session.ts';
import type { Target } from '../../src/store/open.ts';
import type { Session } from '../../src/store/session.ts';

/** Plain SQL against an index, for what no store offers. */
export async function withSession<T>(target: Target, work: (session: Session) => Promise<T>): Promise<T> {
  if (target.engine === 'sqlite') {
    const db = await openSqlite(target.path, 'write');
    try {
      return await work(sqliteSession(db));
    } finally {
      db.close();
    }
  }
  const { session, close } = await postgresSession(target.url.reveal());
  try {
    return await work(session);
  } finally {
    await close();
  }
}
