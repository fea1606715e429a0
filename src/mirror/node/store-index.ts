// The store as the mirror's index. Words are found once the indexer of search has been by, as with everything else.
import type { Lease } from '../../store/lease-store.ts';
import type { UserRows } from '../../store/store.ts';
import type { MirrorIndex } from '../host.ts';
import { keptRaindrop } from './kept-raindrop.ts';

export function storeIndex({ raindrops }: Pick<UserRows, 'raindrops'>, lease?: Lease): MirrorIndex {
  return {
    known: (ids) => raindrops.known(ids),
    upsert: (mirrored) => raindrops.upsert(mirrored.map(keptRaindrop), lease),
    setCollections: (collections) => raindrops.setCollections(collections, lease),
    count: () => raindrops.count(),
    async *liveIds() {
      for (let after = 0; ; ) {
        const ids = await raindrops.ids(after);
        yield* ids;
        const last = ids.at(-1);
        if (last === undefined) return;
        after = last;
      }
    },
  };
}
