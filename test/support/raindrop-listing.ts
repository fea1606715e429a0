// Which raindrops a list of the API gives, and in which order.
import { type Raindrop, type RaindropAccount, trash } from './raindrop-account.ts';
import type { RaindropSwitches } from './raindrop-switches.ts';

export interface ListQuery {
  readonly collectionId: number;
  readonly query: Readonly<Record<string, string>>;
  /** Which list of the account's this is: ties are shuffled by it. */
  readonly nth: number;
}

export const maxPerPage = 50;

export function listRaindrops(
  account: RaindropAccount,
  switches: RaindropSwitches,
  { collectionId, query, nth }: ListQuery,
): { items: Raindrop[]; count: number } {
  const isWanted = inSearch(query.search ?? '', switches);
  const isInside = inCollection(account, collectionId, query.nested === 'true');
  const found = account.all().filter((raindrop) => isInside(raindrop) && isWanted(raindrop));
  const ordered = inOrder(found, query.sort, switches, nth);
  return { items: pageOf(ordered, query), count: found.length };
}

/** Without `perpage` there are 25, as the highlights are documented to have. */
export function pageOf<T>(all: readonly T[], { page, perpage }: Readonly<Record<string, string>>): T[] {
  const size = Math.min(wholeNumber(perpage) || 25, maxPerPage);
  const from = wholeNumber(page) * size;
  return all.slice(from, from + size);
}

function wholeNumber(text: string | undefined): number {
  return /^\d+$/.test(text ?? '') ? Number(text) : 0;
}

function inCollection(account: RaindropAccount, id: number, isNested: boolean) {
  if (id === 0) return (raindrop: Raindrop) => raindrop.collectionId !== trash;
  const wanted = new Set(isNested ? account.withChildren(id) : [id]);
  return (raindrop: Raindrop) => wanted.has(raindrop.collectionId);
}

const sortKeys: Record<string, (raindrop: Raindrop) => string | number> = {
  created: ({ created }) => created,
  lastUpdate: ({ lastUpdate }) => lastUpdate,
  title: ({ title }) => title.toLowerCase(),
  domain: ({ domain }) => domain,
  sort: ({ sort }) => sort,
};

/** Those of the same key by id, rising in either direction. What it does not know is sorted as without a sort. */
function inOrder(found: Raindrop[], sort = '', switches: RaindropSwitches, nth: number): Raindrop[] {
  const isIgnored = /lastUpdate$/.test(sort) && switches.sortByUpdate === 'ignored';
  const [, minus, name = ''] = /^(-?)(\w+)$/.exec(isIgnored ? '' : sort) ?? [];
  const known = sortKeys[name];
  const keyOf = known ?? (({ created }: Raindrop) => created);
  const direction = known && !minus ? 1 : -1;
  const sorted = found
    .map((raindrop) => ({ raindrop, key: keyOf(raindrop) }))
    .sort((one, other) =>
      one.key === other.key
        ? one.raindrop._id - other.raindrop._id
        : one.key < other.key
          ? -direction
          : direction,
    );
  if (!switches.shuffleTies) return sorted.map(({ raindrop }) => raindrop);
  const ties = Object.values(Object.groupBy(sorted, ({ key }) => `of ${key}`));
  return ties.flatMap((tie = []) => rotated(tie, nth)).map(({ raindrop }) => raindrop);
}

/** Never by the same twice in a row, and by so many that on pages of fifty some come twice and others not at all. */
function rotated<T>(tie: readonly T[], nth: number): T[] {
  const step = 31 % tie.length || 1;
  const by = (step * nth) % tie.length;
  return [...tie.slice(by), ...tie.slice(0, by)];
}

type Condition = (raindrop: Raindrop) => boolean;

/** All of the terms are to hold. Of Raindrop's operators, those that a program would use. */
function inSearch(search: string, switches: RaindropSwitches): Condition {
  const terms = search.match(/-?(?:#|[a-zA-Z.]+:[<>]?)?(?:"[^"]*"|[^\s"]+)/g) ?? [];
  const conditions = terms.map((term) => {
    if (!term.startsWith('-')) return conditionOf(term, switches);
    const unwanted = conditionOf(term.slice(1), switches);
    return (raindrop: Raindrop) => !unwanted(raindrop);
  });
  return (raindrop) => conditions.every((holds) => holds(raindrop));
}

function conditionOf(term: string, switches: RaindropSwitches): Condition {
  const [, name = '', sign = '', quoted = ''] = /^(#|[a-zA-Z.]+:)?([<>])?(.*)$/s.exec(term) ?? [];
  const value = quoted.replaceAll('"', '');
  const contains = (text: string) => text.toLowerCase().includes(value.toLowerCase());
  switch (name) {
    case '#':
      return ({ tags }) => tags.some((tag) => tag.toLowerCase() === value.toLowerCase());
    case 'created:':
      return ({ created }) => isInPeriod(created, sign, value, 'after');
    case 'lastUpdate:': {
      const boundary = switches.lastUpdateSearch;
      if (sign !== '' && boundary === 'ignored') return () => true;
      return ({ lastUpdate }) => isInPeriod(lastUpdate, sign, value, boundary);
    }
    case 'title:':
    case 'excerpt:':
    case 'note:':
    case 'link:': {
      const field = name.slice(0, -1) as 'title' | 'excerpt' | 'note' | 'link';
      return (raindrop) => contains(raindrop[field]);
    }
    case 'type:':
      return ({ type }) => type === value;
    case 'cache.status:':
      return ({ cache }) => switches.pro && cache?.status === value;
    case 'important:':
      return ({ important = false }) => important;
    case 'notag:':
      return ({ tags }) => tags.length === 0;
    default:
      return ({ title, excerpt, note, link, tags }) => [title, excerpt, note, link, ...tags].some(contains);
  }
}

/** A year, a month or a day, of UTC: all of it is the period. */
function isInPeriod(time: string, sign: string, period: string, boundary: 'after' | 'from' | 'ignored') {
  const part = time.slice(0, period.length);
  if (sign === '<') return part < period;
  if (sign === '>') return boundary === 'from' ? part >= period : part > period;
  return part === period;
}
