// What the design of this sync was first built with, and must not be here: one test for each defect, by its number.
import { readdirSync } from 'node:fs';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseLightSync, syncLight } from '../../src/highlights/light.ts';
import { syncResearch } from '../../src/highlights/research.ts';
import { highlightKinds } from '../../src/model/highlight.ts';
import { createStore, type UserRows } from '../../src/store/store.ts';
import { anchorQuote } from '../../web/src/highlights/anchor/anchor-quote.ts';
import { crashingDatabase } from '../support/crashing-database.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { Faults } from '../support/faults.ts';
import { addUser } from '../support/reader.ts';
import { noOwnFiles, researchDatabase } from '../support/research-database.ts';
import { allRows } from '../support/sync-histories.ts';

const url = 'https://example.com/article';
const passage = (groupID: unknown, over: object = {}) => ({ groupID, repr: `text ${groupID}`, ...over });

onEachEngine('a sync, unlike the first one of its design', (engine) => {
  let opened: Awaited<ReturnType<typeof openFreshStore>>;
  let people = 0;
  let rows: UserRows;
  let userId: number;

  beforeAll(async () => {
    opened = await openFreshStore(engine);
    return () => opened.store.close();
  });

  beforeEach(async () => {
    ({ id: userId, rows } = await addUser(opened.store, `person ${people++}`));
  });

  const push = async (source: string, highlights: unknown, to: UserRows = rows) =>
    (await syncLight(to, await parseLightSync({ source, highlights }), { dryRun: false })).counts.annotations;
  const rowsNow = () => allRows(opened.database, userId);
  const liveNames = async () =>
    (await rows.highlights.list('annotations', { limit: 100 }))
      .map(({ source, originalId }) => `${source}:${originalId}`)
      .sort();

  it('1. a read failure never becomes a deletion', async () => {
    const file = researchDatabase();
    await syncResearch(rows, noOwnFiles, { dbPath: file.path });
    const before = await rowsNow();
    const [{ lastSyncAt } = { lastSyncAt: 0 }] = await rows.syncs.sources();
    opened.clock.advance(1_000);
    file.run('ALTER TABLE comments RENAME TO gone');
    await expect(syncResearch(rows, noOwnFiles, { dbPath: file.path })).rejects.toThrow();
    expect(await rowsNow()).toEqual(before);
    expect((await rows.syncs.sources())[0]).toMatchObject({ lastSyncAt });
    // Nor does a page of Light that makes no sense, with the others beside it.
    await push('light', { [url]: [passage(1)], 'https://example.com/b': [passage(2)] });
    await expect(push('light', { [url]: [passage(1)], 'https://example.com/b': null })).rejects.toThrow();
    expect(await liveNames()).toContain('light:2');
  });

  it('2. a sync that ends in the middle leaves nothing of itself', async () => {
    await push('light', { [url]: [passage(1), passage(2)] });
    const before = await rowsNow();
    const last = new Faults({ at: Number.POSITIVE_INFINITY });
    const counted = createStore(crashingDatabase(opened.database, last), opened.clock.now).forUser(userId);
    const next = { [url]: [passage(2, { repr: 'changed' }), passage(3)] };
    await syncLight(counted, await parseLightSync({ source: 'light', highlights: next }), { dryRun: true });
    for (const at of [1, Math.floor(last.count / 2), last.count]) {
      const faults = new Faults({ at });
      const crashing = createStore(crashingDatabase(opened.database, faults), opened.clock.now).forUser(
        userId,
      );
      await expect(push('light', next, crashing)).rejects.toThrow('the process ended');
      expect(await rowsNow()).toEqual(before);
    }
  });

  it('3. what has moved to another page, or is elsewhere on its page, is seen', async () => {
    await push('light', { [url]: [passage(1), passage(2, { chunks: ['a'] })] });
    expect(
      await push('light', { 'https://example.com/b': [passage(1)], [url]: [passage(2, { chunks: ['b'] })] }),
    ).toEqual({ created: 1, updated: 1, deleted: 1, unchanged: 0 });
    const [moved] = (await rows.highlights.list('annotations', { limit: 10 })).filter(
      ({ originalId }) => originalId === '1',
    );
    expect((await rows.highlights.get('resources', moved?.resourceId ?? 0)).url).toBe(
      'https://example.com/b',
    );
    // And so is what is said about another passage.
    const file = researchDatabase();
    await syncResearch(rows, noOwnFiles, { dbPath: file.path });
    file.run(`UPDATE comments SET annotation_id = 'a2'`);
    const { counts } = await syncResearch(rows, noOwnFiles, { dbPath: file.path });
    expect(counts.comments).toEqual({ created: 0, updated: 1, deleted: 0, unchanged: 0 });
  });

  it('4. a text and a colour are not taken for another text', async () => {
    await push('light', { [url]: [passage(1, { repr: 'ab', color: 'c' })] });
    expect(await push('light', { [url]: [passage(1, { repr: 'abc' })] })).toMatchObject({ updated: 1 });
  });

  it('5. the name of a source is no pattern, has its case, and may have a colon', async () => {
    const names = ['light_1', 'LIGHTX1', 'Light_1', 'lightx1', 'light%', '%', 'a', 'a:b'];
    for (const name of names) await push(name, { [url]: [passage(5), passage('b:5')] });
    const all = await liveNames();
    expect(all).toHaveLength(2 * names.length);
    for (const [n, name] of names.entries()) {
      expect(await push(name, {})).toMatchObject({ deleted: 2 });
      expect(await rows.highlights.list('annotations', { limit: 100 })).toHaveLength(
        2 * (names.length - n - 1),
      );
    }
  });

  it('6. syncs at the same time do not make anything twice', async () => {
    const highlights = { [url]: [1, 2, 3].map((n) => passage(n)) };
    const counts = await Promise.all([1, 2, 3, 4].map(() => push('light', highlights)));
    expect(counts.map(({ created }) => created).sort()).toEqual([0, 0, 0, 3]);
    expect(await liveNames()).toEqual(['light:1', 'light:2', 'light:3']);
  });

  it('7. the last one can be deleted, and nothing at all is not none', async () => {
    await push('light', { [url]: [passage(1)] });
    for (const mistake of [undefined, null, [], ''])
      await expect(push('light', mistake)).rejects.toThrow('highlights: expected an object');
    expect(await liveNames()).toEqual(['light:1']);
    expect(await push('light', {})).toMatchObject({ deleted: 1 });
    // And had back, if that was the mistake.
    expect(await rows.replicas.deleted('annotations', undefined, 10)).toHaveLength(1);
  });

  it('8. what its source has marked as deleted is deleted, of every kind, in a file of any age', async () => {
    const file = researchDatabase();
    await syncResearch(rows, noOwnFiles, { dbPath: file.path });
    for (const table of ['notes', 'comments', 'annotations', 'items'])
      file.run(`UPDATE ${table} SET deleted_at = '2026-01-01'`);
    const { counts } = await syncResearch(rows, noOwnFiles, { dbPath: file.path });
    expect(highlightKinds.map((kind) => counts[kind].deleted)).toEqual([2, 2, 1, 1]);
    // A file from before there was such a mark has nothing that is deleted.
    const old = researchDatabase();
    for (const table of ['items', 'annotations', 'comments', 'notes'])
      old.run(`ALTER TABLE ${table} DROP COLUMN deleted_at`);
    const { counts: again } = await syncResearch(rows, noOwnFiles, { dbPath: old.path });
    expect(highlightKinds.map((kind) => again[kind].created)).toEqual([2, 2, 1, 1]);
  });

  it('10. the code of this sync has tests: of every property, of every defect, and beside what is pure', () => {
    const here = readdirSync(new URL('.', import.meta.url));
    expect(here).toEqual(expect.arrayContaining(['sync-model.test.ts', 'sync-faults.test.ts']));
    const beside = readdirSync(new URL('../../src/highlights', import.meta.url));
    for (const pure of ['plan', 'hash', 'light']) expect(beside).toContain(`${pure}.test.ts`);
  });
});

describe('an anchor, unlike that of the first one', () => {
  const twice = 'the first time it says so. And then, at the end, the second time it says so.';

  it('9. is where the passage was, not where its words occur first', () => {
    const second = twice.lastIndexOf('it says so');
    const found = anchorQuote(twice, {
      quote: { exact: 'it says so', prefix: 'the second time ', suffix: '.' },
      position: { start: second, end: second + 10 },
    });
    expect(found).toMatchObject({ start: second, end: second + 10 });
  });

  it('9. is said to be lost where the passage is not', () => {
    expect(anchorQuote('another page of the same host', 'it says so')).toBe('orphan');
  });
});
