// One hash over all durable rows, the same on both engines: two indexes with the same hash hold the same.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Database, Reader } from './database.ts';
import { type DurableTable, durableTables } from './durable.ts';
import { presentTables } from './present-tables.ts';

export interface StateHash {
  readonly hash: string;
  readonly tables: readonly { table: string; rows: number; hash: string }[];
}

const rowsPerPage = 1_000;

export async function stateHash(
  db: Database,
  tables: readonly DurableTable[] = durableTables,
): Promise<StateHash> {
  return db.snapshot(async (reader) => {
    const results = [];
    for (const table of await presentTables(db, reader, tables)) results.push(await tableHash(reader, table));
    const all = createHash('sha256');
    for (const { table, hash } of results) all.update(`${table} ${hash}\n`);
    return { hash: all.digest('hex'), tables: results };
  });
}

async function tableHash(reader: Reader, table: DurableTable) {
  const digest = createHash('sha256');
  let rows = 0;
  for await (const row of rowsInOrder(reader, table)) {
    rows += 1;
    const columns = Object.keys(row)
      .filter((column) => !table.volatile?.includes(column))
      .sort();
    digest.update(`${JSON.stringify(columns.map((column) => [column, row[column]]))}\n`);
  }
  return { table: table.name, rows, hash: digest.digest('hex') };
}

/** The row as it is now, found by its key. */
export async function* rowAgain(
  reader: Reader,
  { name, key }: DurableTable,
  row: Readonly<Record<string, unknown>>,
): AsyncGenerator<Record<string, unknown>> {
  const isSame = key.map(({ column }) => sql`${sql.ref(column)} = ${row[column]}`);
  const query = sql<
    Record<string, unknown>
  >`SELECT * FROM ${sql.table(name)} WHERE ${sql.join(isSame, sql` AND `)}`;
  yield* (await query.execute(reader)).rows;
}

/** Every row, in the order of its key, page by page. */
export async function* rowsInOrder(
  reader: Reader,
  table: DurableTable,
): AsyncGenerator<Record<string, unknown>> {
  const columns = sql.join(table.key.map(({ column }) => sql.ref(column)));
  let after: unknown[] | undefined;
  for (;;) {
    const where = after ? sql`WHERE (${columns}) > (${sql.join(after)})` : sql``;
    const { rows } = await sql<Record<string, unknown>>`
      SELECT * FROM ${sql.table(table.name)} ${where} ORDER BY ${columns} LIMIT ${rowsPerPage}`.execute(
      reader,
    );
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < rowsPerPage) return;
    after = table.key.map(({ column }) => last[column]);
  }
}
