import { describe, expect, it } from 'vitest';
import { Invalid } from '../errors.ts';
import { parseCursor, writeCursor } from './cursor.ts';

describe('the cursor of a search', () => {
  it('comes back as it was written', () => {
    for (const after of [
      { id: 68_719_476_736, score: 0.1 + 0.2 },
      { id: 1, score: -1e-9 },
      { id: 2 ** 53 - 1, score: 0 },
    ]) {
      const cursor = { by: 'rank', at: 1_700_000_000_000, after } as const;
      expect(parseCursor(writeCursor(cursor))).toEqual(cursor);
    }
    const cursor = { by: 'place', at: 7, from: 20 } as const;
    expect(parseCursor(writeCursor(cursor))).toEqual(cursor);
  });

  it.each([
    '',
    'x',
    ...[null, [], [1], [1.5, 2], [1, 'x'], [1, 2, 'x'], [1, 2, 3, 4], [-1, 2], [1, -2, 3], { id: 1 }].map(
      (said) => Buffer.from(JSON.stringify(said)).toString('base64url'),
    ),
  ])('is refused when it is %j', (text) => {
    expect(() => parseCursor(text)).toThrow(Invalid);
  });
});
