// What the index knows of itself: its identity, and whether it holds anything.
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { type DurableTable, durableTables } from './durable.ts';
import { noteAllRowsOf } from './journal/triggers.ts';
import { lastSetKey, ordinalKey } from './journal-keys.ts';
import { reinflateKey } from './migrations.ts';
import { presentTables } from './present-tables.ts';

export type IndexStore = ReturnType<typeof indexStore>;

export const idKey = 'index_id';
const libraryIdKey = 'library_id';

export function indexStore(db: Database, tables: readonly DurableTable[] = durableTables) {
  const findMeta = async (key: string) =>
    (await db.read.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst())?.value;

  return {
    /** False when the index file was deleted or replaced since it was opened. */
    isInPlace: () => db.isInPlace?.() ?? true,

    /** The connections of this process. Empty on SQLite. */
    pools: () => db.pools?.() ?? [],

    findId: () => findMeta(idKey),

    /** The id that the index has, or from now on this one. Two that ask at once get the same. */
    async ensureId(candidate: string): Promise<string> {
      await db.write((trx) =>
        trx
          .insertInto('meta')
          .values({ key: idKey, value: candidate })
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      );
      return (await findMeta(idKey)) ?? candidate;
    },

    /** The last turn to write the journal that this index has taken. */
    findOrdinal: async () => Number((await findMeta(ordinalKey)) ?? 0),

    /** The library that this index writes to, once it has joined one. */
    findLibraryId: () => findMeta(libraryIdKey),

    async setLibraryId(value: string): Promise<void> {
      await db.write((trx) =>
        trx
          .insertInto('meta')
          .values({ key: libraryIdKey, value })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
          .execute(),
      );
    },

    async isReinflating(): Promise<boolean> {
      return (await findMeta(reinflateKey)) !== undefined;
    },

    async isEmpty(): Promise<boolean> {
      for (const { name } of await presentTables(db, db.read, tables)) {
        const { rows } = await sql`SELECT 1 FROM ${sql.table(name)} LIMIT 1`.execute(db.read);
        if (rows.length > 0) return false;
      }
      return true;
    },

    /** As if every durable row had just changed: the next flush writes them all. */
    async noteAllRows(): Promise<void> {
      await db.write(async (trx) => {
        // The set that was written last is not in the library that comes.
        await trx.deleteFrom('meta').where('key', '=', lastSetKey).execute();
        for (const table of await presentTables(db, trx, tables))
          await sql.raw(noteAllRowsOf(table)).execute(trx);
      });
    },
  };
}
