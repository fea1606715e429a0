// Where changes wait: a table of the browser's own database.
import type { WaitingChange } from './changes.ts';
import { type ChangeStore, storeInMemory } from './memory-store.ts';

const table = 'changes';

/**
 * Each user has their own: what one left unsent is not for the next to send. A browser that refuses a database, as some
 * do in private windows, keeps changes as long as the page is open, so that they are sent all the same.
 */
export function openChangeStore(userId: number): ChangeStore {
  const opened = openDatabase(`lectern-${userId}`).then(storeIn, storeInMemory);
  return {
    add: async (change, notBefore) => (await opened).add(change, notBefore),
    all: async () => (await opened).all(),
    remove: async (ids) => (await opened).remove(ids),
  };
}

function storeIn(database: IDBDatabase): ChangeStore {
  const run = async <T>(
    mode: IDBTransactionMode,
    work: (rows: IDBObjectStore) => IDBRequest<T> | undefined,
  ) => {
    const transaction = database.transaction(table, mode);
    const request = work(transaction.objectStore(table));
    // Not when the page hears that the work is done, as it would be by itself: by then the page may have been left.
    transaction.commit();
    return new Promise<T | undefined>((resolve, reject) => {
      transaction.oncomplete = () => resolve(request?.result);
      transaction.onerror = () => reject(transaction.error);
      transaction.onabort = () => reject(transaction.error);
    });
  };
  return {
    add: async (change, notBefore) =>
      (await run('readwrite', (rows) => rows.add({ change, ...(notBefore && { notBefore }) }))) as number,
    all: async () => (await run<WaitingChange[]>('readonly', (rows) => rows.getAll())) ?? [],
    remove: async (ids) => {
      if (ids.length === 0) return;
      await run('readwrite', (rows) => {
        for (const id of ids) rows.delete(id);
        return undefined;
      });
    },
  };
}

function openDatabase(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () =>
      request.result.createObjectStore(table, { keyPath: 'id', autoIncrement: true });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
