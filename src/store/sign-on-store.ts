// What single sign-on keeps between leaving for the provider and coming back, for all processes together.
import type { Millis } from '../model/glossary.ts';
import type { Database } from './database.ts';

export type SignOnStore = ReturnType<typeof signOnStore>;

const keyName = 'sign_on_key';

export function signOnStore(db: Database) {
  const findKey = async (): Promise<string | undefined> => {
    const row = await db.read
      .selectFrom('meta')
      .select('value')
      .where('key', '=', keyName)
      .executeTakeFirst();
    return row?.value;
  };

  return {
    findKey,

    /** The key of all processes: `made` where there was none yet. */
    async keepKey(made: string): Promise<string> {
      await db.write((trx) =>
        trx
          .insertInto('meta')
          .values({ key: keyName, value: made })
          .onConflict((conflict) => conflict.doNothing())
          .execute(),
      );
      return (await findKey()) ?? made;
    },

    /** True the first time, however many ask at once. */
    async useOnce(idSha256: string, expiresAt: Millis): Promise<boolean> {
      const row = await db.write((trx) =>
        trx
          .insertInto('used_sign_ons')
          .values({ id_sha256: idSha256, expires_at: expiresAt })
          .onConflict((conflict) => conflict.doNothing())
          .returning('id_sha256')
          .executeTakeFirst(),
      );
      return row !== undefined;
    },

    async deleteExpired(at: Millis): Promise<void> {
      await db.write((trx) => trx.deleteFrom('used_sign_ons').where('expires_at', '<=', at).execute());
    },
  };
}
