import { expect, it } from 'vitest';
import { TestTimers } from '../../test/support/timers.ts';
import { LecternError } from '../errors.ts';
import { BrokenFeed } from './parse/feed-errors.ts';
import { parseFeed } from './parse/parse-feed.ts';
import { ParseThread } from './parse-thread-client.ts';

const feed = (title: string) =>
  `<rss version="2.0"><channel><title>${title}</title><item><guid>1</guid><description>${'&lt;p&gt;word '.repeat(2_000)}</description></item></channel></rss>`;
const document = (text: string) => ({ bytes: Buffer.from(text), contentType: 'text/xml', url: null });

/** A thread that answers with the url, and does what `badly` says for one that is bad. */
const misbehaving = (badly: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ url }) => {
        if (url === 'bad') { ${badly} }
        parentPort.postMessage({ parsed: url });
      });`)}`,
  );
const named = (url: string) => ({ ...document(''), url });

it('a document is parsed in a thread as it is parsed here, also one that shares its memory', async () => {
  await using thread = new ParseThread();
  const large = feed('Large');
  const small = '<rss version="2.0"><channel><title>Small</title></channel></rss>';
  const shared = Buffer.from(`before${small}after`).subarray(6, 6 + small.length);
  const all = [thread.parse(document(large)), thread.parse({ ...document(''), bytes: shared })];
  expect(await Promise.all(all)).toEqual([parseFeed(document(large)), parseFeed(document(small))]);
});

it('what is wrong with a document is said in its own words', async () => {
  await using thread = new ParseThread();
  const refused = await thread.parse(document('<!doctype html><html></html>')).catch((error) => error);
  expect(refused).toBeInstanceOf(LecternError);
  expect(refused.message).toBe('The address answers with a web page, not a feed.');
});

it('a document that takes too long is given up, and those behind it are parsed', async () => {
  const timers = new TestTimers();
  await using thread = new ParseThread({ script: misbehaving('for (;;);'), after: timers.after });
  const stuck = thread.parse(named('bad'));
  const next = thread.parse(named('next'));
  const givenUp = expect(stuck).rejects.toThrow(BrokenFeed);
  await timers.advance(20_000);
  await givenUp;
  expect(await next).toBe('next');
});

it('a document that ends the thread takes no other with it', async () => {
  await using thread = new ParseThread({ script: misbehaving("throw new Error('broken');") });
  const bad = thread.parse(named('bad'));
  const next = thread.parse(named('next'));
  await expect(bad).rejects.toThrow('broken');
  expect(await next).toBe('next');
});
