// Days with sites of every kind, all at once: the real scheduler, queue, runner, pull and parser, and real HTTP. The clock
// is ours, and the sites keep the score. A deep run simulates a week, the usual run less than two days.
import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { userAgent } from '../../src/cli/runtime.ts';
import { parseFeed } from '../../src/feeds/parse/parse-feed.ts';
import { type PullDeps, pullFeed } from '../../src/feeds/pull-feed.ts';
import { pullKind, schedulePulls } from '../../src/feeds/pull-jobs.ts';
import { deleteOldJobs } from '../../src/jobs/clean-up.ts';
import { createRegistry, defineJob, type JobDefinition } from '../../src/jobs/registry.ts';
import { Runner } from '../../src/jobs/runner.ts';
import { usualSettings } from '../../src/jobs/settings.ts';
import { createLog } from '../../src/log.ts';
import { createHostTurns } from '../../src/outbound/host-turns.ts';
import { createOutbound } from '../../src/outbound/outbound.ts';
import type { Target } from '../../src/store/open.ts';
import { TestClock } from '../support/clock.ts';
import { onEachEngine, openStoreAt } from '../support/engines.ts';
import { createWorld, type World } from '../support/outbound.ts';
import { addUser, listAll, newFeed } from '../support/reader.ts';
import { scoringSites } from '../support/scoring-site.ts';
import { TestTimers } from '../support/timers.ts';
import { tickMs, weekMs, weekOfFeeds } from '../support/week-of-feeds.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const settings = { intervalMs: 3 * hour, maxBackoffMs: 48 * hour, timeoutMs: 30 * second };
const moment = second;
const scheduleEveryMs = 5 * second;
/** When Lectern restarts, when an outage begins, and when the simulation ends. */
const plan = {
  restarts: [20 * hour + 25 * minute, 45 * hour + 40 * minute],
  outage: 80 * hour,
  end: weekMs,
};

const log = createLog({
  level: 'error',
  format: 'text',
  out: new Writable({ write: (_line, _encoding, done) => done() }),
});

/** As even as chance, and the same every time. */
function evenChance(): () => number {
  let n = 0;
  return () => {
    n += 0.6180339887;
    return n % 1;
  };
}

