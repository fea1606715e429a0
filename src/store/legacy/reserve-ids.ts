// Ids that rows bring along. Our own counters go above them first, so that what is made meanwhile gets none of them; and
// an id that was given to something else once is not given again, even if that is gone.
import { sql } from 'kysely';
import type { Database, Writer } from '../database.ts';

export const tablesWithIds = ['groups', 'feeds', 'entries', 'bookmarks'] as const;
export type TableWithIds = (typeof tablesWithIds)[number];

/** What room is left above an id that is kept. */
export const highestKeptId = 2 ** 52;

/** In meta: the ranges that imports have taken, by table. An import that was interrupted goes on in its own. */
const rangesKey = 'imported_ids';
type Ranges = Partial<Record<TableWithIds, [from: number, to: number][]>>;

/** On PostgreSQL others may take numbers while ours is read: so many that they cannot overtake us. */
const slack = { sqlite: 0, postgres: 1_000 };

/** Whether a row may have an id that nothing has at present. */
export type MayKeep = (table: TableWithIds, id: number) => boolean;

/** Writes down which ids are taken. The counters follow in a transaction of their own: PostgreSQL does not set them back. */
export async function claimIds(
  db: Database,
  trx: Writer,
  highest: Readonly<Record<TableWithIds, number>>,
  { dryRun }: { dryRun: boolean },
): Promise<MayKeep> {
  const { rows } = await sql<{ value: string }>`SELECT value FROM meta WHERE key = ${rangesKey}`.execute(trx);
  const ranges: Ranges = rows[0] ? JSON.parse(rows[0].value) : {};
  for (const table of tablesWithIds) {
    const given = await lastGiven(db, trx, table);
    if (highest[table] > given) ranges[table] = [...(ranges[table] ?? []), [given + 1, highest[table]]];
  }
  if (!dryRun)
    await sql`INSERT INTO meta (key, value) VALUES (${rangesKey}, ${JSON.stringify(ranges)})
      ON CONFLICT (key) DO UPDATE SET value = excluded.value`.execute(trx);
  return (table, id) =>
    id >= 1 && id <= highestKeptId && (ranges[table] ?? []).some(([from, to]) => id >= from && id <= to);
}

/** Before the first row is written that brings its id along. */
export async function raiseCounters(
  db: Database,
  trx: Writer,
  highest: Readonly<Record<TableWithIds, number>>,
): Promise<void> {
  for (const table of tablesWithIds) {
    if (highest[table] > (await lastGiven(db, trx, table)))
      await countFrom(db, trx, table, highest[table] + slack[db.engine]);
  }
}

/** The last id that the counter of a table has given. */
async function lastGiven(db: Database, trx: Writer, table: TableWithIds): Promise<number> {
  const { rows } = await (db.engine === 'sqlite'
    ? sql<{ n: number }>`SELECT coalesce(max(seq), 0) AS n FROM sqlite_sequence WHERE name = ${table}`
    : sql<{ n: number }>`SELECT coalesce(pg_sequence_last_value(${sequence(table)}), 0) AS n`
  ).execute(trx);
  return Number(rows[0]?.n ?? 0);
}

async function countFrom(db: Database, trx: Writer, table: TableWithIds, highest: number): Promise<void> {
  if (db.engine === 'postgres') {
    await sql`SELECT setval(${sequence(table)}, CAST(${highest} AS bigint))`.execute(trx);
    return;
  }
  await sql`DELETE FROM sqlite_sequence WHERE name = ${table}`.execute(trx);
  await sql`INSERT INTO sqlite_sequence (name, seq) VALUES (${table}, ${highest})`.execute(trx);
}

const sequence = (table: TableWithIds) =>
  sql`CAST(pg_get_serial_sequence(${sql.lit(table)}, 'id') AS regclass)`;
