// The cover that Raindrop has for a page becomes the picture of its item, unless it has one.
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { coverKind, fetchCover, scheduleCovers } from '../../src/items/fetch-cover.ts';
import { makeThumbnail } from '../../src/items/page/thumbnail.ts';
import { checkLibrary } from '../../src/library/check.ts';
import type { Item } from '../../src/model/item.ts';
import { TestClock } from '../support/clock.ts';
import { onEachEngine } from '../support/engines.ts';
import { quiet } from '../support/enriching.ts';
import { folderFiles, temporaryFolder } from '../support/library.ts';
import { openMirror } from '../support/mirror-node.ts';
import { scene } from '../support/odd-images.ts';
import { type RaindropServer, startRaindropServer } from '../support/raindrop-server.ts';
import { startWebSite, type WebSite } from '../support/web-site.ts';

onEachEngine('the covers of raindrops', (engine) => {
  let clock: TestClock;
  let server: RaindropServer;
  let site: WebSite;
  let mirror: Awaited<ReturnType<typeof openMirror>>;

  beforeEach(async () => {
    clock = new TestClock();
    server = await startRaindropServer({ now: clock.now });
    site = await startWebSite();
    mirror = await openMirror(
      await engine.emptyDatabase(),
      await folderFiles(await temporaryFolder(), clock),
      server,
      clock,
    );
    onTestFinished(async () => {
      await mirror.end();
      await site.close();
      await server.close();
    });
  });

  /** Does what is in the queue, one job after the other. */
  async function doJobs(): Promise<number> {
    const { store, library, deps } = mirror;
    for (let done = 0; ; done++) {
      const [job] = await store.jobs.settleAndClaim([], {
        holder: 'test',
        leaseMs: 600_000,
        names: [coverKind.name],
        total: 1,
        background: 1,
        low: 1,
        first: 'interactive',
        suspect: false,
      });
      if (!job) return done;
      const page = { thumbnail: (bytes: Uint8Array) => makeThumbnail(bytes) };
      const context = {
        fence: { id: job.id, epoch: job.epoch },
        signal: new AbortController().signal,
        isLastAttempt: false,
      };
      await fetchCover(
        { covers: store.covers, library, outbound: deps.outbound, page, log: quiet, now: clock.now },
        coverKind.schema.parse(JSON.parse(job.payload as string)),
        context,
      );
    }
  }

  const itemAt = async (url: string): Promise<Item | undefined> =>
    (await mirror.rows.items.list({ limit: 100 })).find((item) => item.url === url);

  it('are fetched once, and kept as pictures of the items', async () => {
    site.put('/cover.png', { type: 'image/png', body: await scene().png().toBuffer() });
    const add = (name: string, cover: string) =>
      server.account.add({ link: `https://example.org/${name}`, title: name, cover })._id;
    const good = add('good', `${site.origin}/cover.png`);
    add('missing', `${site.origin}/nothing.png`);
    add('none', '');
    add('odd', 'data:image/png;base64,AAAA');
    await mirror.run();
    await scheduleCovers(mirror.store);
    expect(await doJobs()).toBe(2);
    const item = await itemAt('https://example.org/good');
    expect(item?.thumbnailKey).toBe(`${mirror.userId}/${item?.id}.jpg`);
    const picture = await mirror.library.files.read(`thumbnails/${item?.thumbnailKey}`);
    expect(picture?.subarray(0, 2)).toEqual(new Uint8Array([0xff, 0xd8]));
    expect((await itemAt('https://example.org/missing'))?.thumbnailKey).toBeNull();
    expect(await scheduleCovers(mirror.store)).toBe(0);
    const check = await checkLibrary(mirror.library.files, (table) => mirror.store.durableRows(table), {
      readData: true,
      lastSet: null,
    });
    expect(check).toMatchObject({ problems: [], orphans: [] });

    // Edited, it is not asked for again; with another cover it would be, if the item had no picture.
    server.account.edit(good, { title: 'Other' });
    await mirror.run();
    expect(await scheduleCovers(mirror.store)).toBe(0);
  });

  it('are in the queue a few at a time, however many there are', async () => {
    for (let n = 0; n < 13; n++)
      server.account.add({
        link: `https://example.org/${n}`,
        title: `${n}`,
        cover: `${site.origin}/none.png`,
      });
    await mirror.run();
    expect(await scheduleCovers(mirror.store)).toBe(10);
    expect(await scheduleCovers(mirror.store)).toBe(0);
    // Nobody needs them any more, so nothing is asked for.
    for (const { id } of await mirror.rows.items.list({ limit: 100 })) await mirror.rows.items.delete(id);
    expect(await doJobs()).toBe(10);
    expect(await scheduleCovers(mirror.store)).toBe(3);
  });

  it('are not asked for when the raindrop has gone, or its item', async () => {
    const [first, second] = ['a', 'b'].map(
      (name) =>
        server.account.add({
          link: `https://example.org/${name}`,
          title: name,
          cover: `${site.origin}/cover.png`,
        })._id,
    ) as [number, number];
    await mirror.run();
    await scheduleCovers(mirror.store);
    server.account.purge(first);
    await mirror.run();
    await mirror.rows.items.delete((await itemAt('https://example.org/b'))?.id as number);
    expect(await doJobs()).toBe(2);
    expect(site.requests.filter((path) => path === '/cover.png')).toEqual([]);
    expect(await mirror.rows.raindrops.known([second])).toEqual(new Set([second]));
  });
});
