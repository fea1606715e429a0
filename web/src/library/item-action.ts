// What can be done to many items at once, what it does to each, and what takes it back. Pure; perform.ts sends it.
import type { Item } from '../lib/api-types.ts';

export type ItemAction =
  | { readonly action: 'archive' | 'unarchive' | 'favorite' | 'unfavorite' | 'delete' | 'restore' | 'enrich' }
  | { readonly action: 'addTags' | 'removeTags'; readonly tags: readonly string[] }
  | { readonly action: 'move'; readonly collectionId: string | null };

/** The item as it will be; the same one if nothing changes. */
export function withAction(item: Item, wanted: ItemAction, at: string): Item {
  const { details, tags } = item;
  switch (wanted.action) {
    case 'archive':
      return item.status === 'archived' ? item : { ...item, status: 'archived' };
    case 'unarchive':
      return item.status === 'unread' ? item : { ...item, status: 'unread' };
    case 'favorite':
      return item.isFavorite ? item : { ...item, isFavorite: true };
    case 'unfavorite':
      return item.isFavorite ? { ...item, isFavorite: false } : item;
    case 'delete':
      return details.deletedAt === null ? { ...item, details: { ...details, deletedAt: at } } : item;
    case 'restore':
      return details.deletedAt === null ? item : { ...item, details: { ...details, deletedAt: null } };
    case 'enrich':
      return item.enrichmentStatus === 'pending'
        ? item
        : { ...item, enrichmentStatus: 'pending', enrichmentError: null };
    case 'move':
      return item.collectionId === wanted.collectionId
        ? item
        : { ...item, collectionId: wanted.collectionId };
    case 'addTags':
      return wanted.tags.every((tag) => tags.includes(tag))
        ? item
        : { ...item, tags: [...new Set([...tags, ...wanted.tags])].sort() };
    case 'removeTags':
      return wanted.tags.some((tag) => tags.includes(tag))
        ? { ...item, tags: tags.filter((tag) => !wanted.tags.includes(tag)) }
        : item;
  }
}

const opposites = {
  archive: 'unarchive',
  unarchive: 'archive',
  favorite: 'unfavorite',
  unfavorite: 'favorite',
  delete: 'restore',
  restore: 'delete',
} as const;

/** What gives these items back what they had, for those that it changed. Nothing: it cannot be taken back. */
export function takingBack(
  before: readonly Item[],
  wanted: ItemAction,
): { readonly ids: string[]; readonly action: ItemAction }[] {
  switch (wanted.action) {
    case 'enrich':
      return [];
    case 'addTags':
    case 'removeTags':
      // Of the tags, some had these and some those.
      return wanted.tags.flatMap((tag) => {
        const had = wanted.action === 'removeTags';
        const ids = before.filter(({ tags }) => tags.includes(tag) === had).map(({ id }) => id);
        const action = had ? ('addTags' as const) : ('removeTags' as const);
        return ids.length > 0 ? [{ ids, action: { action, tags: [tag] } }] : [];
      });
    case 'move': {
      const byCollection = Map.groupBy(before, ({ collectionId }) => collectionId);
      return [...byCollection].map(([collectionId, items]) => ({
        ids: items.map(({ id }) => id),
        action: { action: 'move', collectionId },
      }));
    }
    default:
      return before.length > 0
        ? [{ ids: before.map(({ id }) => id), action: { action: opposites[wanted.action] } }]
        : [];
  }
}
