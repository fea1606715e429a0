// What the Worker lends to the mirror, from outside: each call goes to workerd and back.
import type { MirrorIndex, Objects } from '../../../src/mirror/host.ts';
import type { CloudflareHarness } from './miniflare.ts';

type Callable = Pick<CloudflareHarness, 'call'>;

export function remoteObjects({ call }: Callable): Objects {
  return {
    read: (key) => call('objects', 'read', key),
    put: (...args) => call('objects', 'put', ...args),
    readVersion: (key) => call('objects', 'readVersion', key),
    putIf: (...args) => call('objects', 'putIf', ...args),
    sha256: (key) => call('objects', 'sha256', key),
    async *list(prefix) {
      yield* await call<string[]>('objects', 'list', prefix);
    },
    async *folders(prefix) {
      yield* await call<string[]>('objects', 'folders', prefix);
    },
  };
}

export function remoteIndex({ call }: Callable): MirrorIndex {
  return {
    known: async (ids) => new Set(await call<number[]>('index', 'known', ids)),
    upsert: (raindrops) => call('index', 'upsert', raindrops),
    setCollections: (collections) => call('index', 'setCollections', collections),
    count: () => call('index', 'count'),
    async *liveIds() {
      yield* await call<number[]>('index', 'liveIds');
    },
  };
}
