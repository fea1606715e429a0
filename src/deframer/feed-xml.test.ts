import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deframedItem, hostileHead, hostileItems } from '../../test/support/deframed-items.ts';
import { propertyRuns } from '../../test/support/depth.ts';
import { readRss, rssProblems, textOf } from '../../test/support/rss-rules.ts';
import { analysisFields } from './analysis-fields.ts';
import { buildFeed, type FeedHead, filterFeed } from './feed-xml.ts';

const head: FeedHead = {
  title: 'The Example',
  siteUrl: 'https://example.com/',
  feedUrl: 'https://example.com/feed.xml',
  description: 'News of examples',
  language: 'en-GB',
};
const builtAt = Date.UTC(2026, 10, 7, 9, 8, 7, 654);
const build = (items: Parameters<typeof buildFeed>[0]['items'], changed: Partial<FeedHead> = {}) =>
  buildFeed({ head: { ...head, ...changed }, items, builtAt });
const channelOf = (changed: Partial<FeedHead>) => readRss(build([], changed).xmlContent).channel;
const itemOf = (...given: Parameters<typeof deframedItem>) => {
  const { items } = readRss(build([deframedItem(...given)]).xmlContent);
  if (!items[0]) throw new Error('no item');
  return items[0];
};
const url = 'https://example.com/a?b=1&c=2';

describe('the channel', () => {
  it('says what the feed is, and when it was built', () => {
    const channel = channelOf({});
    expect(channel.children.map(({ name, text }) => [name, text])).toEqual([
      ['title', 'Deframer: The Example'],
      ['link', 'https://example.com/'],
      ['description', 'News of examples'],
      ['language', 'en-GB'],
      ['lastBuildDate', 'Sat, 07 Nov 2026 09:08:07 GMT'],
      ['generator', 'Lectern'],
      ['docs', 'https://www.rssboard.org/rss-specification'],
    ]);
  });

  it.each([
    [{ title: ' \u0000 ' }, 'title', 'Deframer: https://example.com/'],
    [{ title: '', siteUrl: '' }, 'title', 'Deframer: https://example.com/feed.xml'],
    [{ siteUrl: '/relative' }, 'link', 'https://example.com/feed.xml'],
    [{ siteUrl: 'javascript:alert(1)' }, 'link', 'https://example.com/feed.xml'],
    [{ siteUrl: 'https://exämple.com/ü' }, 'link', 'https://xn--exmple-cua.com/%C3%BC'],
    [{ description: '\n' }, 'description', 'The Example: headlines that were weighed and set anew'],
    [{ language: null }, 'language', undefined],
    [{ language: 'en_GB' }, 'language', undefined],
    [{ language: '<b>' }, 'language', undefined],
    [{ language: ' de ' }, 'language', 'de'],
  ])('makes do with %o', (changed, name, text) => {
    expect(textOf(channelOf(changed), name)).toBe(text);
  });
});

describe('an item', () => {
  it('has what was made of an article, and every field of the analysis', () => {
    const item = itemOf(url);
    expect(textOf(item, 'title')).toBe('A council has met');
    expect(textOf(item, 'link')).toBe(url);
    expect(textOf(item, 'description')).toBe('The council has met on Monday.');
    expect(textOf(item, 'dc:creator')).toBe('Anna');
    expect(textOf(item, 'pubDate')).toBe('Thu, 12 Mar 2026 14:05:00 GMT');
    expect(textOf(item, 'category')).toBe('politics');
    expect(textOf(item, 'content:encoded')).toBe('<p>The council has <b>met</b>.</p>');
    const { analysis } = deframedItem(url);
    expect(Object.keys(analysis).toSorted()).toEqual(analysisFields.toSorted());
    expect(item.children.filter(({ name }) => name.startsWith('deframer:')).length).toBe(20);
    for (const [field, value] of Object.entries(analysis))
      expect(textOf(item, `deframer:${field}`)).toBe(String(value));
  });

  it.each([
    [0, '0'],
    [1, '1'],
    [0.1 + 0.2, '0.30000000000000004'],
    [1e-7, '0.0000001'],
    [1.5e-9, '0.0000000015'],
  ])('writes the score %d as %s', (overall, written) => {
    expect(textOf(itemOf(url, { analysis: { overall } }), 'deframer:overall')).toBe(written);
  });

  it.each([
    [{ title_corrected: '' }, 'title', 'You will not BELIEVE this'],
    [{ title_corrected: '\u0007', title_original: '\n' }, 'title', url],
    [{ description_corrected: '' }, 'description', 'The council has met.'],
    [{ title_corrected: 'a\u202eb\u200f' }, 'title', 'a\u202eb\u200f'],
    [{ title_corrected: 'a\ud800b\ufffec\uffffd\u0000' }, 'title', 'a\ufffdbcd'],
    [{ title_corrected: 'x'.repeat(100_000) }, 'title', 'x'.repeat(100_000)],
  ])('with %o has another %s', (analysis, name, text) => {
    expect(textOf(itemOf(url, { analysis }), name)).toBe(text);
  });

  it('has a title without tags for readers of HTML', () => {
    const item = itemOf(url, { analysis: { title_corrected: '<script>&amp; ]]> 1 < 2' } });
    expect(textOf(item, 'title')).toBe('&lt;script>&amp; ]]> 1 < 2');
  });

  it.each([
    ['The <b> & the <script>', 'The &lt;b> & the &lt;script>'],
    ['1 < 2 & 3 > 2', '1 < 2 & 3 > 2'],
    ['AT&T &lt;', 'AT&amp;T &amp;lt;'],
    ['</p><!-- <?', '&lt;/p>&lt;!-- &lt;?'],
  ])('has a description that readers of HTML show as it is: %s', (description_corrected, text) => {
    expect(textOf(itemOf(url, { analysis: { description_corrected } }), 'description')).toBe(text);
  });

  it.each([
    ['https://example.com/a', 'true', 'https://example.com/a', 'https://example.com/a'],
    ['HTTP://example.com/a#b', 'true', 'HTTP://example.com/a#b', 'http://example.com/a#b'],
    ['https://example.com/ü', 'false', undefined, 'https://example.com/%C3%BC'],
    ['https://example.com/<a>', 'false', undefined, 'https://example.com/%3Ca%3E'],
    ['https://', 'false', undefined, undefined],
    ['/relative', 'false', undefined, undefined],
    ['javascript:alert(1)', 'false', undefined, undefined],
    ['urn:isbn:1', 'false', undefined, undefined],
  ])('at %s has a guid that stays, a permalink: %s', (address, isPermaLink, text, link) => {
    const item = itemOf(address);
    const guid = item.children.find(({ name }) => name === 'guid');
    expect(guid?.attributes.get('isPermaLink')).toBe(isPermaLink);
    expect(guid?.text).toBe(text ?? deframedItem(address).hash);
    expect(textOf(item, 'link')).toBe(link);
  });

  it.each([Number.NaN, 8.64e15, -62_200_000_000_000])('has no date where it has none: %d', (pubDate) => {
    expect(textOf(itemOf(url, { pubDate }), 'pubDate')).toBeUndefined();
  });

  it('has neither an author nor a content that is empty', () => {
    const names = itemOf(url, { author: ' ', content: '' }).children.map(({ name }) => name);
    expect(names).not.toContain('dc:creator');
    expect(names).not.toContain('content:encoded');
  });
});

