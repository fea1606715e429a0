// What the mirror has in the library and the index does not: after the index was lost, or when the library is the bucket of a
// mirror that runs elsewhere.

import { itemSource } from '../../items/item-search.ts';
import type { Files } from '../../library/files/files.ts';
import type { LibraryTarget } from '../../library/files/open-files.ts';
import { createIndexer } from '../../search/index-pending.ts';
import type { Store } from '../../store/store.ts';
import type { MirrorIndex, Objects } from '../host.ts';
import { raindropIds } from '../manifest.ts';
import { type Damage, keyOf } from '../objects-of.ts';
import { type ReinflatedMirror, reinflateMirror } from '../reinflate-mirror.ts';
import { libraryObjects } from './library-objects.ts';
import { loadInThread } from './load-in-thread.ts';
import { storeIndex } from './store-index.ts';

const askedAtOnce = 5_000;

/** Whether there is anything of a mirror. */
export async function hasMirror(files: Files): Promise<boolean> {
  const has = async (prefix: string) => (await files.list(prefix, { limit: 1 })).files.length > 0;
  return (await has('manifests/')) || (await has('raindrops/'));
}

export interface TakeInDeps {
  readonly store: Store;
  readonly files: Files;
  readonly holder: string;
  /** Where the files are, for a thread that reads them ahead. */
  readonly library?: LibraryTarget;
}

/** Those that have a row are left as they are: the journal knows more of them. */
export async function takeInRaindrops(
  { store, files, holder, library }: TakeInDeps,
  userId: number,
  onProgress?: (done: number, total: number) => void,
): Promise<ReinflatedMirror> {
  const objects = libraryObjects(files);
  const { raindrops } = store.forUser(userId);
  const all = await raindropIds(objects);
  const missing: number[] = [];
  const problems: Damage[] = [];
  for (let n = 0; n < all.length; n += askedAtOnce) {
    const some = all.slice(n, n + askedAtOnce);
    const hashes = await raindrops.textHashes(some);
    missing.push(...some.filter((id) => !hashes.has(id)));
    problems.push(...(await damagedTexts(objects, hashes)));
  }
  if (missing.length === 0) return { raindrops: 0, removed: 0, problems };
  const index = findableIndex(store, files, storeIndex({ raindrops }), holder);
  const taken = await reinflateMirror(
    { objects, index },
    {
      ids: missing,
      ...(library && { load: (ids) => loadInThread(library, ids) }),
      ...(onProgress && { onProgress }),
    },
  );
  await store.searchIndex.settle({ alone: true });
  return { ...taken, problems: [...problems, ...taken.problems] };
}

/** Of those that have a row: what is not as it says is not found by its words, and somebody is to know. */
async function damagedTexts(objects: Objects, hashes: ReadonlyMap<number, string>): Promise<Damage[]> {
  const damaged: Damage[] = [];
  for (const [id, hash] of hashes)
    if ((await objects.sha256(keyOf(id, 'plain.txt'))) !== hash)
      damaged.push({ id, what: 'plain.txt is not what its row says it is' });
  return damaged;
}

/** Found as soon as they are there, while their texts are at hand: to read every file a second time would double the work. */
function findableIndex(store: Store, files: Files, index: MirrorIndex, holder: string): MirrorIndex {
  const { itemTexts: items, searchIndex, leases } = store;
  const atHand = new Map<string, string>();
  const source = itemSource({ items, files, atHand, atOnce: foundAtOnce });
  const indexer = createIndexer({ searchIndex, leases, sources: [source], alone: true }, holder);
  return {
    ...index,
    async upsert(raindrops) {
      await index.upsert(raindrops);
      for (const { id, text } of raindrops) atHand.set(keyOf(id, 'plain.txt'), text);
      while (await indexer.look());
      atHand.clear();
    },
  };
}

const foundAtOnce = 200;
