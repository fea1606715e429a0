// What a person does to saved items, as far as it starts work: saving one, fetching it anew, having it back.
import type { Item, NewItem } from '../model/item.ts';
import type { BulkChange, BulkResult } from '../store/owned/item-bulk.ts';
import type { SavedItem } from '../store/owned/item-store.ts';
import type { EnrichJobs } from '../store/pending-items.ts';
import type { UserRows } from '../store/store.ts';
import { type EnrichJob, enrichKeys, enrichKind } from './enrich-kind.ts';
import { enrichJobOf } from './enrich-pending.ts';
import { savedUrl } from './save-url.ts';

type Rows = Pick<UserRows, 'items'>;

/** How the store puts the job of an item into the queue, in its own transaction. */
export const enrichJobs: EnrichJobs<EnrichJob> = {
  kind: enrichKind,
  keys: enrichKeys,
  payloadOf: enrichJobOf,
};

export type ItemToSave = Partial<NewItem> & { readonly url: string };

/** Answers at once; what the page is, a job finds out. */
export async function saveItem({ items }: Rows, { url, ...given }: ItemToSave): Promise<SavedItem> {
  const nothing: NewItem = {
    title: '',
    excerpt: '',
    tags: [],
    collectionId: null,
    isFavorite: false,
    status: 'unread',
  };
  return items.save(savedUrl(url, 'url'), { ...nothing, ...given }, enrichJobs);
}

export async function enrichAgain({ items }: Rows, id: number): Promise<Item> {
  return items.enrich(id, enrichJobs);
}

export async function restoreItem({ items }: Rows, id: number): Promise<Item> {
  return items.restore(id, enrichJobs);
}

export async function changeItems({ items }: Rows, change: BulkChange): Promise<BulkResult> {
  return items.bulk(change, enrichJobs);
}
