// One pull: asks for an address once, for everybody who follows it, and writes down what came of it.
import { createHash } from 'node:crypto';
import { IndexFull, Later, LecternError, Unavailable } from '../errors.ts';
import type { PublishedEntry } from '../model/entry.ts';
import { type PullOutcome, pullOutcomes } from '../model/feed.ts';
import type { Clock, Millis } from '../model/glossary.ts';
import type { JobFence } from '../model/job.ts';
import { siteOriginOf } from '../model/site-icon.ts';
import type { HostTurns } from '../outbound/host-turns.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Body, Hop, NotModified, Outcome, RateLimited } from '../outbound/outcome.ts';
import { namedRetryAfter } from '../outbound/retry-after.ts';
import type {
  FeedFinding,
  FetchStateChange,
  PullEnd,
  PullFeed,
  PullStore,
  PullTarget,
} from '../store/pull-store.ts';
import { longestLink } from './feed-link.ts';
import type { ParsedFeed } from './parse/parse-feed.ts';
import {
  cappedRetryAfter,
  nextCheckAfterFailure,
  nextCheckAfterSuccess,
  type PullSettings,
  retryAfterDefaultMs,
  shouldSkip,
} from './pull-policy.ts';

export interface PullDeps {
  readonly pulls: PullStore;
  readonly outbound: Pick<Outbound, 'request'>;
  readonly parse: (input: { bytes: Uint8Array; contentType: string; url: string }) => Promise<ParsedFeed>;
  readonly turns: HostTurns;
  readonly settings: PullSettings & { readonly timeoutMs: number };
  readonly now: Clock;
  /** For the User-Agent: who asks, and for how many. */
  readonly userAgent: (subscribers: number) => string;
}

export interface Pull extends PullTarget {
  /** Somebody asked for it now: what says that it is not due is passed over. */
  readonly manual: boolean;
  /** Suspended feeds to fetch all the same, since somebody asked for each by name. */
  readonly evenSuspended: readonly number[];
}

/** A server has to say three times in a row that a feed has moved before we believe that it means it. */
const movesToBelieve = 3;

/** How it ended; undefined when there was nothing to ask for, or nobody any more to ask for it. */
export async function pullFeed(
  deps: PullDeps,
  pull: Pull,
  { fence, signal }: { fence: JobFence; signal: AbortSignal },
): Promise<PullOutcome | undefined> {
  const feeds = (await deps.pulls.findFeeds(pull)).filter(
    (feed) => !feed.suspended || pull.evenSuspended.includes(feed.id),
  );
  const isWanted = (feed: PullFeed) => pull.manual || !shouldSkip(feed, deps.now());
  if (!feeds.some(isWanted)) {
    const isMore = (asked: Pull) => asksForMore(asked, pull, []);
    if (await deps.pulls.settle(fence, pull, [], () => ({ state: {} }), isMore)) throw new Later(0);
    return undefined;
  }

  const leave = deps.turns.enter(pull.link);
  try {
    return await ask(deps, pull, feeds, { fence, signal });
  } finally {
    leave();
  }
}

/** What was asked while we were at it is answered by what we did, if that was a request and for that feed. */
function asksForMore(asked: Pull, did: Pull, answered: readonly PullFeed[]): boolean {
  const isNew = (id: number) => !did.evenSuspended.includes(id) && !answered.some((feed) => feed.id === id);
  return (asked.manual && !did.manual && answered.length === 0) || asked.evenSuspended.some(isNew);
}

async function ask(
  deps: PullDeps,
  pull: Pull,
  feeds: readonly PullFeed[],
  { fence, signal }: { fence: JobFence; signal: AbortSignal },
): Promise<PullOutcome | undefined> {
  const outcome = await deps.outbound.request({
    url: pull.link,
    proxy: pull.proxy || undefined,
    validators: sharedValidators(feeds),
    headers: { 'user-agent': deps.userAgent(feeds.length), accept: feedTypes },
    limits: { totalMs: deps.settings.timeoutMs },
    signal,
    paceKey: pull.link,
    evenPaused: pull.manual,
  });
  signal.throwIfAborted();
  const found = await understand(deps, outcome, feeds, fence, pull);
  const answered = wasAsked(outcome) ? feeds : [];
  const ends = new Set<PullOutcome>();
  const isMore = await deps.pulls.settle(
    fence,
    pull,
    feeds.map(({ id }) => id),
    (feed) => {
      const end = found(feed);
      ends.add(outcomeOf(end));
      return end;
    },
    (asked: Pull) => asksForMore(asked, pull, answered),
  );
  if (isMore) throw new Later(0);
  return pullOutcomes.find((one) => ends.has(one));
}

