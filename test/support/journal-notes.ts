import { sql } from 'kysely';
import type { Database } from '../../src/store/database.ts';

/** Pending notes of a row that does not exist, as many as asked for. */
export async function addNotes(database: Database, count: number): Promise<void> {
  await database.write((trx) =>
    sql`INSERT INTO journal_dirty (tbl, k1)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${sql.lit(count)})
      SELECT 1, i + 900000000 FROM n`.execute(trx),
  );
}
