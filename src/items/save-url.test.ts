import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { anyWebUrl } from '../../test/support/any-web-url.ts';
import { propertyRuns } from '../../test/support/depth.ts';
import { Invalid } from '../errors.ts';
import { isPageAddress, savedUrl, savedWithoutUrl } from './save-url.ts';
import { keysOf } from './url-identity.ts';

it('the original is kept as it was given, but for space around it', () => {
  const url = 'https://Example.org/a/?utm_source=x#part';
  expect(savedUrl(` ${url}\n`)).toEqual({ url, key: '2:example.org/a', olderKeys: ['1:example.org/a'] });
});

describe('no page', () => {
  it.each([
    '',
    'example.org',
    'ftp://example.org/',
    'javascript:alert(1)',
    'data:text/html,x',
    'https:example.org',
    'https://',
    'https:///example.org/',
    'https://./a',
    'https://?a',
    'https://#a',
    'https://exa mple.org/',
    'https://example.org:99999/',
    'view-source:https://example.org/',
  ])('is %j', (text) => {
    expect(() => savedUrl(text)).toThrow(new Invalid('link: expected an http(s) address'));
    expect(isPageAddress(text)).toBe(false);
  });

  it('is what is too long', () => {
    const url = `https://example.org/${'a'.repeat(7_980)}`;
    expect(savedUrl(url).key).toMatch(/^2:sha256:[0-9a-f]{64}$/);
    expect(savedUrl(`  ${url}  `).url).toBe(url);
    expect(() => savedUrl(`${url}a`)).toThrow(new Invalid('link: at most 8000 characters'));
    expect(isPageAddress(`${url}a`)).toBe(false);
  });
});

it('the error names the field as the caller does', () => {
  expect(() => savedUrl('nothing', 'url')).toThrow('url: expected an http(s) address');
  expect(() => savedUrl('x'.repeat(8_001), 'url')).toThrow('url: at most 8000 characters');
});

it('whatever is taken for the address of a page can be saved, under its keys', () => {
  const text = fc.oneof(
    anyWebUrl,
    fc.string({ unit: anyCharacter }).map((rest) => `https://${rest}`),
    fc.string({ unit: 'grapheme' }).map((rest) => `\u00a0HTTP://${rest} `),
  );
  fc.assert(
    fc.property(text, (url) => {
      fc.pre(isPageAddress(url));
      const saved = savedUrl(url);
      expect(saved.url).toBe(url.trim());
      expect([saved.key, ...saved.olderKeys]).toEqual(keysOf(saved.url));
    }),
    propertyRuns(500),
  );
});

it('what has no address of its own is known by its parts', () => {
  expect(savedWithoutUrl('a', 'b')).toEqual(savedWithoutUrl('a', 'b'));
  expect(savedWithoutUrl('a', 'b').key).not.toBe(savedWithoutUrl('ab', '').key);
  // Items have this key.
  expect(savedWithoutUrl('https://example.org/feed', 'guid').key).toBe(
    '1:urn:sha256:9d22ee4c153c8618a26f49ea0dc5b9be18f8aadd58ce5356a8bc8717e8762ea6',
  );
});
