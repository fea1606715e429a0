// Which groups and feeds of an old database there will be: each name and each address once, the lowest id first. Pure.
import { createHash } from 'node:crypto';
import type { Millis } from '../../model/glossary.ts';
import type { OldFeed, OldGroup, OldId } from '../../store/legacy/old-rows.ts';
import type { FetchStateChange } from '../../store/pull-store.ts';
import { longestLink, parseFeedLink } from '../feed-link.ts';
import { cleanLine } from '../parse/clean-entry.ts';
import type { PullSettings } from '../pull-policy.ts';
import { skip, type Tally } from './report.ts';

/** As the API takes them. */
const longestGroupName = 200;
const longestFeedName = 500;

const defaultGroup = 1n;

export interface PlannedGroup {
  readonly id: OldId;
  readonly isDefault: boolean;
  readonly name: string;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/** `keptBy`: by the id of each group, that of the one which stands for it. */
export function planGroups(
  groups: readonly OldGroup[],
  tally: Tally,
  now: Millis,
): { planned: PlannedGroup[]; keptBy: Map<OldId, OldId> } {
  const planned: PlannedGroup[] = [];
  const keptBy = new Map<OldId, OldId>();
  const byName = new Map<string, OldId>();
  // The default group is there whatever others are called.
  const inOrder = [...groups].sort((a, b) => Number(b.id === defaultGroup) - Number(a.id === defaultGroup));
  for (const { id, name, createdAt = now, updatedAt = createdAt } of inOrder) {
    const shown = cleanLine(name).slice(0, longestGroupName).trim();
    const kept = byName.get(shown);
    if (shown === '') skip(tally, 'no name');
    else if (kept !== undefined) {
      keptBy.set(id, kept);
      tally.folded += 1;
    } else {
      byName.set(shown, id);
      keptBy.set(id, id);
      const times = { createdAt: Math.min(createdAt, now), updatedAt: Math.min(updatedAt, now) };
      planned.push({ id, isDefault: id === defaultGroup, name: shown, ...times });
    }
  }
  return { planned, keptBy };
}

export interface PlannedFeed extends OldFeed {
  /** One that nobody can fetch: its entries are kept all the same. */
  readonly suspended: boolean;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

export function planFeeds(
  feeds: readonly OldFeed[],
  tally: Tally,
  now: Millis,
): { planned: PlannedFeed[]; keptBy: Map<OldId, OldId> } {
  const planned: PlannedFeed[] = [];
  const keptBy = new Map<OldId, OldId>();
  const byLink = new Map<string, OldId>();
  for (const feed of feeds) {
    const { link, isFetchable } = feedLink(feed.link);
    const kept = byLink.get(link);
    if (link === '') skip(tally, 'no link');
    else if (kept !== undefined) {
      keptBy.set(feed.id, kept);
      tally.folded += 1;
    } else {
      byLink.set(link, feed.id);
      keptBy.set(feed.id, feed.id);
      const { proxy, isUsable } = feedProxy(feed.proxy);
      planned.push({
        ...feed,
        link,
        proxy,
        name: cleanLine(feed.name).slice(0, longestFeedName).trim() || link.slice(0, longestFeedName),
        siteUrl: siteUrl(feed.siteUrl),
        // Without the proxy that was wanted it is not to be fetched at all.
        suspended: feed.suspended || !isFetchable || !isUsable,
        createdAt: Math.min(feed.createdAt ?? now, now),
        updatedAt: Math.min(feed.updatedAt ?? feed.createdAt ?? now, now),
      });
    }
  }
  return { planned, keptBy };
}

/** As it would have been written here; one that is no address stays as it is. */
function feedLink(text: string): { link: string; isFetchable: boolean } {
  const link = cleanLine(text);
  const parsed = parseFeedLink(link);
  if (parsed !== undefined) return { link: parsed, isFetchable: true };
  if (link.length <= longestLink) return { link, isFetchable: false };
  return { link: `urn:sha256:${createHash('sha256').update(text).digest('hex')}`, isFetchable: false };
}

function siteUrl(text: string): string {
  const url = URL.parse(cleanLine(text));
  return url && /^https?:$/.test(url.protocol) && url.href.length <= longestLink ? url.href : '';
}

function feedProxy(text: string): { proxy: string; isUsable: boolean } {
  const proxy = cleanLine(text).replaceAll(' ', '%20').slice(0, longestLink);
  const isUsable = proxy === '' || /^(https?|socks5h?):$/.test(URL.parse(proxy)?.protocol ?? '');
  return { proxy, isUsable };
}

type FeedToFetch = Pick<OldFeed, 'id' | 'state'>;

/** Longer than any import takes. One that is interrupted leaves its feeds to be pulled after that. */
const shortestHoldMs = 3_600_000;

/** While an import is under way: what a pull brought of it meanwhile would come by other ids, and as unread. */
export function heldUntil(feed: FeedToFetch, pull: PullSettings, now: Millis): Millis {
  return Math.max(nextCheckOf(feed, pull, now), now + Math.max(pull.intervalMs, shortestHoldMs));
}

/** Feeds that are due all at once are spread over an interval, by multiples of the golden section. */
export function nextCheckOf(
  { id, state }: FeedToFetch,
  { intervalMs, maxBackoffMs }: PullSettings,
  now: Millis,
): Millis {
  if (state.nextCheckAt > now) return Math.min(state.nextCheckAt, now + maxBackoffMs);
  return now + Math.floor((((Number(id % 1_000_000n) * 618_033) % 1_000_000) * intervalMs) / 1_000_000);
}

/**
 * What is known of its fetching. The validators are shown and not sent (they have no `validators_url`): an answer that
 * nothing has changed would keep from us what the old database had no columns for.
 */
export function fetchStateOf(feed: FeedToFetch, pull: PullSettings, now: Millis): FetchStateChange {
  const { state } = feed;
  const { maxBackoffMs } = pull;
  const past = (time: Millis) => Math.min(time, now);
  return {
    etag: cleanLine(state.etag),
    last_modified: cleanLine(state.lastModified),
    cache_control: cleanLine(state.cacheControl),
    expires_at: state.expiresAt,
    last_checked_at: past(state.lastCheckedAt),
    next_check_at: heldUntil(feed, pull, now),
    last_http_status: state.lastHttpStatus >= 100 && state.lastHttpStatus <= 599 ? state.lastHttpStatus : 0,
    retry_after_until: state.retryAfterUntil > now ? Math.min(state.retryAfterUntil, now + maxBackoffMs) : 0,
    last_success_at: past(state.lastSuccessAt),
    last_error_at: past(state.lastErrorAt),
    last_error: cleanLine(state.lastError),
    consecutive_failures: Math.min(Math.max(0, state.consecutiveFailures), 1_000_000),
  };
}
