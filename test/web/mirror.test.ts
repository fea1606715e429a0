import { describe, expect, it } from 'vitest';
import type { Mirror } from '../../web/src/lib/api-types.ts';
import { isOverdue, lookAgainMs, progressOf, standingOf } from '../../web/src/mirror/standing.ts';

const now = Date.parse('2026-03-12T14:00:00.000Z');
const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString();

const mirror = (changes: Partial<Mirror> = {}): Mirror => ({
  configured: true,
  running: false,
  phase: 'updates',
  cursor: at(-60),
  next_run_at: at(20),
  started_at: at(-40),
  finished_at: null,
  problem: null,
  total: 100,
  raindrops: 50,
  removed: 0,
  copies: { stored: 50, none: 0, pending: 0, refused: 0, failed: 0 },
  waiting_copies: 0,
  estimate: { batches: 1, done_at: at(27) },
  ...changes,
});

describe('how it stands with the mirror', () => {
  it.each([
    ['waiting', {}],
    ['running', { running: true }],
    // It may be over with this batch.
    ['running', { running: true, problem: 'Raindrop could not be reached.' }],
    ['problem', { problem: 'Raindrop could not be reached.' }],
    ['problem', { problem: 'Raindrop refused the token.', phase: 'idle', started_at: null }],
    ['current', { phase: 'idle', finished_at: at(-5) }],
    ['first', { phase: 'idle', started_at: null, cursor: null, next_run_at: null, total: null }],
    ['unset', { configured: false, problem: 'Raindrop refused the token.' }],
  ] as [string, Partial<Mirror>][])('is %s with %o', (standing, changes) => {
    expect(standingOf(mirror(changes))).toBe(standing);
  });

  it('shows progress only while something is left to bring', () => {
    expect(progressOf(mirror())).toEqual({ done: 50, total: 100 });
    expect(progressOf(mirror({ raindrops: 100 }))).toBeNull();
    // Raindrop counts some that it does not show.
    expect(progressOf(mirror({ phase: 'idle', raindrops: 99 }))).toBeNull();
    expect(progressOf(mirror({ total: null }))).toBeNull();
    expect(progressOf(mirror({ total: null, running: true }))).toEqual({ done: 0, total: null });
  });

  it('says when a batch has not come in time', () => {
    expect(isOverdue(mirror(), now)).toBe(false);
    expect(isOverdue(mirror({ next_run_at: at(-2) }), now)).toBe(false);
    expect(isOverdue(mirror({ next_run_at: at(-6) }), now)).toBe(true);
    expect(isOverdue(mirror({ next_run_at: at(-6), running: true }), now)).toBe(false);
    expect(isOverdue(mirror({ next_run_at: at(-6), configured: false }), now)).toBe(false);
    expect(isOverdue(mirror({ next_run_at: null }), now)).toBe(false);
  });

  it('is looked at more often while something happens', () => {
    expect(lookAgainMs(mirror({ running: true }), false)).toBe(3_000);
    expect(lookAgainMs(mirror(), true)).toBe(3_000);
    expect(lookAgainMs(mirror(), false)).toBe(30_000);
    expect(lookAgainMs(undefined, false)).toBe(30_000);
  });
});
