import { describe, expect, it } from 'vitest';
import { encode, sampleFeeds } from '../../../test/support/sample-feeds.ts';
import type { ParsedEntry } from './clean-entry.ts';
import { type ParsedFeed, parseFeed } from './parse-feed.ts';

const url = 'https://blog.example/feed.xml';
const parse = (text: string): ParsedFeed => parseFeed({ bytes: encode(text), contentType: null, url });
const rss = (inner: string) =>
  `<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/"><channel><title>T</title>${inner}</channel></rss>`;
const itemOf = (inner: string): ParsedEntry => parse(rss(`<item>${inner}</item>`)).entries[0] as ParsedEntry;
const entryOf = (inner: string): ParsedEntry =>
  parse(`<feed xmlns="http://www.w3.org/2005/Atom"><entry>${inner}</entry></feed>`).entries[0] as ParsedEntry;
const at = (iso: string) => Date.parse(iso);

describe('a whole feed', () => {
  it('of RSS 2.0 gives all that is kept', () => {
    const { entries, ...feed } = parse(sampleFeeds.rss ?? '');
    expect(feed).toEqual({
      title: 'Grüße & Küsse',
      siteUrl: 'https://blog.example/',
      selfUrl: 'https://blog.example/feed.xml',
      description: 'On words',
      language: 'de-DE',
      ttlMinutes: 90,
    });
    expect(entries).toHaveLength(2);
    expect(entries[0]).toEqual({
      guid: 'tag:1',
      title: 'Über Bäume',
      link: 'https://blog.example/baeume?a=1&b=2',
      author: 'Jo Doe',
      content: '<p>Lang &amp; <a href="https://blog.example/x" rel="noopener noreferrer">breit</a></p>',
      categories: ['Natur'],
      enclosures: [
        { url: 'https://blog.example/a.mp3', type: 'audio/mpeg', lengthBytes: 1234 },
        { url: 'https://blog.example/a.jpg', type: 'image/jpeg', lengthBytes: null },
      ],
      pubDate: at('2002-10-02T13:00:00Z'),
      updatedAt: null,
      contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('of Atom 1.0 resolves against xml:base and gives its author to entries without one', () => {
    const feed = parse(sampleFeeds.atom ?? '');
    expect(feed).toMatchObject({
      title: 'Atom <1.0>',
      siteUrl: 'https://atom.example/blog/',
      selfUrl: 'https://atom.example/blog/feed.atom',
      description: 'Of feeds',
      language: 'en',
    });
    expect(feed.entries[0]).toMatchObject({
      guid: 'urn:1',
      title: 'One & only',
      link: 'https://atom.example/blog/one',
      author: 'Ann',
      content: 'Some <b>bold</b> <img src="https://atom.example/blog/p.png">',
      categories: ['Ex'],
      enclosures: [{ url: 'https://atom.example/blog/a.ogg', type: 'audio/ogg', lengthBytes: 99 }],
      pubDate: at('2003-12-13T12:29:29Z'),
      updatedAt: at('2003-12-13T17:30:02.250Z'),
    });
    expect(feed.entries[1]).toMatchObject({ author: 'Bob', content: 'Plain &lt;text&gt;', link: null });
  });

  it('of RDF has its items beside the channel', () => {
    const feed = parse(sampleFeeds.rdf ?? '');
    expect(feed).toMatchObject({ title: 'RDF', siteUrl: 'https://rdf.example/' });
    expect(feed.entries).toMatchObject([
      {
        guid: 'https://rdf.example/1',
        title: 'First',
        categories: ['s'],
        pubDate: at('2005-06-07T08:09:10Z'),
      },
    ]);
  });

  it('of JSON gives all that is kept', () => {
    const feed = parse(sampleFeeds.json ?? '');
    expect(feed).toMatchObject({ title: 'JSON', siteUrl: 'https://json.example/', language: 'en' });
    expect(feed.entries).toMatchObject([
      { guid: '1', title: 'One', author: 'Jay', content: '<p>Hi</p>', pubDate: at('2020-01-02T03:04:05Z') },
      {
        guid: '2',
        content: 'a &lt; b',
        categories: ['t'],
        enclosures: [{ url: 'https://json.example/a.mp3', type: 'audio/mpeg', lengthBytes: 5 }],
      },
    ]);
  });

  it('of Atom 0.3 may have its content in base64', () => {
    expect(parse(sampleFeeds.atom03 ?? '')).toMatchObject({
      description: 'T',
      siteUrl: 'http://three.example/',
      entries: [{ title: 'A < B', content: '<b>bold</b>', pubDate: at('2004-01-01T01:01:01Z') }],
    });
  });

  it('of RSS 0.91 needs no guids', () => {
    expect(parse(sampleFeeds.rss091 ?? '').entries).toMatchObject([
      { guid: 'http://old.example/a', content: 'Text &amp; more' },
    ]);
  });
});

describe('an entry is identified', () => {
  it('by its guid, as it is written', () => {
    expect(itemOf('<guid> /x </guid><link>/y</link>').guid).toBe('/x');
  });

  it('by its link when it has no guid', () => {
    expect(itemOf('<link>/y</link>').guid).toBe('https://blog.example/y');
  });

  it('by what it says when it has neither, the same at every pull', () => {
    const [first, again, other] = ['a', 'a', 'b'].map((title) => itemOf(`<title>${title}</title>`).guid);
    expect(first).toMatch(/^generated:[0-9a-f]{64}$/);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it('by a hash when its guid does not fit into an index', () => {
    expect(itemOf(`<guid>${'g'.repeat(3_000)}</guid>`).guid).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('once, by its newest form, when it stands in the feed twice', () => {
    const twin = (date: string, title: string) =>
      `<item><guid>g</guid><title>${title}</title><pubDate>${date}</pubDate></item>`;
    const { entries } = parse(
      rss(`${twin('2020-01-01', 'old')}${twin('2020-01-02', 'new')}${twin('2019-01-01', 'older')}`),
    );
    expect(entries).toMatchObject([{ guid: 'g', title: 'new' }]);
  });

  it('by guid and link when the feed has one guid for many', () => {
    const { entries } = parse(
      rss('<item><guid>g</guid><link>/1</link></item><item><guid>g</guid><link>/2</link></item>'),
    );
    expect(new Set(entries.map(({ guid }) => guid)).size).toBe(2);
  });
});

describe('the hash of an entry', () => {
  const hash = (inner: string) => itemOf(`<guid>g</guid>${inner}`).contentHash;

  it('changes with what a reader sees', () => {
    const seen = [
      '',
      '<title>a</title>',
      '<description>a</description>',
      '<link>/a</link>',
      '<dc:creator>a</dc:creator>',
    ];
    expect(new Set(seen.map(hash)).size).toBe(seen.length);
  });

  it('does not change with a date alone, which some publishers renew at every request', () => {
    expect(hash('<pubDate>2020-01-01</pubDate>')).toBe(hash('<pubDate>2021-01-01</pubDate>'));
  });
});

describe('a link', () => {
  it.each<[what: string, inner: string, link: string | null]>([
    [
      'is the permanent guid when there is no other',
      '<guid>https://a.example/x</guid>',
      'https://a.example/x',
    ],
    ['is not a guid that says it is none', '<guid isPermaLink="false">https://a.example/x</guid>', null],
    [
      'may be an Atom link',
      '<a:link xmlns:a="http://www.w3.org/2005/Atom" href="/z"/>',
      'https://blog.example/z',
    ],
    [
      'may have an unescaped ampersand',
      '<link>https://a.example/?a=1&b=2&copy=3</link>',
      'https://a.example/?a=1&b=2&copy=3',
    ],
    ['is none if it would run', '<link>javascript:alert(1)</link>', null],
    [
      'is not that of an image inside the entry',
      '<image><link>/no</link></image><link>/yes</link>',
      'https://blog.example/yes',
    ],
  ])('%s', (_what, inner, link) => {
    expect(itemOf(inner).link).toBe(link);
  });
});

describe('media', () => {
  it('of a group are enclosures, with a picture to show', () => {
    const entry = entryOf(
      '<m:group xmlns:m="http://search.yahoo.com/mrss/"><m:title>V</m:title><m:content url="https://y.example/v" type="application/x-shockwave-flash"/><m:thumbnail url="https://y.example/t.jpg"/><m:description>Line 1\nLine &lt;2&gt;</m:description></m:group>',
    );
    expect(entry).toMatchObject({
      title: 'V',
      content: 'Line 1<br>Line &lt;2&gt;',
      enclosures: [{ url: 'https://y.example/t.jpg', type: 'image/jpeg' }],
    });
  });

  it('have the type of their medium or their address when they say none', () => {
    const { enclosures } = itemOf(
      '<media:content url="/a" medium="image"/><media:content url="/b.webm?x"/><enclosure url="/c.mp3" length="0"/><enclosure url="/c.mp3" length="9"/>',
    );
    expect(enclosures).toEqual(
      [
        { url: 'https://blog.example/c.mp3', type: 'audio/mpeg', lengthBytes: null },
        { url: 'https://blog.example/a', type: 'image/*', lengthBytes: null },
        { url: 'https://blog.example/b.webm', type: 'video/webm', lengthBytes: null },
      ].map((one) => (one.url.endsWith('webm') ? { ...one, url: `${one.url}?x` } : one)),
    );
  });
});

describe('a broken document', () => {
  it.each<[what: string, text: string, expected: object]>([
    [
      'may have HTML entities',
      rss('<item><title>a&nbsp;b &hellip; &rsquo;</title></item>'),
      { title: 'a b … ’' },
    ],
    ['may have ampersands', rss('<item><title>Q&A & more</title></item>'), { title: 'Q&A & more' }],
    [
      'may leave prefixes undeclared',
      '<rss><channel><item><dc:creator>Jo</dc:creator></item></channel></rss>',
      { author: 'Jo' },
    ],
    [
      'may have HTML that is not escaped',
      rss('<item><description><p>a<br>b<p>c</description><title>t</title></item>'),
      { title: 't', content: '<p>a<br>b</p><p>c</p>' },
    ],
    [
      'may end in the middle of an entry',
      '<rss><channel><item><title>a</title><description>b &lt;b&gt;c',
      { title: 'a', content: 'b <b>c</b>' },
    ],
    [
      'may forget to end an entry',
      rss('<item><title>a</title><item><title>b</title></item>'),
      { title: 'a' },
    ],
    [
      'may end its channel too early',
      '<rss><channel><title>x</title></channel></rss><item><title>a</title></item>',
      { title: 'a' },
    ],
    [
      'may shout',
      '<RSS><CHANNEL><ITEM><TITLE>a</TITLE><PUBDATE>2020-01-01</PUBDATE></ITEM></CHANNEL></RSS>',
      { title: 'a', pubDate: at('2020-01-01T00:00:00Z') },
    ],
    [
      'may have a namespace of its own',
      '<rss xmlns="http://odd.example/"><channel><item><title>a</title></item></channel></rss>',
      { title: 'a' },
    ],
    [
      'may use a known prefix for something else',
      '<rss xmlns:dc="http://odd.example/"><channel><item><dc:creator>x</dc:creator><author>y</author></item></channel></rss>',
      { author: 'y' },
    ],
    [
      'may have attributes without quotes',
      rss('<item><enclosure url=https://a.example/x.mp3 type=audio/mpeg /></item>'),
      { enclosures: [{ url: 'https://a.example/x.mp3', type: 'audio/mpeg', lengthBytes: null }] },
    ],
    ['may have a CDATA section without an end', '<rss><channel><item><title><![CDATA[a', { title: 'a' }],
    ['may have references of Windows', rss('<item><title>a &#150; b</title></item>'), { title: 'a – b' }],
  ])('%s', (_what, text, expected) => {
    expect(parse(text).entries[0]).toMatchObject(expected);
  });

  it('with an entry that is not closed has both entries', () => {
    expect(
      parse(rss('<item><title>a</title><item><title>b</title></item>')).entries.map(({ title }) => title),
    ).toEqual(['a', 'b']);
  });
});

describe('how often to come back', () => {
  it.each<[inner: string, minutes: number | null]>([
    ['<ttl>60</ttl>', 60],
    ['<ttl>often</ttl>', null],
    ['<ttl>0</ttl>', null],
    ['<sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>', 15],
    ['<sy:updatePeriod>daily</sy:updatePeriod>', 1440],
    ['<x/>', null],
  ])('is said by %s', (inner, minutes) => {
    expect(parse(rss(inner)).ttlMinutes).toBe(minutes);
  });
});

it('takes the language of the answer when the feed names none', () => {
  const bytes = encode(rss(''));
  expect(parseFeed({ bytes, contentType: null, contentLanguage: 'fr-CA, en', url }).language).toBe('fr-CA');
});
