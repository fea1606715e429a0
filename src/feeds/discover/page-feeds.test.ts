import { expect, it } from 'vitest';
import { pageFeeds } from './page-feeds.ts';

const url = 'https://a.example/blog/page';
const find = (html: string, at = url) => pageFeeds({ bytes: Buffer.from(html), contentType: null, url: at });
const alternates = (html: string) => find(html).alternates;
const anchors = (html: string) => find(html).anchors;

it.each<[what: string, html: string, found: string[]]>([
  ['RSS', '<link rel="alternate" type="application/rss+xml" href="/rss">', ['https://a.example/rss']],
  [
    'Atom',
    '<LINK REL=Alternate TYPE=application/atom+xml HREF=atom.xml>',
    ['https://a.example/blog/atom.xml'],
  ],
  ['JSON Feed', '<link rel="alternate" type="application/feed+json" href="/f">', ['https://a.example/f']],
  [
    'a feed by its relation',
    '<link rel="feed" type="application/rss+xml" href="/f">',
    ['https://a.example/f'],
  ],
  [
    'a feed with an escaped address',
    '<link rel=alternate type=application/rss+xml href="/f?a=1&amp;b=2">',
    ['https://a.example/f?a=1&b=2'],
  ],
  [
    'a feed relative to a base',
    '<base href="https://b.example/x/"><link rel=alternate type=application/rss+xml href="f">',
    ['https://b.example/x/f'],
  ],
  [
    'a feed once',
    '<link rel=alternate type=application/rss+xml href="/f"><link rel=alternate type=application/rss+xml href="/f">',
    ['https://a.example/f'],
  ],
  ['no other language', '<link rel="alternate" hreflang="de" href="/de">', []],
  ['no style sheet', '<link rel="alternate stylesheet" type="application/rss+xml" href="/x">', []],
  [
    'no API of WordPress',
    '<link rel="alternate" type="application/json" href="https://a.example/wp-json/wp/v2/posts/1">',
    [],
  ],
  ['no address that runs', '<link rel="alternate" type="application/rss+xml" href="javascript:x">', []],
  [
    'no feed in a comment or a script',
    '<!--<link rel=alternate type=application/rss+xml href=/f>--><script>"<link rel=alternate type=application/rss+xml href=/f>"</script>',
    [],
  ],
])('a page names %s', (_what, html, found) => {
  expect(alternates(html)).toEqual(found);
});

it.each<[what: string, html: string, found: string[]]>([
  ['by its path', '<a href="/blog/feed/">x</a>', ['https://a.example/blog/feed/']],
  ['by its ending', '<a href="/news.rss">x</a>', ['https://a.example/news.rss']],
  ['by its query', '<a href="/?feed=rss2">x</a>', ['https://a.example/?feed=rss2']],
  ['by its host', '<a href="https://feeds.example/x">y</a>', ['https://feeds.example/x']],
  ['by its words', '<a href="/x.xml"><img> RSS </a>', ['https://a.example/x.xml']],
  ['by its title', '<a href="/x.xml" title="RSS feed"></a>', ['https://a.example/x.xml']],
  [
    'but not by a part of a word',
    '<a href="/feedback">x</a><a href="/atomic">y</a><a href="/carss">z</a>',
    [],
  ],
  ['but not by a place in the page itself', '<a href="#rss">RSS</a>', []],
])('a link looks like a feed %s', (_what, html, found) => {
  expect(anchors(html)).toEqual(found);
});

it('finds the channel in the data of a video page', () => {
  const id = `UC${'a'.repeat(22)}`;
  const found = find(`<script>{"externalChannelId":"${id}"}</script>`, 'https://www.youtube.com/watch?v=1');
  expect(found.alternates).toEqual([`https://www.youtube.com/feeds/videos.xml?channel_id=${id}`]);
});
