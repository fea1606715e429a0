// How fetching a feed goes, as one of a few cases that each have plain words and a thing to do.
import type { Feed } from '../lib/api-types.ts';

export type Health =
  | 'well'
  | 'new'
  | 'suspended'
  | 'gone'
  | 'moved'
  | 'resting'
  | 'login'
  | 'forbidden'
  | 'missing'
  | 'silent'
  | 'broken'
  | 'notFeed'
  | 'failing';

export function healthOf({ suspended, gone_at, fetch_state: state }: Feed, now: number): Health {
  const status = state.last_http_status;
  if (gone_at !== null || (status === 410 && state.consecutive_failures > 0)) return 'gone';
  if (suspended) return 'suspended';
  if (state.moved_to !== '') return 'moved';
  if (state.retry_after_until > now && (status === 429 || status === 503)) return 'resting';
  if (state.consecutive_failures === 0) return state.last_checked_at === 0 ? 'new' : 'well';
  if (status === 401 || status === 407) return 'login';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'missing';
  if (status === 429) return 'resting';
  if (status >= 500) return 'broken';
  if (status === 0) return 'silent';
  if (status >= 200 && status < 300) return 'notFeed';
  return 'failing';
}

/** Whether the list of feeds shows a sign: not for what mends itself. */
export function needsAttention(feed: Feed, now: number): boolean {
  const health = healthOf(feed, now);
  if (health === 'gone' || health === 'login' || health === 'forbidden' || health === 'missing') return true;
  if (health === 'notFeed') return true;
  return (health === 'silent' || health === 'broken' || health === 'failing') &&
    feed.fetch_state.consecutive_failures > 2
    ? true
    : feed.fetch_state.last_success_at === 0 && feed.fetch_state.consecutive_failures > 0;
}
