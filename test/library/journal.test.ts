import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { checkJournal } from '../../src/library/check.ts';
import type { Files } from '../../src/library/files/files.ts';
import { fastFacts, flushJournal, flushUnder, leaseTtlMs } from '../../src/library/journal/flush.ts';
import { createFlusher } from '../../src/library/journal/flusher.ts';
import { compactJournal, foldJournal, keepMergedMs } from '../../src/library/journal/fold.ts';
import { readSets } from '../../src/library/journal/sets.ts';
import { claim } from '../../src/library/library.ts';
import { ulidMaker } from '../../src/library/ulid.ts';
import type { Database } from '../../src/store/database.ts';
import { createStore } from '../../src/store/store.ts';
import { TestClock } from '../support/clock.ts';
import { onEachEngine } from '../support/engines.ts';
import { addNotes } from '../support/journal-notes.ts';
import {
  folderFiles,
  type OpenedPair,
  openPair,
  randomText,
  reinflateInto,
  temporaryFolder,
} from '../support/library.ts';

onEachEngine('the journal', (engine) => {
  let files: Files;
  let pair: OpenedPair;
  let clock: TestClock;

  beforeEach(async () => {
    files = await folderFiles(await temporaryFolder());
    clock = new TestClock();
    pair = await openPair(await engine.emptyDatabase(), files, clock);
    return () => pair.close();
  });

  const addUser = (username: string, role: 'owner' | 'member' = 'member') =>
    pair.store.users.create({ username, passwordHash: 'x', role });

  const rebuild = async () => {
    const target = await engine.freshTarget();
    await reinflateInto(target, files);
    return openPair(target, files);
  };

  it('has nothing to write when nothing has changed', async () => {
    expect(await pair.flush()).toBe(0);
    expect((await readSets(files)).sets).toEqual([]);
  });

  it('writes each changed row once, as it is now', async () => {
    const anna = await addUser('anna', 'owner');
    const { groups } = pair.store.forUser(anna.id);
    const news = await groups.create({ name: 'News' });
    for (const name of ['a', 'b', 'c']) await groups.rename(news.id, { name });
    expect(await pair.flush()).toBe(3);
    expect(await pair.flush()).toBe(0);
    await groups.delete(news.id);
    expect(await pair.flush()).toBe(1);
  });

  describe('while changes arrive fast', () => {
    /** Adds these numbers of changes, one during each flush. Returns how often the lease was taken. */
    const flushDuring = async (numbers: readonly number[], mayRepeat: () => boolean) => {
      const { database, flushDeps } = pair;
      const waiting = [...numbers];
      const put: Files['put'] = async (key, body) => {
        const stored = await files.put(key, body);
        const count = waiting.shift();
        if (count !== undefined) await addNotes(database, count);
        return stored;
      };
      let leases = 0;
      const acquire: typeof flushDeps.leases.acquire = (...args) => {
        leases += 1;
        return flushDeps.leases.acquire(...args);
      };
      await addNotes(database, fastFacts);
      const library = { ...flushDeps.library, files: { ...files, put } };
      await flushJournal({ ...flushDeps, library, leases: { ...flushDeps.leases, acquire } }, 'test', {
        mayRepeat,
      });
      return leases;
    };

    it('flushes again under the same lease, until a flush is small', async () => {
      expect(await flushDuring([fastFacts, 1, 1], () => true)).toBe(1);
      expect((await readSets(files)).sets.map(({ facts }) => facts)).toEqual([fastFacts, fastFacts, 1]);
      expect(await pair.store.journal.pending(10)).toBe(1);
    });

    it('another process waits only for the changes that were pending when it asked', async () => {
      const { database, flushDeps, store } = pair;
      const lease = await flushDeps.leases.acquire('journal', 'busy', 60_000);
      await addNotes(database, 1);
      const isPending: typeof flushDeps.journal.isPending = async (upTo) => {
        const before = await flushDeps.journal.isPending(upTo);
        if (!lease || !before) return before;
        // The holder of the lease writes them, and new ones arrive.
        await flushUnder(flushDeps, { lease, signal: new AbortController().signal });
        await addNotes(database, 1);
        return before;
      };
      await createFlusher({ ...flushDeps, journal: { ...flushDeps.journal, isPending } }, 'test').flushAll();
      expect(await store.journal.pending(10)).toBe(1);
    });

    it('flushes once after a request to stop', async () => {
      await flushDuring([1], () => false);
      expect((await readSets(files)).sets.map(({ facts }) => facts)).toEqual([fastFacts]);
    });
  });

  it('rebuilds the same index', async () => {
    const anna = await addUser('anna', 'owner');
    const { groups, tokens } = pair.store.forUser(anna.id);
    const news = await groups.create({ name: 'News' });
    await tokens.create({ name: 't', scope: 'read', secretSha256: 'a', feverSha256: 'b' });
    await pair.flush();
    await groups.rename(news.id, { name: 'Papers' });
    const gone = await groups.create({ name: 'gone' });
    await pair.flush();
    await groups.delete(gone.id);
    await pair.flush();
    const before = await pair.store.stateHash();

    const rebuilt = await rebuild();
    try {
      expect(await rebuilt.store.stateHash()).toEqual(before);
      const next = await rebuilt.store.forUser(anna.id).groups.create({ name: 'next' });
      expect(next.id).toBeGreaterThan(gone.id);
      expect(await rebuilt.flush()).toBe(1);
    } finally {
      await rebuilt.close();
    }
  });

  it('has the index on the disk before a set counts, so that no loss of power leaves the index behind', async () => {
    await addUser('anna', 'owner');
    const events: string[] = [];
    const { database, flushDeps } = pair;
    const watched: Database = {
      ...database,
      write: (work, options) => {
        events.push(options?.toDisk ? 'to disk' : 'write');
        return database.write(work, options);
      },
    };
    const put: Files['put'] = (key, body) => {
      events.push('put');
      return files.put(key, body);
    };
    const library = { ...flushDeps.library, files: { ...files, put } };
    const { journal, leases } = createStore(watched, flushDeps.now);
    await flushJournal({ ...flushDeps, library, journal, leases }, 'test');
    expect(events.filter((event) => event !== 'write')).toEqual(['to disk', 'put']);
    expect(events.indexOf('put')).toBe(events.indexOf('to disk') + 1);
  });

  it('names a set after the wait for the write lock, so that no commit in it is later than its name says', async () => {
    await addUser('anna', 'owner');
    const { database, flushDeps } = pair;
    const waiting: Database = {
      ...database,
      snapshot: async (work) => {
        clock.advance(5_000);
        await addUser('ben');
        return database.snapshot(work);
      },
    };
    const { journal, leases } = createStore(waiting, clock.now);
    await flushJournal({ ...flushDeps, journal, leases }, 'test');
    expect((await readSets(files)).sets).toMatchObject([{ lastAt: clock.now() }]);
  });

  it('gives a set of every row one time, although the clock goes on', async () => {
    await addUser('anna', 'owner');
    const now = () => {
      clock.advance(1);
      return clock.now();
    };
    const newUlid = ulidMaker(now, randomText);
    await flushJournal({ ...pair.flushDeps, now, newUlid }, 'test', { everyRow: true });
    const [set] = (await readSets(files)).sets;
    expect(set?.firstAt).toBe(set?.lastAt);
    expect(set?.mergedAt).toBe(set?.lastAt);
  });

  it('remembers a set of every row as the last one, although no row had changed', async () => {
    await addUser('anna', 'owner');
    await pair.flush();
    const { journal } = pair.store;
    const before = await journal.lag(1);
    pair.database.timeOffsetMs = () => 60_000;
    onTestFinished(() => {
      delete pair.database.timeOffsetMs;
    });
    await flushJournal(pair.flushDeps, 'test', { everyRow: true });
    const [set] = (await readSets(files)).sets;
    expect(await journal.findLastSet()).toEqual({ ordinal: set?.ordinal, set: set?.id });
    expect((await journal.lag(1)).flushedAt).toBeGreaterThanOrEqual((before.flushedAt ?? 0) + 60_000);
  });

  it('does not complete a set when another index takes over while it is written', async () => {
    await addUser('anna', 'owner');
    const { flushDeps, library, store } = pair;
    const frozen: typeof store.journal = {
      ...store.journal,
      readChanges: (lease, work, options) =>
        store.journal.readChanges(
          lease,
          async (changes) => {
            await claim(files, { id: library.id, writer: 'the new index' });
            await work(changes);
          },
          options,
        ),
    };
    await expect(flushJournal({ ...flushDeps, journal: frozen }, 'test')).rejects.toThrow('Another index');
    expect(await Array.fromAsync(files.listAll('journal/'))).toEqual([]);
  });

  it('writes nothing when another flusher took a turn between the ordinal and the snapshot', async () => {
    await addUser('anna', 'owner');
    const { database, flushDeps, store } = pair;
    let offsetMs = 0;
    database.timeOffsetMs = () => offsetMs;
    const slow: Database = {
      ...database,
      snapshot: async (work) => {
        offsetMs += leaseTtlMs + 1;
        expect(await flushJournal({ ...flushDeps, leases: store.leases }, 'another')).toEqual({ facts: 2 });
        await addUser('ben');
        return database.snapshot(work);
      },
    };
    const { journal, leases } = createStore(slow, flushDeps.now);
    expect(await flushJournal({ ...flushDeps, journal, leases }, 'slow')).toBeUndefined();
    expect((await readSets(files)).sets).toHaveLength(1);
    expect(await pair.flush()).toBe(2);
  });

  it('writes and clears 5,000 notes in a few transactions, since each waits for its turn', async () => {
    const { database, flushDeps } = pair;
    await addNotes(database, 5_000);
    let writes = 0;
    const counting: Database = {
      ...database,
      write: (work, options) => {
        writes += 1;
        return database.write(work, options);
      },
    };
    const { journal, leases } = createStore(counting, flushDeps.now);
    expect(await flushJournal({ ...flushDeps, journal, leases }, 'test')).toEqual({ facts: 5_000 });
    // The lease, the ordinal, the renewal before the last part, the name of the set, the notes, the release.
    expect(writes).toBeLessThanOrEqual(8);
    expect(await journal.pending(1)).toBe(0);
  });

  it('on S3, a change after a quiet time is written at the next look, and later ones 15 s apart', async () => {
    const { database, flushDeps, library, store } = pair;
    let seconds = 0;
    const began = Date.now();
    // The time that the test itself takes does not count.
    database.timeOffsetMs = () => began + seconds * 1000 - Date.now();
    onTestFinished(() => {
      delete database.timeOffsetMs;
    });
    const onS3 = { ...library, files: { ...files, kind: 's3' as const } };
    // Two workers: what one has written, the other one knows.
    const workers = ['one', 'two'].map((holder) => createFlusher({ ...flushDeps, library: onS3 }, holder));
    const flushedAt: number[] = [];
    for (; seconds < 60; seconds += 2) {
      if (seconds < 40) await addUser(`user ${seconds}`);
      const before = await store.journal.findOrdinal();
      for (const worker of workers) await worker.flushIfDue();
      if ((await store.journal.findOrdinal()) !== before) flushedAt.push(seconds);
      clock.advance(2_000);
    }
    expect(flushedAt).toEqual([0, 14, 28, 42]);
    expect(await store.journal.pending(1)).toBe(0);
  });

  it('keeps the deletions of a day that is folded, since older days have the rows', async () => {
    const dayMs = 24 * 3600 * 1000;
    const anna = await addUser('anna', 'owner');
    const { groups } = pair.store.forUser(anna.id);
    const news = await groups.create({ name: 'News' });
    await pair.flush();
    clock.advance(dayMs);
    await groups.delete(news.id);
    await pair.flush();
    await groups.create({ name: 'Papers' });
    await pair.flush();
    const before = await pair.store.stateHash();
    clock.advance(dayMs);
    expect(await foldJournal(pair.flushDeps, 'test')).toEqual({ sets: 2, days: 1, problems: [] });
    const rebuilt = await rebuild();
    try {
      expect(await rebuilt.store.stateHash()).toEqual(before);
    } finally {
      await rebuilt.close();
    }
  });

  it('with a missing segment is merged around it each night, and the remedy is named', async () => {
    const anna = await addUser('anna', 'owner');
    for (const name of ['a', 'b', 'c', 'd']) {
      await pair.store.forUser(anna.id).groups.create({ name });
      await pair.flush();
    }
    const [, second] = (await readSets(files)).sets;
    await files.delete(second?.parts[0]?.key ?? '');
    clock.advance(28 * 3600 * 1000);
    const flusher = createFlusher({ ...pair.flushDeps, now: clock.now }, 'test');
    await expect(flusher.foldIfNight(undefined)).rejects.toThrow(`${second?.id}.jsonl (it is missing)`);
    expect((await readSets(files)).sets.map(({ fromOrdinal, ordinal }) => [fromOrdinal, ordinal])).toEqual([
      [1, 1],
      [3, 4],
    ]);
    await flusher.foldIfNight(undefined);
    clock.advance(24 * 3600 * 1000);
    await expect(flusher.foldIfNight(undefined)).rejects.toThrow('lectern library repair');
  });

  it.each([
    ['once', async () => {}],
    ['twice', () => compactJournal(pair.flushDeps, 'test')],
    ['and every row was written again', () => flushJournal(pair.flushDeps, 'test', { everyRow: true })],
  ])(
    'with a damaged header in a segment that was merged %s has no problem, and deletes it',
    async (_n, then) => {
      const anna = await addUser('anna', 'owner');
      for (const name of ['a', 'b', 'c']) {
        await pair.store.forUser(anna.id).groups.create({ name });
        await pair.flush();
      }
      const damagedKey = (await readSets(files)).sets[1]?.parts[0]?.key ?? '';
      clock.advance(28 * 3600 * 1000);
      const flusher = createFlusher(pair.flushDeps, 'test');
      await flusher.foldIfNight(clock.now());
      await then();
      await files.put(damagedKey, 'damaged');
      const problems = async () =>
        (await checkJournal(files, { lastSet: await pair.store.journal.findLastSet() })).problems;
      expect(await problems()).toEqual([]);

      clock.advance(24 * 3600 * 1000 - 1);
      await flusher.foldIfNight(clock.now());
      expect(await problems()).toEqual([]);
      clock.advance(24 * 3600 * 1000);
      await flusher.foldIfNight(clock.now());
      expect(await Array.fromAsync(files.listAll('journal/'))).toHaveLength(1);
      expect(await problems()).toEqual([]);
    },
  );

  describe.each([
    ['folded', foldJournal],
    ['compacted', compactJournal],
  ] as const)('%s', (_name, merge) => {
    const keysOf = async () => (await Array.fromAsync(files.listAll('journal/'))).map(({ key }) => key);

    const writeThreeSets = async () => {
      const anna = await addUser('anna', 'owner');
      for (const name of ['a', 'b', 'c']) {
        await pair.store.forUser(anna.id).groups.create({ name });
        await pair.flush();
      }
      clock.advance(24 * 3600 * 1000);
      return pair.store.forUser(anna.id);
    };

    it('is flushed while segments are merged', async () => {
      const { groups } = await writeThreeSets();
      const flushed: number[] = [];
      let flushing = Promise.resolve();
      const read: Files['read'] = async (key) => {
        // Several reads are under way at the same time. One flush follows another.
        flushing = flushing.then(async () => {
          await groups.create({ name: `${flushed.length}` });
          flushed.push(await pair.flush());
        });
        await flushing;
        return files.read(key);
      };
      const library = { ...pair.library, files: { ...files, read } };
      await merge({ ...pair.flushDeps, library }, 'test');
      expect(flushed.length).toBeGreaterThan(3);
      expect(new Set(flushed)).toEqual(new Set([1]));
      const before = await pair.store.stateHash();
      const rebuilt = await rebuild();
      try {
        expect(await rebuilt.store.stateHash()).toEqual(before);
      } finally {
        await rebuilt.close();
      }
    });

    it('keeps the segments that were merged for a day', async () => {
      await writeThreeSets();
      const sources = await keysOf();
      await merge(pair.flushDeps, 'test');
      expect(await keysOf()).toEqual(expect.arrayContaining(sources));
      expect((await readSets(files)).sets).toHaveLength(1);
      clock.advance(keepMergedMs - 1);
      await foldJournal(pair.flushDeps, 'test', clock.now());
      expect(await keysOf()).toEqual(expect.arrayContaining(sources));
      clock.advance(1);
      await foldJournal(pair.flushDeps, 'test', clock.now());
      expect(await keysOf()).toHaveLength(1);
    });

    it('keeps the segments that were merged for as long as the merged one is damaged', async () => {
      await writeThreeSets();
      await merge(pair.flushDeps, 'test');
      const before = await pair.store.stateHash();
      const [merged] = (await readSets(files)).sets;
      const key = merged?.parts[0]?.key ?? '';
      const bytes = Buffer.from((await files.read(key)) ?? '');
      await files.put(key, bytes.subarray(0, -10));
      clock.advance(keepMergedMs);
      await foldJournal(pair.flushDeps, 'test', clock.now());
      const rebuilt = await rebuild();
      try {
        expect(await rebuilt.store.stateHash()).toEqual(before);
      } finally {
        await rebuilt.close();
      }
    });
  });
});
