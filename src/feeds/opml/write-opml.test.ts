import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyWebUrl } from '../../../test/support/any-web-url.ts';
import { propertyRuns } from '../../../test/support/depth.ts';
import { parseFeedLink } from '../feed-link.ts';
import { cleanName } from './clean-name.ts';
import { joinPath } from './group-path.ts';
import { parseOpml } from './parse-opml.ts';
import { type WrittenOpml, writeOpml } from './write-opml.ts';

const write = (opml: Partial<WrittenOpml>) =>
  [...writeOpml({ title: 'Mine', createdAt: 0, feeds: [], groups: [], ...opml })].join('');
const read = (text: string) => parseOpml({ bytes: new TextEncoder().encode(text) });

it('writes OPML 2.0, with groups in their folders', () => {
  const feeds = (name: string) => [{ name, link: `https://${name}.example/feed`, siteUrl: '' }];
  expect(
    write({
      title: 'A & B',
      feeds: [{ name: 'Top "1"', link: 'https://top.example/?a=1&b=2', siteUrl: 'https://top.example/' }],
      groups: [
        { name: 'Tech / Databases', feeds: feeds('sql') },
        { name: 'Tech', feeds: feeds('rust') },
        { name: 'Empty', feeds: [] },
        { name: 'Empty / Full', feeds: feeds('full') },
      ],
    }),
  ).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
  <head>
    <title>A &amp; B</title>
    <dateCreated>Thu, 01 Jan 1970 00:00:00 GMT</dateCreated>
  </head>
  <body>
    <outline text="Top &quot;1&quot;" title="Top &quot;1&quot;" type="rss" xmlUrl="https://top.example/?a=1&amp;b=2" htmlUrl="https://top.example/"/>
    <outline text="Tech" title="Tech">
      <outline text="rust" title="rust" type="rss" xmlUrl="https://rust.example/feed"/>
      <outline text="Databases" title="Databases">
        <outline text="sql" title="sql" type="rss" xmlUrl="https://sql.example/feed"/>
      </outline>
    </outline>
    <outline text="Empty" title="Empty"/>
    <outline text="Empty" title="Empty">
      <outline text="Full" title="Full">
        <outline text="full" title="full" type="rss" xmlUrl="https://full.example/feed"/>
      </outline>
    </outline>
  </body>
</opml>
`);
});

it('leaves out what XML cannot have', () => {
  const text = write({ title: 'a\u0000\u0008b\ud800c\uffff', feeds: [] });
  expect(text).toContain('<title>ab\ufffdc</title>');
});

describe('what was written', () => {
  const character = fc.oneof(
    fc.constantFrom('/', ' ', '&', '<', '>', '"', "'", '&amp;', ']]>', '<!--', '\t', 'ä', '\u{1f4da}'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  );
  const name = fc
    .array(character, { minLength: 1, maxLength: 15 })
    .map((parts) => cleanName(parts.join(''), 200).replace(/[\ufffe\uffff]/g, ''))
    .filter((text) => text.trim() === text && text !== '');
  const link = anyWebUrl.map((url) => parseFeedLink(url) as string);
  const group = fc.record({
    name: fc
      // Few names, so that groups stand in each other.
      .array(fc.oneof(fc.constantFrom('A', 'B', 'A / B'), name), { minLength: 1, maxLength: 3 })
      .map(joinPath)
      .filter((joined) => joined.length <= 200),
    feeds: fc.array(fc.record({ name, link, siteUrl: fc.oneof(fc.constant(''), link) }), { maxLength: 4 }),
  });
  const tree = fc.record({
    feeds: fc.array(fc.record({ name, link, siteUrl: fc.constant('') }), { maxLength: 4 }),
    groups: fc.uniqueArray(group, { selector: ({ name: own }) => own, maxLength: 6 }),
  });

  it('is read back as it was', () => {
    fc.assert(
      fc.property(tree, ({ feeds, groups }) => {
        const seen = new Set<string>();
        const distinct = <F extends { link: string }>(list: readonly F[]) =>
          list.filter((feed) => !seen.has(feed.link) && seen.add(feed.link));
        const opml = {
          feeds: distinct(feeds),
          groups: groups.map((one) => ({ ...one, feeds: distinct(one.feeds) })),
        };
        const found = read(write(opml));
        expect([...found.groups].sort()).toEqual(opml.groups.map((one) => one.name).sort());
        const expected = [
          ...opml.feeds.map((feed) => ({ ...feed, group: null as string | null })),
          ...opml.groups.flatMap((one) => one.feeds.map((feed) => ({ ...feed, group: one.name }))),
        ];
        const byLink = (a: { link: string }, b: { link: string }) => (a.link < b.link ? -1 : 1);
        expect([...found.feeds].sort(byLink)).toEqual(expected.sort(byLink));
        expect({ errors: found.errors, warnings: found.warnings }).toEqual({ errors: [], warnings: [] });
      }),
      propertyRuns(500),
    );
  });
});
