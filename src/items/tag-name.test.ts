import fc from 'fast-check';
import { expect, it } from 'vitest';
import { propertyRuns } from '../../test/support/depth.ts';
import { parseTagName } from './tag-name.ts';

it.each([
  ['Rust', 'rust'],
  ['  To   Read\t', 'to read'],
  ['ÜBER', 'über'],
  ['u\u0308ber', 'über'],
  ['📚', '📚'],
  ['قراءة', 'قراءة'],
  ['读书', '读书'],
  ['📚'.repeat(50), '📚'.repeat(50)],
])('%j is the tag %j', (text, name) => {
  expect(parseTagName(text)).toBe(name);
});

it.each(['', '   ', 'a,b', 'a\u0007b', 'x'.repeat(51), '📚'.repeat(51)])('%j is no tag', (text) => {
  expect(parseTagName(text)).toBeUndefined();
});

it('a tag is written one way only', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (text) => {
      const name = parseTagName(text);
      if (name !== undefined) expect(parseTagName(name)).toBe(name);
    }),
    propertyRuns(2_000),
  );
});
