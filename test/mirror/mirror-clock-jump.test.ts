// The mirror while the clock is ahead and after it was set back.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRun, takeMessage } from '../../src/mirror/chain.ts';
import type { BatchMessage, MirrorHost } from '../../src/mirror/host.ts';
import { beginning, readSchedule, stateKeys, writeSchedule } from '../../src/mirror/run-state.ts';
import { type MirrorMemory, memoryHost, newMemory, runToEnd, TestTime } from '../support/mirror-memory.ts';
import { type RaindropServer, startRaindropServer } from '../support/raindrop-server.ts';

const hour = 3_600_000;
const first: BatchMessage = { page: 0, cursor: beginning };

describe.each([
  ['20 hours', 20 * hour],
  ['400 days', 400 * 24 * hour],
])('the mirror when the clock was %s ahead', (_name, jumpMs) => {
  let time: TestTime;
  let aheadMs: number;
  let memory: MirrorMemory;
  let server: RaindropServer;
  /** The clock of the server stays right. */
  const start = async (switches: object = {}) => {
    server = await startRaindropServer({ now: () => time.ms - aheadMs, ...switches });
  };
  const host = (): MirrorHost => memoryHost(memory, { server, time });
  const goAhead = () => {
    time.ms += jumpMs;
    aheadMs = jumpMs;
  };
  const comeBack = () => {
    time.ms -= jumpMs;
    aheadMs = 0;
  };
  /** The clock is set back after so many answers. */
  const comingBackAfter = (answers: number): MirrorHost => {
    const inner = host();
    let left = answers;
    return {
      ...inner,
      fetch: async (url, init) => {
        const answer = await inner.fetch(url, init);
        if (--left === 0) comeBack();
        return answer;
      },
    };
  };
  const asked = () => server.requests.map(({ path, query }) => ({ path, sort: query.sort }));

  beforeEach(() => {
    time = new TestTime();
    aheadMs = 0;
    memory = newMemory();
  });
  afterEach(() => server.close());

  it('waits no longer than usual between two requests of a batch during which the clock is set back', async () => {
    await start();
    goAhead();
    const result = await takeMessage(comingBackAfter(3), first);
    expect(result).toMatchObject({ isDone: true });
    expect(Math.max(...time.pauses)).toBeLessThan(10_000);
  });

  it('is not postponed by a rate limit that was reached before the clock was set back', async () => {
    await start({ rateLimit: 4 });
    goAhead();
    const result = await takeMessage(comingBackAfter(4), first);
    expect(result).toMatchObject({ isDone: true });
    expect(Math.max(...time.pauses)).toBeLessThan(2 * 60_000);
  });

  it('sweeps in the first run after the return, and not in the second', async () => {
    await start();
    server.account.fillWith(3);
    goAhead();
    await takeMessage(host(), first);
    comeBack();
    const sweeps = async () => {
      server.requests.clear();
      await runToEnd(host(), time);
      return asked().filter(({ sort }) => sort === 'created').length;
    };
    expect(await sweeps()).toBe(1);
    expect(await sweeps()).toBe(0);
  });

  it('tries copies again in the first run after the return', async () => {
    await start();
    const { _id } = server.account.add({ link: 'https://example.org/', cacheStatus: 'retry' });
    goAhead();
    await takeMessage(host(), first);
    comeBack();
    server.requests.clear();
    await runToEnd(host(), time);
    expect(asked()).toContainEqual({ path: `/raindrop/${_id}`, sort: undefined });
  });

  it('starts a run although the schedule says later', async () => {
    await start();
    goAhead();
    await takeMessage(host(), first);
    comeBack();
    await expect(takeMessage(host(), (await startRun(host())) as BatchMessage)).resolves.toBeDefined();
  });
});

describe('the schedule of the mirror', () => {
  const state = (entries: readonly [string, string][] = []) => {
    const values = new Map(entries);
    return {
      values,
      get: async (key: string) => values.get(key) ?? null,
      set: async (key: string, value: string) => void values.set(key, value),
    };
  };

  it('is written in one value, with the time at which it was written', async () => {
    const written = state();
    await writeSchedule(written, { due: 7_000, now: 5_000 });
    expect([...written.values]).toEqual([
      [stateKeys.schedule, '{"due":"1970-01-01T00:00:07.000Z","writtenAt":"1970-01-01T00:00:05.000Z"}'],
    ]);
    expect(await readSchedule(written, 5_000)).toBe(7_000);
  });

  it('is read as earlier versions wrote it: an ISO time', async () => {
    const old = state([[stateKeys.schedule, '1970-01-01T00:00:07.000Z']]);
    expect(await readSchedule(old, 5_000)).toBe(7_000);
  });

  it.each([
    ['nothing was written', []],
    ['the value is damaged', [[stateKeys.schedule, 'never']]],
  ] as [string, [string, string][]][])('is undefined when %s', async (_name, entries) => {
    expect(await readSchedule(state(entries), 5_000)).toBeUndefined();
  });
});
