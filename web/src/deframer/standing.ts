// What the fields of a feed come to, for people. Pure.
import type { Deframer, DeframerFeed } from '../lib/api-types.ts';
import { webAddress } from '../lib/web-address.ts';

export type Standing =
  | 'disabled'
  | 'running'
  | 'dead'
  | 'due'
  | 'overdue'
  | 'waiting'
  | 'first'
  | 'polls-later'
  | 'once';

/** A worker looks every few seconds; what is this late was forgotten, or nobody works. */
const lateMs = 5 * 60_000;

const isLate = ({ next_run_at }: DeframerFeed, now: number): boolean =>
  next_run_at !== null && now - Date.parse(next_run_at) > lateMs;

export function standingOf(feed: DeframerFeed, now: number): Standing {
  switch (feed.state) {
    case 'deleted':
    case 'disabled':
      return 'disabled';
    case 'running':
    case 'dead':
      return feed.state;
    case 'due':
      return isLate(feed, now) ? 'overdue' : 'due';
    case 'waiting':
      // Its time has come since the server was asked.
      return feed.next_run_at !== null && Date.parse(feed.next_run_at) <= now ? 'due' : 'waiting';
    case 'paused':
      if (feed.last_run_at === null) return 'first';
      return feed.polling ? 'polls-later' : 'once';
  }
}

type Change = Partial<
  Pick<DeframerFeed, 'enabled' | 'polling' | 'enforce_feed_domain' | 'root_domain' | 'prompt'>
>;

/** As the server will have it, so that a press answers at once. */
export function withChange(feed: DeframerFeed, change: Change): DeframerFeed {
  const changed = { ...feed, ...change };
  if (changed.enabled === feed.enabled) return changed;
  if (!changed.enabled) return { ...changed, state: 'disabled' };
  if (changed.next_run_at !== null) return { ...changed, state: 'waiting' };
  return { ...changed, state: changed.last_error === null ? 'paused' : 'dead' };
}

export const withSync = (feed: DeframerFeed, now: number): DeframerFeed => ({
  ...feed,
  state: 'due',
  last_error: null,
  next_run_at: new Date(now).toISOString(),
});

const whileBusyMs = 3_000;
const elseMs = 30_000;

/** Something runs, or is about to. */
export function lookAgainMs(feeds: readonly DeframerFeed[] | undefined, now: number): number {
  const isBusy = feeds?.some((feed) => {
    const standing = standingOf(feed, now);
    return standing === 'running' || standing === 'due';
  });
  return isBusy ? whileBusyMs : elseMs;
}

export const tokensOf = ({ tokens_in, tokens_out }: { tokens_in: number; tokens_out: number }): number =>
  tokens_in + tokens_out;

const dayMs = 86_400_000;

/** Every day until today, with a null where nothing was done: a chart has no holes. */
export function everyDay(usage: Deframer['usage'], now: number, days = 30): { day: string; used: Used }[] {
  const byDay = new Map(usage.map((one) => [one.day, one]));
  return Array.from({ length: days }, (_, n) => {
    const day = new Date(now - (days - 1 - n) * dayMs).toISOString().slice(0, 10);
    return { day, used: byDay.get(day) ?? null };
  });
}

type Used = Deframer['usage'][number] | null;

/** What somebody typed, as the address of a feed; undefined for what is none. */
export function feedAddress(typed: string): string | undefined {
  const text = typed.trim();
  const isWhole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  const address = webAddress(isWhole ? text : `https://${text}`);
  // Chromium finds a host in "a b" as well.
  if (address === undefined || /\s/.test(text)) return undefined;
  return isWhole || new URL(address).hostname.includes('.') ? address : undefined;
}

/** What to call a feed by in a sentence: several may be of one host. */
export const feedName = (url: string): string => url.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '');
