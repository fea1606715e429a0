import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FailureReason, failureReasons, sentenceOf } from '../outbound/failure.ts';
import type { StreamOutcome } from '../outbound/outcome.ts';
import { answerOf, isRefusalOfHead, type LinkAnswer, type LinkState, linkAfter } from './link-policy.ts';

const day = 86_400_000;
const where = { url: 'https://example.org/', hops: [], sentence: 'A sentence.' };
const failed = (reason: FailureReason, status?: number): StreamOutcome => ({
  kind: 'failed',
  ...where,
  reason,
  status,
});
const status = (code: number) => failed('http-status', code);
const unchecked: LinkState = { state: '', httpStatus: 0, failures: 0, deadSince: null, sentence: '' };

describe('what an answer says', () => {
  it.each([
    [404, 'missing'],
    [400, 'unsure'],
    [401, 'unsure'],
    [403, 'unsure'],
    [405, 'unsure'],
    [451, 'unsure'],
    [500, 'unsure'],
    [503, 'unsure'],
    [999, 'unsure'],
  ])('status %i: %s', (code, kind) => {
    expect(answerOf(status(code))).toEqual({ kind, status: code, sentence: 'A sentence.' });
  });

  it.each(failureReasons.filter((reason) => reason !== 'http-status'))('%s', (reason) => {
    const missing = /^(dns|refused|timeout-.*|reset|truncated|protocol)$/;
    expect(answerOf(failed(reason)).kind).toBe(missing.test(reason) ? 'missing' : 'unsure');
    expect(sentenceOf(reason)).not.toBe('');
  });

  it('a host that was not asked says nothing; one that is asked too often is alive', () => {
    const limited = { kind: 'rate-limited', ...where, retryAt: 7, named: undefined } as const;
    expect(answerOf({ ...limited, status: undefined })).toEqual({ kind: 'put-off', until: 7 });
    expect(answerOf({ ...limited, status: 429 })).toMatchObject({ kind: 'unsure', status: 429, until: 7 });
    expect(answerOf({ kind: 'gone', ...where, status: 410 })).toMatchObject({ kind: 'gone', status: 410 });
  });

  it.each<[string, StreamOutcome, boolean]>([
    ['403', status(403), true],
    ['404', status(404), true],
    ['405', status(405), true],
    ['501', status(501), true],
    ['500', status(500), false],
    ['401', status(401), false],
    ['a lost connection', failed('reset'), true],
    ['silence', failed('timeout-first-byte'), true],
    ['no such name', failed('dns'), false],
    ['nobody at the door', failed('refused'), false],
    ['410', { kind: 'gone', ...where, status: 410 }, false],
  ])('asks for the page itself after %s', (_name, outcome, expected) => {
    expect(isRefusalOfHead(outcome)).toBe(expected);
  });
});

describe('when to ask again', () => {
  const missing = { kind: 'missing', status: 404, sentence: 'Nothing.' } as const;
  const unsure = { kind: 'unsure', status: 503, sentence: 'Trouble.' } as const;
  const gone = { kind: 'gone', status: 410, sentence: 'Gone.' } as const;
  const there = { kind: 'there', status: 200 } as const;
  type Answer = Exclude<LinkAnswer, { kind: 'put-off' }>;

  /** Every answer comes exactly when it is asked for. Returns [state, days until the next] of each. */
  const story = (...answers: readonly Answer[]) => {
    let state: LinkState = unchecked;
    let now = 0;
    return answers.map((answer) => {
      const { nextCheckAt, ...next } = linkAfter(state, answer, now);
      const shown = [next.state, (nextCheckAt - now) / day];
      [state, now] = [next, nextCheckAt];
      return shown;
    });
  };

  it.each<[string, Answer[], [string, number][]]>([
    [
      'well',
      [there, there],
      [
        ['ok', 30],
        ['ok', 30],
      ],
    ],
    [
      'dead after three failures',
      [missing, missing, missing, missing],
      [
        ['unsure', 1],
        ['unsure', 3],
        ['dead', 7],
        ['dead', 30],
      ],
    ],
    [
      'dead at once',
      [gone, gone],
      [
        ['dead', 30],
        ['dead', 30],
      ],
    ],
    [
      'never in a row',
      [missing, missing, there, missing, missing],
      [
        ['unsure', 1],
        ['unsure', 3],
        ['ok', 30],
        ['unsure', 1],
        ['unsure', 3],
      ],
    ],
    [
      'never dead',
      [unsure, unsure, unsure, unsure],
      [
        ['unsure', 7],
        ['unsure', 7],
        ['unsure', 7],
        ['unsure', 7],
      ],
    ],
    [
      'back from the dead',
      [gone, there, missing],
      [
        ['dead', 30],
        ['ok', 30],
        ['unsure', 1],
      ],
    ],
    [
      'still dead',
      [gone, missing],
      [
        ['dead', 30],
        ['dead', 3],
      ],
    ],
  ])('%s', (_name, answers, expected) => {
    expect(story(...answers)).toEqual(expected);
  });

  it('says since when it is dead, and forgets it when it is not', () => {
    const dead = linkAfter(unchecked, gone, 5);
    expect(dead).toMatchObject({ state: 'dead', deadSince: 5, sentence: 'Gone.', httpStatus: 410 });
    expect(linkAfter(dead, missing, 9)).toMatchObject({ state: 'dead', deadSince: 5 });
    expect(linkAfter(dead, there, 9)).toMatchObject({ state: 'ok', deadSince: null, sentence: '' });
    expect(linkAfter(dead, unsure, 9)).toMatchObject({ state: 'unsure', deadSince: null });
  });

  it('waits as long as a server asks for', () => {
    expect(linkAfter(unchecked, { ...unsure, until: 40 * day }, 0).nextCheckAt).toBe(40 * day);
    expect(linkAfter(unchecked, { ...unsure, until: 5 }, 0).nextCheckAt).toBe(7 * day);
  });

  it('calls nothing dead but what failed three times in a row over at least three days, or is gone', () => {
    const answer = fc.constantFrom<Answer>(there, missing, unsure, gone);
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 12 }), (answers) => {
        let state: LinkState = unchecked;
        let now = 0;
        let failing: { kind: string; at: number }[] = [];
        for (const one of answers) {
          failing =
            one.kind === 'missing' || one.kind === 'gone' ? [...failing, { kind: one.kind, at: now }] : [];
          const { nextCheckAt, ...next } = linkAfter(state, one, now);
          const isLong = failing.length >= 3 && now - (failing[0]?.at ?? now) >= 3 * day;
          expect(next.state === 'dead').toBe(failing.some(({ kind }) => kind === 'gone') || isLong);
          expect(next.state === 'dead').toBe(next.deadSince !== null);
          [state, now] = [next, nextCheckAt];
        }
      }),
    );
  });
});
