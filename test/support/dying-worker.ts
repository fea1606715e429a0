// A worker that ends before a chosen step: before a file is written or deleted, or the row is, or when all is done. From
// then on nothing that it still does arrives anywhere.
import type { Files } from '../../src/library/files/files.ts';
import type { EnrichmentStore } from '../../src/store/enrichment-store.ts';

export class Ended extends Error {
  override readonly name = 'Ended';
}

/** Steps are counted from one over everything that the worker changes. */
export function dyingWorker(dieBefore: number) {
  let steps = 0;
  const hasEnded = () => steps >= dieBefore;
  const alive = () => {
    if (hasEnded()) throw new Ended('the worker has ended');
  };
  const changing = <T>(change: () => Promise<T>): Promise<T> => {
    steps += 1;
    alive();
    return change();
  };

  return {
    hasEnded,
    files: (files: Files): Files => ({
      ...files,
      put: async (key, data) => changing(() => files.put(key, data)),
      delete: async (key) => changing(() => files.delete(key)),
      read: async (key) => {
        alive();
        return files.read(key);
      },
    }),
    enrichments: (store: EnrichmentStore): EnrichmentStore => ({
      ...store,
      succeed: async (...args) => changing(() => store.succeed(...args)),
      fail: async (...args) => changing(() => store.fail(...args)),
      leave: async (...args) => changing(() => store.leave(...args)),
      find: async (ref) => {
        alive();
        return store.find(ref);
      },
      isStillOurs: async (...args) => {
        alive();
        return store.isStillOurs(...args);
      },
    }),
  };
}
