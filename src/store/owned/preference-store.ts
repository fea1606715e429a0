import { sql } from 'kysely';
import { Invalid } from '../../errors.ts';
import { checkLinks, forgetLinks } from '../link-store.ts';
import { type Owned, rowsOf } from './owned-rows.ts';

export type PreferenceStore = ReturnType<typeof preferenceStore>;

/** Each as JSON text. */
export interface PreferenceChange {
  readonly name: string;
  /** Null takes it away. */
  readonly value: string | null;
}

export const mostPreferences = 100;

export function preferenceStore(owned: Owned) {
  const { db, userId } = owned;
  return {
    async list(): Promise<{ name: string; value: string }[]> {
      return owned.read.select('preferences').select(['name', 'value']).orderBy('name').execute();
    },

    /** Those that are named, and no others: what two devices change at once is all kept. */
    async change(changes: readonly PreferenceChange[]): Promise<void> {
      await db.write(async (trx) => {
        const rows = rowsOf(trx, userId);
        // One after the other: two at once would not see each other's when they count.
        if (db.engine === 'postgres')
          await sql`SELECT id FROM users WHERE id = ${userId} FOR NO KEY UPDATE`.execute(trx);
        for (const { name, value } of changes) {
          if (value === null) await rows.delete('preferences').where('name', '=', name).execute();
          else
            await rows
              .insert('preferences', { name, value })
              .onConflict((conflict) => conflict.columns(['user_id', 'name']).doUpdateSet({ value }))
              .execute();
        }
        // Whoever switches it off does not want to be told of what was found, either.
        if (changes.some(({ name, value }) => name === checkLinks && value !== 'true'))
          await forgetLinks(trx, userId);
        const { n } = await rows
          .select('preferences')
          .select((e) => e.fn.countAll<number>().as('n'))
          .executeTakeFirstOrThrow();
        if (n > mostPreferences)
          throw new Invalid(`at most ${mostPreferences} preferences are kept; take some away first`);
      });
    },
  };
}
