import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { restoreFiles } from '../../src/items/restore-files.ts';
import { type CheckOptions, checkLibrary } from '../../src/library/check.ts';
import { runLibraryCheck } from '../../src/library/check-job.ts';
import { type Files, sha256Of } from '../../src/library/files/files.ts';
import { compactJournal, foldJournal } from '../../src/library/journal/fold.ts';
import { readSets } from '../../src/library/journal/sets.ts';
import { type DurableTable, durableTables, type Row } from '../../src/store/durable.ts';
import { onEachEngine } from '../support/engines.ts';
import { changeItem, findItem, keepCopy, saveItem } from '../support/items.ts';
import { folderFiles, type OpenedPair, openPair, temporaryFolder } from '../support/library.ts';

const bytes = Buffer.from('a page that somebody kept');
/** A table whose rows name files, as those to come do. */
const pages: DurableTable = {
  id: 999,
  name: 'pages',
  key: [{ column: 'id', type: 'integer' }],
  counts: true,
  files: (row) => [{ key: `items/${row.id}/plain.txt`, sha256: String(row.sha256) }],
};

onEachEngine('a check of the library', (engine) => {
  let folder: string;
  let files: Files;
  let pair: OpenedPair;
  const rows: Row[] = [1, 2, 3].map((id) => ({ id, sha256: sha256Of(bytes) }));

  beforeEach(async () => {
    folder = await temporaryFolder();
    files = await folderFiles(folder);
    pair = await openPair(await engine.emptyDatabase(), files);
    const anna = await pair.store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    for (const name of ['a', 'b', 'c']) {
      await pair.flush();
      await pair.store.forUser(anna.id).groups.create({ name });
    }
    await pair.flush();
    for (const { id } of rows) await files.put(`items/${id}/plain.txt`, bytes);
    return () => pair.close();
  });

  async function check(options: Partial<CheckOptions> = {}) {
    const rowsOf = (table: DurableTable) =>
      table === pages ? asyncRows(rows) : pair.store.durableRows(table);
    const lastSet = await pair.store.journal.findLastSet();
    return checkLibrary(files, rowsOf, { readData: true, lastSet, ...options }, [...durableTables, pages]);
  }

  const segments = () =>
    readdirSync(join(folder, 'journal'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.jsonl'))
      .map((path) => `journal/${path}`)
      .sort();
  const path = (key: string) => join(folder, key);

  it('is also a job, which reports how far it is and keeps what it found', async () => {
    const { store } = pair;
    const run = async (signal = new AbortController().signal) => {
      const seen: number[] = [];
      const deps = { files, store, now: () => 1_000 };
      await runLibraryCheck(deps, { signal, progress: (done) => seen.push(done) });
      return seen;
    };
    expect(await store.libraryChecks.find()).toBeUndefined();
    expect(await run()).toEqual([1, 2, 3, 4]);
    expect(await store.libraryChecks.find()).toEqual({
      at: 1_000,
      objects: 4,
      problemCount: 0,
      problems: [],
    });
    const [first = ''] = segments();
    truncateSync(path(first), 10);
    await run();
    expect(await store.libraryChecks.find()).toMatchObject({ problemCount: 1, problems: [{ key: first }] });
    await expect(run(AbortSignal.abort())).rejects.toThrow();
  });

  it('as a job also keeps problems of files that no row refers to', async () => {
    const problem = { key: 'manifests/2026-01.jsonl', what: 'it is missing' };
    const deps = { files, store: pair.store, now: () => 1_000, checkOthers: async () => [problem] };
    const signal = new AbortController().signal;
    await runLibraryCheck(deps, { signal, progress: () => {} });
    expect(await pair.store.libraryChecks.find()).toMatchObject({ problemCount: 1, problems: [problem] });
  });

  it('as a job does not take for lost what was folded while it looked', async () => {
    const { store, flushDeps } = pair;
    let folded = false;
    const folding: Files = {
      ...files,
      read: async (key) => {
        const bytes = await files.read(key);
        if (!folded) {
          folded = true;
          await compactJournal(flushDeps, 'test');
        }
        return bytes;
      },
      listAll: (prefix) => files.listAll(prefix),
    };
    const signal = new AbortController().signal;
    await runLibraryCheck({ files: folding, store, now: () => 1_000 }, { signal, progress: () => {} });
    expect(await store.libraryChecks.find()).toMatchObject({ problemCount: 0 });
  });

  it('finds nothing wrong with a library that is whole, before and after it is compacted', async () => {
    expect(await check()).toEqual({ segments: 4, kept: 0, files: 3, problems: [], orphans: [] });
    await compactJournal(pair.flushDeps, 'test');
    expect(await check()).toEqual({ segments: 1, kept: 4, files: 3, problems: [], orphans: [] });
    await pair.store.forUser(1).groups.create({ name: 'after' });
    await pair.flush();
    expect(await check()).toMatchObject({ segments: 2, problems: [] });
  });

  describe.each(['journal', 'items'])('in %s', (where) => {
    const victims = () => (where === 'journal' ? segments() : rows.map(({ id }) => `items/${id}/plain.txt`));

    it('names a file that is missing, whichever it is', async () => {
      for (const key of victims()) {
        const kept = readFileSync(path(key));
        rmSync(path(key));
        expect((await check()).problems).toEqual([{ key, what: 'it is missing' }]);
        writeFileSync(path(key), kept);
      }
    });

    it('names a file that is cut off, wherever', async () => {
      const [key = ''] = victims();
      const kept = readFileSync(path(key));
      for (const length of [0, 1, kept.length >> 1, kept.length - 1]) {
        truncateSync(path(key), length);
        expect((await check()).problems.map((problem) => problem.key)).toContain(key);
        writeFileSync(path(key), kept);
      }
    });

    it('names a file with one bit changed, wherever', async () => {
      const [key = ''] = victims();
      const kept = readFileSync(path(key));
      for (let at = 0; at < kept.length; at += Math.max(1, kept.length >> 4)) {
        const damaged = Buffer.from(kept);
        damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
        writeFileSync(path(key), damaged);
        expect((await check()).problems.map((problem) => problem.key)).toContain(key);
        writeFileSync(path(key), kept);
      }
    });
  });

  it('without --read-data does not read the files that rows name, only looks whether they are there', async () => {
    writeFileSync(path('items/1/plain.txt'), 'another text');
    expect((await check({ readData: false })).problems).toEqual([]);
    rmSync(path('items/2/plain.txt'));
    expect((await check({ readData: false })).problems).toEqual([
      { key: 'items/2/plain.txt', what: 'it is missing' },
    ]);
  });

  it('still finds a gap after the segments around it are merged', async () => {
    const [, second = ''] = segments();
    rmSync(path(second));
    const gap = [{ key: second, what: 'it is missing' }];
    expect(await compactJournal(pair.flushDeps, 'test')).toMatchObject({ problems: gap });
    expect(await foldJournal(pair.flushDeps, 'test')).toMatchObject({ problems: gap });
    expect((await check()).problems).toEqual(gap);
  });

  it('still finds a damaged segment after the segments around it are merged', async () => {
    const second = (await readSets(files)).sets[1]?.parts[0]?.key ?? '';
    truncateSync(path(second), readFileSync(path(second)).length - 10);
    const damage = [{ key: second, what: 'its last line is missing' }];
    expect(await compactJournal(pair.flushDeps, 'test')).toMatchObject({
      before: { sets: 4 },
      after: { sets: 3 },
      problems: damage,
    });
    expect((await check()).problems).toEqual(damage);
  });

  it('reports no problem for a row that is added, changed or deleted while the check runs', async () => {
    const changed = Buffer.from('the page as it is now');
    let now = rows;
    const rowsOf = async function* (table: DurableTable) {
      if (table !== pages) return yield* pair.store.durableRows(table);
      // The check has listed the files before it asks for rows.
      if (now === rows) {
        await files.put('items/4/plain.txt', bytes);
        await files.delete('items/2/plain.txt');
        await files.put('items/1/plain.txt', changed);
        now = [{ id: 1, sha256: sha256Of(changed) }, rows[2] ?? {}, { id: 4, sha256: sha256Of(bytes) }];
        yield* [...rows, ...now.slice(2)];
      } else yield* now;
    };
    const lastSet = await pair.store.journal.findLastSet();
    const report = await checkLibrary(files, rowsOf, { readData: true, lastSet }, [...durableTables, pages]);
    expect(report.problems).toEqual([]);
  });

  it('a repair leaves an item alone that is saved, enriched or purged while the repair runs', async () => {
    const { database, store } = pair;
    const enriched = { enrichment_status: 'succeeded' } as const;
    const save = async (name: string) => {
      const id = await saveItem(database, 1, `https://example.org/${name}`);
      const copy = await keepCopy(files, { id, userId: 1 }, { text: name });
      await changeItem(database, id, { ...copy, ...enriched });
      return id;
    };
    const [refreshed, purged] = [await save('refreshed'), await save('purged')];
    let saved: number | undefined;
    const meanwhile = async function* (table: DurableTable, key?: Row) {
      for await (const row of store.durableRows(table, key)) {
        if (table.name === 'items' && saved === undefined) {
          saved = await save('saved');
          const copy = await keepCopy(files, { id: refreshed, userId: 1 }, { text: 'refreshed again' });
          await changeItem(database, refreshed, { ...copy, ...enriched });
          await changeItem(database, purged, { snapshot_key: null, snapshot_files: null });
          await files.delete(`items/${purged}/plain.txt`);
          for await (const added of store.durableRows(table)) if (added.id === saved) yield added;
        }
        yield row;
      }
    };
    const restored = await restoreFiles(
      { store: { ...store, durableRows: meanwhile }, files },
      { readData: true },
    );
    expect(saved).toBeDefined();
    expect(restored).toEqual({ queued: [], lost: [] });
    for (const id of [refreshed, saved ?? 0]) expect(await findItem(database, id)).toMatchObject(enriched);
  });

  it('lists files that no row refers to', async () => {
    await files.put('items/77/plain.txt', 'whose is it');
    expect(await check()).toMatchObject({ problems: [], orphans: ['items/77/plain.txt'] });
  });
});

async function* asyncRows(rows: readonly Row[]): AsyncGenerator<Row> {
  yield* rows;
}
