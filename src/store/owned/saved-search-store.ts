import { Conflict, Invalid, NotFound } from '../../errors.ts';
import type { Clock } from '../../model/glossary.ts';
import type { SavedSearch } from '../../model/search.ts';
import { isUniqueViolation } from '../constraint.ts';
import type { Row } from '../tables.ts';
import type { Owned } from './owned-rows.ts';

export type SavedSearchStore = ReturnType<typeof savedSearchStore>;

/** They are listed whole. */
export const mostSavedSearches = 500;

export function savedSearchStore(owned: Owned, now: Clock) {
  return {
    /** By name. */
    async list(): Promise<SavedSearch[]> {
      const rows = await owned.read.select('saved_searches').selectAll().orderBy('name').execute();
      return rows.map(toSearch);
    },

    async create({ name, q }: { name: string; q: string }): Promise<SavedSearch> {
      return owned
        .write(async (rows) => {
          const at = now();
          const known = await rows.select('saved_searches').select('id').execute();
          if (known.length >= mostSavedSearches)
            throw new Invalid(`expected at most ${mostSavedSearches} saved searches: delete one first`);
          const row = await rows
            .insert('saved_searches', { name, q, created_at: at, updated_at: at })
            .returningAll()
            .executeTakeFirstOrThrow();
          return toSearch(row);
        })
        .catch(nameTaken(name));
    },

    async change(id: number, change: { name?: string; q?: string }): Promise<SavedSearch> {
      return owned
        .write(async (rows) => {
          const row = await rows
            .update('saved_searches')
            .set({ ...change, updated_at: now() })
            .where('id', '=', id)
            .returningAll()
            .executeTakeFirst();
          if (!row) throw new NotFound('search');
          return toSearch(row);
        })
        .catch(nameTaken(change.name));
    },

    async delete(id: number): Promise<void> {
      const { numDeletedRows } = await owned.write((rows) =>
        rows.delete('saved_searches').where('id', '=', id).executeTakeFirstOrThrow(),
      );
      if (numDeletedRows === 0n) throw new NotFound('search');
    },
  };
}

function toSearch(row: Row<'saved_searches'>): SavedSearch {
  const { id, name, q, created_at: createdAt, updated_at: updatedAt } = row;
  return { id, name, q, createdAt, updatedAt };
}

function nameTaken(name: string | undefined) {
  return (error: unknown): never => {
    if (isUniqueViolation(error))
      throw new Conflict(`name: a search named "${name}" is saved already`, { cause: error });
    throw error;
  };
}
