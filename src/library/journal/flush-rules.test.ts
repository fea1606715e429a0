import { describe, expect, it } from 'vitest';
import { flushRules, isFlushDue } from './flush-rules.ts';

describe.each([
  { kind: 'folder', pending: 0, sinceFlushMs: 60_000, due: false },
  { kind: 'folder', pending: 1, sinceFlushMs: 0, due: true },
  { kind: 'folder', pending: 1, sinceFlushMs: null, due: true },
  { kind: 's3', pending: 0, sinceFlushMs: 60_000, due: false },
  { kind: 's3', pending: 1, sinceFlushMs: null, due: true },
  { kind: 's3', pending: 1, sinceFlushMs: 15_000, due: true },
  { kind: 's3', pending: 1, sinceFlushMs: 12_000, due: false },
  { kind: 's3', pending: 3_999, sinceFlushMs: 0, due: false },
  { kind: 's3', pending: 4_000, sinceFlushMs: 0, due: true },
  { kind: 's3', pending: 1, sinceFlushMs: -3_600_000, due: true },
] as const)('on $kind with $pending notes, $sinceFlushMs ms after the last flush', (given) => {
  it(given.due ? 'a flush is due' : 'a flush is not due', () => {
    expect(isFlushDue(flushRules[given.kind], given)).toBe(given.due);
  });
});
