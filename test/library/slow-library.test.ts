// The journal on a library that answers slowly, as a bucket behind a narrow line does.
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LeaseLost, Unavailable } from '../../src/errors.ts';
import { checkLibrary } from '../../src/library/check.ts';
import type { Files } from '../../src/library/files/files.ts';
import { maxReads } from '../../src/library/files/read-ahead.ts';
import { flushJournal, journalLease, leaseTtlMs } from '../../src/library/journal/flush.ts';
import { createFlusher } from '../../src/library/journal/flusher.ts';
import { compactJournal, foldJournal, mergeLease } from '../../src/library/journal/fold.ts';
import { readSets } from '../../src/library/journal/sets.ts';
import { findMoments } from '../../src/library/moments.ts';
import { TestClock } from '../support/clock.ts';
import { onEachEngine } from '../support/engines.ts';
import { addNotes } from '../support/journal-notes.ts';
import {
  folderFiles,
  type OpenedPair,
  openPair,
  reinflateInto,
  temporaryFolder,
} from '../support/library.ts';
import { until } from '../support/until.ts';

const dayMs = 24 * 3_600_000;

onEachEngine('on a slow library', (engine) => {
  let files: Files;
  let pair: OpenedPair;
  let clock: TestClock;

  beforeEach(async () => {
    files = await folderFiles(await temporaryFolder());
    clock = new TestClock();
    pair = await openPair(await engine.emptyDatabase(), files, clock);
    return () => pair.close();
  });

  const segmentKeys = async () => (await Array.fromAsync(files.listAll('journal/'))).map(({ key }) => key);

  /** The library with other operations. */
  const depsWith = (operations: Partial<Files>) => ({
    ...pair.flushDeps,
    library: { ...pair.library, files: { ...files, ...operations } },
  });

  describe('a lease', () => {
    let offsetMs: number;
    let renewals: Promise<boolean>[];
    let renew: OpenedPair['store']['leases']['renew'];
    let leases: OpenedPair['store']['leases'];

    beforeEach(() => {
      offsetMs = 0;
      pair.database.timeOffsetMs = () => offsetMs;
      renewals = [];
      renew = pair.store.leases.renew;
      leases = {
        ...pair.store.leases,
        renew: (...args) => {
          const renewal = renew(...args);
          renewals.push(renewal);
          return renewal;
        },
      };
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      onTestFinished(() => {
        vi.useRealTimers();
        delete pair.database.timeOffsetMs;
      });
    });

    /** Time goes on for this process and for the database. */
    const wait = async (millis: number) => {
      for (let waitedMs = 0; waitedMs < millis; waitedMs += 1_000) {
        offsetMs += 1_000;
        clock.advance(1_000);
        vi.advanceTimersByTime(1_000);
        await Promise.allSettled(renewals);
      }
    };
    const takeOver = (name: string) => pair.store.leases.acquire(name, 'another process', leaseTtlMs);

    it('is kept for as long as the upload of a segment takes', async () => {
      await addNotes(pair.database, 10);
      let taken: unknown;
      const deps = depsWith({
        put: async (key, data, options) => {
          await wait(5 * 60_000);
          taken = await takeOver(journalLease);
          return files.put(key, data, options);
        },
      });
      expect(await flushJournal({ ...deps, leases }, 'test')).toEqual({ facts: 10 });
      expect(taken).toBeUndefined();
      expect(await segmentKeys()).toHaveLength(1);
    });

    it('is kept for as long as the reads and uploads of a merge take', async () => {
      for (let count = 0; count < 3; count++) {
        await addNotes(pair.database, 1);
        await pair.flush();
      }
      clock.advance(dayMs);
      const taken: unknown[] = [];
      const deps = depsWith({
        read: async (key) => {
          await wait(60_000);
          taken.push(await takeOver(mergeLease));
          return files.read(key);
        },
        put: async (key, data, options) => {
          await wait(60_000);
          taken.push(await takeOver(mergeLease));
          return files.put(key, data, options);
        },
      });
      expect(await foldJournal({ ...deps, leases }, 'test')).toMatchObject({ sets: 3 });
      expect(new Set(taken)).toEqual(new Set([undefined]));
      expect(taken.length).toBeGreaterThan(3);
    });

    it('is renewed again after the index was away, if no other process has taken it', async () => {
      await addNotes(pair.database, 1);
      const real = renew;
      const deps = depsWith({
        put: async (key, data, options) => {
          renew = () => Promise.reject(new Unavailable('index', 'the index does not answer'));
          await wait(2 * leaseTtlMs);
          renew = real;
          await wait(leaseTtlMs);
          return files.put(key, data, options);
        },
      });
      expect(await flushJournal({ ...deps, leases }, 'test')).toEqual({ facts: 1 });
    });

    /** The process is frozen in one of its uploads, until another process has the lease. */
    const loseLease = (frozenAt: number) => {
      let uploads = 0;
      return depsWith({
        put: async (key, data, options) => {
          uploads += 1;
          if (uploads === frozenAt) {
            offsetMs += leaseTtlMs + 1;
            expect(await takeOver(journalLease)).toBeDefined();
            await wait(leaseTtlMs);
          }
          return files.put(key, data, options);
        },
      });
    };

    it.each([
      ['only', 1, 10],
      // About 2 MB, in three parts.
      ['second', 2, 40_000],
    ])(
      'that another process takes during the %s upload ends the upload, and no part stays',
      async (_name, upload, notes) => {
        await addNotes(pair.database, notes);
        await expect(flushJournal({ ...loseLease(upload), leases }, 'test')).rejects.toThrow(LeaseLost);
        expect(await segmentKeys()).toEqual([]);
        expect(await pair.store.journal.pending(10)).toBe(10);
      },
    );

    it('that is lost twice in a row is reported, and no longer after a flush that succeeds', async () => {
      await addNotes(pair.database, 1);
      let isFrozen = true;
      const deps = depsWith({
        put: async (key, data, options) => {
          if (isFrozen) {
            offsetMs += leaseTtlMs + 1;
            const other = await takeOver(journalLease);
            await wait(leaseTtlMs);
            if (other) await pair.store.leases.release(other);
          }
          return files.put(key, data, options);
        },
      });
      const flusher = createFlusher({ ...deps, leases }, 'test');
      await flusher.flushIfDue();
      await expect(flusher.flushIfDue()).rejects.toThrow('the lease on journal was lost');
      isFrozen = false;
      await flusher.flushIfDue();
      expect(await pair.store.journal.pending(1)).toBe(0);
      await addNotes(pair.database, 1);
      isFrozen = true;
      await flusher.flushIfDue();
      expect(await segmentKeys()).toHaveLength(1);
    });
  });

  describe('many segments are read', () => {
    const segments = maxReads + 4;

    /** The first reads end only when as many as possible are under way. */
    const counted = () => {
      const reads = { underWay: 0, most: 0 };
      const during = async <T>(read: Promise<T>): Promise<T> => {
        reads.underWay += 1;
        reads.most = Math.max(reads.most, reads.underWay);
        await until(`${maxReads} reads are under way`, () => reads.most >= maxReads, 20_000);
        reads.underWay -= 1;
        return read;
      };
      return {
        reads,
        files: {
          ...files,
          get: (key: string) => during(files.get(key)),
          read: (key: string) => during(files.read(key)),
        },
      };
    };

    beforeEach(async () => {
      for (let count = 0; count < segments; count++) {
        await addNotes(pair.database, 1);
        await pair.flush();
      }
      clock.advance(dayMs);
    });

    it.each<[string, (slow: Files) => Promise<unknown>]>([
      ['by a list of the sets', (slow) => readSets(slow)],
      [
        'by a check',
        (slow) =>
          checkLibrary(slow, (table) => pair.store.durableRows(table), { readData: true, lastSet: null }),
      ],
      ['by a search for moments', (slow) => findMoments(slow)],
      ['by the nightly merge', (slow) => foldJournal(depsWith(slow), 'test')],
      ['by a compaction', (slow) => compactJournal(depsWith(slow), 'test')],
      ['by a reinflate', async (slow) => reinflateInto(await engine.freshTarget(), slow, { now: clock.now })],
    ])('several at a time %s', async (_name, work) => {
      const { reads, files: slow } = counted();
      await work(slow);
      expect(reads.most).toBe(maxReads);
    });
  });
});
