// The one way in which a feed comes to the deframer: neither enabled nor scheduled, until somebody says so.
import { Conflict, Invalid } from '../errors.ts';
import type { DeframerFeed } from '../model/deframer.ts';
import type { RandomText } from '../model/glossary.ts';
import type { DeframerFeedStore } from '../store/deframer/deframer-feed-store.ts';
import { parseDeframerUrl } from './feed-url.ts';
import { rootDomainOf } from './root-domain.ts';
import { newUuid } from './uuid.ts';

export interface AddFeedDeps {
  readonly deframerFeeds: Pick<DeframerFeedStore, 'add'>;
  readonly randomText: RandomText;
}

export interface AddFeedInput {
  readonly url: string;
  /** Grouped by the domain of its address. */
  readonly withRootDomain: boolean;
  readonly enforceFeedDomain: boolean;
}

/** Throws Invalid for what is no address, Conflict for one that is there already. */
export async function addFeed(
  { deframerFeeds, randomText }: AddFeedDeps,
  { url: text, withRootDomain, enforceFeedDomain }: AddFeedInput,
): Promise<DeframerFeed> {
  const url = parseDeframerUrl(text);
  if (url === undefined)
    throw new Invalid('url: expected the http(s) address of a feed, such as https://example.com/feed.xml');
  const { username, password } = new URL(url);
  // It is part of a public address: /rss?url=...
  if (username !== '' || password !== '') throw new Invalid('url: expected an address without a password');
  try {
    return await deframerFeeds.add({
      id: newUuid(randomText),
      url,
      rootDomain: withRootDomain ? rootDomainOf(url) : null,
      enforceFeedDomain,
    });
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    throw new Conflict(`the feed is there already: ${url}`, { cause: error });
  }
}
