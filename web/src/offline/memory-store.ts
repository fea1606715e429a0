// Where changes wait as long as the page is open, in a browser that keeps nothing.
import type { Change, WaitingChange } from './changes.ts';

export interface ChangeStore {
  /** Returns its id. */
  add(change: Change, notBefore?: number): Promise<number>;
  /** In the order in which they were added. */
  all(): Promise<WaitingChange[]>;
  remove(ids: readonly number[]): Promise<void>;
}

export function storeInMemory(): ChangeStore {
  let rows: readonly WaitingChange[] = [];
  let lastId = 0;
  return {
    add: async (change, notBefore) => {
      lastId += 1;
      rows = [...rows, { id: lastId, change, ...(notBefore && { notBefore }) }];
      return lastId;
    },
    all: async () => [...rows],
    remove: async (ids) => {
      rows = rows.filter(({ id }) => !ids.includes(id));
    },
  };
}
