// Feeds that are broken or mean harm. The same ones at every run.
import { randomFrom } from './random.ts';
import { encode, sampleFeeds } from './sample-feeds.ts';

export interface HostileFeed {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType?: string;
}

const item = (inner: string) =>
  `<rss version="2.0"><channel><title>T</title><item>${inner}</item></channel></rss>`;
const named = (name: string, text: string | Uint8Array, contentType?: string): HostileFeed => ({
  name,
  bytes: typeof text === 'string' ? encode(text) : text,
  ...(contentType === undefined ? {} : { contentType }),
});
const samples = Object.entries(sampleFeeds);
const rss = sampleFeeds.rss ?? '';

const cut = samples.flatMap(([name, text]) =>
  [0.03, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9, 0.99].map((part) => {
    const bytes = encode(text);
    return named(`${name} cut at ${part}`, bytes.subarray(0, Math.floor(bytes.length * part)));
  }),
);

const damaged = samples.flatMap(([name, text]) =>
  [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => {
    const bytes = encode(text);
    const random = randomFrom(seed * 7919 + text.length);
    for (let count = 0; count < seed * seed; count++) {
      const at = random.below(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    }
    return named(`${name} with ${seed * seed} bits flipped`, bytes);
  }),
);

const shuffled = samples.flatMap(([name, text]) =>
  [1, 2, 3, 4, 5].map((seed) => {
    const random = randomFrom(seed * 104_729 + text.length);
    const tokens = text.split(/(?=<)/);
    for (let count = 0; count < seed * 2; count++) {
      const from = random.below(tokens.length);
      const to = random.below(tokens.length);
      const action = random.fraction();
      if (action < 0.4) tokens.splice(from, 1);
      else if (action < 0.7) tokens.splice(to, 0, tokens[from] ?? '');
      else tokens.splice(to, 0, ...tokens.splice(from, 2));
    }
    return named(`${name} with tags moved, round ${seed}`, tokens.join(''));
  }),
);

const utf16 = (text: string, bigEndian: boolean) => {
  const bytes = new Uint8Array(Buffer.from(text, 'utf16le'));
  return bigEndian ? new Uint8Array(Buffer.from(bytes).swap16()) : bytes;
};
const mark = (bytes: Uint8Array, ...before: number[]) => new Uint8Array([...before, ...bytes]);

const encodings = [
  named('UTF-16 LE without a mark', utf16(rss, false)),
  named('UTF-16 BE without a mark', utf16(rss, true)),
  named('UTF-16 LE with a mark', mark(utf16(rss, false), 0xff, 0xfe)),
  named('UTF-16 BE with a mark', mark(utf16(rss, true), 0xfe, 0xff)),
  named('UTF-16 with an odd number of bytes', mark(utf16(rss, false), 0xff, 0xfe).subarray(0, 999)),
  named('two byte order marks', mark(encode(rss), 0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf)),
  named('a mark of UTF-8 before UTF-16', mark(utf16(rss, false), 0xef, 0xbb, 0xbf)),
  named('Latin-1 that says UTF-8', new Uint8Array(Buffer.from(rss, 'latin1'))),
  named('UTF-8 that says UTF-16', rss.replace('utf-8', 'utf-16')),
  named('UTF-8 that says GB 2312', rss.replace('utf-8', 'gb2312')),
  named('UTF-8 that says Shift_JIS in the header', rss, 'text/xml; charset=shift_jis'),
  named('a charset that nobody knows', rss.replace('utf-8', 'x-klingon'), 'text/xml; charset=x-klingon'),
  named('a charset of 10,000 letters', rss, `text/xml; charset=${'a'.repeat(10_000)}`),
  named('overlong UTF-8', mark(encode(rss.slice(40)), 0x3c, 0xc0, 0xbc, 0xe0, 0x80, 0xaf)),
  named('half a surrogate, as bytes', mark(encode(rss), 0xed, 0xa0, 0x80)),
  named('NUL between all letters of a title', item(`<title>${'a\u0000'.repeat(500)}</title>`)),
  named(
    'every control character',
    item(`<title>${Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('x')}</title>`),
  ),
];

const laughs = Array.from(
  { length: 12 },
  (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`,
).join('');
const withDoctype = (subset: string, text: string) =>
  `<!DOCTYPE rss [${subset}]>${item(`<title>${text}</title>`)}`;

const entities = [
  named('a billion laughs', withDoctype(`<!ENTITY l0 "ha">${laughs}`, '&l12;')),
  named(
    'a billion laughs in an attribute',
    `<!DOCTYPE rss [<!ENTITY l0 "ha">${laughs}]>${item('<enclosure url="&l12;"/>')}`,
  ),
  named('quadratic blow-up', withDoctype(`<!ENTITY a "${'a'.repeat(50_000)}">`, '&a;'.repeat(5_000))),
  named(
    'one entity of 1 MB, 10,000 times',
    withDoctype(`<!ENTITY a "${'a'.repeat(1_000_000)}">`, '&a;'.repeat(10_000)),
  ),
  named('an entity of itself', withDoctype('<!ENTITY a "&a;">', '&a;')),
  named('two entities of each other', withDoctype('<!ENTITY a "&b;"><!ENTITY b "&a;">', '&a;')),
  named(
    '10,000 declared entities',
    withDoctype(Array.from({ length: 10_000 }, (_, n) => `<!ENTITY e${n} "x">`).join(''), '&e9999;'),
  ),
  named('an external entity', withDoctype('<!ENTITY a SYSTEM "file:///etc/passwd">', '&a;')),
  named('an external entity over HTTP', withDoctype('<!ENTITY a SYSTEM "http://127.0.0.1:1/x">', '&a;')),
  named('a parameter entity', withDoctype('<!ENTITY % a SYSTEM "http://127.0.0.1:1/x.dtd"> %a;', '&b;')),
  named(
    'an external document type',
    `<!DOCTYPE rss SYSTEM "http://127.0.0.1:1/x.dtd">${item('<title>x</title>')}`,
  ),
  named(
    'XInclude',
    item('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd" parse="text"/>'),
  ),
  named('a stylesheet of elsewhere', `<?xml-stylesheet href="file:///etc/passwd"?>${rss}`),
  named(
    'numbers that are no characters',
    item('<title>&#9999999; &#xFFFFFFFF; &#0; &#xD800; &#-1; &#x; &#; &#x110000;</title>'),
  ),
  named('a number of 100,000 digits', item(`<title>&#${'9'.repeat(100_000)};</title>`)),
  named('100,000 ampersands', item(`<title>${'&'.repeat(100_000)}</title>`)),
  named('100,000 references without an end', item(`<title>${'&amp'.repeat(100_000)}</title>`)),
  named('references in references', item(`<title>${'&amp;'.repeat(50)}lt;script&gt;</title>`)),
  named('a document type without an end', `<!DOCTYPE rss [<!ENTITY a "${'x'.repeat(1_000)}`),
  named('50,000 document types', `${'<!DOCTYPE a [<!ENTITY b "c">]>'.repeat(50_000)}${rss}`),
];

const shapes = [
  named('100,000 levels', `<rss><channel>${'<a>'.repeat(100_000)}x${'</a>'.repeat(100_000)}</channel></rss>`),
  named('100,000 levels in an entry', item(`<description>${'<div>'.repeat(100_000)}</description>`)),
  named(
    '100,000 levels of escaped HTML',
    item(`<description>${'&lt;div&gt;'.repeat(100_000)}</description>`),
  ),
  named('100,000 items in each other', `<rss><channel>${'<item>'.repeat(100_000)}`),
  named('100,000 ends without beginnings', `<rss>${'</item>'.repeat(100_000)}<channel/></rss>`),
  named('100,000 comments that begin', `<rss><channel><title>a</title>${'<!--'.repeat(100_000)}`),
  named('100,000 CDATA sections that begin', item(`<title>${'<![CDATA['.repeat(100_000)}`)),
  named('100,000 empty CDATA sections', item(`<title>${'<![CDATA[]]>'.repeat(100_000)}x</title>`)),
  named('100,000 stray brackets', item(`<title>${'<'.repeat(100_000)}</title>`)),
  named('100,000 processing instructions', `${'<?a?>'.repeat(100_000)}${rss}`),
  named(
    '100,000 attributes',
    `<rss ${Array.from({ length: 100_000 }, (_, n) => `a${n}="b"`).join(' ')}><channel><title>x</title></channel></rss>`,
  ),
  named(
    'one attribute 100,000 times',
    `<rss ${'a="b" '.repeat(100_000)}><channel><title>x</title></channel></rss>`,
  ),
  named('an attribute of 1 MB', item(`<enclosure url="https://a.example/${'a'.repeat(1_000_000)}"/>`)),
  named('quotes that never close', item(`${'<a b="'.repeat(50_000)}`)),
  named('both quotes in turn', item(`${`<a b="<a b='`.repeat(50_000)}`)),
  named('a name of 1 MB', `<${'a'.repeat(1_000_000)}>${rss}`),
  named(
    '10,000 namespaces',
    `<rss ${Array.from({ length: 10_000 }, (_, n) => `xmlns:n${n}="u:${n}"`).join(' ')}><channel><title>x</title></channel></rss>`,
  ),
  named(
    'namespaces at 100 levels',
    `<rss>${Array.from({ length: 100 }, (_, n) => `<a xmlns:n${n}="u">`).join('')}`,
  ),
  named('20,000 empty items', `<rss><channel>${'<item/>'.repeat(20_000)}</channel></rss>`),
  named('20,000 categories', item('<category>c</category>'.repeat(20_000))),
  named(
    '20,000 enclosures',
    item(Array.from({ length: 20_000 }, (_, n) => `<enclosure url="http://a.example/${n}"/>`).join('')),
  ),
  named('a title of 1 MB', item(`<title>${'word '.repeat(200_000)}</title>`)),
  named('a guid of 1 MB', item(`<guid>${'g'.repeat(1_000_000)}</guid>`)),
  named('a date of 1 MB', item(`<pubDate>${'1'.repeat(1_000_000)}</pubDate>`)),
  named('an author of 1 MB', item(`<author>${'a@'.repeat(500_000)}</author>`)),
  named(
    'an image with 20,000 sources',
    item(`<description>&lt;img srcset="${'a 1x, '.repeat(20_000)}"&gt;</description>`),
  ),
];

const before = [
  '   \n\n',
  '\ufeff\ufeff',
  '<br />\n<b>Warning</b>: mysql_connect() in <b>/x.php</b><br />',
  'junk & <',
  '<!-- a -- b -->',
  '<?php echo 1; ?>',
  '<p><b>',
  ']]>',
  '\u0000\u0000',
  '<html-error>',
].map((junk) => named(`a feed behind ${JSON.stringify(junk)}`, junk + rss));

const others = [
  ['nothing', ''],
  ['blank', ' \n\t '],
  ['a page', '<!doctype html><html><head><title>x</title></head><body><rss><item/></rss></body></html>'],
  ['a page without a head', '<html><body>x'],
  ['words', 'Not Found'],
  ['a bracket', '<'],
  ['a brace', '{'],
  ['null', 'null'],
  ['a JSON list', '[1,2,3]'],
  ['a JSON object', '{"a":1}'],
  ['JSON with items that are none', '{"items":{"length":9}}'],
  ['JSON with odd items', '{"items":[null,1,"a",[],{},{"id":{}},{"id":[1]},{"url":{"toString":1}}]}'],
  [
    'JSON with the keys of objects',
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"items":[{"__proto__":{"polluted":1},"id":"1"}]}',
  ],
  [
    'JSON with NUL',
    '{"title":"a\\u0000b","items":[{"id":"\\u0000","title":"\\ud800","content_html":"\\udfff\\u0000"}]}',
  ],
  ['JSON 100,000 deep', `{"items":${'['.repeat(100_000)}`],
  ['JSON with 400,000 objects', `{"items":[${'{},'.repeat(400_000)}{}]}`],
  ['OPML', '<opml version="2.0"><body><outline xmlUrl="http://a.example/"/></body></opml>'],
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
  ['an empty root', '<rss/>'],
  ['an empty feed', '<feed xmlns="http://www.w3.org/2005/Atom"/>'],
  [
    'elements named as keys of objects',
    item(
      '<__proto__><polluted>1</polluted></__proto__><constructor>x</constructor><title __proto__="1" constructor="2">a</title><toString/><hasOwnProperty/>',
    ),
  ],
  ['a root named __proto__', '<__proto__><item/></__proto__>'],
].map(([name = '', text = '']) => named(name, text));

const values = [
  [
    'links that run',
    '<link>javascript:alert(1)</link><guid>javascript:alert(1)</guid><enclosure url="data:text/html,x" type="&lt;script&gt;"/>',
  ],
  [
    'markup in every field',
    '<title>&lt;script&gt;alert(1)&lt;/script&gt;T</title><author>&lt;img src=x onerror=alert(1)&gt;</author><category>&lt;b&gt;</category>',
  ],
  [
    'a length that is none',
    '<enclosure url="http://a.example/" length="-1"/><enclosure url="http://b.example/" length="1e999"/>',
  ],
  [
    'dates that are none',
    '<pubDate>Sometime, 99 Foo 99999 99:99:99 +9999</pubDate><dc:date>0000-00-00</dc:date>',
  ],
  ['a date beyond all dates', '<pubDate>Fri, 31 Dec 9999 23:59:59 -1400</pubDate>'],
  ['February 31', '<pubDate>Sun, 31 Feb 2021 00:00:00 GMT</pubDate>'],
  [
    'an image that is a document',
    '<description>&lt;img src="data:image/svg+xml,&lt;svg onload=alert(1)&gt;"&gt;</description>',
  ],
  ['a link with a password', '<link>https://user:pass@a.example/</link>'],
  [
    'a link to a host that cannot be',
    '<link>http://[::1</link><link>http://a b/</link><link>http://%00/</link>',
  ],
  ['half of an emoji', '<title>\ud83d</title><description>&amp;#xD83D;</description>'],
].map(([name = '', inner = '']) => named(name, item(inner)));

const twins = [
  named(
    'one guid for all',
    `<rss><channel>${Array.from({ length: 300 }, (_, n) => `<item><guid>same</guid><link>http://a.example/${n}</link></item>`).join('')}</channel></rss>`,
  ),
  named(
    'one guid and one link for all',
    `<rss><channel>${'<item><guid>same</guid><link>http://a.example/</link></item>'.repeat(300)}</channel></rss>`,
  ),
  named('items without anything', `<rss><channel>${'<item></item>'.repeat(300)}</channel></rss>`),
];

export const hostileFeeds: readonly HostileFeed[] = [
  ...cut,
  ...damaged,
  ...shuffled,
  ...encodings,
  ...entities,
  ...shapes,
  ...before,
  ...others,
  ...values,
  ...twins,
];
