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

    /** Makes the user and all that a user has from the start. */
    async create(user: { username: string; passwordHash: string | null; role: Role }): Promise<User> {
      try {
        return await db.write(async (trx) => {
          const at = now();
          const row = await trx
            .insertInto('users')
            .values({
              username: user.username,
              password_hash: user.passwordHash,
              role: user.role,
              oidc_subject: null,
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

    /** Ends every session of the user in the same transaction: whoever knew the old password is out. */
    async setPassword(userId: number, passwordHash: string): Promise<void> {
      await db.write(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('users')
          .set({ password_hash: passwordHash, updated_at: now() })
          .where('id', '=', userId)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) throw new NotFound('user');
        await trx.deleteFrom('sessions').where('user_id', '=', userId).execute();
      });
    },
  };
}

export function toUser(row: Pick<Row<'users'>, 'id' | 'username' | 'role' | 'created_at'>): User {
  return { id: row.id, username: row.username, role: row.role, createdAt: row.created_at };
}
