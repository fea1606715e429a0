// From whatever address a person has to the feeds behind it. Every feed in the answer was fetched and parsed.
//
// In this order, and ending at the first step that finds any: where the site is known to keep them; the address itself;
// what the page names in its head; what its links look like; the usual places.
import { Invalid } from '../../errors.ts';
import { type Address, parseAddress } from './address.ts';
import { commonPaths } from './common-paths.ts';
import type { FoundFeed, ReadDocument } from './describe-document.ts';
import { knownFeeds } from './known-sites.ts';
import type { PageDocument } from './page-feeds.ts';

export type FetchedPage =
  | ({ kind: 'body' } & PageDocument)
  /** The sentence says why, for the person who asked. */
  | { kind: 'failed'; sentence: string };

export interface DiscoveryDeps {
  readonly fetchPage: (url: string) => Promise<FetchedPage>;
  /** May transfer the bytes to a thread. */
  readonly describe: (document: PageDocument) => Promise<ReadDocument>;
}

/** No feed was found; the sentence says what was tried. */
export class NoFeedFound extends Invalid {}

/** Requests for one address, all steps together: somebody waits, and the site did not ask for any. */
const maxRequests = 16;
/** The alternates of a page are many on sites with a feed for every comment thread. */
const maxPerStep = 8;

type Answer =
  | ({ kind: 'read'; url: string } & ReadDocument)
  /** A feed that cannot be read. */
  | { kind: 'broken'; error: Error }
  | { kind: 'failed'; sentence: string };

export async function discoverFeeds(
  { fetchPage, describe }: DiscoveryDeps,
  address: string,
): Promise<{ feeds: FoundFeed[] }> {
  const { url, schemeGuessed } = parseAddress(address);
  const tried = new Map<string, Promise<Answer>>();
  const found = new Map<string, FoundFeed>();
  const steps: string[] = [];

  await confirm('the feed addresses of the site', knownFeeds(url));
  if (found.size > 0) return answer();

  const page = await askFirst({ url, schemeGuessed });
  if (page.kind === 'failed') {
    throw new NoFeedFound(`No feed was found at ${url.host}: ${lowerFirst(page.sentence)}`);
  }
  // The person asked for this feed: what is wrong with it helps more than another feed.
  if (page.kind === 'broken') throw page.error;
  addIfFeed(page);
  if (!('links' in page)) return answer();
  steps.push('the page itself');

  const { alternates, anchors } = page.links;
  const pageUrl = new URL(page.url);
  await confirm('the feeds that the page names', [...alternates, ...knownFeeds(pageUrl)]);
  if (found.size === 0) await confirm('links that look like feeds', anchors);
  if (found.size === 0) await confirm('the usual addresses', commonPaths(pageUrl), true);
  if (found.size === 0) throw new NoFeedFound(`No feed was found at ${url.host}; tried ${listed(steps)}.`);
  return answer();

  function answer(): { feeds: FoundFeed[] } {
    return { feeds: [...found.values()] };
  }

  function ask(wanted: string): Promise<Answer> | undefined {
    const known = tried.get(wanted);
    if (known || tried.size >= maxRequests) return known;
    const asked = fetchAndRead(wanted);
    tried.set(wanted, asked);
    return asked;
  }

  async function fetchAndRead(wanted: string): Promise<Answer> {
    const page = await fetchPage(wanted);
    if (page.kind === 'failed') return page;
    try {
      return { kind: 'read', url: page.url, ...(await describe(page)) };
    } catch (error) {
      return { kind: 'broken', error: error as Error };
    }
  }

  async function askFirst({ url, schemeGuessed }: Address): Promise<Answer> {
    const first = (await ask(url.href)) ?? { kind: 'failed', sentence: 'Too many addresses were tried.' };
    if (first.kind !== 'failed' || !schemeGuessed) return first;
    const plain = await ask(url.href.replace(/^https:/, 'http:'));
    return plain && plain.kind !== 'failed' ? plain : first;
  }

  /** One after the other: they are of one host, and it is not ours to load. */
  async function confirm(what: string, candidates: readonly string[], firstOnly = false): Promise<void> {
    const limit = firstOnly ? candidates.length : maxPerStep;
    let asked = 0;
    for (const candidate of candidates.slice(0, limit)) {
      const answered = await ask(candidate);
      if (answered === undefined) break;
      asked++;
      addIfFeed(answered);
      if (firstOnly && found.size > 0) return;
    }
    if (asked > 0) steps.push(`${what} (${asked})`);
  }

  function addIfFeed(answered: Answer): void {
    if (answered.kind === 'read' && 'feed' in answered) found.set(answered.url, answered.feed);
  }
}

function listed(steps: readonly string[]): string {
  return steps.length < 2 ? steps.join('') : `${steps.slice(0, -1).join(', ')} and ${steps.at(-1)}`;
}

function lowerFirst(sentence: string): string {
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1);
}
