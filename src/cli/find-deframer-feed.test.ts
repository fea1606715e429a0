import { describe, expect, it } from 'vitest';
import type { DeframerFeedState } from '../model/deframer.ts';
import { getDeframerFeed } from './find-deframer-feed.ts';

const feedOf = (id: string, url: string, deletedAt: number | null = null) =>
  ({ id, url, deletedAt }) as DeframerFeedState;
const one = feedOf('aaaaaaaa-1111-4000-8000-000000000001', 'https://example.org/one');
const twin = feedOf('aaaaaaaa-2222-4000-8000-000000000002', 'https://example.org/two');
const gone = feedOf('bbbbbbbb-1111-4000-8000-000000000003', 'https://example.org/gone', 5);
const goneToo = feedOf('aaaaaaaa-1111-4000-8000-000000000004', 'https://example.org/one', 5);
const all = [one, twin, gone, goneToo];

const feeds = {
  find: async (idOrUrl: string) => all.find(({ id, url }) => id === idOrUrl || url === idOrUrl),
  list: async ({ deleted = false } = {}) => all.filter(({ deletedAt }) => (deletedAt !== null) === deleted),
};

describe('the feed that is meant', () => {
  it.each([
    ['its id', twin.id, twin],
    ['its id in capitals', twin.id.toUpperCase(), twin],
    ['its address', 'https://example.org/two', twin],
    ['its address, written otherwise', 'HTTPS://EXAMPLE.org:443/two#x', twin],
    ['the beginning of its id, which one that was deleted has too', 'aaaaaaaa-1', one],
    ['a beginning that ends at a hyphen', 'aaaaaaaa-2222-', twin],
    ['six digits of one that was deleted', 'bbbbbb', gone],
  ])('is found by %s', async (_how, text, feed) => {
    expect(await getDeframerFeed(feeds, text)).toBe(feed);
  });

  it.each([
    ['aaaaaa', /^the ids of 2 feeds begin with aaaaaa: give more of the id, or the address$/],
    ['cccccc', /^feed cccccc not found$/],
    ['https://example.org/three', /^feed https:\/\/example\.org\/three not found$/],
    ['aaaaaaaa-3333-4000-8000-000000000001', /^feed aaaaaaaa-3333-.* not found$/],
    ['aaaaa', /^expected a feed: /],
    ['aaaaaaaaa', /^expected a feed: /],
    ['', /^expected a feed: /],
    ['ftp://example.org/', /^expected a feed: /],
    ['x\u001b[2J', /^expected a feed: .* got "x\ufffd\[2J"$/],
  ])('is not %j', async (text, words) => {
    await expect(getDeframerFeed(feeds, text)).rejects.toThrow(words);
  });
});
