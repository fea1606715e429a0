import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { propertyRuns } from '../../test/support/depth.ts';
import { highlightKinds } from '../model/highlight.ts';
import { contentHash, fullHash, hashAnnotation, hashContent, hashTitle } from './hash.ts';

describe('the content hash', () => {
  // By sha256sum.
  it('is the SHA-256 that the design of the sources gives', () => {
    expect(hashAnnotation('highlighted text', null)).toBe(
      '1e197d79520502de464c104bd8477eb8d88f96243ea3765f745ace251b48356b',
    );
    expect(hashAnnotation('highlighted text', 'yellow')).toBe(
      '8c624ab8d907c49f8667d225ad5a0f208589d1e04182e730f392a4121604aa34',
    );
    expect(hashTitle('A paper')).toBe('deb1e0e900b3e7e287cd07126399ae96b680a8b124d016cac467c166a62c850c');
    expect(hashContent('text snippet 1')).toBe(
      '3794808e4aa105564d422028675d1763e4b7cdd7d114e39dbca0e78028cbafbe',
    );
    expect(hashContent('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });

  it('puts text and colour together without a boundary, as that design does', () => {
    expect(hashAnnotation('ab', 'c')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    expect(hashAnnotation('abc', null)).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('is of the title, of text and colour, and of the content', () => {
    const words = { content: 'said', madeAt: 1 };
    expect(contentHash.resources({ type: 'pdf', title: 'A paper', author: 'somebody' })).toBe(
      hashTitle('A paper'),
    );
    expect(contentHash.annotations({ text: 'ab', color: 'c', boundary: { n: 1 }, madeAt: 1 })).toBe(
      hashAnnotation('ab', 'c'),
    );
    expect(contentHash.comments(words)).toBe(hashContent('said'));
    expect(contentHash.notes(words)).toBe(hashContent('said'));
  });
});

describe('the full hash', () => {
  // Texts that run into one another, and into what stands between fields.
  const text = fc.oneof(
    fc.constantFrom('', 'a', 'ab', 'abc', '"', '","', 'null', '1', '\\', '[', '\u0000', '\ud800', '\udfff'),
    fc.string({ unit: anyCharacter, maxLength: 4 }),
  );
  const maybe = fc.option(text);
  const madeAt = fc.option(fc.nat(2));
  const json = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, 'null', 0, '0', [], {}, [null]));
  const fields = {
    resources: fc.record({ type: fc.constantFrom('website', 'pdf', 'book'), title: text, author: text }),
    annotations: fc.record({ text, color: maybe, boundary: json, madeAt }),
    comments: fc.record({ content: text, madeAt }),
    notes: fc.record({ content: text, madeAt }),
  };
  const record = fc.oneof(
    ...highlightKinds.map((kind) =>
      fc.record({ kind: fc.constant(kind), parent: text, fields: fields[kind] as fc.Arbitrary<object> }),
    ),
  );
  type Record = typeof record extends fc.Arbitrary<infer T> ? T : never;
  const hashOf = ({ kind, parent, fields }: Record) => fullHash(kind, parent, fields as never);

  it('(j) is the same for the same record alone', () => {
    fc.assert(
      fc.property(record, record, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(hashOf(one) === hashOf(other)).toBe(isSame);
      }),
      propertyRuns(2_000),
    );
  });

  it('(j) differs wherever the boundary between two fields does', () => {
    const rest = { boundary: null, madeAt: null };
    const hashes = [
      fullHash('annotations', 'p', { text: 'ab', color: 'c', ...rest }),
      fullHash('annotations', 'p', { text: 'abc', color: '', ...rest }),
      fullHash('annotations', 'p', { text: 'abc', color: null, ...rest }),
      fullHash('annotations', 'p', { text: 'a', color: 'bc', ...rest }),
      fullHash('annotations', 'pa', { text: 'b', color: 'c', ...rest }),
      fullHash('annotations', '', { text: 'pab', color: 'c', ...rest }),
      fullHash('annotations', 'p', { text: 'abc', color: 'null', ...rest }),
      fullHash('annotations', 'p', { text: 'ab', color: 'c', boundary: 'null', madeAt: null }),
      fullHash('annotations', 'p', { text: 'ab', color: 'c', boundary: null, madeAt: 0 }),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('(j) covers every field that there is', () => {
    const base = {
      resources: { type: 'pdf', title: 't', author: 'a' },
      annotations: { text: 't', color: 'c', boundary: { n: 1 }, madeAt: 1 },
      comments: { content: 'c', madeAt: 1 },
      notes: { content: 'c', madeAt: 1 },
    } as const;
    for (const kind of highlightKinds) {
      const hash = fullHash(kind, 'p', base[kind] as never);
      expect(fullHash(kind, 'q', base[kind] as never)).not.toBe(hash);
      for (const field of Object.keys(base[kind]))
        expect(fullHash(kind, 'p', { ...base[kind], [field]: 'other' } as never), field).not.toBe(hash);
    }
  });

  it('says by which rules it was made', () => {
    expect(fullHash('notes', 'p', { content: 'c', madeAt: 1 })).toMatch(/^1:[0-9a-f]{64}$/);
  });
});
