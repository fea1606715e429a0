import { expect, it } from 'vitest';
import type { Store } from '../store/store.ts';
import { parseQuery } from './parse-query.ts';
import { suggestQuery } from './suggest-query.ts';

it('lets others in while it goes through titles', async () => {
  const titles = Array.from({ length: 500 }, (_, n) => `A story of numbre${n} words`);
  const search = { find: async () => ({ found: 0 }), newestTitles: async () => titles };
  const store = { forUser: () => ({ search }) } as unknown as Pick<Store, 'forUser'>;
  let turns = 0;
  const count = () => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const scope = { all: [], none: [], namesKinds: false };
  await suggestQuery({ store }, { userId: 1, query: parseQuery('wrods'), scope, at: 0 });
  clearImmediate(timer);
  expect(turns).toBeGreaterThanOrEqual(10);
});
