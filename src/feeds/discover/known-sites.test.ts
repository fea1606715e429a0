import { describe, expect, it } from 'vitest';
import { parseAddress } from './address.ts';
import { commonPaths } from './common-paths.ts';
import { knownFeeds } from './known-sites.ts';

const channel = `UC${'x'.repeat(22)}`;
const youtube = 'https://www.youtube.com/feeds/videos.xml';

it.each<[page: string, feeds: string[]]>([
  [`https://www.youtube.com/channel/${channel}/videos`, [`${youtube}?channel_id=${channel}`]],
  ['https://youtube.com/playlist?list=PL0123456789abc', [`${youtube}?playlist_id=PL0123456789abc`]],
  ['https://m.youtube.com/user/somebody', [`${youtube}?user=somebody`]],
  ['https://www.youtube.com/@handle', []],
  ['https://youtu.be/abc', []],
  ['https://www.reddit.com/', ['https://www.reddit.com/.rss']],
  ['https://reddit.com/r/node', ['https://www.reddit.com/r/node/.rss']],
  ['https://old.reddit.com/r/node/top/?t=week', ['https://www.reddit.com/r/node/top/.rss']],
  ['https://www.reddit.com/user/some-body/', ['https://www.reddit.com/user/some-body/.rss']],
  ['https://www.reddit.com/r/node/comments/abc/title/', ['https://www.reddit.com/r/node/comments/abc/.rss']],
  ['https://github.com/torvalds', ['https://github.com/torvalds.atom']],
  [
    'https://github.com/nodejs/node.git',
    ['releases', 'tags', 'commits'].map((kind) => `https://github.com/nodejs/node/${kind}.atom`),
  ],
  ['https://github.com/nodejs/node/releases', ['https://github.com/nodejs/node/releases.atom']],
  ['https://github.com/nodejs/node/tags', ['https://github.com/nodejs/node/tags.atom']],
  ['https://github.com/nodejs/node/commits/main', ['https://github.com/nodejs/node/commits/main.atom']],
  ['https://github.com/', []],
  [
    'https://gitlab.com/a/b',
    [
      'https://gitlab.com/a/b/-/releases.atom',
      'https://gitlab.com/a/b/-/tags?format=atom',
      'https://gitlab.com/a/b/-/commits/HEAD?format=atom',
    ],
  ],
  ['https://mastodon.social/@Gargron', ['https://mastodon.social/@Gargron.rss']],
  ['https://mastodon.social/@Gargron/with_replies', ['https://mastodon.social/@Gargron.rss']],
  ['https://name.substack.com/p/post', ['https://name.substack.com/feed']],
  ['https://substack.com/@name', ['https://name.substack.com/feed']],
  ['https://medium.com/@name/post-1', ['https://medium.com/feed/@name']],
  ['https://medium.com/publication', ['https://medium.com/feed/publication']],
  ['https://name.medium.com/', ['https://name.medium.com/feed']],
  ['https://name.tumblr.com/archive', ['https://name.tumblr.com/rss']],
  ['https://www.tumblr.com/name', ['https://name.tumblr.com/rss']],
  ['https://name.blogspot.com/2020/01/x.html', ['https://name.blogspot.com/feeds/posts/default']],
  ['https://name.wordpress.com/about', ['https://name.wordpress.com/feed/']],
  ['https://blog.example/@not/a/profile', []],
  ['https://evilyoutube.com/channel/x', []],
])('knows the feeds of %s', (page, feeds) => {
  expect(knownFeeds(new URL(page))).toEqual(feeds);
});

describe('an address', () => {
  it.each<[typed: string, url: string]>([
    ['example.com', 'https://example.com/'],
    [' https://example.com/a#b ', 'https://example.com/a'],
    ['//example.com/a', 'https://example.com/a'],
    ['example.com:8080/feed', 'https://example.com:8080/feed'],
    ['localhost:8080/feed', 'https://localhost:8080/feed'],
    ['feed://example.com/rss', 'http://example.com/rss'],
    ['feed:https://example.com/rss', 'https://example.com/rss'],
    ['@name@mastodon.example', 'https://mastodon.example/@name'],
    ['r/node', 'https://www.reddit.com/r/node'],
    ['/u/some-body', 'https://www.reddit.com/u/some-body'],
    ['bücher.example', 'https://xn--bcher-kva.example/'],
  ])('may be typed as %j', (typed, url) => {
    expect(parseAddress(typed).url.href).toBe(url);
  });

  it.each([
    '',
    '   ',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ftp://example.com/',
    'mailto:a@b.example',
    'just words',
    'http://',
    'data:text/html,x',
  ])('is refused when it is %j', (typed) => {
    expect(() => parseAddress(typed)).toThrow('url must be the http or https address of a feed or a page.');
  });
});

it('looks in the usual places beside the page, then at the top of its site', () => {
  expect(commonPaths(new URL('https://a.example/blog/x?y=1')).slice(0, 5)).toEqual([
    'https://a.example/blog/x/feed',
    'https://a.example/blog/x/rss',
    'https://a.example/blog/x/atom.xml',
    'https://a.example/feed',
    'https://a.example/rss',
  ]);
  expect(commonPaths(new URL('https://a.example'))[0]).toBe('https://a.example/feed');
});
