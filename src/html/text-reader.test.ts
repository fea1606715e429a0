import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../test/support/depth.ts';
import { plainText } from './plain-text.ts';
import { TextReader } from './text-reader.ts';

function readIn(html: string, sizes: readonly number[]): string {
  const reader = new TextReader();
  let at = 0;
  for (let n = 0; at < html.length; n++) {
    const size = sizes[n % sizes.length] ?? 1;
    reader.write(html.slice(at, at + size));
    at += size;
  }
  return reader.end();
}
const read = (html: string) => readIn(html, [html.length + 1]);

/** A page that is in order. */
const word = fc.constantFrom(
  'tide',
  'Küste',
  '&amp;',
  '&nbsp;',
  '海',
  'a&lt;b',
  ' ',
  '\n',
  '1 < 2',
  'fish & chips',
  '&#228;',
);
const attribute = fc.constantFrom(
  '',
  ' class="a>b"',
  ' title=\'it is > "that"\'',
  ' hidden',
  ' src="data:image/png;base64,AAAA>BBBB=="',
  ' data-x = "y"',
  ' a=b',
);
const html = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    word,
    fc.constantFrom('<br>', '<br/>', '<!-- no > of it -->', '<!---->', '<!-->', '<hr>', '<img alt="x>y">'),
    fc
      .tuple(
        fc.constantFrom('p', 'div', 'b', 'a', 'li', 'table', 'tr', 'H2', 'svg', 'template', 'noscript'),
        attribute,
        fc.array(tie('node'), { maxLength: 4 }),
      )
      .map(([name, attributes, inner]) => `<${name}${attributes}>${inner.join('')}</${name}>`),
    fc
      .tuple(fc.constantFrom('script', 'style', 'title', 'textarea', 'iframe'), attribute)
      .map(([name, attributes]) => `<${name}${attributes}>if (a < b) "</p>" </scrip </${name}>`),
  ),
})).node;
const page = fc
  .array(html, { maxLength: 12 })
  .map(
    (parts) =>
      `<!doctype html><html><head><title>T</title><meta x="y"></head><body>${parts.join('')}</body></html>`,
  );

describe('the text of a page that is read piece by piece', () => {
  it('is the same however it is cut', () => {
    fc.assert(
      fc.property(
        fc.oneof(page, fc.string({ unit: fc.constantFrom(...`<>/!-?="' &;apscriptbody`) })),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
        (source, sizes) => {
          expect(readIn(source, sizes)).toBe(read(source));
        },
      ),
      propertyRuns(500),
    );
  });

  it('is that of the page as a whole, where the page is in order', () => {
    fc.assert(
      fc.property(page, (source) => {
        expect(readIn(source, [7])).toBe(plainText(source));
      }),
      propertyRuns(500),
    );
  });

  it('has lines for blocks, and nothing of scripts, styles and pictures', () => {
    const source = `<head><style>p { color: red }</style></head><body><h1>Low  water</h1>
      <p>First <b>light</b> &mdash; curlews.<img src="data:image/png;base64,${'A'.repeat(50_000)}"></p>
      <script>document.write("<p>no</p>")</script><ul><li>one<li>two</ul>`;
    expect(read(source)).toBe('Low water\nFirst light — curlews.\none\ntwo');
    expect(readIn(source, [1])).toBe(read(source));
  });

  it('survives what never ends', () => {
    for (const source of [
      '<',
      '<p',
      '<p class="',
      '<!--',
      '<!',
      '</',
      '<script>',
      '<plaintext>x',
      'a & b <',
      '&am',
    ])
      expect(readIn(`Words.${source}`, [1])).toBe(read(`Words.${source}`));
    expect(read('Words.<p class="')).toBe('Words.');
  });

  it('hands on a line without an end in parts', () => {
    const text = read('word '.repeat(100_000));
    expect(text.split(/\s+/)).toHaveLength(100_000);
  });
});
