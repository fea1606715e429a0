// feedparser's paths, as the fields of Lectern. Titles are text here and HTML there, so both are compared as text;
// content is compared as the sanitiser leaves it.
import type { ParsedEntry } from '../src/feeds/parse/clean-entry.ts';
import type { ParsedFeed } from '../src/feeds/parse/parse-feed.ts';
import { personName } from '../src/feeds/parse/person.ts';
import { escapeHtml } from '../src/feeds/parse/text-construct.ts';
import { parseDate } from '../src/html/parse-date.ts';
import { titleText } from '../src/html/plain-text.ts';
import { sanitiseHtml } from '../src/html/sanitise-html.ts';

/** Where the corpus says that its documents without a Content-Location were found. */
export const servedFrom = 'http://127.0.0.1:8097/';

export interface Check {
  readonly path: readonly (string | number)[];
  readonly equals: unknown;
}

export type Comparison =
  | { kind: 'passed' }
  | { kind: 'failed'; actual: unknown }
  | { kind: 'skipped'; reason: string };

type Field<T> = (source: T, expected: unknown, index: number) => Comparison;

const feedFields: Record<string, Field<ParsedFeed>> = {
  title: ({ title }, expected) => same(title, titleText(String(expected))),
  'title_detail.value': ({ title }, expected) => same(title, titleText(String(expected))),
  description: ({ description }, expected) => same(description, titleText(String(expected))),
  subtitle: ({ description }, expected) => same(description, titleText(String(expected))),
  tagline: ({ description }, expected) => same(description, titleText(String(expected))),
  info: ({ description }, expected) => same(description, titleText(String(expected))),
  link: ({ siteUrl }, expected) => sameUrl([siteUrl], expected),
  'links.#.href': ({ siteUrl, selfUrl }, expected) => sameUrl([siteUrl, selfUrl], expected),
  language: ({ language }, expected) => same(language, expected),
  ttl: ({ ttlMinutes }, expected) => same(ttlMinutes, Number(expected)),
};

const published: Field<ParsedEntry> = ({ pubDate }, expected) => same(pubDate, instant(expected));
const updated: Field<ParsedEntry> = ({ updatedAt }, expected) => same(updatedAt, instant(expected));
const content: Field<ParsedEntry> = (entry, expected) => {
  const [asHtml, asText] = [String(expected), escapeHtml(String(expected))].map((html) =>
    sanitiseHtml(html, { baseUrl: servedFrom }),
  );
  if (asHtml === '' && expected !== '' && !/^<!/.test(String(expected))) {
    return { kind: 'skipped', reason: 'what is expected is removed by the sanitiser' };
  }
  return entry.content === asText ? { kind: 'passed' } : same(entry.content, asHtml);
};

const entryFields: Record<string, Field<ParsedEntry>> = {
  title: ({ title }, expected) => same(title, titleText(String(expected))),
  'title_detail.value': ({ title }, expected) => same(title, titleText(String(expected))),
  'content.#.value': content,
  summary: content,
  'summary_detail.value': content,
  description: content,
  link: ({ link }, expected) => sameUrl([link], expected),
  'links.#.href': ({ link, enclosures }, expected) =>
    sameUrl([link, ...enclosures.map(({ url }) => url)], expected),
  id: ({ guid }, expected) => same(guid, expected),
  guid: ({ guid }, expected) => same(guid, expected),
  author: ({ author }, expected) => same(author, personName(String(expected))),
  'author_detail.name': ({ author }, expected) => same(author, expected),
  'authors.#.name': ({ author }, expected, index) => same(author.split(', ')[index], expected),
  published: published,
  published_parsed: published,
  created_parsed: published,
  updated: updated,
  updated_parsed: updated,
  'enclosures.#.url': ({ enclosures }, expected, index) => sameUrl([enclosures[index]?.url], expected),
  'enclosures.#.type': ({ enclosures }, expected, index) => same(enclosures[index]?.type, expected),
  'enclosures.#.length': ({ enclosures }, expected, index) =>
    same(enclosures[index]?.lengthBytes, Number(expected)),
  'media_thumbnail.#.url': ({ enclosures }, expected) =>
    sameUrl(
      enclosures.map(({ url }) => url),
      expected,
    ),
  'tags.#.term': ({ categories }, expected, index) => same(categories[index], expected),
  category: ({ categories }, expected) => same(categories[0], expected),
};

const reasons: [RegExp, string][] = [
  [/\.language$/, 'the language is kept for the feed, not for each text'],
  [/\.base$/, 'the base of a text makes its links absolute, and is not kept'],
  [/_detail\.type$|content\.\d+\.type$/, 'the type of a text decides how it is read, and is not kept'],
  [
    /links\.\d+/,
    'of the links, those to the page, to the feed itself and to enclosures are kept, without their attributes',
  ],
  [/\.source\./, 'where an aggregator has an entry from is not kept'],
  [/(author|authors|publisher|contributors)\b.*\.(email|url|href)$/, 'of people, the name is kept'],
  [
    /^feed\.(author|authors|author_detail|contributors|publisher)/,
    'people are kept for entries; those of the feed only where an entry names none',
  ],
  [/tags\.\d+\.(scheme|label)$/, 'of categories, one name is kept'],
  [/^feed\.(updated|published|created|modified|validity)/, 'dates are kept for entries'],
  [/^feed\.(id|guid|tags|category)/, 'a feed is known by its address, and has no categories here'],
];

export function compare(feed: ParsedFeed, { path, equals }: Check): Comparison {
  const [place, ...rest] = path;
  const full = path.join('.');
  if (place === 'feed') return field(feedFields, feed, rest, equals) ?? skip(full);
  if (place !== 'entries' || !(nameOf(rest.slice(1)) in entryFields)) return skip(full);
  const entry = feed.entries[Number(path[1])];
  if (!entry) return { kind: 'failed', actual: 'no such entry' };
  return field(entryFields, entry, rest.slice(1), equals) ?? skip(full);
}

function field<T>(
  fields: Record<string, Field<T>>,
  source: T,
  path: readonly (string | number)[],
  expected: unknown,
): Comparison | undefined {
  const index = path.find((part) => typeof part === 'number') ?? 0;
  return fields[nameOf(path)]?.(source, expected, index);
}

function nameOf(path: readonly (string | number)[]): string {
  return path.map((part) => (typeof part === 'number' ? '#' : part)).join('.');
}

function skip(path: string): Comparison {
  const reason = reasons.find(([pattern]) => pattern.test(path))?.[1] ?? 'Lectern has no such field';
  return { kind: 'skipped', reason };
}

function same(actual: unknown, expected: unknown): Comparison {
  return actual === expected ? { kind: 'passed' } : { kind: 'failed', actual };
}

function sameUrl(actual: readonly (string | null | undefined)[], expected: unknown): Comparison {
  const wanted = URL.parse(String(expected))?.href;
  return actual.some((url) => url && url === wanted) ? { kind: 'passed' } : { kind: 'failed', actual };
}

function instant(expected: unknown): number | null {
  if (typeof expected === 'string') return parseDate(expected);
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = expected as number[];
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
