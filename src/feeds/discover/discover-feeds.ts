// From whatever address a person has to the feeds behind it. Every feed in the answer was fetched and parsed.
//
// In this order, and ending at the first step that finds any: where the site is known to keep them; the address itself;
// what the page names in its head; what its links look like; the usual places.
import { Invalid } from '../../errors.ts';
import type { Millis } from '../../model/glossary.ts';
import { NotAFeed } from '../parse/feed-errors.ts';
import type { FeedDocument, ParsedFeed } from '../parse/parse-feed.ts';
import { type Address, parseAddress } from './address.ts';
import { commonPaths } from './common-paths.ts';
import { knownFeeds } from './known-sites.ts';
import type { PageDocument, PageFeeds } from './page-feeds.ts';

export type FetchedPage =
  | { kind: 'body'; url: string; contentType: string | null; bytes: Uint8Array }
  /** The sentence says why, for the person who asked. */
  | { kind: 'failed'; sentence: string };

export interface DiscoveryDeps {
  readonly fetchPage: (url: string) => Promise<FetchedPage>;
  /** Both may give the bytes away. */
  readonly parseFeed: (document: FeedDocument) => Promise<ParsedFeed>;
  readonly pageFeeds: (document: PageDocument) => Promise<PageFeeds>;
}

export interface FoundFeed {
  readonly title: string;
  readonly link: string;
  /** What else the document says, for a person who wonders whether this is the one. */
  readonly siteUrl: string | null;
  readonly description: string;
  readonly entries: number;
  readonly newest: readonly { readonly title: string; readonly pubDate: Millis | null }[];
}

/** No feed was found; the sentence says what was tried. */
export class NoFeedFound extends Invalid {}

/** Requests for one address, all steps together: somebody waits, and the site did not ask for any. */
const maxRequests = 16;
/** The alternates of a page are many on sites with a feed for every comment thread. */
const maxPerStep = 8;

const newestShown = 3;
const longestDescription = 1_000;

export async function discoverFeeds(
  { fetchPage, parseFeed, pageFeeds }: DiscoveryDeps,
  address: string,
): Promise<{ feeds: FoundFeed[] }> {
  const { url, schemeGuessed } = parseAddress(address);
  const tried = new Map<string, Promise<FetchedPage>>();
  const found = new Map<string, FoundFeed>();
  const steps: string[] = [];

  await confirm('the feed addresses of the site', knownFeeds(url));
  if (found.size > 0) return answer();

  const page = await fetchFirst({ url, schemeGuessed });
  if (page.kind === 'failed') {
    throw new NoFeedFound(`No feed was found at ${url.host}: ${lowerFirst(page.sentence)}`);
  }
  const trouble = await addIfFeed(page);
  if (found.size > 0) return answer();
  // A broken feed is what the person asked for: its own fault says more than a search that goes on.
  if (trouble) throw trouble;
  steps.push('the page itself');

  const { alternates, anchors } = await pageFeeds(page);
  const pageUrl = new URL(page.url);
  await confirm('the feeds that the page names', [...alternates, ...knownFeeds(pageUrl)]);
  if (found.size === 0) await confirm('links that look like feeds', anchors);
  if (found.size === 0) await confirm('the usual addresses', commonPaths(pageUrl), true);
  if (found.size === 0) throw new NoFeedFound(`No feed was found at ${url.host}; tried ${listed(steps)}.`);
  return answer();

  function answer(): { feeds: FoundFeed[] } {
    return { feeds: [...found.values()] };
  }

  function ask(wanted: string): Promise<FetchedPage> | undefined {
    const known = tried.get(wanted);
    if (known || tried.size >= maxRequests) return known;
    const asked = fetchPage(wanted);
    tried.set(wanted, asked);
    return asked;
  }

  async function fetchFirst({ url, schemeGuessed }: Address): Promise<FetchedPage> {
    const first = (await ask(url.href)) ?? { kind: 'failed', sentence: 'Too many addresses were tried.' };
    if (first.kind === 'body' || !schemeGuessed) return first;
    const plain = await ask(url.href.replace(/^https:/, 'http:'));
    return plain?.kind === 'body' ? plain : first;
  }

  /** One after the other: they are of one host, and it is not ours to load. */
  async function confirm(what: string, candidates: readonly string[], firstOnly = false): Promise<void> {
    const limit = firstOnly ? candidates.length : maxPerStep;
    let asked = 0;
    for (const candidate of candidates.slice(0, limit)) {
      const answered = await ask(candidate);
      if (answered === undefined) break;
      asked++;
      if (answered.kind === 'body') await addIfFeed(answered);
      if (firstOnly && found.size > 0) return;
    }
    if (asked > 0) steps.push(`${what} (${asked})`);
  }

  /** Says what is wrong with what is a feed, but a broken one. */
  async function addIfFeed(page: Extract<FetchedPage, { kind: 'body' }>): Promise<Error | undefined> {
    try {
      // A copy: a page that is no feed is read again for the feeds that it names.
      found.set(page.url, describe(await parseFeed({ ...page, bytes: page.bytes.slice() }), page.url));
      return undefined;
    } catch (error) {
      return error instanceof NotAFeed ? undefined : (error as Error);
    }
  }
}

function describe(feed: ParsedFeed, link: string): FoundFeed {
  const newest = feed.entries.toSorted((a, b) => (b.pubDate ?? 0) - (a.pubDate ?? 0)).slice(0, newestShown);
  return {
    title: feed.title || new URL(link).host,
    link,
    siteUrl: feed.siteUrl,
    description: feed.description.slice(0, longestDescription),
    entries: feed.entries.length,
    newest: newest.map(({ title, pubDate }) => ({ title, pubDate })),
  };
}

function listed(steps: readonly string[]): string {
  return steps.length < 2 ? steps.join('') : `${steps.slice(0, -1).join(', ')} and ${steps.at(-1)}`;
}

function lowerFirst(sentence: string): string {
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1);
}
