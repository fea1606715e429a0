// Files and requests that fail by plan, for the suites of everything that is built on the library.
import type { Files } from '../../src/library/files/files.ts';
import type { Faults } from './faults.ts';

/** Counts put and delete; get, read, stat and list fail only when asked to by name, or after a crash. */
export function faultyFiles(files: Files, faults: Faults): Files {
  return {
    kind: files.kind,
    put: (key, data, options) => faults.step('put', () => files.put(key, data, options)),
    delete: (key) => faults.step('delete', () => files.delete(key)),
    get: (key) => faults.look('get', () => files.get(key)),
    read: (key) => faults.look('read', () => files.read(key)),
    stat: (key) => faults.look('stat', () => files.stat(key)),
    list: (prefix, options) => faults.look('list', () => files.list(prefix, options)),
    folders: (prefix) => files.folders(prefix),
    async *listAll(prefix, options) {
      for await (const file of files.listAll(prefix, options))
        yield await faults.look('list', async () => file);
    },
  };
}

/** Counts each request. An error is what fetch() makes of a broken connection, before or after the server acted. */
export function faultyFetch(faults: Faults, real: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const operation = init?.method ?? 'GET';
    try {
      return await faults.step(operation, () => real(input, init));
    } catch (error) {
      if (error instanceof Error && 'code' in error) throw new TypeError('fetch failed', { cause: error });
      throw error;
    }
  };
}
