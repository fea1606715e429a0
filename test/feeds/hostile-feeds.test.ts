// Whatever a server sends becomes a feed that is safe to keep, or an error with a sentence for the person who asked.
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { BrokenFeed, NotAFeed } from '../../src/feeds/parse/feed-errors.ts';
import { type FeedDocument, type ParsedFeed, parseFeed } from '../../src/feeds/parse/parse-feed.ts';
import { checkParsedFeed } from '../support/check-parsed-feed.ts';
import { propertyRuns } from '../support/depth.ts';
import { hostileFeeds } from '../support/hostile-feeds.ts';
import { sampleFeeds } from '../support/sample-feeds.ts';

const url = 'https://blog.example/feed.xml';

function parse(document: Omit<FeedDocument, 'url'>): ParsedFeed | NotAFeed | BrokenFeed {
  try {
    return parseFeed({ ...document, url });
  } catch (error) {
    if (error instanceof NotAFeed || error instanceof BrokenFeed) return error;
    throw error;
  }
}

function check(result: ParsedFeed | Error): void {
  if (result instanceof Error) expect(result.message).toMatch(/^[A-Z][^\n<]{10,100}\.$/);
  else checkParsedFeed(result);
}

const byName = (name: string) => {
  const found = hostileFeeds.find((feed) => feed.name === name);
  if (!found) throw new Error(`there is no hostile feed named ${name}`);
  return parse({ bytes: found.bytes, contentType: found.contentType ?? null });
};
const titleOf = (name: string) => (byName(name) as ParsedFeed).entries[0]?.title;

afterEach(() => {
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

describe('a hostile feed', () => {
  it('is one of more than 200', () => {
    expect(hostileFeeds.length).toBeGreaterThan(200);
    expect(new Set(hostileFeeds.map(({ name }) => name)).size).toBe(hostileFeeds.length);
  });

  it.each(hostileFeeds)('gives a safe feed or a typed error: $name', ({ bytes, contentType }) => {
    check(parse({ bytes, contentType: contentType ?? null }));
  });

  it.each([
    'a billion laughs',
    'a billion laughs in an attribute',
    'quadratic blow-up',
    'one entity of 1 MB, 10,000 times',
    'an entity of itself',
    'two entities of each other',
    'JSON with 400,000 objects',
  ])('is refused for what it would grow to: %s', (name) => {
    expect(byName(name)).toBeInstanceOf(BrokenFeed);
  });

  it.each(['nothing', 'a page', 'words', 'a JSON object', 'OPML', 'SVG', 'a root named __proto__'])(
    'is no feed at all: %s',
    (name) => {
      expect(byName(name)).toBeInstanceOf(NotAFeed);
    },
  );

  it.each(['an external entity', 'an external entity over HTTP', 'a parameter entity'])(
    'shows a reference to elsewhere as it is written: %s',
    (name) => {
      expect(titleOf(name)).toMatch(/^&[ab];$/);
    },
  );

  it('shows characters that cannot be as a mark, and does not stumble', () => {
    expect(titleOf('numbers that are no characters')).toBe(
      '\ufffd \ufffd \ufffd \ufffd &#-1; &#x; &#; \ufffd',
    );
  });

  it.each(hostileFeeds.filter(({ name }) => name.startsWith('a feed behind')).map(({ name }) => name))(
    'is found in spite of what stands before it: %s',
    (name) => {
      expect(titleOf(name)).toBe('Über Bäume');
    },
  );

  it.each([
    'UTF-16 LE without a mark',
    'UTF-16 BE without a mark',
    'UTF-16 LE with a mark',
    'UTF-16 BE with a mark',
    'two byte order marks',
    'Latin-1 that says UTF-8',
    'UTF-8 that says UTF-16',
    'a charset that nobody knows',
  ])('is read with its umlauts: %s', (name) => {
    expect(titleOf(name)).toBe('Über Bäume');
  });

  it('gives every entry its own guid when the feed has one for all', () => {
    const entriesOf = (name: string) => (byName(name) as ParsedFeed).entries.length;
    expect(entriesOf('one guid for all')).toBe(300);
    expect(entriesOf('one guid and one link for all')).toBe(1);
    expect(entriesOf('items without anything')).toBe(1);
  });

  it('keeps to the limits of entries, categories and enclosures', () => {
    expect((byName('20,000 categories') as ParsedFeed).entries[0]?.categories.length).toBe(1);
    expect((byName('20,000 enclosures') as ParsedFeed).entries[0]?.enclosures.length).toBe(50);
    expect(titleOf('a title of 1 MB')?.length).toBeLessThanOrEqual(4_096);
  });
});

describe('any bytes', () => {
  it('give a safe feed or a typed error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.option(fc.string()), (bytes, contentType) => {
        check(parse({ bytes, contentType }));
      }),
      propertyRuns(1_000),
    );
  });

  it('give a safe feed or a typed error when they stand in the middle of a feed', () => {
    const samples = Object.values(sampleFeeds);
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(60),
        fc.oneof(
          fc.uint8Array({ maxLength: 40 }),
          fc.string({ maxLength: 40 }).map((text) => Buffer.from(text)),
        ),
        (sample, place, removed, inserted) => {
          const bytes = Buffer.from(sample);
          const at = Math.floor(bytes.length * place);
          check(
            parse({
              bytes: Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)]),
              contentType: null,
            }),
          );
        },
      ),
      propertyRuns(1_500),
    );
  });
});
