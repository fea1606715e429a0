// Whether an item is in the list of a place: what was changed here, or is told of by the server, need not be asked for again.
import type { Item } from '../lib/api-types.ts';
import { origins, type Place } from './place.ts';

/** `collections`: the ids of that of the place and of all within it. */
export function belongs(item: Item, place: Place, collections: ReadonlySet<string>): boolean {
  const { scope, tags, favourite, origin } = place;
  if ((item.details.deletedAt !== null) !== (scope.kind === 'bin')) return false;
  if (scope.kind === 'unread' && item.status !== 'unread') return false;
  if (scope.kind === 'archive' && item.status !== 'archived') return false;
  if (scope.kind === 'unsorted' && item.collectionId !== null) return false;
  if (scope.kind === 'failed' && item.enrichmentStatus !== 'failed') return false;
  if (scope.kind === 'dead' && item.details.link?.state !== 'dead') return false;
  if (scope.kind === 'collection' && !(item.collectionId !== null && collections.has(item.collectionId)))
    return false;
  if ((favourite || scope.kind === 'favourites') && !item.isFavorite) return false;
  if (origin && !item.details.origins.includes(origins[origin])) return false;
  return tags.every((tag) => item.tags.includes(tag));
}

/** As the server has them: by when they were saved, in the bin by when they were deleted; of one moment by their number. */
export function inOrder(a: Item, b: Item, { scope, sort }: Place): number {
  const time = ({ createdAt, details }: Item) =>
    Date.parse(scope.kind === 'bin' ? (details.deletedAt ?? createdAt) : createdAt);
  const at = time(a) - time(b) || compareIds(a.id, b.id);
  return sort === 'oldest' ? at : -at;
}

/** Ids are numbers that may be too large to be one here. */
const compareIds = (a: string, b: string) => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
