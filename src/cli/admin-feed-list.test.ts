import { describe, expect, it } from 'vitest';
import type { DeframerFeedState } from '../model/deframer.ts';
import { feedTable } from './admin-feed-list.ts';

const feed = {
  id: '3f2a91bc-0000-4000-8000-000000000000',
  url: 'https://example.org/feed.xml',
  enabled: true,
  polling: false,
  rootDomain: 'example.org',
  nextRunAt: null,
  lastError: null,
  lastNote: null,
  isRunning: false,
} as DeframerFeedState;

describe('the table of feeds', () => {
  it('has the address and the error of a feed below its row', () => {
    const broken = { ...feed, rootDomain: null, isRunning: true, lastError: 'The server answered 404.' };
    expect(feedTable([feed, broken], 80).split('\n')).toEqual([
      'ID        ENABLED  POLLING  NEXT_RUN_AT  ROOT_DOMAIN',
      '3f2a91bc  yes      no       never        example.org',
      '  https://example.org/feed.xml',
      '3f2a91bc  yes      no       running      -',
      '  https://example.org/feed.xml',
      '  last_error: The server answered 404.',
    ]);
    expect(
      feedTable([{ ...feed, lastNote: 'Look.' }], 80)
        .split('\n')
        .at(-1),
    ).toBe('  note: Look.');
  });

  it.each([30, 50, 80, 120])('fits %i columns, whatever is in it', (width) => {
    const wild = {
      ...feed,
      url: `https://example.org/${'x'.repeat(500)}`,
      rootDomain: `${'y'.repeat(60)}.example`,
      nextRunAt: 1_773_000_000_000,
      lastError: `It failed.\u001b[31m\n${'z'.repeat(200)} ${'again and '.repeat(20)}`,
    };
    const text = feedTable([feed, wild], width);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
    expect(text.match(/again and|again$/gm)?.length).toBeGreaterThan(3);
  });
});