describe('a document', () => {
  it('begins with its header, and says which articles it has', () => {
    const items = [deframedItem('https://example.com/1'), deframedItem('https://example.com/2')];
    const { xmlHeader, itemRefs, xmlContent } = build(items);
    expect(itemRefs).toEqual(items.map(({ hash }) => hash));
    expect(xmlContent.startsWith(`${xmlHeader}<item>`)).toBe(true);
    expect(build([]).xmlContent.startsWith(xmlHeader)).toBe(true);
    expect(rssProblems(xmlContent)).toEqual([]);
  });

  it('is RSS whatever is in it', () => {
    fc.assert(
      fc.property(hostileHead, hostileItems, (hostile, items) => {
        const { xmlContent } = buildFeed({ head: hostile, items, builtAt });
        expect(rssProblems(xmlContent)).toEqual([]);
        expect(readRss(xmlContent).items).toHaveLength(items.length);
      }),
      propertyRuns(300),
    );
  });

  it('can be read back, but for what XML cannot have', () => {
    fc.assert(
      fc.property(hostileItems, (items) => {
        const read = readRss(build(items).xmlContent).items;
        items.forEach(({ analysis, content }, place) => {
          const element = read[place];
          if (!element) throw new Error('it is missing');
          for (const field of analysisFields) {
            const value = analysis[field];
            const text = textOf(element, `deframer:${field}`) ?? '';
            if (typeof value === 'number') expect(Number(text)).toBe(value === 0 ? 0 : value);
            else expect(text).toBe(allowed(value));
          }
          // A parser makes LF of every end of a line in CDATA.
          expect(textOf(element, 'content:encoded') ?? '').toBe(allowed(content).replace(/\r\n?/g, '\n'));
        });
      }),
      propertyRuns(200),
    );
  });
});

/** By another rule than the one that wrote it. */
function allowed(text: string): string {
  return [...text]
    .map((char) => (/^[\ud800-\udfff]$/.test(char) ? '\ufffd' : char))
    .filter((char) => /[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(char))
    .join('');
}

describe('a document without what is too bad', () => {
  it('is the one that would have been built without it', () => {
    const maxScores = fc.oneof(fc.constantFrom(0, 0.35, 0.5, 1), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(hostileHead, hostileItems, maxScores, (hostile, items, maxScore) => {
        const whole = buildFeed({ head: hostile, items, builtAt }).xmlContent;
        const fewer = items.filter(({ analysis }) => analysis.overall <= maxScore);
        expect(filterFeed(whole, maxScore)).toBe(
          buildFeed({ head: hostile, items: fewer, builtAt }).xmlContent,
        );
      }),
      propertyRuns(500),
    );
  });

  it('keeps an article of exactly that score, and the same of a score that it has itself', () => {
    fc.assert(
      fc.property(hostileItems, fc.nat(), (items, chosen) => {
        const maxScore = items[chosen % items.length]?.analysis.overall ?? 0;
        const fewer = items.filter(({ analysis }) => analysis.overall <= maxScore);
        expect(filterFeed(build(items).xmlContent, maxScore)).toBe(build(fewer).xmlContent);
      }),
    );
  });

  it('is not misled by a content that looks like the end of an item, or like another score', () => {
    const content = '</content:encoded>\n</item>\n<item>\n<deframer:overall>0</deframer:overall>]]></item>\n';
    const items = [0.9, 0.1, 1].map((overall, n) =>
      deframedItem(`https://example.com/${n}`, { content, author: content, analysis: { overall } }),
    );
    expect(filterFeed(build(items).xmlContent, 0.5)).toBe(build(items.slice(1, 2)).xmlContent);
    expect(filterFeed(build(items).xmlContent, 0)).toBe(build([]).xmlContent);
    expect(filterFeed(build(items).xmlContent, 1)).toBe(build(items).xmlContent);
  });
});
