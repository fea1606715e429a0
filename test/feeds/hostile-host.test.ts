// Fifty hosts, one of which takes connections and never answers: the others are fetched as if it were not there.
import type { Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { pullFeed } from '../../src/feeds/pull-feed.ts';
import { pullKind } from '../../src/feeds/pull-jobs.ts';
import { createRegistry, defineJob, type JobDefinition } from '../../src/jobs/registry.ts';
import { Runner } from '../../src/jobs/runner.ts';
import { usualSettings } from '../../src/jobs/settings.ts';
import { createLog } from '../../src/log.ts';
import { createHostTurns } from '../../src/outbound/host-turns.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { feedSite, parseGuids } from '../support/feed-server.ts';
import { createWorld } from '../support/outbound.ts';
import { addUser, newFeed } from '../support/reader.ts';
import { until } from '../support/until.ts';

const hosts = 50;
const feedsOfHostile = 30;
/** No request is given up while the test runs. */
const patient = { firstByteMs: 600_000, totalMs: 600_000 };

onEachEngine('a hostile host', (engine) => {
  it('holds up none of the forty-nine others, however many feeds it has', async () => {
    const { store } = await openFreshStore(engine);
    const now = Date.now;
    const world = createWorld({ now, pauses: store.hostPauses, limits: patient });
    const site = feedSite(now);
    const stalled = new Set<Socket>();
    await world.rawSite('hostile.example', (socket) => stalled.add(socket));
    const { rows } = await addUser(store, 'anna', 'owner');
    const links = Array.from({ length: feedsOfHostile }, (_, n) => `http://hostile.example/${n}`);
    for (let n = 1; n < hosts; n++) {
      await world.site(`host${n}.example`, site.listener);
      site.script(`/${n}`, { body: [`entry ${n}`] });
      links.push(`http://host${n}.example/${n}`);
    }
    await rows.feeds.createMany(links.map((link) => newFeed(link)));

    const deps = {
      pulls: store.pulls,
      outbound: world.outbound,
      parse: parseGuids,
      turns: createHostTurns(now),
      settings: { intervalMs: 1_800_000, maxBackoffMs: 172_800_000, timeoutMs: 600_000 },
      now,
      userAgent: () => 'Lectern/test',
    };
    const handler: JobDefinition['handler'] = async ({ payload, fence, signal }) => {
      await pullFeed(deps, pullKind.schema.parse(payload), { fence, signal });
    };
    const runner = new Runner({
      queue: store.jobs,
      registry: createRegistry([defineJob({ ...pullKind, handler }) as JobDefinition]),
      holder: 'test',
      settings: { ...usualSettings, concurrency: 10, drainMs: 0 },
      log: createLog({ level: 'silent', format: 'json', out: process.stderr }),
      random: Math.random,
    });
    onTestFinished(async () => {
      for (const socket of stalled) socket.destroy();
      await runner.stop();
      await store.close();
    });
    // The hostile ones first in the queue.
    await store.pulls.enqueue(
      pullKind,
      links.map((link) => ({
        target: { link, proxy: '' },
        payload: { link, proxy: '', manual: false, evenSuspended: [] },
        delayMs: 0,
      })),
    );
    // It never answers in all this time, so nothing here waited for it.
    await until('the others are fetched', async () => (await rows.entries.count({})) === hosts - 1, 60_000);
    expect(stalled.size).toBeLessThanOrEqual(2);
  });
});
