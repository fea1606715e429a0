// No HTML that comes with an entry runs anything, however often it is read and written again.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText, titleText } from '../../src/html/plain-text.ts';
import { sanitiseHtml } from '../../src/html/sanitise-html.ts';
import { propertyRuns, sampleOf } from '../support/depth.ts';
import { harmsOf } from '../support/harmful-html.ts';
import { htmlAttacks } from '../support/html-attacks.ts';

const clean = (html: string) => sanitiseHtml(html, { baseUrl: 'https://blog.example/post/' });

describe('the judge of these tests', () => {
  it('finds harm in most of the attacks as they are written', () => {
    const harmful = htmlAttacks.filter((attack) => harmsOf(attack).length > 0);
    expect(htmlAttacks.length).toBeGreaterThan(150);
    expect(harmful.length / htmlAttacks.length).toBeGreaterThan(0.9);
  });

  it('finds none in HTML that may be shown', () => {
    expect(
      harmsOf(
        '<p>a <a href="https://a.example/" rel="noopener">b</a><br><img src="http://a.example/c" alt=""></p>',
      ),
    ).toEqual([]);
  });
});

describe('attacks by HTML', () => {
  it.each(htmlAttacks.map((attack, index) => ({ index, attack })))(
    'leave nothing that runs, and nothing to change a second time: attack $index',
    ({ attack }) => {
      const once = clean(attack);
      expect(harmsOf(once)).toEqual([]);
      expect(clean(once)).toBe(once);
    },
  );

  it('stay harmless in any two that are put together', () => {
    for (const [index, first] of htmlAttacks.entries()) {
      const second = htmlAttacks[(index * 37 + 11) % htmlAttacks.length] ?? '';
      const once = clean(`<p>${first}</p>${second}<b>`);
      expect(harmsOf(once)).toEqual([]);
      expect(clean(once)).toBe(once);
    }
  });

  it('stay harmless when the entry is cut at any letter', () => {
    for (const attack of sampleOf(htmlAttacks, 4).filter(({ length }) => length < 200)) {
      for (let end = 1; end < attack.length; end += 3) {
        const once = clean(attack.slice(0, end));
        expect(harmsOf(once)).toEqual([]);
        expect(clean(once)).toBe(once);
      }
    }
  });
});

/** Anything that took time by the square of its size would not end within the time limit. */
describe('a megabyte of', () => {
  const units = [
    '<',
    '>',
    '&',
    '&amp',
    '&#',
    '"',
    '</',
    '</a ',
    '<a ',
    '<!',
    '<!--',
    '<?',
    '<![CDATA[',
    ']]>',
    '<p>',
    '<p ',
  ];
  const more = [
    '<a b="',
    `<a b='<a c="`,
    '<script>',
    '<style></style',
    '<svg>',
    '<noscript>',
    '<img srcset="a,',
    '<b><p>',
  ];
  const tables = [
    '<table><tr><td>',
    '<ul><li>',
    '</div>',
    '<iframe src=x>',
    '<title></titl',
    '<x y=z>',
    '\r',
    ' ',
    '<a href="http://a/">',
  ];

  it.each(sampleOf([...units, ...more, ...tables], 3))('%j is sanitised, and made into text', (unit) => {
    const html = unit.repeat(Math.ceil(1_000_000 / unit.length));
    const once = clean(html);
    expect(clean(once)).toBe(once);
    expect(typeof plainText(html)).toBe('string');
  });
});

/** Pieces that matter to a tokeniser, in any order. */
const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(
      ...[
        '<',
        '>',
        '"',
        "'",
        '=',
        '/',
        '&',
        ';',
        '!',
        '--',
        '-->',
        '<!--',
        ']]>',
        '<![CDATA[',
        '\u0000',
        '\r',
        '\t',
        ' ',
      ],
      ...[
        '<a ',
        '<img ',
        '<p>',
        '</p>',
        '<table>',
        '<td>',
        '<li>',
        '<svg>',
        '</svg>',
        '<math>',
        '<style>',
        '</style>',
      ],
      ...[
        '<script>',
        '</script',
        '<iframe ',
        '<noscript>',
        '<template>',
        '<title>',
        '</title>',
        '<pre>',
        '<ul>',
        '<b>',
      ],
      ...[
        'href=',
        'src=',
        'srcset=',
        'onerror=',
        'style=',
        'javascript:',
        'data:',
        'http://a.example/x',
        '&#x6a;',
        '&lt;',
      ],
      ...[' 2x', ',', 'width=1 ', 'data-src=', 'alt="', "title='", '&amp', '&quot;', '\ud83d', '\udc00'],
    ),
    fc.string({ maxLength: 8 }),
  ),
  { maxLength: 40 },
);

describe('any HTML', () => {
  it('is harmless once it is sanitised, and does not change when that is done again', () => {
    fc.assert(
      fc.property(pieces, (parts) => {
        const once = clean(parts.join(''));
        expect(harmsOf(once)).toEqual([]);
        expect(clean(once)).toBe(once);
        expect(once.isWellFormed()).toBe(true);
      }),
      propertyRuns(3_000),
    );
  });

  it('has a plain text, and a title of one line', () => {
    fc.assert(
      fc.property(pieces, (parts) => {
        expect(titleText(parts.join(''))).not.toMatch(/[\n\r]/);
        expect(typeof plainText(parts.join(''))).toBe('string');
      }),
      propertyRuns(1_000),
    );
  });
});