/** Nothing is asked of a host that has asked for a pause. */
function wasAsked(outcome: Outcome): boolean {
  return outcome.kind !== 'rate-limited' || outcome.status !== undefined;
}

/** By what is written down of it. */
function outcomeOf({ state, document }: PullEnd): PullOutcome {
  if (state.consecutive_failures === undefined) return 'put_off';
  if (state.consecutive_failures > 0) return 'failed';
  return document ? 'new' : 'unchanged';
}

const feedTypes =
  'application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5';

type Decide = (feed: PullFeed) => PullEnd;

async function understand(
  deps: PullDeps,
  outcome: Outcome,
  feeds: readonly PullFeed[],
  fence: JobFence,
  target: PullTarget,
): Promise<Decide> {
  switch (outcome.kind) {
    case 'not-modified':
      return (feed) => ({
        state: {
          ...successState(deps, feed, outcome),
          ...keptValidators(feed, outcome),
          ...movedState(feed, outcome, target),
          site_origin: siteOrigin(feed, target),
        },
        feed: movedLink(feed, outcome, target),
      });
    case 'body':
      return read(deps, outcome, feeds, fence, target);
    case 'rate-limited':
      return (feed) => ({ state: limitedState(deps, feed, outcome) });
    case 'gone':
      return (feed) => ({ state: failureState(deps, feed, outcome), feed: { gone: true } });
    case 'failed': {
      const named = namedRetryAfter(outcome.headers?.['retry-after'], deps.now());
      // Too busy, without a word on for how long.
      const until = named ?? (outcome.status === 503 ? deps.now() + retryAfterDefaultMs : 0);
      const capped = cappedRetryAfter(deps.settings, until, deps.now());
      return (feed) => ({ state: failureState(deps, feed, outcome, capped) });
    }
  }
}

function isOurs(error: LecternError): boolean {
  return error instanceof Unavailable || error instanceof IndexFull;
}

/** A new document. The validators are written only when its entries are: else a crash in between would lose them. */
async function read(
  deps: PullDeps,
  body: Body,
  feeds: readonly PullFeed[],
  fence: JobFence,
  target: PullTarget,
): Promise<Decide> {
  const bodyHash = createHash('sha256').update(body.bytes).digest('hex');
  const documents = new Map<number, PullEnd['document']>();
  let parsed: ParsedFeed | undefined;
  try {
    for (const feed of feeds) {
      if (feed.bodyHash === bodyHash) continue;
      parsed ??= await deps.parse({
        bytes: body.bytes,
        contentType: body.headers['content-type'] ?? '',
        url: body.url,
      });
      const entries = publishedEntries(parsed, deps.now());
      documents.set(feed.id, await deps.pulls.putEntries(fence, target, feed, entries));
    }
  } catch (error) {
    // What is wrong with the document is the feed's failure; what is wrong with us is the job's.
    if (!(error instanceof LecternError) || isOurs(error)) throw error;
    const failed = { status: body.status, sentence: error.message };
    return (feed) => ({ state: failureState(deps, feed, failed) });
  }
  return (feed) => {
    return {
      document: documents.get(feed.id),
      state: {
        ...successState(deps, feed, body),
        etag: body.validators.etag ?? '',
        last_modified: body.validators.lastModified ?? '',
        validators_url: body.validators.url,
        body_hash: bodyHash,
        ...movedState(feed, body, target),
        site_origin: siteOrigin(feed, target, parsed),
      },
      feed: {
        ...movedLink(feed, body, target),
        // A feed that nobody has named goes by what it calls itself.
        ...(parsed && parsed.title !== '' && feed.name === target.link ? { name: parsed.title } : {}),
        ...(parsed?.siteUrl && feed.siteUrl === '' ? { siteUrl: parsed.siteUrl } : {}),
        ...(parsed && parsed.description !== feed.description ? { description: parsed.description } : {}),
      },
    };
  };
}

/** A feed that was not read, since others had read it, keeps the site that they know. */
function siteOrigin(feed: PullFeed, target: PullTarget, parsed?: ParsedFeed): string {
  const siteUrl = feed.siteUrl || (parsed ? (parsed.siteUrl ?? '') : feed.siteOrigin);
  return siteOriginOf({ ...target, siteUrl });
}

