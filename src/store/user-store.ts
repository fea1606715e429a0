// Users, and the passwords that only accounts/ compares.
import { Conflict, NotFound } from '../errors.ts';
import type { Clock } from '../model/glossary.ts';
import type { Role, User } from '../model/user.ts';
import { isUniqueViolation } from './constraint.ts';
import type { Database } from './database.ts';
import { insertDefaultGroup } from './owned/group-store.ts';
import { rowsOf } from './owned/owned-rows.ts';
import type { Row } from './tables.ts';

export type UserStore = ReturnType<typeof userStore>;

export function userStore(db: Database, now: Clock) {
  return {
    async list(): Promise<User[]> {
      const rows = await db.read.selectFrom('users').selectAll().orderBy('id').execute();
      return rows.map(toUser);
    },

    async count(): Promise<number> {
      const row = await db.read
        .selectFrom('users')
        .select((e) => e.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      return row.n;
    },

    async findByName(username: string): Promise<User | undefined> {
      const row = await db.read
        .selectFrom('users')
        .selectAll()
        .where('username', '=', username)
        .executeTakeFirst();
      return row && toUser(row);
    },

    /** By what single sign-on knows somebody as: see accounts/oidc-person.ts. */
    async findBySubject(subject: string): Promise<User | undefined> {
      const row = await db.read
        .selectFrom('users')
        .selectAll()
        .where('oidc_subject', '=', subject)
        .executeTakeFirst();
      return row && toUser(row);
    },

    async get(id: number): Promise<User> {
      const row = await db.read.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
      if (!row) throw new NotFound('user');
      return toUser(row);
    },

    async findOwner(): Promise<User | undefined> {
      const row = await db.read
        .selectFrom('users')
        .selectAll()
        .where('role', '=', 'owner')
        .executeTakeFirst();
      return row && toUser(row);
    },

    async findPasswordHash(userId: number): Promise<string | undefined> {
      const row = await db.read
        .selectFrom('users')
        .select('password_hash')
        .where('id', '=', userId)
        .executeTakeFirst();
      return row?.password_hash ?? undefined;
    },

    /** By which ways the user can come in. */
    async findWaysIn(userId: number): Promise<{ hasPassword: boolean; hasSignOn: boolean }> {
      const row = await db.read
        .selectFrom('users')
        .select(['password_hash', 'oidc_subject'])
        .where('id', '=', userId)
        .executeTakeFirst();
      return { hasPassword: row?.password_hash != null, hasSignOn: row?.oidc_subject != null };
    },

    async idsWithSignOn(): Promise<Set<number>> {
      const rows = await db.read
        .selectFrom('users')
        .select('id')
        .where('oidc_subject', 'is not', null)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },

    /** Gives a user whom nobody can log in as a way in. Of several at once, one succeeds. */
    async claim(
      userId: number,
      user: { username: string } & ({ passwordHash: string } | { oidcSubject: string }),
    ): Promise<User> {
      const way =
        'passwordHash' in user ? { password_hash: user.passwordHash } : { oidc_subject: user.oidcSubject };
      try {
        const row = await db.write((trx) =>
          trx
            .updateTable('users')
            .set({ username: user.username, ...way, updated_at: now() })
            .where('id', '=', userId)
            .where('password_hash', 'is', null)
            .where('oidc_subject', 'is', null)
            .returningAll()
            .executeTakeFirst(),
        );
        if (!row) throw new Conflict('there is an owner already');
        return toUser(row);
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw new Conflict(`username: "${user.username}" exists already`, { cause: error });
      }
    },

    /** Makes the user and all that a user has from the start. */
    async create(user: {
      username: string;
      passwordHash: string | null;
      role: Role;
      oidcSubject?: string;
    }): Promise<User> {
      try {
        return await db.write(async (trx) => {
          const at = now();
          const row = await trx
            .insertInto('users')
            .values({
              username: user.username,
              password_hash: user.passwordHash,
              role: user.role,
              oidc_subject: user.oidcSubject ?? null,
              created_at: at,
              updated_at: at,
            })
            .returningAll()
            .executeTakeFirstOrThrow();
          await insertDefaultGroup(rowsOf(trx, row.id), at);
          return toUser(row);
        });
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw new Conflict(
          user.role === 'owner' ? 'there is an owner already' : `username: "${user.username}" exists already`,
          { cause: error },
        );
      }
    },

    /** Ends every session of the user in the same transaction. Returns how many tokens were revoked. */
    async setPassword(
      userId: number,
      passwordHash: string,
      { revokeTokens = false }: { revokeTokens?: boolean } = {},
    ): Promise<number> {
      return db.write(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('users')
          .set({ password_hash: passwordHash, updated_at: now() })
          .where('id', '=', userId)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) throw new NotFound('user');
        await trx.deleteFrom('sessions').where('user_id', '=', userId).execute();
        if (!revokeTokens) return 0;
        const revoked = await trx
          .deleteFrom('tokens')
          .where('user_id', '=', userId)
          .executeTakeFirstOrThrow();
        return Number(revoked.numDeletedRows);
      });
    },

    /** Ends every session of a user who is disabled. Their tokens stay, and work again once the user is enabled. */
    async setDisabled(userId: number, disabled: boolean): Promise<User> {
      return db.write(async (trx) => {
        const row = await trx
          .updateTable('users')
          .set((e) => ({
            // A second call keeps the time of the first.
            disabled_at: disabled ? e.fn.coalesce('disabled_at', e.val(now())) : null,
            updated_at: now(),
          }))
          .where('id', '=', userId)
          .where('role', '=', 'member')
          .returningAll()
          .executeTakeFirst();
        if (!row) throw new NotFound('member');
        if (disabled) await trx.deleteFrom('sessions').where('user_id', '=', userId).execute();
        return toUser(row);
      });
    },

    async countTokens(): Promise<Map<number, number>> {
      const rows = await db.read
        .selectFrom('tokens')
        .select((e) => ['user_id', e.fn.countAll<number>().as('n')])
        .groupBy('user_id')
        .execute();
      return new Map(rows.map(({ user_id, n }) => [user_id, n]));
    },

    /**
     * Gives the user a subject in place of the one they had, if any. One that begins with `unless` is not replaced, and
     * the answer is then false.
     */
    async setSubject(
      userId: number,
      subject: string,
      { unless }: { unless?: string } = {},
    ): Promise<boolean> {
      try {
        return await db.write(async (trx) => {
          const row = await trx
            .selectFrom('users')
            .select('oidc_subject')
            .where('id', '=', userId)
            .$if(db.engine === 'postgres', (query) => query.forUpdate())
            .executeTakeFirst();
          if (!row) throw new NotFound('user');
          if (unless !== undefined && row.oidc_subject?.startsWith(unless)) return false;
          await trx
            .updateTable('users')
            .set({ oidc_subject: subject, updated_at: now() })
            .where('id', '=', userId)
            .execute();
          return true;
        });
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw new Conflict('this identity belongs to another account', { cause: error });
      }
    },

    /** Refuses to take the last way in from somebody who has no password. */
    async removeSubject(userId: number): Promise<void> {
      await db.write(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('users')
          .set({ oidc_subject: null, updated_at: now() })
          .where('id', '=', userId)
          .where('password_hash', 'is not', null)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n)
          throw new Conflict('without a password you could not come in again: have one set first');
      });
    },
  };
}

export function toUser(
  row: Pick<Row<'users'>, 'id' | 'username' | 'role' | 'created_at' | 'disabled_at'>,
): User {
  return {
    id: row.id,
    username: row.username,
    role: row.role,
    createdAt: row.created_at,
    disabledAt: row.disabled_at ?? undefined,
  };
}
