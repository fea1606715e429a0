import { NotFound, Unauthorized } from '../../errors.ts';
import type { Clock } from '../../model/glossary.ts';
import type { Scope, Token } from '../../model/user.ts';
import type { Row } from '../tables.ts';
import type { Owned } from './owned-rows.ts';

export type TokenStore = ReturnType<typeof tokenStore>;

export interface NewToken {
  readonly name: string;
  readonly scope: Scope;
  readonly secretSha256: string;
  readonly feverSha256: string;
  readonly createdBy?: number | undefined;
}

export function tokenStore(owned: Owned, now: Clock) {
  return {
    async list(): Promise<Token[]> {
      const rows = await owned.read.select('tokens').selectAll().orderBy('id').execute();
      return rows.map(toToken);
    },

    async create({ name, scope, secretSha256, feverSha256, createdBy }: NewToken): Promise<Token> {
      const row = await owned.write(async (rows) => {
        // A token that was revoked a moment ago creates no other.
        if (
          createdBy !== undefined &&
          !(await rows.select('tokens').select('id').where('id', '=', createdBy).executeTakeFirst())
        )
          throw new Unauthorized('the token is not valid');
        return rows
          .insert('tokens', {
            name,
            scope,
            secret_sha256: secretSha256,
            fever_sha256: feverSha256,
            created_at: now(),
            created_by: createdBy ?? null,
          })
          .returningAll()
          .executeTakeFirstOrThrow();
      });
      return toToken(row);
    },

    /** Deletes the token, the tokens it created, the tokens they created, and so on. */
    async delete(id: number): Promise<void> {
      await owned.write(async (rows) => {
        let deleted = await rows.delete('tokens').where('id', '=', id).returning('id').execute();
        if (deleted.length === 0) throw new NotFound('token');
        while (deleted.length > 0) {
          const parents = deleted.map((row) => row.id);
          deleted = await rows.delete('tokens').where('created_by', 'in', parents).returning('id').execute();
        }
      });
    },
  };
}

function toToken(row: Row<'tokens'>): Token {
  return { id: row.id, name: row.name, scope: row.scope, createdAt: row.created_at };
}
