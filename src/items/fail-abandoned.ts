// Items that would be pending for ever: their job is a dead letter, since workers ended over it or something is wrong with
// us, or somebody has cancelled it. They have failed, and say so; whoever wants to tries again.
import type { Library } from '../library/library.ts';
import type { EnrichmentStore } from '../store/enrichment-store.ts';
import { enrichKey, enrichKind } from './enrich-kind.ts';
import { findLeftFiles } from './keep-copy.ts';

/** Returns how many there were. */
export async function failAbandoned({
  enrichments,
  library,
}: {
  enrichments: EnrichmentStore;
  library: Pick<Library, 'files'>;
}): Promise<number> {
  let failed = 0;
  for (const abandoned of await enrichments.findAbandoned(enrichKind)) {
    const { item } = abandoned;
    const files = await findLeftFiles(library.files, item);
    const uniqueKey = enrichKey(item.itemId);
    if (await enrichments.failAbandoned(enrichKind, abandoned, { uniqueKey, files })) failed += 1;
  }
  return failed;
}
