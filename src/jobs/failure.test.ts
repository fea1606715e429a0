import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { propertyRuns } from '../../test/support/depth.ts';
import { DoNotRetry, NotFound, Upstream } from '../errors.ts';
import { outcomeOfFailure, outcomeOfOutage, pauseBefore, payloadProblem, sentenceFor } from './failure.ts';

const backoff = { firstMs: 1_000, longestMs: 60_000 };

it('pauses twice as long each time, up to the longest, by half of it by chance', () => {
  expect([0, 1, 2, 3].map((attempts) => pauseBefore(attempts, backoff, () => 1))).toEqual([
    1_000, 2_000, 4_000, 8_000,
  ]);
  expect(pauseBefore(3, backoff, () => 0)).toBe(4_000);
  expect(pauseBefore(60, backoff, () => 1)).toBe(60_000);
  expect(pauseBefore(5_000, backoff, () => 0.5)).toBe(45_000);
});

it.each([
  ['tries again what may succeed', new Error('x'), 0, 'failed'],
  ['gives up at the last attempt', new Error('x'), 2, 'dead'],
  ['gives up at once what cannot succeed', new DoNotRetry('No such page.'), 0, 'dead'],
])('%s', (_name, error, attempts, expected) => {
  expect(outcomeOfFailure({ error, attempts, maxAttempts: 3, backoff }, () => 0).kind).toBe(expected);
});

it('waits for as long as the other server asks, and no shorter than usual', () => {
  const after = (retryAfterMs: number) =>
    outcomeOfFailure(
      { error: new Upstream('Away.', { retryAfterMs }), attempts: 0, maxAttempts: 3, backoff },
      () => 0,
    );
  expect(after(90_000)).toEqual({ kind: 'failed', error: 'Away.', retryInMs: 90_000 });
  expect(after(1)).toEqual({ kind: 'failed', error: 'Away.', retryInMs: 500 });
});

it.each([
  ['a fraction', 1_234.6, 1_235],
  ['no number', Number.NaN, 500],
  ['for ever', Number.POSITIVE_INFINITY, 30 * 24 * 3_600_000],
  ['the past', Number.NEGATIVE_INFINITY, 500],
])('makes a pause that the index can take of %s', (_name, retryAfterMs, retryInMs) => {
  const error = new Upstream('Away.', { retryAfterMs });
  expect(outcomeOfFailure({ error, attempts: 0, maxAttempts: 3, backoff }, () => 0)).toMatchObject({
    retryInMs,
  });
});

it('lets only sentences for people out', () => {
  expect(sentenceFor(new NotFound('feed 7'))).toBe('feed 7 not found');
  const withAddress = new Upstream('s3://bucket refuses', { publicMessage: 'The library is away.' });
  expect(sentenceFor(withAddress)).toBe('The library is away.');
  expect(sentenceFor(new Error('SELECT secret'))).toBe('An internal error; the log has the details.');
  expect(sentenceFor('thrown text')).toBe('An internal error; the log has the details.');
});

it('names the fields of a payload that are wrong', () => {
  const { error } = z.object({ a: z.int(), b: z.object({ c: z.string() }) }).safeParse({ a: 'x', b: {} });
  expect(payloadProblem(error)).toMatch(/^The payload is not as expected: a: .*; b\.c: /);
  expect(payloadProblem(new SyntaxError('Unexpected token'))).toBe('The payload is not JSON.');
});

it('an outage returns a job without counting it, after a pause that grows with each return up to half a minute', () => {
  const end = fc.constantFrom('failed', 'crashed', 'returned');
  fc.assert(
    fc.property(
      fc.array(end, { maxLength: 30 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (ends, chance) => {
        // Each claim takes the next epoch, and so does the recovery of a job whose worker has ended.
        const count = (kind: string) => ends.filter((one) => one === kind).length;
        const job = {
          epoch: ends.length + count('crashed') + 1,
          attempts: count('failed'),
          crashes: count('crashed'),
        };
        const outcome = outcomeOfOutage(job, () => chance);
        const fullMs = Math.min(30_000, 1_000 * 2 ** count('returned'));
        expect(outcome).toEqual({
          kind: 'returned',
          delayMs: Math.round(fullMs / 2 + (fullMs / 2) * chance),
        });
      },
    ),
    propertyRuns(200),
  );
});
