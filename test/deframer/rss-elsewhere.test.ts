// Our feeds, read by a feed parser of others. test/deep/rss-in-browser.test.ts reads them with the XML parser of a browser.
import fc from 'fast-check';
import { parseRssFeed } from 'feedsmith';
import { describe, expect, it } from 'vitest';
import { buildFeed } from '../../src/deframer/feed-xml.ts';
import { deframedItem, hostileHead, hostileItems } from '../support/deframed-items.ts';
import { propertyRuns } from '../support/depth.ts';
import { rssProblems } from '../support/rss-rules.ts';

const builtAt = Date.UTC(2026, 2, 12, 14, 5, 6);
const head = {
  title: 'Tom & Jerry <news>',
  siteUrl: 'https://example.com/',
  feedUrl: 'https://example.com/feed.xml',
  description: 'Of a cat',
  language: 'en-GB',
};

describe('a feed', () => {
  it('is read by feedsmith as it was meant', () => {
    const content = '<p>1 &lt; 2 ]]> &amp; more</p>';
    const items = [
      deframedItem('https://example.com/a?b=1&c=2', { content, analysis: { title_corrected: 'A & B <i>' } }),
      deframedItem('https://example.com/ü'),
    ];
    const feed = parseRssFeed(buildFeed({ head, items, builtAt }).xmlContent);
    expect(feed).toMatchObject({
      // As HTML, which many readers take a title for, this is the title itself.
      title: 'Deframer: Tom & Jerry &lt;news>',
      link: 'https://example.com/',
      description: 'Of a cat',
      language: 'en-GB',
      lastBuildDate: 'Thu, 12 Mar 2026 14:05:06 GMT',
      generator: 'Lectern',
    });
    expect(feed.items).toHaveLength(2);
    expect(feed.items?.[0]).toMatchObject({
      title: 'A & B &lt;i>',
      link: 'https://example.com/a?b=1&c=2',
      guid: { value: 'https://example.com/a?b=1&c=2', isPermaLink: true },
      description: 'The council has met on Monday.',
      pubDate: 'Thu, 12 Mar 2026 14:05:00 GMT',
      categories: [{ name: 'politics' }],
      content: { encoded: content },
      dc: { creators: ['Anna'] },
    });
    expect(feed.items?.[1]).toMatchObject({
      link: 'https://example.com/%C3%BC',
      guid: { value: items[1]?.hash, isPermaLink: false },
    });
  });

  it('has as many items for feedsmith as it was built of, whatever is in them', () => {
    fc.assert(
      fc.property(hostileHead, hostileItems, (hostile, items) => {
        const { items: read = [] } = parseRssFeed(buildFeed({ head: hostile, items, builtAt }).xmlContent);
        expect(read).toHaveLength(items.length);
      }),
      propertyRuns(200),
    );
  });
});

describe('the rules', () => {
  const good = buildFeed({ head, items: [deframedItem('https://example.com/a')], builtAt }).xmlContent;

  it.each([
    ['<title>Deframer: Tom', '<title>', 'x'],
    ['no link', '<link>https://example.com/</link>\n', ''],
    ['an empty description', 'Of a cat', ' '],
    ['another version', 'version="2.0"', 'version="0.9"'],
    ['another namespace', 'http://purl.org/dc/elements/1.1/', 'http://example.com/'],
    ['an unknown element', '<category>politics</category>', '<x>politics</x>'],
    ['a year of two digits', '12 Mar 2026 14:05:06', '12 Mar 26 14:05:06'],
    ['a wrong day of the week', 'Thu, 12 Mar 2026 14:05:00', 'Fri, 12 Mar 2026 14:05:00'],
    ['a day that is none', 'Thu, 12 Mar 2026 14:05:00', 'Thu, 32 Mar 2026 14:05:00'],
    ['a relative link', '<link>https://example.com/a</link>', '<link>/a</link>'],
    ['a permalink to nowhere', 'isPermaLink="true">https://example.com/a', 'isPermaLink="true">a'],
    ['no language', 'en-GB', 'en_GB'],
    ['a character that is none', 'politics', 'pol\u0001itics'],
    ['half a character', 'politics', 'pol\ud800itics'],
    ['a reference to nothing', 'politics', 'pol&nbsp;itics'],
    ['a reference to a character that is none', 'politics', 'pol&#1;itics'],
    ['an open tag', '</category>', ''],
    ['the end of CDATA in a text', 'politics', ']]>'],
    ['something behind the end', '</rss>\n', '</rss>\n<rss/>'],
  ])('see %s', (_, there, instead) => {
    expect(good).toContain(there);
    const broken = good.replace(there, instead);
    let problems: string[];
    try {
      problems = rssProblems(broken);
    } catch (error) {
      problems = [String(error)];
    }
    expect(problems).not.toEqual([]);
  });

  it('see a guid that stands there twice', () => {
    const items = [deframedItem('https://example.com/a'), deframedItem('https://example.com/a')];
    expect(rssProblems(buildFeed({ head, items, builtAt }).xmlContent)).toEqual([
      'a guid stands there twice',
    ]);
  });
});
