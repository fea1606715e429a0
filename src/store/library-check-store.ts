// What the last check of the library found. Derived: after a reinflate there has been none.
import type { Millis } from '../model/glossary.ts';
import type { Database } from './database.ts';

export type LibraryCheckStore = ReturnType<typeof libraryCheckStore>;

export interface LibraryCheck {
  readonly at: Millis;
  /** Segments of the journal, and files that rows name. */
  readonly objects: number;
  /** How many there are; the first of them are in `problems`. */
  readonly problemCount: number;
  readonly problems: readonly { readonly key: string; readonly what: string }[];
}

const key = 'library_check';

export function libraryCheckStore(db: Database) {
  return {
    async find(): Promise<LibraryCheck | undefined> {
      const row = await db.read.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst();
      return row && JSON.parse(row.value);
    },

    async keep(check: LibraryCheck): Promise<void> {
      const value = JSON.stringify(check);
      await db.write((trx) =>
        trx
          .insertInto('meta')
          .values({ key, value })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
          .execute(),
      );
    },
  };
}
