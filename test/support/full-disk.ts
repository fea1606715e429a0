import { sql } from 'kysely';
import type { Database, Writer } from '../../src/store/database.ts';

/** Fails as a statement does when the disk of the index is full. */
export async function fillDisk({ engine }: Pick<Database, 'engine'>, trx: Writer): Promise<void> {
  if (engine === 'postgres') {
    await sql`DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`.execute(
      trx,
    );
    return;
  }
  // The file must not grow, and this needs ten megabytes.
  await sql`PRAGMA max_page_count = 1`.execute(trx);
  try {
    await sql`INSERT INTO meta (key, value) VALUES ('full', printf('%.*c', 10000000, 'x'))`.execute(trx);
  } finally {
    await sql`PRAGMA max_page_count = 4294967294`.execute(trx);
  }
}
