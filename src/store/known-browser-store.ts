// Browsers that have logged in: the hash of each browser's cookie, and the user who logged in.
import type { Clock, Millis } from '../model/glossary.ts';
import type { Database } from './database.ts';

export type KnownBrowserStore = ReturnType<typeof knownBrowserStore>;

export interface KnownBrowser {
  readonly secretSha256: string;
  readonly userId: number;
  readonly expiresAt: Millis;
}

/**
 * Every known browser has login attempts of its own. A person who knew the password once must not be able to collect
 * thousands of them, and guess the next password with all.
 */
export const maxKnownBrowsers = 20;

export function knownBrowserStore(db: Database, now: Clock) {
  return {
    async findUserId(secretSha256: string): Promise<number | undefined> {
      const row = await db.read
        .selectFrom('known_browsers')
        .select('user_id')
        .where('secret_sha256', '=', secretSha256)
        .where('expires_at', '>', now())
        .executeTakeFirst();
      return row?.user_id;
    },

    /** The hashes of all browsers of a user. */
    async list(userId: number): Promise<string[]> {
      const rows = await db.read
        .selectFrom('known_browsers')
        .select('secret_sha256')
        .where('user_id', '=', userId)
        .execute();
      return rows.map((row) => row.secret_sha256);
    },

    /** Returns false if the browser has expired, or is not a browser of this user. */
    async extend({ secretSha256, userId, expiresAt }: KnownBrowser): Promise<boolean> {
      const { numUpdatedRows } = await db.write((trx) =>
        trx
          .updateTable('known_browsers')
          .set({ expires_at: expiresAt })
          .where('secret_sha256', '=', secretSha256)
          .where('user_id', '=', userId)
          .where('expires_at', '>', now())
          .executeTakeFirstOrThrow(),
      );
      return numUpdatedRows > 0n;
    },

    /** Deletes the browsers of this user whose last login is the longest ago, if there would be too many. */
    async create({ secretSha256, userId, expiresAt }: KnownBrowser): Promise<void> {
      await db.write(async (trx) => {
        await trx
          .deleteFrom('known_browsers')
          .where('user_id', '=', userId)
          .where('secret_sha256', 'not in', (e) =>
            e
              .selectFrom('known_browsers')
              .select('secret_sha256')
              .where('user_id', '=', userId)
              .orderBy('expires_at', 'desc')
              .limit(maxKnownBrowsers - 1),
          )
          .execute();
        await trx
          .insertInto('known_browsers')
          .values({ secret_sha256: secretSha256, user_id: userId, expires_at: expiresAt })
          .execute();
      });
    },

    async deleteExpired(at: Millis): Promise<void> {
      await db.write((trx) => trx.deleteFrom('known_browsers').where('expires_at', '<=', at).execute());
    },
  };
}
