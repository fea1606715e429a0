import { describe, expect, it } from 'vitest';
import { encode } from '../../../test/support/sample-feeds.ts';
import { BrokenFeed } from '../parse/feed-errors.ts';
import { describeDocument } from './describe-document.ts';
import { discoverFeeds, type FetchedPage, NoFeedFound } from './discover-feeds.ts';
import type { PageDocument } from './page-feeds.ts';

const feed = (title: string) => `<rss><channel><title>${title}</title></channel></rss>`;
const page = (inner: string) => `<!doctype html><html><head>${inner}</head><body></body></html>`;
const alternate = (href: string) => `<link rel="alternate" type="application/rss+xml" href="${href}">`;

/** The bytes are gone afterwards, as they are when a thread has read them. */
async function describeOnce(document: PageDocument) {
  return describeDocument({
    ...document,
    bytes: structuredClone(document.bytes, { transfer: [document.bytes.buffer as ArrayBuffer] }),
  });
}

/** A world of pages. A value that begins with `->` is a redirect. */
function world(pages: Record<string, string>) {
  const asked: string[] = [];
  const fetchPage = async (url: string): Promise<FetchedPage> => {
    asked.push(url);
    const found = pages[url];
    if (found === undefined) return { kind: 'failed', sentence: 'The server answered 404.' };
    if (found.startsWith('->')) return { ...(await fetchPage(found.slice(2))) };
    return { kind: 'body', url, contentType: null, bytes: encode(found) };
  };
  const describeAll = (address: string) => discoverFeeds({ fetchPage, describe: describeOnce }, address);
  const find = async (address: string) => ({
    feeds: (await describeAll(address)).feeds.map(({ title, link }) => ({ title, link })),
  });
  return { asked, find, describeAll };
}

