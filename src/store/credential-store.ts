// Who is behind a session or a token: the lookups that come before we know which user is asking.
import { AccountDisabled, Unauthorized } from '../errors.ts';
import type { Clock, Millis } from '../model/glossary.ts';
import type { Scope, User } from '../model/user.ts';
import type { Database } from './database.ts';
import { preparedQuery } from './prepared-query.ts';
import { toUser } from './user-store.ts';

export type CredentialStore = ReturnType<typeof credentialStore>;

interface FoundToken {
  readonly user: User;
  readonly scope: Scope;
  readonly tokenId: number;
}

export function credentialStore(db: Database, now: Clock) {
  return {
    async findSession(secretSha256: string): Promise<{ user: User; expiresAt: Millis } | undefined> {
      const [row] = await sessionsBySecret(db, { secretSha256 });
      if (!row || row.expires_at <= now() || row.disabled_at !== null) return undefined;
      return { user: toUser(row), expiresAt: row.expires_at };
    },

    /**
     * With `passwordHash`, only while that is still the user's: a login that was checked against a password just
     * before it was changed must not outlive the change. A disabled user gets none.
     */
    async createSession(session: {
      secretSha256: string;
      userId: number;
      expiresAt: Millis;
      passwordHash?: string | undefined;
    }): Promise<void> {
      await db.write(async (trx) => {
        const user = await trx
          .selectFrom('users')
          .select(['password_hash', 'disabled_at'])
          .where('id', '=', session.userId)
          .$if(db.engine === 'postgres', (query) => query.forUpdate())
          .executeTakeFirst();
        if (session.passwordHash !== undefined && user?.password_hash !== session.passwordHash) {
          throw new Unauthorized('wrong username or password');
        }
        if (user?.disabled_at != null) throw new AccountDisabled();
        await trx
          .insertInto('sessions')
          .values({
            secret_sha256: session.secretSha256,
            user_id: session.userId,
            created_at: now(),
            expires_at: session.expiresAt,
          })
          .execute();
      });
    },

    async extendSession(secretSha256: string, expiresAt: Millis): Promise<void> {
      await db.write((trx) =>
        trx
          .updateTable('sessions')
          .set({ expires_at: expiresAt })
          .where('secret_sha256', '=', secretSha256)
          .execute(),
      );
    },

    async deleteSession(secretSha256: string): Promise<void> {
      await db.write((trx) => trx.deleteFrom('sessions').where('secret_sha256', '=', secretSha256).execute());
    },

    async countSessions(userId: number): Promise<number> {
      const { n } = await db.read
        .selectFrom('sessions')
        .select((e) => e.fn.countAll<number>().as('n'))
        .where('user_id', '=', userId)
        .where('expires_at', '>', now())
        .executeTakeFirstOrThrow();
      return n;
    },

    /** All of a user's, but for the one that is to stay. */
    async deleteSessions(userId: number, { except }: { except?: string | undefined }): Promise<void> {
      await db.write((trx) =>
        trx
          .deleteFrom('sessions')
          .where('user_id', '=', userId)
          .$if(except !== undefined, (query) => query.where('secret_sha256', '<>', except ?? ''))
          .execute(),
      );
    },

    async deleteExpiredSessions(at: Millis): Promise<void> {
      await db.write((trx) => trx.deleteFrom('sessions').where('expires_at', '<=', at).execute());
    },

    /** Disabled users' tokens are found too. */
    async findToken(secretSha256: string): Promise<FoundToken | undefined> {
      const [row] = await tokensBySecret(db, { sha256: secretSha256 });
      return row && { user: toUser(row), scope: row.scope, tokenId: row.token_id };
    },

    /** Whether the token is still there and its user is enabled. */
    async isTokenValid(tokenId: number): Promise<boolean> {
      const [row] = await enabledTokens(db, { tokenId });
      return row !== undefined;
    },

    async findFeverToken(feverSha256: string): Promise<FoundToken | undefined> {
      const [row] = await tokensByFeverKey(db, { sha256: feverSha256 });
      return row && { user: toUser(row), scope: row.scope, tokenId: row.token_id };
    },
  };
}

const userColumns = [
  'users.id',
  'users.username',
  'users.role',
  'users.created_at',
  'users.disabled_at',
] as const;

// Every request asks one of these.

const sessionsBySecret = preparedQuery((read, { secretSha256 }: { secretSha256: string }) =>
  read
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(userColumns)
    .select('sessions.expires_at')
    .where('sessions.secret_sha256', '=', secretSha256),
);

const enabledTokens = preparedQuery((read, { tokenId }: { tokenId: number }) =>
  read
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select('tokens.id')
    .where('tokens.id', '=', tokenId)
    .where('users.disabled_at', 'is', null),
);

const tokensBySecret = tokensBy('secret_sha256');
const tokensByFeverKey = tokensBy('fever_sha256');

function tokensBy(column: 'secret_sha256' | 'fever_sha256') {
  return preparedQuery((read, { sha256 }: { sha256: string }) =>
    read
      .selectFrom('tokens')
      .innerJoin('users', 'users.id', 'tokens.user_id')
      .select(userColumns)
      .select(['tokens.scope', 'tokens.id as token_id'])
      .where(`tokens.${column}`, '=', sha256),
  );
}