onEachEngine('days of fetching', (engine) => {
  let clock: TestClock;
  let timers: TestTimers;
  let world: World;
  let sites: ReturnType<typeof scoringSites>;
  let target: Target;
  const parsed = new Map<string, number>();
  const random = evenChance();

  beforeEach(async () => {
    clock = new TestClock();
    timers = new TestTimers(clock);
    world = createWorld({ now: timers.now, after: timers.after });
    target = await engine.freshTarget();
    sites = scoringSites(timers.now, weekOfFeeds(timers.now), {
      ...settings,
      maxBytes: 15 * 1024 * 1024,
      latenessMs: tickMs + minute,
      mostPerSecond: 20,
    });
    for (const host of sites.hosts) await world.site(host, sites.listener);
  });

  /** The worker as a process has it, from its start to its end. */
  async function start() {
    const { store, database } = await openStoreAt(target, clock);
    // The queue goes by the clock of the database.
    database.timeOffsetMs = () => timers.now() - Date.now();
    const outbound = createOutbound({ ...world.deps, pauses: store.hostPauses });
    const deps: PullDeps = {
      pulls: store.pulls,
      outbound,
      parse: async (document) => {
        parsed.set(document.url, (parsed.get(document.url) ?? 0) + 1);
        return parseFeed(document);
      },
      turns: createHostTurns(timers.now),
      settings,
      now: timers.now,
      userAgent: (subscribers) => userAgent('test', undefined, subscribers),
    };
    let inHand = 0;
    const pull = defineJob({
      ...pullKind,
      handler: async ({ payload, fence, signal }) => {
        inHand += 1;
        await pullFeed(deps, payload, { fence, signal }).finally(() => {
          inHand -= 1;
        });
      },
    }) as JobDefinition;
    let wake = () => {};
    const queue: typeof store.jobs = {
      ...store.jobs,
      watch: (onChange) => {
        wake = onChange;
        return { stop: async () => {} };
      },
    };
    const runner = new Runner({
      queue,
      registry: createRegistry([pull]),
      holder: `worker of ${timers.now()}`,
      // A lease runs by the clock that we move, its renewal by the real one.
      settings: { ...usualSettings, concurrency: 10, leaseMs: hour },
      log,
      random,
    });

    const count = async () => {
      const { rows } = await sql<{ ready: number; later: number; running: number }>`
        SELECT count(CASE WHEN state = 0 AND run_at <= ${timers.now()} THEN 1 END) AS ready,
          count(CASE WHEN state = 0 AND run_at > ${timers.now()} THEN 1 END) AS later,
          count(CASE WHEN state = 1 THEN 1 END) AS running
        FROM jobs WHERE state < 2`.execute(database.read);
      const [{ ready, later, running } = { ready: 0, later: 0, running: 0 }] = rows;
      return { ready: Number(ready), later: Number(later), running: Number(running) };
    };
    /** Everything that can be done at this moment has been done. */
    const untilIdle = async () => {
      for (;;) {
        if (inHand === sites.hanging) {
          const { ready, later, running } = await count();
          if (ready === 0 && running === sites.hanging) return { later, running };
          wake();
        }
        await pause(1);
      }
    };
    let scheduledAt = 0;
    const schedule = async () => {
      if (timers.now() < scheduledAt + scheduleEveryMs) return;
      scheduledAt = timers.now();
      await schedulePulls({ pulls: store.pulls, settings, random });
    };
    return {
      store,
      /** Lets time pass, in small steps while there is something to do, and ends when there is nothing. */
      async live(forMs: number): Promise<void> {
        const until = timers.now() + forMs;
        for (;;) {
          await schedule();
          const { later, running } = await untilIdle();
          const left = until - timers.now();
          if (later + running === 0 && left <= 0) return;
          const toTick = Math.min(tickMs - (timers.now() % tickMs), left);
          await timers.advance(later > 0 ? moment : running > 0 ? timers.nextInMs : toTick);
          if (timers.now() % hour === 0) await deleteOldJobs(store, timers.now());
        }
      },
      async stop(): Promise<void> {
        await runner.stop();
        await outbound.close();
        await store.close();
      },
    };
  }

  it('keeps every rule of politeness with every kind of site, through restarts and an outage', async () => {
    let lectern = await start();
    onTestFinished(() => lectern.stop());
    const users = [
      await addUser(lectern.store, 'anna', 'owner'),
      await addUser(lectern.store, 'berta'),
    ] as const;
    for (const { feed } of sites.standings)
      for (const { rows } of users.slice(0, feed.subscribers)) await rows.feeds.create(newFeed(feed.link));

    const restart = async () => {
      await lectern.stop();
      lectern = await start();
    };
    const began = timers.now();
    const untilTime = (afterMs: number) => lectern.live(began + afterMs - timers.now());
    for (const at of plan.restarts) {
      await untilTime(at);
      await restart();
    }
    await untilTime(plan.outage);
    await lectern.stop();
    clock.advance(7 * hour + 13 * minute);
    sites.excuse();
    lectern = await start();
    await untilTime(plan.end);
    sites.closeBooks();

    expect(sites.violations).toEqual([]);
    for (const { feed, ...standing } of sites.standings) {
      const { name } = feed;
      const polled = Object.keys(feed.pages).reduce((sum, url) => sum + (parsed.get(url) ?? 0), 0);
      // What is no feed is parsed each time anew: only what was understood has a hash.
      if (name !== 'no-feed-any-more-1') expect([name, polled]).toEqual([name, standing.documents]);
      for (const { id } of users.slice(0, feed.subscribers)) {
        const rows = lectern.store.forUser(id);
        const found = (await rows.feeds.list()).find(({ link }) => link === standing.link);
        expect(found, name).toMatchObject({
          suspended: standing.isGone,
          fetchState: {
            consecutiveFailures: standing.failures,
            etag: standing.validators.etag,
            lastModified: standing.validators.lastModified,
          },
        });
        expect(Math.abs((found?.fetchState.nextCheckAt ?? 0) - standing.due), name).toBeLessThanOrEqual(
          10 * second,
        );
        expect(found?.movedFrom, name).toBe(standing.link === feed.link ? '' : feed.link);
        const guids = (await listAll(rows, { feedId: found?.id })).map(({ guid }) => guid);
        expect(guids.sort(), name).toEqual([...standing.guids].sort());
      }
    }
  }, 240_000);
});
