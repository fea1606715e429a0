// Every pending item has a job: what the queue has lost is put into it again.
import type { Library } from '../library/library.ts';
import type { Millis } from '../model/glossary.ts';
import type { EnrichmentStore } from '../store/enrichment-store.ts';
import type { PendingItem, PendingItems } from '../store/pending-items.ts';
import { type EnrichJob, enrichKeys, enrichKind } from './enrich-kind.ts';
import { failAbandoned } from './fail-abandoned.ts';

/** Between two of many: about as fast as a worker gets through them. */
const gapMs = 200;

/** Returns how many there were. */
export async function enrichPending({
  pendingItems,
}: {
  readonly pendingItems: PendingItems;
}): Promise<number> {
  return pendingItems.settle({ kind: enrichKind, keys: enrichKeys, payloadOf: enrichJobOf }, { gapMs });
}

/** What was given up has failed, before the rest gets a job: otherwise it would be tried for ever. */
export async function lookAfterPending({
  store,
  library,
}: {
  readonly store: { readonly pendingItems: PendingItems; readonly enrichments: EnrichmentStore };
  readonly library: Pick<Library, 'files'>;
}): Promise<void> {
  try {
    while ((await failAbandoned({ enrichments: store.enrichments, library })) > 0);
  } finally {
    // What is wrong with the files of one is not to keep all others waiting.
    await enrichPending(store);
  }
}

export function enrichJobOf({ id, userId, url }: PendingItem, at: Millis): EnrichJob {
  return { itemId: String(id), userId: String(userId), url, enqueuedAt: new Date(at).toISOString() };
}
