import { sql } from 'kysely';
import type { Database, Reader } from './database.ts';
import type { DurableTable } from './durable.ts';

/** An index that is opened as it is may be older than some of our tables. */
export async function presentTables(
  { engine }: Pick<Database, 'engine'>,
  reader: Reader,
  tables: readonly DurableTable[],
): Promise<DurableTable[]> {
  const { rows } = await (engine === 'sqlite'
    ? sql<{ name: string }>`SELECT name FROM sqlite_schema WHERE type = 'table'`
    : sql<{
        name: string;
      }>`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`
  ).execute(reader);
  return tables.filter(({ name }) => rows.some((row) => row.name === name));
}
