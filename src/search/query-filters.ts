// What a filter such as `tag:work` may say. Pure; search/resolve-filters.ts makes of it what the store asks for.
import { Invalid } from '../errors.ts';
import type { Millis } from '../model/glossary.ts';
import { askedKinds, docStates, type FilterName, filterNames, type SearchFilter } from '../model/search.ts';
import { splitTerms } from './terms.ts';

/** `in:title` says where to look for words, and filters nothing. */
export type KnownName = FilterName | 'in';

export const knownNames: readonly KnownName[] = [...filterNames, 'in'];

const dayMs = 86_400_000;
const expectedDate = 'a date such as 2026-03-12, 2026-03, 2026, 7d or today';

/** What each takes, and how it is kept; undefined for what it does not take. */
const values: Record<KnownName, { expected: string; read(value: string): string | undefined }> = {
  tag: { expected: 'the name of a tag', read: (value) => value || undefined },
  site: { expected: 'a host such as example.org', read: hostOf },
  feed: { expected: 'the id of a feed, or a part of its name', read: (value) => value || undefined },
  kind: { expected: oneOf(askedKinds), read: (value) => among(askedKinds, value) },
  author: {
    expected: 'words of a name',
    read: (value) => (splitTerms(value).length > 0 ? value : undefined),
  },
  lang: {
    expected: 'a language such as en or de-AT',
    read: (value) => /^[a-z]{2,3}(-[a-z0-9]{1,8})*$/.exec(value.toLowerCase())?.[0],
  },
  before: { expected: expectedDate, read: asDate },
  after: { expected: expectedDate, read: asDate },
  is: { expected: oneOf(docStates), read: (value) => among(docStates, value) },
  in: { expected: 'title', read: (value) => among(['title'], value) },
};

export function findName(text: string): KnownName | undefined {
  return knownNames.find((name) => name === text.toLowerCase());
}

/** Throws Invalid, which names the filter and what it takes. */
export function readFilter(
  name: KnownName,
  value: string,
  not: boolean,
): Omit<SearchFilter, 'name'> & { name: KnownName } {
  const { expected, read } = values[name];
  const kept = read(value.trim());
  if (kept === undefined) throw new Invalid(`${name}: expected ${expected}`);
  if (name === 'in' && not) throw new Invalid('in: expected in:title, which cannot be left out');
  return { name, value: kept, not };
}

/** When a date begins, in UTC; undefined for what is none. `now` is what `today` and `7d` are counted from. */
export function dateOf(value: string, now: Millis): Millis | undefined {
  if (value === 'today') return Math.floor(now / dayMs) * dayMs;
  const ago = /^(\d{1,5})([dw])$/.exec(value);
  if (ago) return now - Number(ago[1]) * (ago[2] === 'w' ? 7 : 1) * dayMs;
  const [, year, month = '01', day = '01'] = /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?$/.exec(value) ?? [];
  if (year === undefined) return undefined;
  const iso = `${year}-${month}-${day}`;
  const at = Date.parse(`${iso}T00:00:00Z`);
  // 30 February is taken for 2 March.
  return Number.isNaN(at) || !new Date(at).toISOString().startsWith(iso) ? undefined : at;
}

function asDate(value: string): string | undefined {
  const lower = value.toLowerCase();
  return dateOf(lower, 0) === undefined ? undefined : lower;
}

/** Also of an address that somebody pasted. */
function hostOf(value: string): string | undefined {
  const [, host = ''] = /^(?:https?:\/\/)?([^/?#@\s]+)(?:[/?#].*)?$/iu.exec(value) ?? [];
  if (!/^[\p{L}\p{N}[]/u.test(host)) return undefined;
  const parsed = URL.parse(`http://${host}`);
  return parsed?.hostname.replace(/\.$/, '') || undefined;
}

function among<T extends string>(known: readonly T[], value: string): T | undefined {
  return known.find((one) => one === value.toLowerCase());
}

function oneOf(known: readonly string[]): string {
  return `${known.slice(0, -1).join(', ')} or ${known.at(-1)}`;
}
