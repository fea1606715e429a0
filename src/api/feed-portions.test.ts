import { expect, it } from 'vitest';
import { turnsDuring } from '../../test/support/turns.ts';
import type { Feed } from '../model/feed.ts';
import type { UserRows } from '../store/store.ts';
import { allFeeds } from './feed-portions.ts';

it('a long list of feeds is read in batches, with a turn of the event loop between two of them', async () => {
  const ids = Array.from({ length: 2_600 }, (_, n) => n + 1);
  let inTurn = 0;
  let mostInTurn = 0;
  const feeds = {
    ids: async () => ids,
    // As on SQLite, where a read ends without the event loop turning.
    getMany: async (some: readonly number[]) => {
      inTurn += some.length;
      mostInTurn = Math.max(mostInTurn, inTurn);
      return some.map((id) => ({ id }) as Feed);
    },
  } as unknown as UserRows['feeds'];
  let found: Feed[] = [];
  await turnsDuring(
    async () => {
      found = await allFeeds({ feeds });
    },
    () => {
      inTurn = 0;
    },
  );
  expect(found.map(({ id }) => id)).toEqual(ids);
  expect(mostInTurn).toBe(500);
});
