// A clock that runs ahead for a minute and is set back: work goes on, nothing is deleted, nobody has to log in again.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sha256 } from '../../src/accounts/secrets.ts';
import { findSessionUser, sessionLifetimeMs } from '../../src/accounts/sessions.ts';
import { checkLinkKind, scheduleLinkChecks } from '../../src/items/check-link.ts';
import { createCleanUp } from '../../src/jobs/clean-up.ts';
import { createConfirmedClock } from '../../src/jobs/confirmed-clock.ts';
import { flushJournal } from '../../src/library/journal/flush.ts';
import { createFlusher } from '../../src/library/journal/flusher.ts';
import { type SegmentHeader, segmentKey, writeSegment } from '../../src/library/journal/segment.ts';
import { scheduleMirror } from '../../src/mirror/node/mirror.ts';
import { writeSchedule } from '../../src/mirror/run-state.ts';
import { Secret } from '../../src/model/secret.ts';
import type { Database } from '../../src/store/database.ts';
import { jobKind } from '../../src/store/job-queue/job-kind.ts';
import { writeState } from '../../src/store/pull-store.ts';
import type { Store, UserRows } from '../../src/store/store.ts';
import { type TestClock, tieClocks } from '../support/clock.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { findItem, saveItem } from '../support/items.ts';
import { folderFiles, openPair, temporaryFolder } from '../support/library.ts';
import { addUser, newFeed } from '../support/reader.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const limits = { rateLimit: 1, windowMs: minute, blockMs: 5 * minute };
const kind = jobKind({ name: 'count', schema: z.object({ n: z.number() }) });
const claimAll = { holder: 'w', leaseMs: minute, names: ['count'], total: 9, background: 9, low: 9 } as const;
const rules = { leaseMs: minute, maxCrashes: 3, suspectDelayMs: 1 };

