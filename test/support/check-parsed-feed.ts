// What must hold for any feed that parseFeed returns, whatever it was given.
import { expect } from 'vitest';
import { limits } from '../../src/feeds/parse/limits.ts';
import type { ParsedFeed } from '../../src/feeds/parse/parse-feed.ts';
import { harmsOf } from './harmful-html.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is meant
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;
const isWebUrl = (url: string | null) => url === null || /^https?:\/\/[^/]/.test(url);

export function checkParsedFeed(feed: ParsedFeed): void {
  expect(JSON.stringify(feed).isWellFormed()).toBe(true);
  expect(isWebUrl(feed.siteUrl) && isWebUrl(feed.selfUrl)).toBe(true);
  expect(feed.entries.length).toBeLessThanOrEqual(limits.entries);
  expect(new Set(feed.entries.map(({ guid }) => guid)).size).toBe(feed.entries.length);
  for (const [index, entry] of feed.entries.entries()) {
    const lines = [entry.guid, entry.title, entry.author, ...entry.categories];
    if (lines.some((line) => controls.test(line) || /[\n\r]/.test(line) || line.length > limits.lineChars)) {
      expect.fail(`a line that is none, in ${JSON.stringify(entry).slice(0, 500)}`);
    }
    if (entry.guid === '' || entry.guid.length > 600) expect.fail(`a guid of ${entry.guid.length} letters`);
    if (controls.test(entry.content) || entry.content.length > limits.contentChars * 6)
      expect.fail('content');
    if (![entry.link, ...entry.enclosures.map(({ url }) => url)].every(isWebUrl)) expect.fail('an address');
    if (!entry.enclosures.every(({ type }) => /^(?:[\w.+-]+\/[\w.+*-]+)?$/.test(type))) expect.fail('a type');
    for (const date of [entry.pubDate, entry.updatedAt]) {
      if (date !== null && !Number.isSafeInteger(date)) expect.fail(`a date of ${date}`);
    }
    // parse5 is slow on what is large, and the same HTML again shows nothing new.
    if (index < 20 && entry.content.length < 100_000) expect(harmsOf(entry.content)).toEqual([]);
  }
}
