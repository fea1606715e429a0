// The feeds behind an address that a person has typed, found by asking the site.
import type { Outbound } from '../outbound/outbound.ts';
import type { FoundFeed } from './discover/describe-document.ts';
import { type DiscoveryDeps, discoverFeeds, type FetchedPage } from './discover/discover-feeds.ts';

/** Somebody waits for all of it together. */
const limits = { totalMs: 15_000, maxBytes: 8 * 1024 * 1024 };

export function feedFinder(outbound: Pick<Outbound, 'request'>, describe: DiscoveryDeps['describe']) {
  return async (address: string): Promise<readonly FoundFeed[]> => {
    const deps = { fetchPage: (url: string) => fetchPage(outbound, url), describe };
    return (await discoverFeeds(deps, address)).feeds;
  };
}

async function fetchPage(outbound: Pick<Outbound, 'request'>, url: string): Promise<FetchedPage> {
  const outcome = await outbound.request({ url, limits, paceKey: url, shared: true });
  if (outcome.kind !== 'body') return { kind: 'failed', sentence: outcome.sentence };
  const { bytes, headers } = outcome;
  return { kind: 'body', url: outcome.url, contentType: headers['content-type'] ?? null, bytes };
}
