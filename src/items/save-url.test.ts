import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Invalid } from '../errors.ts';
import { savedUrl, savedWithoutUrl } from './save-url.ts';

const keyOf = (url: string) => savedUrl(url).key;

describe('addresses of one page', () => {
  it.each([
    ['http://example.org/a', 'https://example.org/a'],
    ['https://EXAMPLE.org/a', 'https://example.org/a'],
    ['https://example.org:443/a', 'https://example.org/a'],
    ['https://example.org./a', 'https://example.org/a'],
    ['https://example.org', 'https://example.org/'],
    ['https://example.org/a/', 'https://example.org/a'],
    ['https://example.org/a#part', 'https://example.org/a'],
    ['https://example.org/a?b=1&a=2', 'https://example.org/a?a=2&b=1'],
    ['https://example.org/a?utm_source=x&UTM_Campaign=y&fbclid=z', 'https://example.org/a'],
    ['https://example.org/a?id=1&gclid=2', 'https://example.org/a?id=1'],
    ['https://user:secret@example.org/a', 'https://example.org/a'],
    ['https://example.org/%7Ea', 'https://example.org/%7Ea'],
  ])('%s and %s have one key', (one, other) => {
    expect(keyOf(one)).toBe(keyOf(other));
  });
});

describe('addresses of two pages', () => {
  it.each([
    ['https://example.org/a', 'https://example.org/b'],
    ['https://example.org/a', 'https://example.org/A'],
    ['https://example.org/a', 'https://www.example.org/a'],
    ['https://example.org/a', 'https://example.org:8443/a'],
    ['https://example.org/a?id=1', 'https://example.org/a?id=2'],
    ['https://example.org/a?x=1&x=2', 'https://example.org/a?x=2&x=1'],
    ['https://example.org/#/one', 'https://example.org/#/two'],
    ['https://example.org/#!/one', 'https://example.org/#!/two'],
    ['https://example.org/a?ref=1', 'https://example.org/a?ref=2'],
  ])('%s and %s have two keys', (one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });
});

it('the original is kept as it was given', () => {
  const url = 'https://Example.org/a/?utm_source=x#part';
  expect(savedUrl(url)).toEqual({ url, key: '1:example.org/a' });
});

it.each(['', 'example.org', 'ftp://example.org/', 'javascript:alert(1)', 'data:text/html,x'])(
  '%j is no page',
  (text) => {
    expect(() => savedUrl(text)).toThrow(Invalid);
  },
);

it('a key has a key that is itself, and none is too long for an index', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true, size: 'large' }), (url) => {
      const { key } = savedUrl(url);
      expect(key.length).toBeLessThanOrEqual(1_000);
      if (!key.startsWith('1:sha256:')) expect(keyOf(`https://${key.slice(2)}`)).toBe(key);
    }),
  );
  const long = `https://example.org/${'a'.repeat(5_000)}`;
  expect(keyOf(long)).toMatch(/^1:sha256:[0-9a-f]{64}$/);
});

it('what has no address of its own is known by its parts', () => {
  expect(savedWithoutUrl('a', 'b')).toEqual(savedWithoutUrl('a', 'b'));
  expect(savedWithoutUrl('a', 'b').key).not.toBe(savedWithoutUrl('ab', '').key);
});
