// Items keep the keys they got, so every rule that ever made one has to make the same one again.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { trackingFamilies, trackingParameters } from './tracking-parameters.ts';
import { keyOf, keysOf, normaliseUrl, normalizedUrlOf } from './url-identity.ts';

const trackedByRules1 = [
  'utm_x fbclid gclid dclid gbraid wbraid msclkid yclid twclid ttclid IGSHID',
  'mc_cid mc_eid _hsenc _hsmi mkt_tok vero_id oly_anon_id oly_enc_id',
].flatMap((names) => names.split(' '));

describe('the keys that items have', () => {
  it.each([
    ['https://Example.org/a/?utm_source=x#part', '1:example.org/a', '2:example.org/a'],
    [
      `https://example.org/?${trackedByRules1.join('&')}&utm_&x`,
      '1:example.org?utm_=&x=',
      '2:example.org?utm_&x',
    ],
    ['http://example.org:8080', '1:example.org:8080', '2:example.org:8080'],
    [
      'https://example.org./A//?b=2&a=1&b=1&fbclid=z',
      '1:example.org/A?a=1&b=2&b=1',
      '2:example.org/A?a=1&b=2&b=1',
    ],
    [
      'https://example.org/%7ea(1)?q=two+words&e&f=(%7E)',
      '1:example.org/%7ea(1)?e=&f=%28%7E%29&q=two+words',
      '2:example.org/~a(1)?e&f=(~)&q=two%20words',
    ],
    ['https://example.org/?q=%D6%D0', '1:example.org?q=%EF%BF%BD%EF%BF%BD', '2:example.org?q=%D6%D0'],
    ['https://example.org/?igsh=1&x=2', '1:example.org?igsh=1&x=2', '2:example.org?x=2'],
    [
      'https://bücher.example/ä?ö=ü',
      '1:xn--bcher-kva.example/%C3%A4?%C3%B6=%C3%BC',
      '2:xn--bcher-kva.example/%C3%A4?%C3%B6=%C3%BC',
    ],
    ['https://example.org/#!/one', '1:example.org#!/one', '2:example.org#!/one'],
    [
      'https://groups.google.com/forum/#!topic/a',
      '1:groups.google.com/forum',
      '2:groups.google.com/forum#!topic/a',
    ],
    [
      'https://user:secret@example.org/a;jsessionid=1?u=https://b.example/',
      '1:example.org/a;jsessionid=1?u=https%3A%2F%2Fb.example%2F',
      '2:example.org/a?u=https://b.example/',
    ],
    [
      `https://example.org/${'a'.repeat(2_000)}`,
      '1:sha256:bde4816f824151740f11d647610e4a7c628d6a7a13e2ef2e14f7ad52b066143a',
      '2:sha256:7c59c15e872fb709d72019097739d3d0beccced693d1beeb020f8f0ee96845a6',
    ],
  ])('for %s are %s and %s', (url, first, second) => {
    expect(keyOf(url, 1)).toBe(first);
    expect(keyOf(url, 2)).toBe(second);
  });

  it('depend on the list of parameters: another one makes rules 3', () => {
    const list = [...[...trackingParameters].sort(), ...trackingFamilies].join(' ');
    expect(createHash('sha256').update(list).digest('hex')).toBe(
      '569a059fa77f332f82b76a9409acefe0e378e7002b51f687bc96b84860c7d81e',
    );
    expect(list).toBe(list.toLowerCase());
  });
});

describe('an item saved under rules 1', () => {
  it.each([
    ['https://example.org/a?id=1', 'https://example.org/a/?id=1&utm_source=x'],
    // It is found by its address, and by each that is the same page by now.
    ['https://example.org/a?e', 'https://example.org/a?e'],
    ['https://example.org/a', 'https://example.org/a?igsh=1'],
    ['https://example.org/a?igsh=1', 'https://example.org/a?igsh=1'],
    ['https://example.org/~a', 'https://example.org/%7ea'],
    ['https://example.org/%7ea', 'https://example.org/%7ea'],
    ['https://example.org/a?q=two+words', 'https://example.org/a?q=two%20words'],
    ['https://git.example/?p=a.git;a=commit', 'https://git.example/?p=a.git;a=commit'],
    ['https://example.org/#/one', 'http://example.org/#/one'],
    ['https://example.org/a#part', 'https://example.org/a#other'],
    [`https://example.org/${'a'.repeat(2_000)}`, `https://example.org/${'a'.repeat(2_000)}/`],
  ])('as %s is found by %s', (saved, url) => {
    expect(keysOf(url)).toContain(keyOf(saved, 1));
  });

  it.each([
    ['https://groups.google.com/forum/#!topic/a', 'https://groups.google.com/forum/#!topic/b'],
    ['https://excalidraw.com/#json=1,a', 'https://excalidraw.com/#json=2,b'],
    ['https://example.org/?q=%D6%D0', 'https://example.org/?q=%B9%FA'],
  ])('as %s, which could have been any, does not stand in the way of %s', (saved, url) => {
    expect(keyOf(saved, 1)).toBe(keyOf(url, 1));
    expect(keysOf(url)).toEqual([keyOf(url)]);
  });
});

describe('the normalised address of an item', () => {
  const url = 'https://Example.org/%7Ea/?q=two+words&igsh=1#part';

  it('follows the rules that its key names', () => {
    expect(normalizedUrlOf(url, keyOf(url, 1))).toBe('https://example.org/%7Ea?igsh=1&q=two+words');
    expect(normalizedUrlOf(url, keyOf(url, 2))).toBe('https://example.org/~a?q=two%20words');
    const long = `${url}${'a'.repeat(2_000)}&b=${'b'.repeat(2_000)}`;
    expect(normalizedUrlOf(long, keyOf(long, 1))).toBe(normaliseUrl(long, 1));
  });

  it.each(['', '9:example.org', '0:', '12', 'x'])('follows the newest where the key is %j', (key) => {
    expect(normalizedUrlOf(url, key)).toBe(normaliseUrl(url));
  });

  it('that is no page is what it has', () => {
    expect(normalizedUrlOf('urn:sha256:ab', '1:urn:sha256:ab')).toBe('urn:sha256:ab');
  });
});
