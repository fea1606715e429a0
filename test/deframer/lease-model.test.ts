// Any number of workers on any number of feeds, in any order, with leases that run out, and an operator who interferes:
// against a model that knows who may write.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addFeed } from '../../src/deframer/add-feed.ts';
import { LeaseLost } from '../../src/errors.ts';
import type { AcquiredFeed } from '../../src/store/deframer/deframe-run-store.ts';
import { TestClock, tieClocks } from '../support/clock.ts';
import { analysisOf, intervalMs, leaseMs, usage } from '../support/deframing.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { randomText } from '../support/library.ts';

const feeds = ['https://a.example/feed', 'https://b.example/feed'];
const workers = 3;

type Step =
  | { do: 'acquire' | 'renew' | 'put' | 'release'; worker: number }
  | { do: 'finish'; worker: number; fails: boolean }
  | { do: 'pass'; ms: number }
  | { do: 'sync' | 'enable' | 'disable' | 'poll'; feed: number };

const worker = fc.nat({ max: workers - 1 });
const feed = fc.nat({ max: feeds.length - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('acquire' as const), worker }),
  fc.record({ do: fc.constantFrom('acquire' as const, 'renew', 'put', 'put', 'release'), worker }),
  fc.record({ do: fc.constant('finish' as const), worker, fails: fc.boolean() }),
  fc.record({
    do: fc.constant('pass' as const),
    ms: fc.constantFrom(1_000, leaseMs / 2, leaseMs + 1_000, intervalMs + 1_000),
  }),
  fc.record({ do: fc.constantFrom('sync' as const, 'enable', 'disable', 'poll'), feed }),
);

interface Modelled {
  enabled: boolean;
  polling: boolean;
  dueAt: number | null;
  lockedUntil: number | null;
  /** Whose result counts. */
  holder: AcquiredFeed | undefined;
  hasError: boolean;
  items: number;
}

onEachEngine('leases on feeds', (engine) => {
  it('let one worker write at a time, the one who took it last', async () => {
    const clock = new TestClock();
    const { store, database } = await openFreshStore(engine, clock);
    tieClocks(database, clock);
    const { deframerFeeds, deframeRuns } = store;
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50 }), async (steps) => {
          // Real time passes too while the model stands still: moments that are close are told apart by a margin.
          for (const { id } of await deframerFeeds.list()) await deframerFeeds.remove(id);
          const model = new Map<string, Modelled>();
          const ids: string[] = [];
          for (const url of feeds) {
            const { id } = await addFeed(
              { deframerFeeds, randomText },
              { url, withRootDomain: false, enforceFeedDomain: true },
            );
            ids.push(id);
            model.set(id, {
              ...{ enabled: false, polling: false, dueAt: null, lockedUntil: null },
              ...{ holder: undefined, hasError: false, items: 0 },
            });
          }
          const held: (AcquiredFeed | undefined)[] = Array.from({ length: workers });
          const of = (lease: AcquiredFeed) => model.get(lease.feedId) as Modelled;
          const mayWrite = (lease: AcquiredFeed) => of(lease).holder === lease && of(lease).enabled;
          const attempt = async (lease: AcquiredFeed, write: () => Promise<void>) => {
            const result = await write().then(
              () => true,
              (error) => {
                expect(error).toBeInstanceOf(LeaseLost);
                return false;
              },
            );
            expect(result).toBe(mayWrite(lease));
            return result;
          };

          for (const [n, one] of steps.entries()) {
            const now = clock.now();
            if (one.do === 'pass') clock.advance(one.ms);
            else if ('feed' in one) {
              const id = ids[one.feed] as string;
              const known = model.get(id) as Modelled;
              if (one.do === 'enable' || one.do === 'disable') {
                known.enabled = one.do === 'enable';
                await deframerFeeds.change(id, { enabled: known.enabled });
              } else if (one.do === 'poll') {
                known.polling = !known.polling;
                await deframerFeeds.change(id, { polling: known.polling });
              } else if (known.enabled) {
                await deframerFeeds.sync(id);
                Object.assign(known, { dueAt: now, lockedUntil: null, holder: undefined, hasError: false });
              }
            } else if (one.do === 'acquire') {
              const lease = await deframeRuns.acquire({ ttlMs: leaseMs });
              const free = [...model].filter(
                ([, f]) => f.enabled && f.dueAt !== null && f.dueAt <= now && (f.lockedUntil ?? 0) <= now,
              );
              expect(lease !== undefined).toBe(free.length > 0);
              if (!lease) continue;
              expect(free.map(([id]) => id)).toContain(lease.feedId);
              Object.assign(of(lease), { holder: lease, lockedUntil: now + leaseMs });
              held[one.worker] = lease;
            } else {
              const lease = held[one.worker];
              if (!lease) continue;
              if (one.do === 'release') {
                await deframeRuns.release(lease);
                if (of(lease).holder === lease)
                  Object.assign(of(lease), { holder: undefined, lockedUntil: null });
                held[one.worker] = undefined;
              } else if (one.do === 'renew') {
                if (await attempt(lease, () => deframeRuns.renew(lease, leaseMs)))
                  of(lease).lockedUntil = now + leaseMs;
              } else if (one.do === 'put') {
                const title = `${n} ${now}`;
                const item = {
                  ...{ id: randomText(9), hash: title, url: title, content: '', author: '' },
                  pubDate: 0,
                };
                const analysed = { analysis: analysisOf(title), analysisKey: title, usage };
                if (
                  await attempt(lease, () => deframeRuns.putItem(lease, { ...item, ...analysed }, leaseMs))
                ) {
                  of(lease).items += 1;
                  of(lease).lockedUntil = now + leaseMs;
                }
              } else if (one.do === 'finish') {
                const error = one.fails ? 'It failed.' : undefined;
                if (await attempt(lease, () => deframeRuns.finish(lease, { error, intervalMs })))
                  Object.assign(of(lease), {
                    ...{ holder: undefined, lockedUntil: null, hasError: one.fails },
                    dueAt: !one.fails && of(lease).polling ? now + intervalMs : null,
                  });
              }
            }
          }
          for (const state of await deframerFeeds.list()) {
            const known = model.get(state.id) as Modelled;
            expect({
              items: state.items,
              isDue: state.nextRunAt !== null,
              hasError: state.lastError !== null,
              isRunning: state.isRunning,
            }).toEqual({
              items: known.items,
              isDue: known.dueAt !== null,
              hasError: known.hasError,
              isRunning: (known.lockedUntil ?? 0) > clock.now(),
            });
          }
        }),
        { ...propertyRuns(30), endOnFailure: true },
      );
    } finally {
      await store.close();
    }
  });
});
