import type { CompiledQuery } from 'kysely';
import { describe, expect, it } from 'vitest';
import { idsOfUser } from './doc-id.ts';
import type { Find } from './find.ts';
import { findInSqlite } from './sqlite-find.ts';

const phrase = { terms: ['rain'], prefix: false, text: 'rain', startsWith: false };
const find: Find = {
  userId: 3,
  query: { all: [[phrase]], none: [], filters: [], inTitle: false },
  scope: { all: [], none: [], namesKinds: false, from: 0, before: 86_400_000 },
  at: 0,
  order: 'rank',
  limit: 5,
};

describe('a search in SQLite', () => {
  it.each(['rank', 'newest'] as const)('by %s looks at the documents of the user alone', async (order) => {
    const asked: CompiledQuery[] = [];
    const db = {
      heavyRead: undefined as never,
      heavyRows: async <R>(query: CompiledQuery): Promise<R[]> => {
        asked.push(query);
        return [];
      },
    };
    await findInSqlite.rows(db, { ...find, order });
    await findInSqlite.facets(db, find);
    for (const { sql, parameters } of asked) {
      const bounds = [...sql.matchAll(/rowid BETWEEN \?(\d+) AND \?(\d+)/g)].map(([, from, to]) => [
        parameters[Number(from) - 1],
        parameters[Number(to) - 1],
      ]);
      expect(bounds.length).toBeGreaterThan(0);
      // Bounds that come as floating point are left to SQLite, which has FTS5 walk through the documents of everybody.
      for (const [from, to] of bounds) {
        expect(from).toBe(BigInt(idsOfUser(3).from));
        expect(typeof to).toBe('bigint');
        expect(to).toBeLessThanOrEqual(BigInt(idsOfUser(3).to));
      }
    }
  });
});
