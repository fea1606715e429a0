import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../test/support/any-character.ts';
import { longItemId, nobodysId, parseItemId } from './item-id.ts';

describe('the id of an entry', () => {
  it.each<[text: string, id: number | undefined]>([
    ['tag:google.com,2005:reader/item/000000000000000f', 15],
    ['tag:google.com,2005:reader/item/000000000000000F', 15],
    ['TAG:google.com,2005:reader/item/000000000000000f', 15],
    // As the prefix is there, it is hexadecimal, whatever it looks like.
    ['tag:google.com,2005:reader/item/10', 16],
    ['000000000000000f', 15],
    ['0000000000000010', 16],
    ['010', 16],
    ['10', 10],
    ['f', 15],
    [' 10 ', 10],
    ['2147483648', 2 ** 31],
    ['0000000080000000', 2 ** 31],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740992', nobodysId],
    ['18446744073709551615', nobodysId],
    ['ffffffffffffffff', nobodysId],
    ['tag:google.com,2005:reader/item/ffffffffffffffff', nobodysId],
    ['-1', nobodysId],
    ['0', nobodysId],
    ['', undefined],
    ['x', undefined],
    ['1.5', undefined],
    ['1e3', 0x1e3],
    ['00000000000000000', undefined],
    ['tag:google.com,2005:reader/item/', undefined],
    ['tag:google.com,2005:reader/item/-1', undefined],
    ['__proto__', undefined],
    ['１０', undefined],
  ])('"%s" is read as %o', (text, id) => {
    expect(parseItemId(text)).toBe(id);
  });

  it('comes back from every form in which it is written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (id) => {
        const long = longItemId(id);
        expect(long).toMatch(/^tag:google\.com,2005:reader\/item\/[0-9a-f]{16}$/);
        expect(parseItemId(long)).toBe(id);
        expect(parseItemId(long.slice(-16))).toBe(id);
        expect(parseItemId(long.slice(-16).toUpperCase())).toBe(id);
        expect(parseItemId(String(id))).toBe(id);
      }),
    );
  });

  it('is a number that an entry may have, or none, whatever is sent', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const id = parseItemId(text);
        expect(id === undefined || (Number.isSafeInteger(id) && id >= 0)).toBe(true);
      }),
    );
  });
});
