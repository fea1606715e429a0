// Any copy of a live library can be restored, and any moment of the last day.
import { cpSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { restoreFiles } from '../../src/items/restore-files.ts';
import { checkLibrary } from '../../src/library/check.ts';
import type { Files } from '../../src/library/files/files.ts';
import { createFlusher } from '../../src/library/journal/flusher.ts';
import { compactJournal, foldJournal, keepMergedMs } from '../../src/library/journal/fold.ts';
import { segmentKey, writeSegment } from '../../src/library/journal/segment.ts';
import { gapFreeRun, readSets } from '../../src/library/journal/sets.ts';
import { findMoments, restoresMoment } from '../../src/library/moments.ts';
import { repairJournal } from '../../src/library/repair.ts';
import { planRestore } from '../../src/library/restore-plan.ts';
import { TestClock } from '../support/clock.ts';
import { propertyRuns } from '../support/depth.ts';
import { type Engine, onEachEngine, useEngine } from '../support/engines.ts';
import { findItem, jobsOf, keepCopy, saveItem } from '../support/items.ts';
import {
  folderFiles,
  type OpenedPair,
  openPair,
  reinflateInto,
  temporaryFolder,
} from '../support/library.ts';

const hour = 3_600_000;
/** The default engine to restore into. */
const elsewhere = useEngine('sqlite');

interface Flush {
  readonly at: number;
  readonly ordinal: number;
  readonly hash: string;
}

interface RestoreOptions {
  readonly until?: number;
  readonly into?: Engine;
}

onEachEngine('a library', (engine: Engine) => {
  let folder: string;
  let files: Files;
  let clock: TestClock;
  let pair: OpenedPair;
  let userId: number;
  let flushes: Flush[];

  beforeEach(async () => {
    folder = await temporaryFolder();
    clock = new TestClock();
    files = await folderFiles(folder, clock);
    pair = await openPair(await engine.emptyDatabase(), files, clock);
    userId = (await pair.store.users.create({ username: 'anna', passwordHash: null, role: 'owner' })).id;
    flushes = [];
    return () => pair.close();
  });

  const flush = async () => {
    await pair.flush();
    flushes.push({
      at: clock.now(),
      ordinal: (await pair.store.journal.findLastSet())?.ordinal ?? 0,
      hash: (await pair.store.stateHash()).hash,
    });
  };

  /** A row comes, changes and goes with each round of three flushes; four hours pass between flushes. */
  const live = async (rounds: number) => {
    const { groups } = pair.store.forUser(userId);
    for (let round = 0; round < rounds; round++) {
      const name = `${round} at ${clock.now()}`;
      const kept = await groups.create({ name });
      const gone = await groups.create({ name: `${name}, gone` });
      await flush();
      clock.advance(4 * hour);
      await groups.rename(kept.id, { name: `${name}, renamed` });
      await flush();
      clock.advance(4 * hour);
      await groups.delete(gone.id);
      await flush();
      clock.advance(4 * hour);
    }
  };

  const copyOf = async () => {
    const copy = await temporaryFolder();
    cpSync(folder, copy, { recursive: true });
    return copy;
  };

  const restore = async (from: Files, { into = elsewhere, ...options }: RestoreOptions = {}) => {
    const target = await into.freshTarget();
    const restored = await reinflateInto(target, from, { now: clock.now, ...options });
    return { ...restored, restored: await openPair(target, from, clock) };
  };

  const stateOf = async (from: Files, options: RestoreOptions = {}) => {
    const { restored } = await restore(from, options);
    try {
      return (await restored.store.stateHash()).hash;
    } finally {
      await restored.close();
    }
  };

  const check = async ({ store, library }: OpenedPair) =>
    checkLibrary(library.files, (table) => store.durableRows(table), {
      readData: true,
      lastSet: await store.journal.findLastSet(),
    });

  it('is restored from any part of its segments to the state of the last flush before the first gap', async () => {
    await live(3);
    await foldJournal(pair.flushDeps, 'test', clock.now());
    clock.advance(12 * hour);
    await live(1);
    await compactJournal(pair.flushDeps, 'test');
    await live(1);
    const keys = (await Array.fromAsync(files.listAll('journal/'))).map(({ key }) => key);
    await fc.assert(
      fc.asyncProperty(fc.subarray(keys, { maxLength: 6 }), async (gone) => {
        const copy = await copyOf();
        for (const key of gone) rmSync(join(copy, key));
        const copied = await folderFiles(copy, clock);
        const { run, leftOut } = gapFreeRun((await readSets(copied)).sets);
        const last = run.at(-1);
        if (!last) return;
        const expected = flushes.find(({ ordinal }) => ordinal === last.ordinal)?.hash;
        const { restored, setAside } = await restore(copied);
        try {
          expect((await restored.store.stateHash()).hash).toBe(expected);
          expect(setAside).toHaveLength(leftOut.length);
          expect(await check(restored)).toMatchObject({ problems: [], orphans: [] });
          // It can be written to and restored again: nothing that was left out comes back.
          await restored.store.forUser(userId).groups.create({ name: 'later' });
          await restored.flush();
          const later = (await restored.store.stateHash()).hash;
          expect(await stateOf(copied)).toBe(later);
        } finally {
          await restored.close();
        }
      }),
      propertyRuns(8),
    );
  });

  it('is read once for the plan, and then only the segments and the headers of later sets are read', async () => {
    await live(1);
    let [headers, bodies] = [0, 0];
    const counting: Files = {
      ...files,
      get: (key) => {
        headers += 1;
        return files.get(key);
      },
      read: (key) => {
        if (key.startsWith('journal/')) bodies += 1;
        return files.read(key);
      },
    };
    const plan = await planRestore(counting);
    await live(1);
    const counted = [headers, bodies];
    await reinflateInto(await elsewhere.freshTarget(), counting, { now: clock.now, plan });
    expect(counted).toEqual([3, 3]);
    // 6 headers in the second round; the bodies of 3 planned sets, and twice those of 3 new ones.
    expect([headers, bodies]).toEqual([3 + 6, 3 + 3 + 2 * 3]);
    expect(await stateOf(files)).toBe(flushes.at(-1)?.hash);
  });

  describe('is restored to a moment', () => {
    it('of the last day, or the end of an earlier day, with the state hash of the last flush before it', async () => {
      const [days, perDay] = [7, 12];
      const gaps = fc.sample(fc.integer({ min: 1, max: (48 * hour) / perDay }), days * perDay);
      const { groups } = pair.store.forUser(userId);
      let [nextMerge, names] = [27 * hour, 0];
      const start = clock.now();
      for (const gap of gaps) {
        const { id } = await groups.create({ name: `group ${names++}` });
        if (id % 3 === 0) await groups.delete(id);
        else if (id % 3 === 1) await groups.rename(id, { name: `group ${names++}` });
        await flush();
        clock.advance(gap);
        if (clock.now() - start < nextMerge) continue;
        await foldJournal(pair.flushDeps, 'test', clock.now());
        nextMerge += 24 * hour;
      }
      const now = clock.now();
      const moments = fc.sample(fc.integer({ min: now - 24 * hour, max: now }), propertyRuns(20).numRuns);
      const dayEnds = Array.from({ length: 5 }, (_, day) => start + (day + 1) * 24 * hour - 1);
      expect((await findMoments(files)).range?.first).toBeLessThanOrEqual(now - 24 * hour);
      for (const until of [...moments, ...dayEnds.filter((at) => at < now)]) {
        const expected = flushes.filter(({ at }) => at <= until).at(-1);
        const copy = await folderFiles(await copyOf(), clock);
        expect(restoresMoment(await planRestore(copy, { until }), until)).toBe(true);
        expect(await stateOf(copy, { until, into: engine })).toBe(expected?.hash);
      }
    });

    it('before that at the end of a day, and says which moments it can restore', async () => {
      await live(4);
      clock.advance(72 * hour);
      await foldJournal(pair.flushDeps, 'test', clock.now());
      await live(1);
      clock.advance(keepMergedMs);
      await foldJournal(pair.flushDeps, 'test', clock.now());
      const first = flushes.filter(({ at }) => at < Date.UTC(2026, 0, 2)).at(-1);
      const midnight = Date.UTC(2026, 0, 2);
      const canRestore = async (until: number) => restoresMoment(await planRestore(files, { until }), until);
      expect(await canRestore(midnight - 1)).toBe(true);
      expect(await canRestore(midnight - 12 * hour)).toBe(false);
      expect(await canRestore(Date.UTC(2025, 11, 31))).toBe(false);
      expect((await findMoments(files)).times).toContain(first?.at);
      expect(await stateOf(await folderFiles(await copyOf(), clock), { until: midnight - 1 })).toBe(
        first?.hash,
      );
    });

    it('after the process was killed at any of its writes to the library', async () => {
      await live(2);
      await compactJournal(pair.flushDeps, 'test');
      const { at = 0, hash } = flushes[3] ?? {};
      for (let killedAt = 1; ; killedAt++) {
        const copied = await folderFiles(await copyOf(), clock);
        const target = await elsewhere.freshTarget();
        let puts = 0;
        const put: Files['put'] = async (...args) => {
          const written = await copied.put(...args);
          puts += 1;
          if (puts === killedAt) throw new Error('killed');
          return written;
        };
        const killed = await reinflateInto(target, { ...copied, put }, { now: clock.now, until: at }).then(
          () => false,
          () => true,
        );
        if (killed) await reinflateInto(target, copied, { now: clock.now, until: at });
        const restored = await openPair(target, copied, clock);
        expect((await restored.store.stateHash()).hash).toBe(hash);
        await restored.close();
        expect(await stateOf(copied)).toBe(hash);
        if (killed) continue;
        expect(killedAt).toBeGreaterThan(2);
        break;
      }
    });

    it('and back again within a day, and writes on from there', async () => {
      await live(3);
      await compactJournal(pair.flushDeps, 'test');
      await live(1);
      const [earlier, newest] = [flushes[4], flushes.at(-1)];
      const { restored } = await restore(files, { until: earlier?.at ?? 0 });
      clock.advance(hour);
      const gone = await pair.store.forUser(userId).groups.create({ name: 'never flushed' });
      const created = await restored.store.forUser(userId).groups.create({ name: 'on the new branch' });
      // An id that the abandoned rows had is not given again.
      expect(created.id).toBeGreaterThanOrEqual(gone.id);
      await restored.flush();
      const branch = (await restored.store.stateHash()).hash;
      expect(await check(restored)).toMatchObject({ problems: [], orphans: [] });
      expect(await stateOf(await folderFiles(await copyOf(), clock))).toBe(branch);
      expect(await stateOf(await folderFiles(await copyOf(), clock), { until: newest?.at ?? 0 })).toBe(
        newest?.hash,
      );
      clock.advance(keepMergedMs);
      expect(await foldJournal(restored.flushDeps, 'test', clock.now())).toMatchObject({ problems: [] });
      clock.advance(keepMergedMs);
      await foldJournal(restored.flushDeps, 'test', clock.now());
      await restored.close();
      expect(await stateOf(await folderFiles(await copyOf(), clock))).toBe(branch);
    });
  });

  describe('whose newest segment is', () => {
    const newestKey = async () => (await readSets(files)).sets.at(-1)?.parts[0]?.key ?? '';

    it.each([
      ['truncated', (path: string) => truncateSync(path, readFileSync(path).length - 5)],
      ['empty', (path: string) => truncateSync(path, 0)],
    ])('%s is restored without it, and the segment is set aside and never deleted', async (_state, harm) => {
      await live(1);
      await flush();
      await pair.store.forUser(userId).groups.create({ name: 'lost' });
      await flush();
      const key = await newestKey();
      harm(join(folder, key));
      const remains = readFileSync(join(folder, key), 'utf8');
      const { restored, setAside } = await restore(files);
      expect((await restored.store.stateHash()).hash).toBe(flushes.at(-2)?.hash);
      expect(setAside).toEqual([key]);
      for (let day = 0; day < 3; day++) {
        await restored.store.forUser(userId).groups.create({ name: `day ${day}` });
        await restored.flush();
        clock.advance(keepMergedMs);
        await foldJournal(restored.flushDeps, 'test', clock.now());
      }
      await restored.close();
      expect(readFileSync(join(folder, `set-aside/${key}`), 'utf8')).toBe(remains);
    });

    it.each([
      ['truncated', (path: string) => truncateSync(path, readFileSync(path).length - 5)],
      ['empty', (path: string) => truncateSync(path, 0)],
    ])('%s is not restored to a moment at or after its time', async (_state, harm) => {
      await live(1);
      const [, middle, newest] = flushes.map(({ at }) => at) as [number, number, number];
      harm(join(folder, await newestKey()));
      const canRestore = async (until: number) => restoresMoment(await planRestore(files, { until }), until);
      expect(await canRestore(middle - 1)).toBe(true);
      expect(await canRestore(middle)).toBe(true);
      expect(await canRestore(newest)).toBe(false);
      expect(await canRestore(newest + hour)).toBe(false);
    });

    it('the first part of an interrupted flush is restored without it, and nothing is set aside', async () => {
      await live(1);
      await writeParts([{ part: 1, last: false }]);
      const { leftOut, damaged } = await planRestore(files);
      expect([leftOut, damaged]).toEqual([[], []]);
      const { restored, setAside } = await restore(files);
      expect((await restored.store.stateHash()).hash).toBe(flushes.at(-1)?.hash);
      expect(setAside).toEqual([]);
      await restored.close();
    });

    it.each([
      ['the last part of a set that lacks another part', [{ part: 2, last: true }]],
      ['a part of a set that lacks a part before it', [{ part: 2, last: false }]],
    ])('%s is set aside', async (_title, parts) => {
      await live(1);
      const keys = await writeParts(parts);
      const { restored, setAside } = await restore(files);
      expect((await restored.store.stateHash()).hash).toBe(flushes.at(-1)?.hash);
      expect(setAside).toEqual(keys);
      await restored.close();
    });

    it('a damaged part of an interrupted flush is set aside', async () => {
      await live(1);
      const [key = ''] = await writeParts([{ part: 1, last: false }]);
      truncateSync(join(folder, key), readFileSync(join(folder, key)).length - 5);
      const { restored, setAside } = await restore(files);
      expect(setAside).toEqual([key]);
      await restored.close();
    });

    it('a damaged source of a merged set is restored from the merged set, and nothing is set aside', async () => {
      await live(1);
      const key = await newestKey();
      clock.advance(24 * hour);
      await foldJournal(pair.flushDeps, 'test', clock.now());
      truncateSync(join(folder, key), 0);
      const { restored, setAside } = await restore(files);
      expect((await restored.store.stateHash()).hash).toBe(flushes.at(-1)?.hash);
      expect(setAside).toEqual([]);
      await restored.close();
    });

    /** Writes parts of a set after the newest one. */
    const writeParts = async (parts: readonly { part: number; last: boolean }[]) => {
      const newest = (await readSets(files)).sets.at(-1);
      const header = newest?.parts[0]?.header;
      if (!newest || !header) throw new Error('expected a set');
      const set = pair.flushDeps.newUlid();
      const previous = { ordinal: newest.ordinal, set: newest.id };
      const place = { set, previous, ordinal: newest.ordinal + 1, from_ordinal: newest.ordinal + 1 };
      for (const part of parts)
        await files.put(
          segmentKey(set, part.part),
          writeSegment({ ...header, ...place, ...part, facts: 0 }, []),
        );
      return parts.map(({ part }) => segmentKey(set, part));
    };
  });

  describe('whose segment is', () => {
    const victim = async () => (await readSets(files)).sets[2]?.parts[0]?.key ?? '';

    it.each([
      ['missing', (path: string) => rmSync(path)],
      ['damaged', (path: string) => truncateSync(path, readFileSync(path).length - 5)],
      ['empty', (path: string) => truncateSync(path, 0)],
    ])('%s is repaired from the index', async (_state, harm) => {
      await live(2);
      const key = await victim();
      harm(join(folder, key));
      await pair.store.forUser(userId).groups.create({ name: 'not flushed yet' });
      const state = (await pair.store.stateHash()).hash;
      expect((await check(pair)).problems).toMatchObject([{ key }]);

      const { store, flushDeps } = pair;
      const deps = { files, journal: store.journal, flusher: createFlusher(flushDeps, 'test') };
      expect(await repairJournal(deps, { all: false })).toMatchObject({ problems: [{ key }] });
      expect(await check(pair)).toMatchObject({ problems: [], orphans: [] });
      expect(await store.journal.pending(1)).toBe(0);
      const { restored } = await restore(await folderFiles(await copyOf(), clock));
      try {
        expect((await restored.store.stateHash()).hash).toBe(state);
        // Rows that were deleted before the repair still hold their ids.
        const next = await restored.store.forUser(userId).groups.create({ name: 'next' });
        expect(next.id).toBe((await store.forUser(userId).groups.create({ name: 'next' })).id);
      } finally {
        await restored.close();
      }
      expect(await repairJournal(deps, { all: false })).toEqual({ problems: [], rows: undefined });
    });
  });

  it('fetches the pages of items again whose files a copy lacks', async () => {
    const { store, database } = pair;
    const ids: number[] = [];
    for (const name of ['heron', 'egret', 'stork']) {
      const id = await saveItem(database, userId, `https://example.org/${name}`);
      const copy = await keepCopy(files, { id, userId }, { text: name });
      await database.write((trx) =>
        trx
          .updateTable('items')
          .set({ ...copy, enrichment_status: 'succeeded' })
          .where('id', '=', id)
          .execute(),
      );
      ids.push(id);
    }
    const [heron = 0, egret = 0, stork = 0] = ids;
    await flush();
    rmSync(join(folder, `items/${egret}/plain.txt`));
    await files.put(`items/${stork}/plain.txt`, 'not a stork');

    const lacking = await restoreFiles({ store, files }, { readData: false });
    expect(lacking).toMatchObject({
      queued: [{ itemId: egret, files: [`items/${egret}/plain.txt`] }],
      lost: [],
    });
    const damaged = await restoreFiles({ store, files }, { readData: true });
    expect(damaged.queued.map(({ itemId }) => itemId)).toEqual([egret, stork]);
    const statuses = await Promise.all(ids.map((id) => findItem(database, id)));
    expect(statuses.map((item) => item.enrichment_status)).toEqual(['succeeded', 'pending', 'pending']);
    expect(await jobsOf(database, String(heron))).toEqual([]);
    for (const id of [egret, stork]) expect(await jobsOf(database, String(id))).toHaveLength(1);
  });
});
