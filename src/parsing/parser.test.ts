import { expect, it } from 'vitest';
import { TestTimers } from '../../test/support/timers.ts';
import { Invalid, TooManyRequests } from '../errors.ts';
import { BrokenFeed, NotAFeed } from '../feeds/parse/feed-errors.ts';
import { parseFeed } from '../feeds/parse/parse-feed.ts';
import { unpackSnapshot } from '../highlights/pack-snapshot.ts';
import { Parser } from './parser.ts';

const feed = (title: string) =>
  `<rss version="2.0"><channel><title>${title}</title><item><guid>1</guid><description>${'&lt;p&gt;word '.repeat(2_000)}</description></item></channel></rss>`;
const document = (text: string) => ({ bytes: Buffer.from(text), contentType: 'text/xml', url: null });

/** A thread that answers with the url, and runs `badly` for the url "bad". */
const misbehaving = (badly: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort, threadId } from 'node:worker_threads';
      parentPort.on('message', ({ input: { url } }) => {
        if (url === 'bad') { ${badly} }
        parentPort.postMessage({ result: url === 'thread' ? threadId : url });
      });`)}`,
  );
const named = (url: string) => ({ ...document(''), url });

it('parses in a thread as in this one, also bytes that share their memory', async () => {
  await using parser = new Parser();
  const large = feed('Large');
  const small = '<rss version="2.0"><channel><title>Small</title></channel></rss>';
  const shared = Buffer.from(`before${small}after`).subarray(6, 6 + small.length);
  const all = [
    parser.parse('feed', document(large)),
    parser.parse('feed', { ...document(''), bytes: shared }),
  ];
  expect(await Promise.all(all)).toEqual([parseFeed(document(large)), parseFeed(document(small))]);
});

it('parses bytes in shared memory, and leaves them there', async () => {
  await using parser = new Parser();
  const small = '<rss><channel><title>A</title></channel></rss>';
  const bytes = new Uint8Array(new SharedArrayBuffer(small.length + 100), 0, small.length);
  bytes.set(Buffer.from(small));
  expect(await parser.parse('feed', { ...document(''), bytes })).toEqual(parseFeed(document(small)));
  expect(Buffer.from(bytes).toString()).toBe(small);
});

it('does every task, and passes on what is wrong with a document', async () => {
  await using parser = new Parser();
  const page = Buffer.from('<link rel="alternate" type="application/rss+xml" href="/feed">');
  expect(
    await parser.parse('discovery', { bytes: page, contentType: null, url: 'https://a.example/' }),
  ).toEqual({ links: { alternates: ['https://a.example/feed'], anchors: [] } });
  const outlines = Buffer.from('<opml><body><outline xmlUrl="https://a.example/feed"/></body></opml>');
  expect((await parser.parse('opml', { bytes: outlines })).feeds).toHaveLength(1);
  await expect(parser.parse('highlights', { kind: 'kindle', bytes: Buffer.from(' ') })).rejects.toThrow(
    new Invalid('the file is empty'),
  );
  await expect(parser.parse('feed', document('<!doctype html><html></html>'))).rejects.toThrow(
    new NotAFeed('The address answers with a web page, not a feed.'),
  );
});

it('hands the records of a sync over as bytes', async () => {
  await using parser = new Parser();
  const highlights = { 'https://example.org/': [{ groupID: 7, repr: 'a passage' }] };
  const bytes = Buffer.from(JSON.stringify({ source: 'light', highlights, dry_run: true }));
  const { source, dryRun, snapshot } = await parser.parse('light', { bytes });
  expect({ source, dryRun }).toEqual({ source: 'light', dryRun: true });
  const { annotations, pages } = await unpackSnapshot(snapshot);
  expect([...pages.keys()]).toEqual(['https://example.org/']);
  expect(annotations.get('7')?.fields).toMatchObject({ text: 'a passage' });
  await expect(parser.parse('light', { bytes: Buffer.from('{') })).rejects.toThrow(
    new Invalid('the body is not JSON'),
  );
});

it('ends a thread at once after a large document, since it holds much memory', async () => {
  await using parser = new Parser({ script: misbehaving('') });
  const thread = (bytes: number) => parser.parse('feed', { ...named('thread'), bytes: Buffer.alloc(bytes) });
  const first = await thread(10_000_000);
  const second = await thread(1);
  expect(second).not.toBe(first);
  expect(await thread(1)).toBe(second);
});

it('gives up a document that takes too long, and parses the next', async () => {
  const timers = new TestTimers();
  await using parser = new Parser({ script: misbehaving('for (;;);'), after: timers.after });
  const stuck = parser.parse('feed', named('bad'));
  const next = parser.parse('feed', named('next'));
  const givenUp = expect(stuck).rejects.toThrow(new BrokenFeed('The feed takes too long to read.'));
  await timers.advance(20_000);
  await givenUp;
  expect(await next).toBe('next');
});

it('gives up a document that takes too much memory, and parses the next', async () => {
  const script = misbehaving('const all = []; for (;;) all.push([...Array(1000).keys()]);');
  await using parser = new Parser({ script, memoryMb: 20 });
  const huge = parser.parse('feed', named('bad'));
  const next = parser.parse('feed', named('next'));
  await expect(huge).rejects.toThrow(new BrokenFeed('The feed is too large to read.'));
  expect(await next).toBe('next');
});

it('survives a document that ends the thread', async () => {
  await using parser = new Parser({ script: misbehaving("throw new Error('broken');") });
  const bad = parser.parse('feed', named('bad'));
  const next = parser.parse('feed', named('next'));
  await expect(bad).rejects.toThrow('broken');
  expect(await next).toBe('next');
});

it('ends a thread without work, and starts one for the next document', async () => {
  const timers = new TestTimers();
  await using parser = new Parser({ script: misbehaving(''), after: timers.after });
  const thread = () => parser.parse('feed', named('thread'));
  const first = await thread();
  expect(await thread()).toBe(first);
  await timers.advance(60_000);
  expect(await thread()).not.toBe(first);
});

it('rejects what is not parsed when it is closed', async () => {
  const parser = new Parser({ script: misbehaving('for (;;);') });
  const unfinished = Promise.allSettled([
    parser.parse('feed', named('bad')),
    parser.parse('feed', named('next')),
  ]);
  await parser.close();
  expect((await unfinished).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

it('refuses a document when too many wait, and parses those before it', async () => {
  await using parser = new Parser({ script: misbehaving(''), maxWaiting: 1 });
  const [first, second] = [parser.parse('feed', named('a')), parser.parse('feed', named('b'))];
  await expect(parser.parse('feed', named('c'))).rejects.toThrow(TooManyRequests);
  expect(await Promise.all([first, second])).toEqual(['a', 'b']);
  expect(await parser.parse('feed', named('d'))).toBe('d');
});
