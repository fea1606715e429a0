// Our feeds, read by the XML parser of a browser, which forgives nothing.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildFeed } from '../../src/deframer/feed-xml.ts';
import { useBrowser } from '../support/browser.ts';
import { hostileHead, hostileItems } from '../support/deframed-items.ts';
import { seed } from '../support/depth.ts';

const builtAt = Date.UTC(2026, 2, 12, 14, 5, 6);

describe('a feed in a browser', () => {
  const browser = useBrowser();

  it('is well-formed, whatever is in it', async () => {
    const samples = fc.sample(fc.record({ hostile: hostileHead, items: hostileItems }), {
      numRuns: 300,
      seed,
    });
    const documents = samples.map(({ hostile, items }) => ({
      xml: buildFeed({ head: hostile, items, builtAt }).xmlContent,
      items: items.length,
    }));
    const page = await browser.page();
    const wrong = await page.evaluate(`(${JSON.stringify(documents)}).filter(({ xml, items }) => {
      const read = new DOMParser().parseFromString(xml, 'application/xml');
      return read.querySelector('parsererror') || read.querySelectorAll('channel > item').length !== items;
    })`);
    expect(wrong).toEqual([]);
  });
});