function publishedEntries({ entries }: ParsedFeed, now: Millis): PublishedEntry[] {
  // An entry from the future would stay on top of every list until then.
  const dateOf = (pubDate: number | null) => Math.floor(Math.min(pubDate ?? now, now) / 1000) * 1000;
  return entries.map((entry) => ({ ...entry, link: entry.link ?? '', pubDate: dateOf(entry.pubDate) }));
}

/** Only what all of them have seen: one that lacks the last document must get it. */
function sharedValidators(feeds: readonly PullFeed[]) {
  const [first] = feeds;
  if (!first || first.validatorsUrl === '') return undefined;
  const isShared = feeds.every(
    (feed) =>
      feed.etag === first.etag &&
      feed.lastModified === first.lastModified &&
      feed.validatorsUrl === first.validatorsUrl,
  );
  if (!isShared) return undefined;
  return {
    url: first.validatorsUrl,
    etag: first.etag || undefined,
    lastModified: first.lastModified || undefined,
  };
}

function keptValidators(feed: PullFeed, { validators }: NotModified): FetchStateChange {
  return {
    etag: validators.etag ?? feed.etag,
    last_modified: validators.lastModified ?? feed.lastModified,
  };
}

function successState(deps: PullDeps, feed: PullFeed, answer: Body | NotModified): FetchStateChange {
  const now = deps.now();
  const { headers } = answer;
  const isNew = answer.kind === 'body';
  const cacheControl = headers['cache-control'] ?? (isNew ? '' : feed.cacheControl);
  const named = namedRetryAfter(headers['retry-after'], now);
  const retryAfterUntil = named === undefined ? 0 : cappedRetryAfter(deps.settings, named, now);
  const expiresAt = headers.expires === undefined ? (isNew ? 0 : feed.expiresAt) : timeOf(headers.expires);
  return {
    cache_control: cacheControl,
    expires_at: expiresAt,
    last_checked_at: now,
    last_success_at: now,
    last_http_status: answer.status,
    retry_after_until: retryAfterUntil,
    consecutive_failures: 0,
    last_error: '',
    next_check_at: nextCheckAfterSuccess(deps.settings, {
      now,
      retryAfterUntil,
      hints: { cacheControl, expiresAt },
    }),
  };
}

function failureState(
  deps: PullDeps,
  feed: PullFeed,
  { status = 0, sentence }: { status?: number | undefined; sentence: string },
  retryAfterUntil: Millis = 0,
): FetchStateChange {
  const now = deps.now();
  const failures = feed.consecutiveFailures + 1;
  return {
    last_checked_at: now,
    last_http_status: status,
    last_error_at: now,
    last_error: sentence,
    consecutive_failures: failures,
    retry_after_until: retryAfterUntil,
    next_check_at: nextCheckAfterFailure(deps.settings, { now, retryAfterUntil, failures }),
  };
}

function limitedState(deps: PullDeps, feed: PullFeed, outcome: RateLimited): FetchStateChange {
  const { named, retryAt } = outcome;
  const capped = (until: Millis) => cappedRetryAfter(deps.settings, until, deps.now());
  // The host had asked before for a pause: nothing was asked, so nothing has failed.
  if (!wasAsked(outcome)) return { retry_after_until: capped(retryAt) };
  return failureState(deps, feed, outcome, capped(named ?? deps.now() + retryAfterDefaultMs));
}

/** Where the server says that the feed is for good: only when every step of the way says so. */
function movedTo({ hops, url }: { hops: readonly Hop[]; url: string }, { link }: PullTarget): string {
  if (hops.length === 0 || !hops.every(({ permanent }) => permanent)) return '';
  const [from, to] = [new URL(link), new URL(url)];
  if (from.username !== '' || from.password !== '') {
    // Credentials are for the site that they were given for.
    if (from.origin !== to.origin) return '';
    to.username = from.username;
    to.password = from.password;
  }
  return to.href === from.href || to.href.length > longestLink ? '' : to.href;
}

function movedState(feed: PullFeed, answer: Body | NotModified, target: PullTarget): FetchStateChange {
  const to = movedTo(answer, target);
  return { moved_to: to, moved_seen: to === '' ? 0 : to === feed.movedTo ? feed.movedSeen + 1 : 1 };
}

function movedLink(feed: PullFeed, answer: Body | NotModified, target: PullTarget): FeedFinding {
  const { moved_to: to = '', moved_seen: seen = 0 } = movedState(feed, answer, target);
  return seen >= movesToBelieve ? { link: to } : {};
}

function timeOf(text: string): Millis {
  const time = Date.parse(text);
  return Number.isNaN(time) ? 0 : time;
}
