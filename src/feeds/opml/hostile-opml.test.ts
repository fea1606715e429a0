// Files that mean harm, and files that are none: what was read of them, or Invalid with a sentence, and soon.
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { largeSize, propertyRuns } from '../../../test/support/depth.ts';
import { Invalid } from '../../errors.ts';
import { parseOpml } from './parse-opml.ts';

const parse = (text: string) => parseOpml({ bytes: new TextEncoder().encode(text) });
const feed = '<outline text="T" xmlUrl="https://a.example/"/>';

afterEach(() => {
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

it.each([
  ['a file', '<!DOCTYPE opml [<!ENTITY x SYSTEM "file:///etc/passwd">]>'],
  ['a host', '<!DOCTYPE opml [<!ENTITY x SYSTEM "http://127.0.0.1:1/">]>'],
  ['a parameter entity', '<!DOCTYPE opml [<!ENTITY % p SYSTEM "http://127.0.0.1:1/"> %p;]>'],
  ['a document type elsewhere', '<!DOCTYPE opml SYSTEM "http://127.0.0.1:1/opml.dtd">'],
])('a reference to %s stays as it is written', (_what, doctype) => {
  const { feeds } = parse(
    `${doctype}<opml><body><outline text="&x;" xmlUrl="https://a.example/"/></body></opml>`,
  );
  expect(feeds[0]?.name).toBe('&x;');
});

it('an entity that the file declares is read', () => {
  const { feeds } = parse(
    '<!DOCTYPE opml [<!ENTITY us "We &amp; they">]><opml><outline text="&us;" xmlUrl="https://a.example/"/></opml>',
  );
  expect(feeds[0]?.name).toBe('We & they');
});

it('a billion laughs are refused', () => {
  const levels = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join(
    '',
  );
  expect(() =>
    parse(`<!DOCTYPE opml [<!ENTITY l0 "ha">${levels}]><opml><outline text="&l9;"/></opml>`),
  ).toThrow(new Invalid('the file declares entities that grow beyond measure'));
});

it('an attribute named __proto__ is one like any other', () => {
  const { feeds } = parse(
    '<opml><outline __proto__="x" constructor="y" text="__proto__" xmlUrl="https://a.example/" polluted="1"/></opml>',
  );
  expect(feeds).toHaveLength(1);
  expect(parse('<opml><outline text="__proto__"/></opml>').groups).toEqual(['__proto__']);
});

/** Each so large that what goes over it again and again would not end within the test. */
describe('a file of many MB is read in one pass', () => {
  const fill = (piece: string, sizeBytes = 4_000_000) =>
    piece.repeat(Math.floor(largeSize(sizeBytes) / piece.length));

  it.each<[what: string, text: string]>([
    ['folders in folders, 200,000 deep', `<opml><body>${fill('<outline text="f">')}`],
    ['folders without names', `<opml>${fill('<outline>')}`],
    ['ends without a beginning', `<opml>${fill('</outline>')}`],
    ['brackets', `<opml>${fill('<')}`],
    ['comments that have no end', `<opml>${fill('<!--')}`],
    ['CDATA that has no end', `<opml>${fill('<![CDATA[')}`],
    ['quotes that have no end', `<opml>${fill('<outline text="<outline text=\'')}`],
    ['an attribute that has no end', `<opml><outline text="${fill('a')}`],
    ['attributes', `<opml><outline ${fill('a=b ')}/></opml>`],
    ['spaces', `<opml><outline${fill(' ')}/></opml>`],
    ['a name of spaces', `<opml><outline text="${fill(' ')}"/></opml>`],
    ['a name of slashes', `<opml><outline text="${fill('/ ')}"/></opml>`],
    ['an address of dots', `<opml><outline text="T" xmlUrl="${fill('a.')}"/></opml>`],
    ['categories', `<opml><outline text="T" xmlUrl="https://a.example/" category="${fill('/a,')}"/></opml>`],
    ['ampersands', `<opml><outline text="${fill('&', 2_000_000)}"/></opml>`],
    ['declared entities', `<!DOCTYPE opml [${fill('<!ENTITY a "b">')}]><opml/>`],
  ])('%s', (_what, text) => {
    let found = 0;
    try {
      found = parse(text).feeds.length;
    } catch (error) {
      expect(error).toBeInstanceOf(Invalid);
    }
    expect(found).toBeLessThanOrEqual(1);
  });
});

describe('any', () => {
  const sentence = /^the file [^\n]{5,120}$/;

  function check(bytes: Uint8Array, contentType: string | null): void {
    try {
      const { feeds, groups } = parseOpml({ bytes, contentType });
      for (const { link, name } of feeds) {
        expect(link).toMatch(/^https?:\/\//);
        expect(name).toMatch(/^\P{Cc}{0,500}$/u);
      }
      for (const group of groups) expect(group).toMatch(/^\P{Cc}{1,200}$/u);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      expect(error.message).toMatch(sentence);
    }
  }

  it('bytes give feeds or a sentence', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.option(fc.string()), (bytes, type) =>
        check(bytes, type),
      ),
      propertyRuns(1_000),
    );
  });

  it('bytes in the middle of a file give feeds or a sentence', () => {
    const whole = Buffer.from(
      `<?xml version="1.0"?><!DOCTYPE opml [<!ENTITY a "b">]><opml version="2.0"><head><title>T</title></head><body><outline text="A / &amp; B" title="&a;"><!-- c -->${feed}<outline text="C">${feed.repeat(2)}</outline></outline></body></opml>`,
    );
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(60),
        fc.oneof(
          fc.uint8Array({ maxLength: 40 }),
          fc.string({ maxLength: 40 }).map((text) => Buffer.from(text)),
          fc
            .constantFrom('"', "'", '<outline>', '</outline>', '<!--', '&a;', '<![CDATA[')
            .map((t) => Buffer.from(t)),
        ),
        (place, removed, inserted) => {
          const at = Math.floor(whole.length * place);
          check(Buffer.concat([whole.subarray(0, at), inserted, whole.subarray(at + removed)]), null);
        },
      ),
      propertyRuns(2_000),
    );
  });
});