describe.each([
  ['20 hours', 20 * hour],
  ['400 days', 400 * day],
])('after the clock was %s ahead for a minute', (_name, jumpMs) => {
  onEachEngine('the index', (engine) => {
    let store: Store;
    let database: Database;
    let clock: TestClock;
    let user: { id: number; rows: UserRows };

    beforeEach(async () => {
      ({ store, database, clock } = await openEmptyStore(engine));
      tieClocks(database, clock);
      user = await addUser(store, 'anna', 'owner');
    });
    afterEach(() => {
      delete database.timeOffsetMs;
    });

    /** What happens in the minute in which the clock is ahead. */
    async function whileAhead<T>(work: () => Promise<T>): Promise<T> {
      clock.advance(jumpMs);
      const result = await work();
      clock.advance(minute - jumpMs);
      return result;
    }

    it('feeds that were fetched meanwhile are due', async () => {
      const feed = await user.rows.feeds.create(newFeed('https://example.org/feed'));
      const fetched = () => ({ last_checked_at: clock.now(), next_check_at: clock.now() + 30 * minute });
      const isDue = async () => (await store.pulls.findDue(10, { restMs: hour })).total === 1;
      expect(await isDue()).toBe(true);
      await whileAhead(() => database.write((trx) => writeState(trx, feed.id, fetched(), clock.now())));
      expect(await isDue()).toBe(true);
      await database.write((trx) => writeState(trx, feed.id, fetched(), clock.now()));
      expect(await isDue()).toBe(false);
      clock.advance(30 * minute);
      expect(await isDue()).toBe(true);
    });

    it('a pause that a host asked for meanwhile is over, and a new one holds', async () => {
      await whileAhead(() => store.hostPauses.remember('example.org', clock.now() + hour));
      expect(await store.hostPauses.find('example.org')).toBeUndefined();
      const until = clock.now() + minute;
      await store.hostPauses.remember('example.org', until);
      expect(await store.hostPauses.find('example.org')).toBe(until);
    });

    it.each(['finish', 'postpone'] as const)('a feed of the deframer is due after %s', async (end) => {
      const url = 'https://example.org/feed';
      const id = randomUUID();
      await store.deframerFeeds.add({ id, url, rootDomain: null, enforceFeedDomain: false });
      await store.deframerFeeds.change(url, { enabled: true, polling: true });
      await store.deframerFeeds.sync(url);
      const run = async () => {
        const lease = await store.deframeRuns.acquire({ ttlMs: minute });
        if (!lease) throw new Error('no feed is due');
        if (end === 'finish') await store.deframeRuns.finish(lease, { intervalMs: hour });
        else await store.deframeRuns.postpone(lease, { delayMs: hour, note: '' });
      };
      await whileAhead(run);
      await run();
      expect(await store.deframeRuns.acquire({ ttlMs: minute })).toBeUndefined();
    });

    it('a batch of the mirror is due', async () => {
      const raindrop = { token: new Secret('x'), apiUrl: '' };
      const schedule = () => scheduleMirror({ store, now: clock.now, raindrop });
      const plan = () => writeSchedule(store.mirrorState, { due: clock.now() + minute, now: clock.now() });
      await plan();
      expect(await schedule()).toBe(false);
      await whileAhead(plan);
      expect(await schedule()).toBe(true);
    });

    it('delayed jobs are due, and later delays hold', async () => {
      const claim = async () => {
        await store.jobs.keep([], rules);
        return store.jobs.settleAndClaim([], { ...claimAll, first: 'interactive', suspect: true });
      };
      await store.jobs.enqueue(kind, { n: 1 });
      await whileAhead(async () => {
        const [failing] = await claim();
        if (!failing) throw new Error('nothing to claim');
        const outcome = { kind: 'failed', error: 'x', retryInMs: hour } as const;
        await store.jobs.settleAndClaim([{ fence: failing, outcome }]);
        await store.jobs.enqueue(kind, { n: 2 }, { delayMs: hour });
      });
      const due = await claim();
      expect(due.map(({ payload }) => payload).sort()).toEqual(['{"n":1}', '{"n":2}']);
      await store.jobs.settleAndClaim(
        due.map((fence) => ({ fence, outcome: { kind: 'returned', delayMs: hour } as const })),
      );
      clock.advance(minute);
      expect(await claim()).toEqual([]);
      clock.advance(hour);
      expect(await claim()).toHaveLength(2);
    });

    it.each([
      { kind: 'failed', error: 'x', retryInMs: 1_000 },
      { kind: 'returned', delayMs: 1_000 },
    ] as const)(
      'jobs claimed before the jump are due when one was $kind with a delay and one was recovered meanwhile',
      async (outcome) => {
        const claim = () =>
          store.jobs.settleAndClaim([], { ...claimAll, first: 'interactive', suspect: true });
        await store.jobs.enqueue(kind, { n: 1 });
        await store.jobs.enqueue(kind, { n: 2 });
        const [first] = await claim();
        if (!first) throw new Error('nothing to claim');
        await whileAhead(async () => {
          await store.jobs.settleAndClaim([{ fence: first, outcome }]);
          expect((await store.jobs.keep([], rules)).recovered).toHaveLength(1);
        });
        await store.jobs.keep([], rules);
        expect(await store.jobs.nextDueInMs()).toBeLessThanOrEqual(0);
        expect(await claim()).toHaveLength(2);
      },
    );

    it('links that were added or checked meanwhile are due', async () => {
      await user.rows.preferences.change([{ name: 'check_links', value: 'true' }]);
      const itemId = await saveItem(database, user.id, 'https://example.org/', { saved_at: clock.now() });
      const schedule = () => scheduleLinkChecks({ links: store.links });
      const check = async () => {
        const [fence] = await store.jobs.settleAndClaim([], {
          ...{ ...claimAll, names: [checkLinkKind.name] },
          ...{ first: 'interactive', suspect: true },
        });
        if (!fence) throw new Error('no check is due');
        const found = { state: 'ok', httpStatus: 200, failures: 0, deadSince: null, sentence: '' } as const;
        const nextCheckAt = clock.now() + 30 * day;
        await store.links.settle(fence, { itemId, userId: user.id }, () => ({ ...found, nextCheckAt }));
      };
      await whileAhead(schedule);
      expect(await schedule()).toBe(1);
      await whileAhead(check);
      expect(await schedule()).toBe(1);
      await check();
      expect(await schedule()).toBe(0);
    });

    it('a session that was renewed meanwhile ends 30 days after its next use', async () => {
      const now = clock.now;
      await store.credentials.createSession({
        secretSha256: sha256('s'),
        userId: user.id,
        expiresAt: now() + sessionLifetimeMs + jumpMs,
      });
      expect(await findSessionUser({ store, now }, 's')).toMatchObject({ renewed: true });
      expect(await findSessionUser({ store, now }, 's')).toMatchObject({ renewed: false });
      clock.advance(sessionLifetimeMs);
      expect(await findSessionUser({ store, now }, 's')).toBeUndefined();
    });

    it('a login that was blocked meanwhile is not blocked', async () => {
      await whileAhead(() => store.loginAttempts.take(['a'], limits));
      expect(await store.loginAttempts.take(['a'], limits)).toBeUndefined();
      expect(await store.loginAttempts.take(['a'], limits)).toBe(clock.now() + limits.blockMs);
    });

    it('merged segments and the parts of a running flush are kept', async () => {
      const files = await folderFiles(await temporaryFolder(), clock);
      const { flush, flushDeps, library } = await openPair({ database }, files, clock);
      const keys = async () => (await Array.fromAsync(files.listAll('journal/'))).map(({ key }) => key);
      let uptime = 0;
      const confirmedNow = createConfirmedClock(clock.now, () => uptime);
      const flusher = createFlusher(flushDeps, 'test');
      const fold = async (ms: number) => {
        clock.advance(ms);
        uptime += ms;
        await flusher.foldIfNight(confirmedNow());
      };
      for (const name of ['a', 'b']) {
        await user.rows.groups.create({ name });
        await flush();
      }
      await fold(28 * hour);
      const partOfFlush: SegmentHeader = {
        ...{ lectern: 'journal' as const, format: 1 as const, schema: 1 },
        ...{ writer: library.writer, set: flushDeps.newUlid(), ordinal: 3, from_ordinal: 3, previous: null },
        ...{ part: 1, last: false, first_seq: 1, last_seq: 1, facts: 0 },
      };
      const partKey = segmentKey(partOfFlush.set, 1);
      await files.put(partKey, writeSegment(partOfFlush, []));
      const before = await keys();
      expect(before).toHaveLength(4);
      await fold(4.5 * hour);

      await whileAhead(() => fold(0));
      expect(await keys()).toEqual(before);

      // A clock that stays there is right.
      clock.advance(1_000 * day);
      await fold(0);
      expect(await keys()).toEqual(before);
      await fold(hour);
      await fold(day);
      expect(await keys()).toEqual(expect.arrayContaining([partKey]));
      expect(await keys()).toHaveLength(2);

      // Any set with a higher ordinal shows that the flush has ended.
      await user.rows.groups.create({ name: 'c' });
      for (let n = 0; n < 2; n++) await flushJournal(flushDeps, 'test', { everyRow: true });
      await fold(day);
      expect(await keys()).not.toContain(partKey);
    });

    it('nothing is deleted for its age, and sessions work again', async () => {
      let uptime = 0;
      const cleanUp = createCleanUp({ store, loginLimits: limits, now: clock.now, uptimeMs: () => uptime });
      const pass = async (ms: number) => {
        clock.advance(ms);
        uptime += ms;
        for (const task of Object.values(cleanUp)) await task();
      };
      // Each lasts longer than the test goes on, and shorter than the clock jumps.
      const expiresAt = clock.now() + 10 * hour;
      await store.credentials.createSession({ secretSha256: 's', userId: user.id, expiresAt });
      await store.knownBrowsers.create({ secretSha256: 'b', userId: user.id, expiresAt });
      await store.signOns.useOnce('o', expiresAt);
      await store.activity.add([{ day: '2025-06-01', outcome: 'new', n: 1 }]);
      const itemId = await saveItem(database, user.id, 'https://example.org/', { snapshot_key: 'items/1' });
      await user.rows.items.delete(itemId);
      const { id: jobId } = await store.jobs.enqueue(kind, { n: 1 });
      const claimed = await store.jobs.settleAndClaim([], {
        ...claimAll,
        first: 'interactive',
        suspect: true,
      });
      await store.jobs.settleAndClaim(
        claimed.map((fence) => ({ fence, outcome: { kind: 'done' } as const })),
      );
      const session = async () => (await store.credentials.findSession('s')) !== undefined;
      const left = async () => ({
        session: await session(),
        browsers: await store.knownBrowsers.list(user.id),
        signOn: !(await store.signOns.useOnce('o', expiresAt)),
        counts: (await store.activity.pullsSince('2000-01-01')).length,
        copy: (await findItem(database, itemId)).snapshot_key,
        job: (await store.jobs.find(jobId)) !== undefined,
      });
      const all = { session: true, browsers: ['b'], signOn: true, counts: 1, copy: 'items/1', job: true };

      for (const minutes of [0, 10, 20, 30, 30]) await pass(minutes * minute);
      expect(await left()).toEqual(all);
      await whileAhead(async () => {
        for (let n = 0; n < 5; n++) await pass(0);
        expect(await session()).toBe(false);
      });
      for (const minutes of [0, 10, 20]) await pass(minutes * minute);
      expect(await left()).toEqual(all);

      // A clock that stays there is right.
      clock.advance(1_000 * day);
      await pass(0);
      expect((await left()).copy).toBe('items/1');
      await pass(hour);
      await pass(hour);
      expect(await left()).toEqual({
        session: false,
        browsers: [],
        signOn: false,
        counts: 0,
        copy: null,
        job: false,
      });
    });
  });
});
