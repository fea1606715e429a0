// From the filters that a person wrote to the documents that are searched at all. Pure, but for the names of feeds, which
// are looked up before.
import type { Millis } from '../model/glossary.ts';
import {
  type DocState,
  type FilterName,
  type MarkSet,
  manyValued,
  type SearchFilter,
  type SearchScope,
} from '../model/search.ts';
import { mark } from '../store/search/marks.ts';
import { authorMark, feedMark, langMark, siteMark, stateMark, tagMark } from './doc-facts.ts';
import { dateOf } from './query-filters.ts';
import { fold, splitTerms } from './terms.ts';

export interface ResolveInput {
  readonly filters: readonly SearchFilter[];
  /** Besides those that filters name. */
  readonly kinds?: readonly string[] | undefined;
  readonly now: Millis;
  /** Those of the user. Asked for only where there is a filter by feed. */
  readonly feeds: readonly { readonly id: number; readonly name: string }[];
}

type MarkedName = Exclude<FilterName, 'before' | 'after'>;

const markedNames: readonly MarkedName[] = ['tag', 'site', 'feed', 'kind', 'author', 'lang', 'is'];

export function resolveFilters({ filters, kinds, now, feeds }: ResolveInput): SearchScope {
  const unread = unreadOf(filters);
  const setsOf: Record<MarkedName, (value: string) => MarkSet[]> = {
    tag: (value) => [[tagMark(value)]],
    site: (value) => [[siteMark(value)]],
    feed: (value) => feedsMeant(feeds, value).map((id) => [feedMark(id)]),
    kind: (value) => [[mark('kind', value)]],
    author: (value) => [splitTerms(value).map(authorMark)],
    lang: (value) => [[langMark(value)]],
    is: (value) => [
      [stateMark(value as DocState)],
      // Whether an entry is unread is looked up.
      ...(value === 'unread' && unread?.wanted ? [[mark('kind', 'entry')]] : []),
    ],
  };
  const all: MarkSet[][] = [];
  const none: MarkSet[] = [];
  for (const name of markedNames) {
    const ofName = filters.filter((filter) => filter.name === name);
    const wanted = ofName.filter(({ not }) => !not);
    for (const some of alternatives(name, wanted)) all.push(some.flatMap(({ value }) => setsOf[name](value)));
    none.push(...ofName.filter(({ not }) => not).flatMap(({ value }) => setsOf[name](value)));
  }
  if (kinds) all.push(kinds.map((kind) => [mark('kind', kind)]));
  return {
    all,
    none,
    ...rangeOf(filters, now),
    ...(unread && { unread }),
    namesKinds: kinds !== undefined || filters.some(({ name, not }) => name === 'kind' && !not),
  };
}

/** Of each of these lists one must hold. */
function alternatives(name: FilterName, wanted: readonly SearchFilter[]): SearchFilter[][] {
  const lists: SearchFilter[][] = [];
  for (const filter of wanted) {
    const last = lists.at(-1);
    if (last && (filter.or || !manyValued.has(name))) last.push(filter);
    else lists.push([filter]);
  }
  return lists;
}

function unreadOf(filters: readonly SearchFilter[]): SearchScope['unread'] {
  const states = filters.filter(({ name }) => name === 'is');
  const isLeftOut = states.some(({ value, not }) => not && value === 'unread');
  if (isLeftOut) return { wanted: false, orStates: [] };
  const wanted = states.filter(({ not }) => !not);
  const withUnread = alternatives('is', wanted).filter((some) =>
    some.some(({ value }) => value === 'unread'),
  );
  const orStates = withUnread.map((some) => some.map(({ value }) => value as DocState));
  return withUnread.length > 0 ? { wanted: true, orStates } : undefined;
}

/** Of several dates the widest range; a negated one is a bound on the other side. */
function rangeOf(filters: readonly SearchFilter[], now: Millis): Pick<SearchScope, 'from' | 'before'> {
  const dates = (name: FilterName, not: boolean) =>
    filters
      .filter((filter) => filter.name === name && filter.not === not)
      .map(({ value }) => dateOf(value, now) as Millis);
  const [after, before] = [dates('after', false), dates('before', false)];
  const from = [...(after.length > 0 ? [Math.min(...after)] : []), ...dates('before', true)];
  const until = [...(before.length > 0 ? [Math.max(...before)] : []), ...dates('after', true)];
  return {
    ...(from.length > 0 && { from: Math.max(...from) }),
    ...(until.length > 0 && { before: Math.min(...until) }),
  };
}

/** By its id, or by a part of its name. */
function feedsMeant(feeds: ResolveInput['feeds'], value: string): number[] {
  const part = fold(value).trim();
  return feeds.filter(({ id, name }) => String(id) === part || fold(name).includes(part)).map(({ id }) => id);
}
