// Feeds of the deframer in the index, as a worker leaves them there.
import { buildFeed, type FeedHead } from '../../src/deframer/feed-xml.ts';
import type { Analysis, DeframedItem } from '../../src/model/deframer.ts';
import type { Store } from '../../src/store/store.ts';
import { deframedItem } from './deframed-items.ts';

export interface GivenArticle {
  readonly url: string;
  readonly overall?: number;
  readonly analysis?: Partial<Analysis>;
  readonly content?: string;
  readonly author?: string;
  readonly pubDate?: number;
}

export interface GivenFeed {
  readonly url: string;
  readonly rootDomain?: string | null;
  readonly articles: readonly GivenArticle[];
  readonly builtAt: number;
  readonly head?: Partial<FeedHead>;
}

let counter = 0;

function newId(): string {
  counter += 1;
  return `00000000-0000-4000-8000-${String(counter).padStart(12, '0')}`;
}

export function toArticle({ url, overall, analysis, ...given }: GivenArticle): DeframedItem {
  const scored = overall === undefined ? analysis : { ...analysis, overall };
  return deframedItem(url, { id: newId(), ...given, ...(scored && { analysis: scored }) });
}

export async function addFeed(
  { deframerFeeds }: Store,
  { url, rootDomain = null, enabled = true }: { url: string; rootDomain?: string | null; enabled?: boolean },
): Promise<string> {
  const { id } = await deframerFeeds.add({ id: newId(), url, rootDomain, enforceFeedDomain: true });
  if (enabled) await deframerFeeds.change(id, { enabled: true });
  return id;
}

/** A run of a feed that is there: what is new is stored, and the document is built of all that is given. */
export async function runFeed(
  { deframerFeeds, deframeRuns }: Store,
  { url, articles, builtAt, head }: GivenFeed,
): Promise<readonly DeframedItem[]> {
  await deframerFeeds.sync(url);
  const lease = await deframeRuns.acquire({ ttlMs: 60_000 });
  if (lease?.feed.url !== url) throw new Error('another feed was due');
  const items = articles.map(toArticle);
  for (const item of items) {
    const usage = { calls: 0, tokensIn: 0, tokensOut: 0, costMicros: null };
    await deframeRuns.putItem(lease, { ...item, analysisKey: item.hash, usage }, 60_000);
  }
  const built = buildFeed({
    head: {
      title: 'The Example',
      siteUrl: 'https://example.com/',
      feedUrl: url,
      description: '',
      language: 'en',
      ...head,
    },
    items,
    builtAt,
  });
  await deframeRuns.finish(lease, { built: { ...built, updatedAt: builtAt }, intervalMs: 60_000 });
  return items;
}

export async function addRunFeed(store: Store, feed: GivenFeed): Promise<string> {
  const id = await addFeed(store, feed);
  await runFeed(store, feed);
  return id;
}
