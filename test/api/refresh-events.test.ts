// A refresh as one sees it who watches. The worker's part is done by hand, step by step.
import { beforeEach, expect, it } from 'vitest';
import { pullKind } from '../../src/feeds/pull-jobs.ts';
import type { JobFence } from '../../src/model/job.ts';
import type { FetchStateChange } from '../../src/store/pull-store.ts';
import { type Client, jsonOf, openEmptyApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { EventReader } from '../support/event-reader.ts';
import { claimPull } from '../support/pulling.ts';
import { published } from '../support/reader.ts';

const path = '/api/feeds/refresh/events';
const linkOf = (n: number) => `https://${n}.example/feed`;

onEachEngine('watching a refresh', (engine) => {
  let api: TestApi;
  let anna: Client;
  let ids: number[];

  beforeEach(async () => {
    api = await openEmptyApi(engine);
    await api.addUser('anna');
    anna = await api.program('anna', 'write');
    ids = [];
  });

  async function follow(n: number, client = anna): Promise<void> {
    const { data } = await jsonOf<{ data: { id: number } }>(
      await client.post('/api/feeds', { link: linkOf(n), group_id: 1 }),
    );
    ids[n] = data.id;
  }
  const watch = async (client = anna, query = '') => new EventReader(await client.get(`${path}${query}`));
  const claim = () => claimPull(api.opened.store);

  /** Takes the first pull that is ready. Ended by what is returned. */
  async function take() {
    const [job] = await claim();
    if (!job) throw new Error('no pull is ready');
    const fence: JobFence = { id: job.id, epoch: job.epoch };
    const target = pullKind.schema.parse(JSON.parse(job.payload));
    const { jobs, pulls } = api.opened.store;
    return {
      end: async (state: FetchStateChange, guids: string[] = []) => {
        const feeds = (await pulls.findFeeds(target)).map(({ id }) => id);
        const document = { ids: [], rest: guids.map((guid) => published(guid)) };
        await pulls.settle(
          fence,
          target,
          feeds,
          () => ({ state, document }),
          () => false,
        );
        await jobs.settleAndClaim([{ fence, outcome: { kind: 'done' } }]);
      },
      returned: (delayMs: number) => jobs.settleAndClaim([{ fence, outcome: { kind: 'returned', delayMs } }]),
    };
  }
  const asked = () => ({ last_checked_at: api.clock.now() });
  const progress = (over: object) => ({
    event: 'progress',
    data: { total: 0, done: 0, failed: 0, put_off: 0, waiting: 0, running: 0, finished: false, ...over },
  });

  it('ends at once when nothing is under way', async () => {
    const events = await watch();
    expect(await events.next()).toMatchObject(progress({ finished: true }));
    expect(await events.next()).toBeUndefined();
  });

  it('tells of each feed that was fetched, and how far all of them are, until the last one', async () => {
    for (const n of [0, 1]) await follow(n);
    const events = await watch();
    expect(await events.next()).toMatchObject(progress({ total: 2, waiting: 2 }));
    const first = await take();
    expect(await events.next()).toMatchObject(progress({ total: 2, waiting: 1, running: 1 }));
    await first.end({ ...asked(), consecutive_failures: 0 }, ['a', 'b']);
    expect(await events.next()).toMatchObject({
      event: 'feed',
      data: { id: ids[0], unread_count: 2, item_count: 2, fetch_state: { consecutive_failures: 0 } },
    });
    expect(await events.next()).toMatchObject(progress({ total: 2, done: 1, waiting: 1 }));
    const second = await take();
    expect(await events.next()).toMatchObject(progress({ total: 2, done: 1, running: 1 }));
    await second.end({ ...asked(), consecutive_failures: 3, last_error: 'It is broken.' });
    expect(await events.next()).toMatchObject({
      event: 'feed',
      data: { id: ids[1], fetch_state: { last_error: 'It is broken.' } },
    });
    expect(await events.next()).toMatchObject(progress({ total: 2, done: 1, failed: 1, finished: true }));
    expect(await events.next()).toBeUndefined();
  });

  it('tells of each feed that was fetched after the clock was set back', async () => {
    const jumpMs = 20 * 3_600_000;
    const { database } = api.opened;
    for (const n of [0, 1]) await follow(n);
    const running = await take();
    database.timeOffsetMs = () => jumpMs;
    const events = await watch();
    expect(await events.next()).toMatchObject(progress({ total: 2, waiting: 1, running: 1 }));
    delete database.timeOffsetMs;
    await running.end(asked());
    expect(await events.next()).toMatchObject({ event: 'feed', data: { id: ids[0] } });
    await events.cancel();
  });

  it('does not wait for what is put off, and says how many that are', async () => {
    for (const n of [0, 1, 2]) await follow(n);
    // Not asked, since its host wants to be left alone; and put back into the queue, for later and for soon.
    await (await take()).end({ retry_after_until: api.clock.now() + 3_600_000 });
    await (await take()).returned(60_000);
    const last = await take();
    await last.returned(3_000);
    const events = await watch(anna, '?within=60');
    expect(await events.next()).toMatchObject({ event: 'feed', data: { id: ids[0] } });
    expect(await events.next()).toMatchObject(progress({ total: 3, put_off: 2, waiting: 1 }));
    const { database } = api.opened;
    database.timeOffsetMs = () => 4_000;
    await (await take()).end(asked());
    let final: unknown;
    for (let next = await events.next(); next; next = await events.next()) final = next;
    expect(final).toMatchObject(progress({ total: 3, done: 1, put_off: 2, finished: true }));
  });

  it("shows what ended a moment before to one who asks for it, and nothing of other people's feeds", async () => {
    await api.addUser('ben');
    const ben = await api.program('ben', 'write');
    await follow(0);
    await follow(1, ben);
    await (await take()).end(asked(), ['a']);
    const before = await watch(anna, '?within=60');
    expect(await before.next()).toMatchObject({ event: 'feed', data: { id: ids[0], item_count: 1 } });
    expect(await before.next()).toMatchObject(progress({ total: 1, done: 1, finished: true }));
    expect(await before.next()).toBeUndefined();
    const later = await watch();
    expect(await later.next()).toMatchObject(progress({ finished: true }));
    const bens = await watch(ben, '?within=60');
    expect(await bens.next()).toMatchObject(progress({ total: 1, waiting: 1 }));
    await bens.cancel();
  });

  it('counts one pull for each feed that it is for', async () => {
    await api.addUser('ben');
    const ben = await api.program('ben', 'write');
    await follow(0);
    await follow(0, ben);
    const events = await watch(ben);
    expect(await events.next()).toMatchObject(progress({ total: 1, waiting: 1 }));
    await (await take()).end(asked());
    expect(await events.next()).toMatchObject({ event: 'feed', data: { id: ids[0] } });
    expect(await events.next()).toMatchObject(progress({ total: 1, done: 1, finished: true }));
    expect((await anna.get(`${path}?within=soon`)).status).toBe(400);
  });
});
