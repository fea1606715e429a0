// The text of a query and the filters in it. The text is the one truth: filters are read from it, and taking one away or
// adding one gives another text, in which everything else stands as it was written. The rules are those of the server's
// src/search/parse-query.ts, which the tests hold them against.
export const filterNames = [
  'tag',
  'site',
  'feed',
  'kind',
  'author',
  'lang',
  'before',
  'after',
  'is',
  'in',
] as const;
export type FilterName = (typeof filterNames)[number];

export interface Filter {
  readonly name: FilterName;
  readonly value: string;
  readonly not: boolean;
  /** It is enough that this one or the one before it holds. */
  readonly or?: boolean;
}

interface Token {
  readonly from: number;
  readonly to: number;
  readonly filter: Filter | undefined;
  readonly isOr: boolean;
}

const pattern = new RegExp(
  `(?<minus>-?)(?:(?<name>${filterNames.join('|')}):)?"(?<quoted>[^"]*)(?:"\\*?|$)|(?<plain>[^\\s"]+)`,
  'giu',
);

function tokensOf(text: string): Token[] {
  return [...text.matchAll(pattern)].map((match) => {
    const { minus, name, quoted, plain } = match.groups ?? {};
    const [, plainMinus, plainName, rest = ''] = /^(-?)([a-z]+):(.*)$/isu.exec(plain ?? '') ?? [];
    const known = nameOf(quoted === undefined ? plainName : name);
    return {
      from: match.index,
      to: match.index + match[0].length,
      filter: known && {
        name: known,
        value: (quoted ?? rest).trim(),
        not: (quoted === undefined ? plainMinus : minus) === '-',
      },
      isOr: plain === 'OR',
    };
  });
}

const nameOf = (text: string | undefined): FilterName | undefined =>
  filterNames.find((name) => name === text?.toLowerCase());

/** In the order in which they stand. Those that have no value yet are left out. */
export function filtersIn(text: string): Filter[] {
  return tokensOf(text).flatMap(({ filter }, at, tokens) => {
    if (!filter || filter.value === '') return [];
    return [tokens[at - 1]?.isOr ? { ...filter, or: true } : filter];
  });
}

export const sameFilter = (a: Filter, b: Filter): boolean =>
  a.name === b.name && a.not === b.not && a.value.toLowerCase() === b.value.toLowerCase();

export const hasFilter = (text: string, filter: Filter): boolean =>
  filtersIn(text).some((one) => sameFilter(one, filter));

/** Without each filter of which `leaves` is true. An OR beside one joined it to another of its name, and goes too. */
export function withoutFilters(text: string, leaves: (filter: Filter) => boolean): string {
  const tokens = tokensOf(text);
  const goes = tokens.map(({ filter }) => filter !== undefined && leaves(filter));
  return without(
    text,
    tokens.filter(({ isOr }, at) => goes[at] || (isOr && (goes[at - 1] || goes[at + 1]))),
  );
}

export const withoutFilter = (text: string, filter: Filter): string =>
  withoutFilters(text, (one) => sameFilter(one, filter));

function without(text: string, tokens: readonly Token[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { from, to } of tokens) {
    pieces.push(text.slice(at, from));
    at = to;
  }
  pieces.push(text.slice(at));
  return pieces
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
    .join(' ');
}

/** As it stands in a query; undefined for a value that none can hold. */
export function filterText({ name, value, not }: Filter): string | undefined {
  if (value.trim() === '' || value.includes('"')) return undefined;
  return `${not ? '-' : ''}${name}:${/^\S+$/u.test(value) ? value : `"${value}"`}`;
}

/** With the filter, and without the one that says the opposite. */
export function withFilter(text: string, filter: Filter): string {
  const written = filterText(filter);
  if (written === undefined || hasFilter(text, filter)) return text;
  const rest = closed(withoutFilter(text, { ...filter, not: !filter.not }));
  return rest === '' ? written : `${rest} ${written}`;
}

export const toggled = (text: string, filter: Filter): string =>
  hasFilter(text, filter) ? withoutFilter(text, filter) : withFilter(text, filter);

/** So that something can stand after it: a phrase is ended, and an OR or a minus that waits for a word is dropped. */
function closed(text: string): string {
  const isOpen = (text.match(/"/g) ?? []).length % 2 === 1;
  return (isOpen ? `${text.trimEnd()}"` : text).replace(/(?:(?:^|\s)(?:OR|-))+\s*$/u, '').trim();
}

/** What is looked for, without where. */
export const wordsIn = (text: string): string => withoutFilters(text, () => true);

/** Without a filter at the end whose value may go on. */
export function withoutUnfinished(text: string): string {
  const last = tokensOf(text).at(-1);
  if (!last?.filter || last.to < text.length) return text;
  const isEnded = last.filter.value !== '' && /"\*?$/.test(text) && !isOpenAt(text, last.from);
  return isEnded ? text : without(text, [last]);
}

const isOpenAt = (text: string, from: number): boolean =>
  (text.slice(from).match(/"/g) ?? []).length % 2 === 1;

const isYear = (text: string): boolean => /^\d{4}$/.test(text);

/** The year that the dates of a query say, if they say one. */
export function yearIn(text: string): string | undefined {
  const dates = filtersIn(text).filter(({ name }) => name === 'after' || name === 'before');
  const [after, before] = ['after', 'before'].map((name) =>
    dates.find((one) => one.name === name && !one.not),
  );
  if (dates.length !== 2 || !after || !before || !isYear(after.value) || !isYear(before.value))
    return undefined;
  return Number(before.value) === Number(after.value) + 1 ? after.value : undefined;
}

const isDate = ({ name }: Filter): boolean => name === 'after' || name === 'before';

/** In that year and no other; once more, whenever. */
export function toggledYear(text: string, year: string): string {
  const rest = withoutFilters(text, isDate);
  if (yearIn(text) === year) return rest;
  const next = String(Number(year) + 1).padStart(4, '0');
  const from = withFilter(rest, { name: 'after', value: year, not: false });
  return withFilter(from, { name: 'before', value: next, not: false });
}

export interface Chip {
  /** What goes when it is taken away: one filter, or the two dates of a year. */
  readonly filters: readonly Filter[];
  readonly year?: string;
  /** One of these and the one before must hold. */
  readonly isOr: boolean;
}

export function chipsOf(text: string): Chip[] {
  const year = yearIn(text);
  const chips: Chip[] = [];
  for (const filter of filtersIn(text)) {
    if (chips.some(({ filters }) => filters.some((one) => sameFilter(one, filter)))) continue;
    if (year !== undefined && isDate(filter)) {
      if (!chips.some((chip) => chip.year))
        chips.push({ filters: filtersIn(text).filter(isDate), year, isOr: false });
      continue;
    }
    chips.push({ filters: [filter], isOr: false });
  }
  // Those of one name stand beside each other.
  const grouped = [...Map.groupBy(chips, ({ filters: [first] }) => `${first?.name} ${first?.not}`).values()];
  return grouped.flatMap((group) =>
    group.map((chip, at) => ({ ...chip, isOr: at > 0 && joins(chip.filters[0]) })),
  );
}

/** What a document has one of: any of several is enough. Of tags, authors and states all must hold, unless an OR says otherwise. */
const singular: readonly FilterName[] = ['site', 'feed', 'kind', 'lang'];

const joins = (filter: Filter | undefined): boolean =>
  filter !== undefined && !filter.not && (filter.or === true || singular.includes(filter.name));

export const withoutChip = (text: string, { filters }: Chip): string =>
  withoutFilters(text, (one) => filters.some((filter) => sameFilter(filter, one)));
