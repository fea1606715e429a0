import { describe, expect, it } from 'vitest';
import { Failure, failureReasons, sentenceOf } from '../outbound/failure.ts';
import { failedStatus, failedWith, gone, rateLimited } from '../outbound/outcome.ts';
import { failureOf, readableType } from './fetch-page.ts';

const where = { url: 'http://site.example/', hops: [] };
const now = 1_000_000;

describe('a failure', () => {
  const passing = [
    ...['dns', 'refused', 'timeout-connect', 'timeout-first-byte', 'timeout-idle', 'timeout-total'],
    ...['reset', 'truncated', 'cancelled', 'proxy'],
  ];

  it.each(failureReasons.filter((reason) => reason !== 'http-status'))(
    'by %s is for good, or passes',
    (reason) => {
      const failure = failureOf(failedWith(where, new Failure(reason)), now);
      expect(failure).toMatchObject({
        kind: 'failed',
        reason,
        isForGood: !passing.includes(reason),
        sentence: sentenceOf(reason),
      });
    },
  );

  it.each([
    [400, true],
    [401, true],
    [403, true],
    [404, true],
    [405, true],
    [408, false],
    [418, true],
    [425, false],
    [451, true],
    [500, false],
    [502, false],
    [503, false],
    [504, false],
    [521, false],
    [300, true],
  ])('by status %i is for good: %s', (status, isForGood) => {
    expect(failureOf(failedStatus(where, status, {}), now)).toMatchObject({ isForGood, status });
  });

  it('by 410 is for good', () => {
    expect(failureOf(gone(where), now)).toMatchObject({ kind: 'failed', isForGood: true, status: 410 });
  });

  it('says how long the server wants to be left alone, where it says so', () => {
    const failure = failureOf(failedStatus(where, 500, { 'retry-after': '90' }), now);
    expect(failure).toMatchObject({ retryAfterMs: 90_000 });
  });

  it('is none when the host asks for a pause', () => {
    expect(failureOf(rateLimited(where, now + 5_000, { status: 429 }), now)).toMatchObject({
      kind: 'put-off',
      until: now + 5_000,
      wasAsked: true,
    });
    expect(failureOf(rateLimited(where, now + 5_000), now)).toMatchObject({ wasAsked: false });
  });
});

it.each([
  ['text/html', 'text/html'],
  ['application/xhtml+xml', 'application/xhtml+xml'],
  ['application/pdf', 'application/pdf'],
  ['text/plain', 'text/plain'],
  ['image/png', 'image/png'],
  ['application/json', 'application/json'],
  ['application/atom+xml', 'application/atom+xml'],
  ['application/octet-stream', 'unknown'],
  [undefined, 'unknown'],
  ['video/mp4', undefined],
  ['audio/mpeg', undefined],
  ['application/zip', undefined],
])('%s is read as %s', (mediaType, readable) => {
  expect(readableType(mediaType)).toBe(readable);
});
