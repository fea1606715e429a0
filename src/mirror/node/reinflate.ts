// What the mirror has in the library and the index does not: after the index was lost, or when the library is the bucket of a
// mirror that runs elsewhere.
import type { Files } from '../../library/files/files.ts';
import type { Store } from '../../store/store.ts';
import { raindropIds } from '../manifest.ts';
import { type ReinflatedMirror, reinflateMirror } from '../reinflate-mirror.ts';
import { libraryObjects } from './library-objects.ts';
import { storeIndex } from './store-index.ts';

const askedAtOnce = 5_000;

/** Whether there is anything of a mirror. */
export async function hasMirror(files: Files): Promise<boolean> {
  return (await files.list('manifests/', { limit: 1 })).files.length > 0;
}

/** Those that have a row are left as they are: the journal knows more of them. */
export async function takeInRaindrops(
  { store, files }: { readonly store: Store; readonly files: Files },
  userId: number,
  onProgress?: (done: number, total: number) => void,
): Promise<ReinflatedMirror> {
  const objects = libraryObjects(files);
  const { raindrops } = store.forUser(userId);
  const all = await raindropIds(objects);
  const missing: number[] = [];
  for (let n = 0; n < all.length; n += askedAtOnce) {
    const some = all.slice(n, n + askedAtOnce);
    const there = await raindrops.has(some);
    missing.push(...some.filter((id) => !there.has(id)));
  }
  if (missing.length === 0) return { raindrops: 0, removed: 0, problems: [] };
  const index = storeIndex({ raindrops });
  return reinflateMirror({ objects, index }, { ids: missing, ...(onProgress && { onProgress }) });
}
