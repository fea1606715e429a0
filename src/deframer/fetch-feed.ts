// The document of a feed, asked for once and politely.
import { LecternError } from '../errors.ts';
import type { Clock, Millis } from '../model/glossary.ts';
import { race } from '../outbound/limits.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { AcquiredFeed, FeedValidators } from '../store/deframer/deframe-run-store.ts';
import type { FeedHead } from './feed-xml.ts';

/** As much as the deframer needs of what a parser of feeds gives. */
export interface SourceFeed {
  readonly title: string;
  readonly siteUrl: string | null;
  readonly description: string;
  readonly language: string | null;
  readonly entries: readonly SourceEntry[];
}

export interface SourceEntry {
  /** Text, no markup. */
  readonly title: string;
  readonly link: string | null;
  readonly author: string;
  /** Sanitised HTML. */
  readonly content: string;
  readonly pubDate: Millis | null;
}

export interface FetchFeedDeps {
  readonly outbound: Pick<Outbound, 'request'>;
  readonly parse: (input: { bytes: Uint8Array; contentType: string; url: string }) => Promise<SourceFeed>;
  readonly timeoutMs: number;
  readonly now: Clock;
}

export type FetchedFeed =
  | {
      readonly kind: 'feed';
      readonly feed: SourceFeed;
      readonly head: FeedHead;
      readonly validators: FeedValidators;
    }
  | { readonly kind: 'unchanged'; readonly validators: FeedValidators }
  /** Nothing was asked: the host had wanted to be left alone before, or others came first. */
  | { readonly kind: 'put-off'; readonly until: Millis }
  | { readonly kind: 'failed'; readonly sentence: string };

const accept =
  'application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5';
const mostWaitMs = 60_000;

export async function fetchFeed(
  { outbound, parse, timeoutMs }: FetchFeedDeps,
  { feed: { url }, validators }: Pick<AcquiredFeed, 'feed' | 'validators'>,
  signal: AbortSignal,
): Promise<FetchedFeed> {
  const outcome = await outbound.request({
    url,
    validators,
    headers: { accept },
    limits: { totalMs: timeoutMs },
    maxWaitMs: mostWaitMs,
    paceKey: url,
    signal,
  });
  signal.throwIfAborted();
  switch (outcome.kind) {
    case 'not-modified':
      return { kind: 'unchanged', validators: validatorsOf(outcome.validators) };
    case 'rate-limited':
      return outcome.status === undefined
        ? { kind: 'put-off', until: outcome.retryAt }
        : { kind: 'failed', sentence: sentenceOf(outcome) };
    case 'gone':
    case 'failed':
      return { kind: 'failed', sentence: sentenceOf(outcome) };
    case 'body':
      try {
        const contentType = outcome.headers['content-type'] ?? '';
        const document = { bytes: outcome.bytes, contentType, url: outcome.url };
        const feed = await race(signal, () => parse(document));
        return { kind: 'feed', feed, head: headOf(feed, url), validators: validatorsOf(outcome.validators) };
      } catch (error) {
        if (!(error instanceof LecternError)) throw error;
        return { kind: 'failed', sentence: error.message };
      }
  }
}

/** An operator knows what a 404 is. */
function sentenceOf({ status, sentence }: { status?: number | undefined; sentence: string }): string {
  return status === undefined ? sentence : `${status}: ${sentence}`;
}

function validatorsOf(given: {
  url: string;
  etag?: string | undefined;
  lastModified?: string | undefined;
}): FeedValidators {
  return { url: given.url, etag: given.etag, lastModified: given.lastModified };
}

function headOf({ title, siteUrl, description, language }: SourceFeed, feedUrl: string): FeedHead {
  return { title, siteUrl: siteUrl ?? new URL(feedUrl).origin, feedUrl, description, language };
}
