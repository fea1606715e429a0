import { describe, expect, it } from 'vitest';
import { Invalid } from '../errors.ts';
import { parseCursor, writeCursor } from './search-text.ts';

describe('the cursor of a search', () => {
  it('comes back as it was written', () => {
    for (const cursor of [
      { id: 68_719_476_736, score: 0.1 + 0.2 },
      { id: 1, score: -1e-9 },
      { id: 2 ** 53 - 1, score: 0 },
    ])
      expect(parseCursor(writeCursor(cursor))).toEqual(cursor);
  });

  it.each(['', 'x', 'bnVsbA', 'W10', 'WzEuNSwyXQ', 'WzEsIngiXQ', 'WzEsMiwzXQ', 'eyJpZCI6MX0'])(
    'is refused when it is %j',
    (text) => {
      expect(() => parseCursor(text)).toThrow(Invalid);
    },
  );
});
