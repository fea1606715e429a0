// The one-time links that make the owner. Several processes may each have printed one; the first use ends all.
import type { Clock, Millis } from '../model/glossary.ts';
import type { Database } from './database.ts';

export type SetupLinkStore = ReturnType<typeof setupLinkStore>;

const prefix = 'setup_link:';

export function setupLinkStore(db: Database, now: Clock) {
  return {
    async create(secretSha256: string, expiresAt: Millis): Promise<void> {
      await db.write((trx) =>
        trx
          .insertInto('meta')
          .values({ key: prefix + secretSha256, value: String(expiresAt) })
          .execute(),
      );
    },

    async isValid(secretSha256: string): Promise<boolean> {
      const row = await db.read
        .selectFrom('meta')
        .select('value')
        .where('key', '=', prefix + secretSha256)
        .executeTakeFirst();
      return row !== undefined && Number(row.value) > now();
    },

    async deleteAll(): Promise<void> {
      await db.write((trx) => trx.deleteFrom('meta').where('key', 'like', `${prefix}%`).execute());
    },
  };
}
