// Where somebody is in the library, and the address that says so: /library?view=unread, /library?collection=3, narrowed
// by &tag= (any number of them), &favourite=1 and &origin=, with &item=7 for the one that is open.
import type { ItemOrigin } from '../lib/api-types.ts';

export const views = ['all', 'unread', 'archive', 'favourites', 'unsorted', 'failed', 'dead', 'bin'] as const;
export type View = (typeof views)[number];

export type Scope = { kind: View } | { kind: 'collection'; id: string };

/** What an address calls the ways by which an item came here. */
export const origins = {
  saved: 'manual',
  starred: 'bookmark',
  highlighted: 'highlight',
  raindrop: 'raindrop',
} as const;
export type Origin = keyof typeof origins;

export interface Filters {
  /** All of them. */
  readonly tags: readonly string[];
  readonly favourite: boolean;
  readonly origin: Origin | null;
  readonly sort: 'newest' | 'oldest';
}

export interface Place extends Filters {
  readonly scope: Scope;
  readonly item: string | null;
  /** On a phone, the places themselves instead of what is in one of them. */
  readonly choosing: boolean;
}

export const noFilters: Filters = { tags: [], favourite: false, origin: null, sort: 'newest' };
export const everything: Place = { scope: { kind: 'all' }, ...noFilters, item: null, choosing: false };

const mostTags = 20;
const isId = (text: string | null): text is string => text !== null && /^[1-9]\d{0,18}$/.test(text);

/** What makes no sense is left out: an address can be typed by anybody. */
export function parsePlace(search: string): Place {
  const values = new URLSearchParams(search);
  const view = values.get('view');
  const collection = values.get('collection');
  const item = values.get('item');
  const origin = values.get('origin');
  const tags = values
    .getAll('tag')
    .map((tag) => tag.trim().toLowerCase())
    .filter((tag) => tag !== '');
  return {
    scope: isId(collection)
      ? { kind: 'collection', id: collection }
      : { kind: views.find((name) => name === view) ?? 'all' },
    tags: [...new Set(tags)].slice(0, mostTags),
    favourite: values.get('favourite') === '1',
    origin: origin !== null && Object.hasOwn(origins, origin) ? (origin as Origin) : null,
    sort: values.get('sort') === 'oldest' ? 'oldest' : 'newest',
    item: isId(item) ? item : null,
    choosing: view === 'places',
  };
}

export function placeHref({ scope, tags, favourite, origin, sort, item, choosing }: Place): string {
  const values = new URLSearchParams();
  if (choosing) values.set('view', 'places');
  else if (scope.kind === 'collection') values.set('collection', scope.id);
  else if (scope.kind !== 'all') values.set('view', scope.kind);
  for (const tag of tags) values.append('tag', tag);
  if (favourite) values.set('favourite', '1');
  if (origin) values.set('origin', origin);
  if (sort === 'oldest') values.set('sort', sort);
  if (item) values.set('item', item);
  const text = values.toString();
  return text ? `/library?${text}` : '/library';
}

/** The same for two places that show the same list. */
export const listKey = (place: Place): string => placeHref({ ...place, item: null, choosing: false });

export const sameScope = (a: Scope, b: Scope): boolean =>
  a.kind === b.kind && (a.kind !== 'collection' || b.kind !== 'collection' || a.id === b.id);

export const isNarrowed = ({ tags, favourite, origin }: Filters): boolean =>
  tags.length > 0 || favourite || origin !== null;

export const withTag = (place: Place, tag: string): Place => ({
  ...place,
  tags: place.tags.includes(tag) ? place.tags.filter((one) => one !== tag) : [...place.tags, tag],
  item: null,
  choosing: false,
});

/** What is asked of the server for the list of a place. */
export function listQuery({ scope, tags, favourite, origin, sort }: Place): URLSearchParams {
  const values = new URLSearchParams({ include: 'details' });
  const byView: Partial<Record<Scope['kind'], readonly [string, string]>> = {
    unread: ['status', 'unread'],
    archive: ['status', 'archived'],
    favourites: ['isFavorite', 'true'],
    unsorted: ['collectionId', 'none'],
    failed: ['enrichmentStatus', 'failed'],
    dead: ['link', 'dead'],
    bin: ['deleted', 'true'],
  };
  const wanted = byView[scope.kind];
  if (wanted) values.set(...wanted);
  if (scope.kind === 'collection') {
    values.set('collectionId', scope.id);
    values.set('nested', 'true');
  }
  for (const tag of tags) values.append('tag', tag);
  if (favourite) values.set('isFavorite', 'true');
  if (origin) values.set('origin', origins[origin] satisfies ItemOrigin);
  if (sort === 'oldest') values.set('sort', sort);
  return values;
}
