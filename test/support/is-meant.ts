// What a query with its filters means, said as plainly as can be: which documents it lets through.
import { type SearchKind, type SearchQuery, type SearchText, searchKinds } from '../../src/model/search.ts';
import { dateOf } from '../../src/search/query-filters.ts';
import { fold, splitTerms } from '../../src/search/terms.ts';
import { matchesQuery } from './matches-query.ts';

export interface MeantDoc extends Pick<SearchText, 'title' | 'text' | 'site' | 'publishedAt' | 'facts'> {
  readonly kind: string;
  /** Entries alone: their state is looked up. */
  readonly isUnread: boolean;
}

export interface MeantWhere {
  readonly feeds: readonly { readonly id: number; readonly name: string }[];
  readonly now: number;
}

export function isMeant(query: SearchQuery, one: MeantDoc, { feeds, now }: MeantWhere): boolean {
  if (!matchesQuery(query, [splitTerms(one.title), splitTerms(one.text)])) return false;
  const { facts = {}, site } = one;
  const holds = ({ name, value }: SearchQuery['filters'][number]): boolean => {
    switch (name) {
      case 'tag':
        return (facts.tags ?? []).some((tag) => fold(tag) === fold(value));
      case 'site':
        return site === value || (site !== null && !/^[\d.]+$/.test(site) && site.endsWith(`.${value}`));
      case 'feed': {
        const feed = feeds.find(({ id }) => id === facts.feedId);
        return feed !== undefined && (String(feed.id) === value || fold(feed.name).includes(fold(value)));
      }
      case 'kind':
        return one.kind === value || (value === 'raindrop' && facts.isRaindrop === true);
      case 'author':
        return splitTerms(value).every((term) => splitTerms(facts.author ?? '').includes(term));
      case 'lang': {
        const lang = (facts.lang ?? '').toLowerCase().replace('_', '-');
        return lang === value || lang.split('-')[0] === value;
      }
      case 'before':
        return one.publishedAt < (dateOf(value, now) ?? 0);
      case 'after':
        return one.publishedAt >= (dateOf(value, now) ?? 0);
      case 'is':
        return (facts.states ?? []).some((state) => state === value) || (value === 'unread' && one.isUnread);
    }
  };
  const isMany = (name: string) => ['tag', 'author', 'is'].includes(name);
  let list = 0;
  const wanted = Map.groupBy(
    query.filters.filter(({ not }) => !not),
    // Alternatives that were written as such follow each other.
    ({ name, or }) => {
      if (!or) list += 1;
      return isMany(name) ? `${name} ${list}` : name;
    },
  );
  return (
    [...wanted.values()].every((some) => some.some(holds)) &&
    !query.filters.filter(({ not }) => not).some(holds)
  );
}

/** What is shown of documents that match: of several that are one page, one; all of them when a kind is named. */
export function shownOnce<T extends { readonly kind: string; readonly text: SearchText }>(
  query: SearchQuery,
  matches: readonly T[],
  all: readonly T[],
): T[] {
  if (query.filters.some(({ name, not }) => name === 'kind' && !not)) return [...matches];
  const rank = ({ kind }: T) => searchKinds.indexOf(kind as SearchKind);
  return matches.filter(({ text }) => {
    if (text.urlKey === null) return true;
    const atAddress = all.filter((other) => other.text.urlKey === text.urlKey);
    const isShared = new Set(atAddress.map((other) => other.kind)).size < atAddress.length;
    const copies = matches.filter(
      (other) => other.text.urlKey === text.urlKey && (!isShared || other.text.title === text.title),
    );
    const shown = copies.toSorted(
      (a, b) => rank(a) - rank(b) || b.text.publishedAt - a.text.publishedAt || b.text.refId - a.text.refId,
    )[0];
    return shown?.text === text;
  });
}
