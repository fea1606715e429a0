import { describe, expect, it } from 'vitest';
import { flushRules, isFlushDue } from './flush-rules.ts';

describe.each([
  { kind: 'folder', notes: 0, waitedMs: 60_000, due: false },
  { kind: 'folder', notes: 1, waitedMs: 0, due: true },
  { kind: 's3', notes: 0, waitedMs: 60_000, due: false },
  { kind: 's3', notes: 1, waitedMs: 0, due: false },
  { kind: 's3', notes: 1, waitedMs: 14_999, due: false },
  { kind: 's3', notes: 1, waitedMs: 15_000, due: true },
  { kind: 's3', notes: 3_999, waitedMs: 0, due: false },
  { kind: 's3', notes: 4_000, waitedMs: 0, due: true },
] as const)('on $kind with $notes notes after $waitedMs ms', ({ kind, notes, waitedMs, due }) => {
  it(due ? 'a flush is due' : 'a flush is not due', () => {
    expect(isFlushDue(flushRules[kind], { notes, since: 1_000_000 }, 1_000_000 + waitedMs)).toBe(due);
  });
});
