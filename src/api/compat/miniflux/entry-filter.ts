// What a list of entries is asked for: Miniflux takes all of it from the query of the address.
import { Invalid } from '../../../errors.ts';
import { type EntryOrder, type EntryQuery, entryOrders } from '../../../store/owned/entry-query.ts';

/** As Miniflux has them. newsboat 2.21 names no limit, and later ones ask for as many as the first of these. */
const usualLimit = 100;
const mostEntries = 1_000;

export interface EntryFilter {
  readonly query: EntryQuery;
  /** Words to search for. */
  readonly search: string | undefined;
  /** Nothing can match. */
  readonly isEmpty: boolean;
}

export interface PageSize {
  readonly usual: number;
  readonly most: number;
}

export function parseEntryFilter(
  query: URLSearchParams,
  { usual, most }: PageSize = { usual: usualLimit, most: mostEntries },
): EntryFilter {
  const statuses = query.getAll('status');
  for (const status of statuses)
    if (!['read', 'unread', 'removed'].includes(status)) throw new Invalid('status: expected read or unread');
  const wantsRead = statuses.length === 0 || statuses.includes('read');
  const wantsUnread = statuses.length === 0 || statuses.includes('unread');
  const tags = query.getAll('tags').filter((tag) => tag !== '');
  // 0 stands for as many as there can be.
  const limit = Math.min(numberIn(query, 'limit', usual) || most, most);
  return {
    // What was removed is gone.
    isEmpty: !wantsRead && !wantsUnread,
    search: query.get('search')?.trim().slice(0, 1_000) || undefined,
    query: {
      feedId: numberIn(query, 'feed_id') || undefined,
      groupId: numberIn(query, 'category_id') || undefined,
      unread: wantsRead === wantsUnread ? undefined : wantsUnread,
      starred: flagIn(query, 'starred'),
      tags: tags.length > 0 ? tags : undefined,
      afterId: numberIn(query, 'after_entry_id') || undefined,
      beforeId: numberIn(query, 'before_entry_id') || undefined,
      publishedAfter: latest(timeIn(query, 'after'), timeIn(query, 'published_after')),
      publishedBefore: earliest(timeIn(query, 'before'), timeIn(query, 'published_before')),
      changedAfter: timeIn(query, 'changed_after'),
      changedBefore: timeIn(query, 'changed_before'),
      order: oneOf(query, 'order', entryOrders, 'published_at') as EntryOrder,
      descending: oneOf(query, 'direction', ['asc', 'desc'], 'asc') === 'desc',
      offset: numberIn(query, 'offset', 0) ?? 0,
      limit,
    },
  };
}

function numberIn(query: URLSearchParams, name: string, usual?: number): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return usual;
  if (!/^\d{1,15}$/.test(text)) throw new Invalid(`${name}: expected a whole number`);
  return Number(text);
}

/** Seconds, of which 0 stands for none. A date that no clock will show is as good as the last that can be. */
function timeIn(query: URLSearchParams, name: string): number | undefined {
  const seconds = numberIn(query, name);
  return seconds ? Math.min(seconds * 1000, Number.MAX_SAFE_INTEGER) : undefined;
}

const earliest = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);

const latest = (a: number | undefined, b: number | undefined) =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);

function flagIn(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name)?.toLowerCase() ?? '';
  if (text === '') return undefined;
  if (['1', 't', 'true'].includes(text)) return true;
  if (['0', 'f', 'false'].includes(text)) return false;
  throw new Invalid(`${name}: expected true or false`);
}

function oneOf(query: URLSearchParams, name: string, values: readonly string[], usual: string): string {
  const value = query.get(name) || usual;
  const found = values.find((one) => one === value.toLowerCase());
  if (found === undefined) throw new Invalid(`${name}: expected one of ${values.join(', ')}`);
  return found;
}
