// Delete the database: what the deframer has found out and what it serves come back from the library.
import { describe, expect, it, onTestFinished } from 'vitest';
import { TestApi } from '../support/api.ts';
import { TestClock, tieClocks } from '../support/clock.ts';
import { createDeframing, intervalMs, newsSite } from '../support/deframing.ts';
import { type EngineName, openStoreAt, useEngine } from '../support/engines.ts';
import { folderFiles, openPair, reinflateInto, temporaryFolder } from '../support/library.ts';
import { createWorld } from '../support/outbound.ts';

const feedUrl = 'http://news.example/feed';
const rss = `/rss?url=${encodeURIComponent(feedUrl)}`;

describe.each<[from: EngineName, to: EngineName]>([
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
])('the deframer, from %s into %s', (fromName, toName) => {
  const [from, to] = [useEngine(fromName), useEngine(toName)];

  it('serves the same, to the byte, with the same headers, and analyses nothing again', async () => {
    const clock = new TestClock();
    const folder = await temporaryFolder();
    const files = await folderFiles(folder, clock);
    const pair = await openPair(await from.freshTarget(), files, clock);
    onTestFinished(() => pair.close());
    const world = createWorld({ now: clock.now });
    const site = newsSite();
    await world.site('news.example', site.listener);
    const before = createDeframing({ ...pair, clock }, world);
    site.publish({ title: 'One \u{1f600} & <b>', link: '/1', at: 1 }, { title: 'Two', link: '/2', at: 2 });
    before.answer('Two', async () => ({ overall: 0.123456789, framing: 0 }));
    await before.addFeed(feedUrl, { polling: true });
    await before.addFeed('http://news.example/dead');
    site.override('/dead', (response) => response.writeHead(404).end());
    while (await before.look());
    await pair.flush();
    const served = async (opened: Parameters<typeof get>[0]) => get(opened, [rss, `${rss}&max_score=0.2`]);
    const expected = await served({ ...pair, clock, folder, files });
    expect(expected[0]).toMatchObject({ status: 200 });
    const [hash, states] = [await pair.store.stateHash(), await pair.store.deframerFeeds.list()];

    const target = await to.freshTarget();
    await reinflateInto(target, files);
    const { database, store } = await openStoreAt(target, clock);
    onTestFinished(() => database.close());
    tieClocks(database, clock);
    expect(await store.stateHash()).toEqual(hash);
    expect(await store.deframerFeeds.list()).toEqual(states);
    expect(await served({ database, store, clock, folder, files })).toEqual(expected);

    const after = createDeframing({ store, database, clock }, world);
    clock.advance(intervalMs + 1_000);
    expect(await after.look()).toBe(true);
    expect(after.titles()).toEqual([]);
    expect(await served({ database, store, clock, folder, files })).toEqual(expected);
  });
});

type Opened = Pick<
  ConstructorParameters<typeof TestApi>[0],
  'database' | 'store' | 'clock' | 'folder' | 'files'
>;

async function get(opened: Opened, paths: readonly string[]) {
  const api = new TestApi({ ...opened, target: { engine: 'sqlite', path: '' } });
  return Promise.all(
    paths.map(async (path) => {
      const response = await api.visitor().get(path);
      const headers = Object.fromEntries(response.headers);
      delete headers['x-request-id'];
      return {
        status: response.status,
        headers,
        body: Buffer.from(await response.arrayBuffer()).toString('hex'),
      };
    }),
  );
}