describe('discovery', () => {
  it('takes an address that is a feed, after one request', async () => {
    const { find, asked } = world({ 'https://a.example/x': feed('A') });
    expect(await find('https://a.example/x')).toEqual({
      feeds: [{ title: 'A', link: 'https://a.example/x' }],
    });
    expect(asked).toHaveLength(1);
  });

  it('says of a feed what its document says: the site, what it is about, and the newest entries', async () => {
    const entry = (title: string, date: string) =>
      `<item><title>${title}</title><pubDate>${date}</pubDate></item>`;
    const items = [
      entry('Old', 'Mon, 01 Jan 2024 00:00:00 GMT'),
      entry('Newest', 'Thu, 04 Jan 2024 00:00:00 GMT'),
      '<item><title>Undated</title></item>',
      entry('Newer', 'Wed, 03 Jan 2024 00:00:00 GMT'),
    ];
    const { describeAll } = world({
      'https://a.example/x': `<rss><channel><title>A</title><link>https://a.example/</link>
        <description>All &lt;b&gt;about&lt;/b&gt; A</description>${items.join('')}</channel></rss>`,
    });
    expect((await describeAll('https://a.example/x')).feeds).toEqual([
      {
        title: 'A',
        link: 'https://a.example/x',
        siteUrl: 'https://a.example/',
        description: 'All about A',
        entries: 4,
        newest: [
          { title: 'Newest', pubDate: Date.UTC(2024, 0, 4) },
          { title: 'Newer', pubDate: Date.UTC(2024, 0, 3) },
          { title: 'Old', pubDate: Date.UTC(2024, 0, 1) },
        ],
      },
    ]);
  });

  it('gives the address at which a feed was found in the end', async () => {
    const { find } = world({
      'https://a.example/': '->https://b.example/feed',
      'https://b.example/feed': feed('B'),
    });
    expect(await find('a.example')).toEqual({ feeds: [{ title: 'B', link: 'https://b.example/feed' }] });
  });

  it('finds all feeds that a page names, and leaves out what is none', async () => {
    const { find } = world({
      'https://a.example/': page(alternate('/1') + alternate('/2') + alternate('/gone') + alternate('/page')),
      'https://a.example/1': feed('One'),
      'https://a.example/2': feed(''),
      'https://a.example/page': page(''),
    });
    expect(await find('a.example')).toEqual({
      feeds: [
        { title: 'One', link: 'https://a.example/1' },
        { title: 'a.example', link: 'https://a.example/2' },
      ],
    });
  });

  it('follows links that look like feeds when a page names none', async () => {
    const { find } = world({
      'https://a.example/': page('<a href="/news/feed">x</a>'),
      'https://a.example/news/feed': feed('News'),
    });
    expect((await find('a.example')).feeds).toEqual([{ title: 'News', link: 'https://a.example/news/feed' }]);
  });

  it('looks in the usual places, and stops at the first', async () => {
    const { find, asked } = world({
      'https://a.example/': page(''),
      'https://a.example/atom.xml': feed('Atom'),
      'https://a.example/index.xml': feed('Same'),
    });
    expect((await find('a.example')).feeds).toEqual([{ title: 'Atom', link: 'https://a.example/atom.xml' }]);
    expect(asked).not.toContain('https://a.example/index.xml');
  });

  it('asks a known site at its feeds, and not for its page', async () => {
    const { find, asked } = world({ 'https://www.reddit.com/r/node/.rss': feed('Node') });
    expect((await find('https://reddit.com/r/node')).feeds).toEqual([
      { title: 'Node', link: 'https://www.reddit.com/r/node/.rss' },
    ]);
    expect(asked).toHaveLength(1);
  });

  it('goes on with the page when a site is not what its address looks like', async () => {
    const { find } = world({
      'https://a.example/@me': page(alternate('/f')),
      'https://a.example/f': feed('F'),
    });
    expect((await find('https://a.example/@me')).feeds).toEqual([
      { title: 'F', link: 'https://a.example/f' },
    ]);
  });

  it('finds the feed of a handle on YouTube by the page', async () => {
    const id = `UC${'a'.repeat(22)}`;
    const link = `https://www.youtube.com/feeds/videos.xml?channel_id=${id}`;
    const { find } = world({
      'https://www.youtube.com/@me': `<html><script>{"externalId":"${id}"}</script></html>`,
      [link]: feed('Me'),
    });
    expect((await find('https://www.youtube.com/@me')).feeds).toEqual([{ title: 'Me', link }]);
  });

  it('tries http when nobody said https', async () => {
    const { find } = world({ 'http://a.example/': feed('Old') });
    expect((await find('a.example')).feeds).toEqual([{ title: 'Old', link: 'http://a.example/' }]);
    await expect(find('https://a.example/')).rejects.toThrow(NoFeedFound);
  });

  it('says what it has tried', async () => {
    const { find } = world({ 'https://a.example/': page(alternate('/gone')) });
    await expect(find('a.example')).rejects.toThrow(
      'No feed was found at a.example; tried the page itself, the feeds that the page names (1) and the usual addresses (9).',
    );
  });

  it('says why the page could not be fetched', async () => {
    await expect(world({}).find('https://a.example/')).rejects.toThrow(
      'No feed was found at a.example: the server answered 404.',
    );
  });

  it('tells of a feed that is broken instead of searching on', async () => {
    const { find, asked } = world({ 'https://a.example/f': '{"items": [' });
    await expect(find('https://a.example/f')).rejects.toThrow(BrokenFeed);
    expect(asked).toHaveLength(1);
  });

  it('makes no more than 16 requests, and none twice', async () => {
    const many = Array.from(
      { length: 500 },
      (_, n) => `${alternate(`/${n}`)}<a href="/feed/${n}">x</a>`,
    ).join('');
    const { find, asked } = world({ 'https://a.example/': page(many) });
    await expect(find('a.example')).rejects.toThrow(NoFeedFound);
    expect(asked).toHaveLength(16);
    expect(new Set(asked).size).toBe(16);
  });

  it('reads a page once that names itself as a feed', async () => {
    const { find, asked } = world({
      'https://a.example/': page(alternate('/') + alternate('/feed')),
      'https://a.example/feed': feed('A'),
    });
    expect((await find('https://a.example/')).feeds).toEqual([
      { title: 'A', link: 'https://a.example/feed' },
    ]);
    expect(asked).toEqual(['https://a.example/', 'https://a.example/feed']);
  });

  it('asks for nothing that a page cannot be', async () => {
    const { find, asked } = world({
      'https://a.example/': page(
        `${alternate('file:///etc/passwd')}${alternate('javascript:x')}${alternate('ftp://a.example/')}`,
      ),
    });
    await expect(find('a.example')).rejects.toThrow(NoFeedFound);
    expect(asked.filter((url) => !/^https?:/.test(url))).toEqual([]);
  });
});
