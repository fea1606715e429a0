import { describe, expect, it } from 'vitest';
import { parseMoment } from './moment.ts';

describe('a moment', () => {
  it.each([
    ['1700000000', 1_700_000_000_000],
    ['1700000000123', 1_700_000_000_123],
    ['1700000000123456', 1_700_000_000_123],
    ['1700000000123456789', 1_700_000_000_123],
    [' 1700000000 ', 1_700_000_000_000],
    ['0', 0],
    ['0000000000000000001700000000', 1_700_000_000_000],
  ])('"%s" is %d', (text, millis) => {
    expect(parseMoment('ts', text)).toBe(millis);
  });

  it.each(['', '-1', 'now', '1.5', '99999999999999999999', '１'])('"%s" is refused by name', (text) => {
    expect(() => parseMoment('ot', text)).toThrow(/^ot: expected a Unix time/);
  });
});
