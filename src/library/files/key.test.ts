import { resolve, sep, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { propertyRuns } from '../../../test/support/depth.ts';
import { Invalid } from '../../errors.ts';
import { checkKey, checkPrefix, isKey } from './key.ts';

/** Text made of what a path, a URL or a shell could stumble over. */
const hostile = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('a', 'B', '0', '-', '_', '.', '/', 'library', 'a/b') },
      {
        weight: 2,
        arbitrary: fc.constantFrom('..', '../', '/..', './', '//', '\\', '..\\', '%2e', '%', '\0'),
      },
      { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 3 }) },
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

const segment = fc.stringMatching(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,20}$/);

describe('the keys of the library', () => {
  it('never lead out of the root, nor to the root itself', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        if (!isKey(text)) return;
        const root = resolve('/some/root');
        expect(resolve(root, text).startsWith(root + sep)).toBe(true);
        expect(win32.resolve('C:\\root', text).startsWith('C:\\root\\')).toBe(true);
        expect(new URL(`https://host/bucket/${text}?q`).pathname).toBe(`/bucket/${text}`);
      }),
      propertyRuns(20_000),
    );
  });

  it('stay what they are when a path is made of them', () => {
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 8 }), (segments) => {
        const key = segments.join('/');
        expect(checkKey(key)).toBe(key);
        expect(resolve('/root', key)).toBe(`/root/${key}`);
      }),
    );
  });

  it('are accepted or refused, and refused only as Invalid', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ unit: anyCharacter })), (text) => {
        if (isKey(text)) expect(checkKey(text)).toBe(text);
        else expect(() => checkKey(text)).toThrow(Invalid);
      }),
    );
  });

  it('have prefixes: whatever a key begins with, down to nothing', () => {
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.nat(), (segments, cut) => {
        const key = segments.join('/');
        const prefix = key.slice(0, cut % (key.length + 1));
        expect(checkPrefix(prefix)).toBe(prefix);
      }),
    );
  });

  it('are named in the refusal, cut when they are long', () => {
    expect(() => checkKey('../secret')).toThrow('"../secret" is not a key of the library');
    expect(() => checkKey('x'.repeat(100_000))).toThrow(/^"x{100}…" is not a key/);
  });
});
