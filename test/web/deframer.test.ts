import { describe, expect, it } from 'vitest';
import { levelOf, percentOf } from '../../web/src/deframer/level.ts';
import {
  everyDay,
  feedAddress,
  feedName,
  lookAgainMs,
  standingOf,
  withChange,
  withSync,
} from '../../web/src/deframer/standing.ts';
import type { DeframerFeed } from '../../web/src/lib/api-types.ts';
import { shownTitle } from '../../web/src/reader/shown-title.ts';

const now = Date.parse('2026-03-12T14:00:00.000Z');
const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString();

const feed = (changes: Partial<DeframerFeed> = {}): DeframerFeed => ({
  id: '7d444840-9dc0-41d3-9245-5ffdce74fad2',
  url: 'https://www.a.example/feed.xml',
  root_domain: 'a.example',
  enforce_feed_domain: true,
  polling: true,
  enabled: true,
  prompt: null,
  state: 'waiting',
  next_run_at: at(20),
  last_run_at: at(-10),
  last_error: null,
  last_note: null,
  items: 3,
  built_at: at(-10),
  rss_path: '/rss?url=https%3A%2F%2Fwww.a.example%2Ffeed.xml',
  usage: { calls: 0, tokens_in: 0, tokens_out: 0, cost: 0 },
  created_at: at(-100),
  deleted_at: null,
  ...changes,
});

describe('how it stands with a feed of the deframer', () => {
  it.each([
    ['waiting', {}],
    // The server said so before its time had come.
    ['due', { next_run_at: at(-1) }],
    ['due', { state: 'due', next_run_at: at(-1) }],
    ['overdue', { state: 'due', next_run_at: at(-6) }],
    ['running', { state: 'running', next_run_at: at(-6) }],
    ['dead', { state: 'dead', next_run_at: null, last_error: 'It answered 503.' }],
    ['disabled', { state: 'disabled', enabled: false }],
    ['first', { state: 'paused', next_run_at: null, last_run_at: null }],
    ['once', { state: 'paused', next_run_at: null, polling: false }],
    ['polls-later', { state: 'paused', next_run_at: null }],
  ] as [string, Partial<DeframerFeed>][])('is %s with %o', (standing, changes) => {
    expect(standingOf(feed(changes), now)).toBe(standing);
  });

  it('is shown as it will be before the server has answered', () => {
    const dead = feed({ state: 'dead', next_run_at: null, last_error: 'It answered 503.' });
    expect(withChange(feed(), { enabled: false }).state).toBe('disabled');
    expect(withChange(feed({ state: 'disabled', enabled: false }), { enabled: true }).state).toBe('waiting');
    const never = feed({ state: 'disabled', enabled: false, next_run_at: null, last_run_at: null });
    expect(withChange(never, { enabled: true }).state).toBe('paused');
    expect(withChange({ ...dead, state: 'disabled', enabled: false }, { enabled: true }).state).toBe('dead');
    expect(withChange(dead, { polling: false })).toEqual({ ...dead, polling: false });
    expect(withSync(dead, now)).toEqual({ ...dead, state: 'due', last_error: null, next_run_at: at(0) });
  });

  it('is looked at more often while something happens', () => {
    expect(lookAgainMs([feed(), feed({ state: 'running' })], now)).toBe(3_000);
    expect(lookAgainMs([feed({ state: 'due', next_run_at: at(-1) })], now)).toBe(3_000);
    expect(lookAgainMs([feed({ state: 'due', next_run_at: at(-60) })], now)).toBe(30_000);
    expect(lookAgainMs([feed(), feed({ state: 'dead' })], now)).toBe(30_000);
    expect(lookAgainMs([], now)).toBe(30_000);
    expect(lookAgainMs(undefined, now)).toBe(30_000);
  });

  it('has every day in its chart, the last one today', () => {
    const used = { day: '2026-03-11', calls: 2, tokens_in: 10, tokens_out: 5, cost: null };
    expect(everyDay([used], now, 3)).toEqual([
      { day: '2026-03-10', used: null },
      { day: '2026-03-11', used },
      { day: '2026-03-12', used: null },
    ]);
  });

  it('goes by an address that a person would write', () => {
    expect(feedAddress(' a.example/feed ')).toBe('https://a.example/feed');
    expect(feedAddress('http://a.example/feed')).toBe('http://a.example/feed');
    expect(feedAddress('http://intranet/feed')).toBe('http://intranet/feed');
    for (const text of ['', 'news', 'nothing like it', 'https://a b', 'ftp://a.example/feed', 'javascript:1'])
      expect(feedAddress(text), text).toBeUndefined();
    expect(feedName('https://www.a.example/feed/')).toBe('a.example/feed');
  });
});

describe('how charged an article is', () => {
  it.each([
    [0, 'sober'],
    [0.19, 'sober'],
    [0.2, 'somewhat'],
    [0.49, 'somewhat'],
    [0.5, 'charged'],
    [0.75, 'heavily'],
    [1, 'heavily'],
  ])('%d is %s', (score, level) => expect(levelOf(score)).toBe(level));

  it('stays on its scale', () => {
    expect([-1, 0.456, 3].map(percentOf)).toEqual([0, 46, 100]);
  });
});

describe('the title that an entry goes by', () => {
  const weighed = { title: 'You won’t believe it', deframed: { title: 'A ferry was sold', overall: 0.8 } };
  const usual = { original_titles: false };
  const original = { original_titles: true };

  it('is the neutral one, or the other where somebody asks for it', () => {
    const entry = { ...weighed, showsOtherTitle: false };
    expect(shownTitle(entry, usual)).toEqual({ text: 'A ferry was sold', isNeutral: true, hasBoth: true });
    expect(shownTitle(entry, original).text).toBe('You won’t believe it');
    const other = { ...weighed, showsOtherTitle: true };
    expect(shownTitle(other, usual)).toEqual({
      text: 'You won’t believe it',
      isNeutral: false,
      hasBoth: true,
    });
    expect(shownTitle(other, original).text).toBe('A ferry was sold');
  });

  it('is its own where there is no other', () => {
    for (const deframed of [null, { title: '', overall: 0 }, { title: ' A ferry was sold', overall: 0 }])
      for (const showsOtherTitle of [true, false])
        expect(shownTitle({ title: 'A ferry was sold', deframed, showsOtherTitle }, usual)).toEqual({
          text: 'A ferry was sold',
          isNeutral: false,
          hasBoth: false,
        });
  });
});
