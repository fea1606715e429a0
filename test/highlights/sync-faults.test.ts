// What ends in the middle, and what happens at once: a sync is there whole or not at all, and every name is there once.
import { truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { LecternError } from '../../src/errors.ts';
import { makeHighlight, makeWords, pageWork } from '../../src/highlights/make.ts';
import type { SyncRequest } from '../../src/highlights/reconcile.ts';
import { syncResearch } from '../../src/highlights/research.ts';
import { highlightKinds } from '../../src/model/highlight.ts';
import type { Database } from '../../src/store/database.ts';
import { createStore, type Store, type UserRows } from '../../src/store/store.ts';
import { crashingDatabase } from '../support/crashing-database.ts';
import { onEachEngine, openFreshStore, openStoreAt } from '../support/engines.ts';
import { Faults, forEachFault } from '../support/faults.ts';
import { faultyDatabase } from '../support/faulty-database.ts';
import { nothing } from '../support/highlights.ts';
import { randomText } from '../support/library.ts';
import { addUser } from '../support/reader.ts';
import { noOwnFiles, researchDatabase } from '../support/research-database.ts';
import {
  type AnyRow,
  allRows,
  type LightRecord,
  lightRequest,
  liveOf,
  nameOfRow,
  parentOf,
  researchRequest,
  rowsOf,
  sorted,
  sync,
} from '../support/sync-histories.ts';

const record = (id: number, over: Partial<LightRecord> = {}): LightRecord => ({
  id,
  page: 0,
  spelling: 0,
  text: `text ${id}`,
  color: null,
  boundary: 0,
  madeAt: 1,
  ...over,
});
const said = (id: number, parent: number, text = `said ${id}`) => ({ id, parent, text, madeAt: 1 });

/** A state, and one in which everything that can happen has happened: made, changed, moved, gone, and on a new page. */
const changes: Record<string, readonly [SyncRequest, SyncRequest]> = {
  'of a Light': [
    lightRequest('a_', [record(1), record(2), record(3), record(4, { page: 1 })]),
    lightRequest('a_', [
      record(1),
      record(2, { text: 'other' }),
      record(4, { page: 2 }),
      record(5, { page: 3 }),
    ]),
  ],
  'of one page': [
    lightRequest('a_', [record(1), record(2), record(3, { page: 1 }), record(4, { page: 1 })]),
    lightRequest('a_', [record(2, { color: 'red' }), record(4), record(5, { spelling: 1 })], 0),
  ],
  'of Research': [
    researchRequest('research', {
      resources: [
        { id: 0, title: 'zero', author: '' },
        { id: 1, title: 'one', author: '' },
      ],
      annotations: [0, 1, 2].map((id) => ({ ...record(id), parent: id })),
      comments: [said(0, 0), said(1, 0), said(2, 1)],
      notes: [said(0, 0), said(1, 0), said(2, 1)],
    }),
    researchRequest('research', {
      resources: [
        { id: 0, title: 'changed', author: '' },
        { id: 2, title: 'a page', author: '' },
      ],
      annotations: [0, 1, 3].map((id) => ({ ...record(id), parent: 1 })),
      comments: [said(0, 0), said(1, 2, 'changed'), said(3, 0)],
      notes: [said(0, 1), said(1, 0, 'changed'), said(3, 0)],
    }),
  ],
};

onEachEngine('a sync that does not go smoothly', (engine) => {
  let opened: Awaited<ReturnType<typeof openFreshStore>>;
  let database: Database;
  let store: Store;
  let people = 0;

  beforeAll(async () => {
    opened = await openFreshStore(engine);
    ({ store, database } = opened);
    return () => store.close();
  });

  const person = () => addUser(store, `person ${people++}`);

  /** With what somebody said about each passage, and about one that has gone and comes back. */
  async function prepared(first: SyncRequest) {
    const who = await person();
    const gone = lightRequest(first.source, [record(5, { page: 3 })]);
    if (first.kind === 'light') {
      await sync(who.rows, gone);
      await sayAboutAll(who.rows);
    }
    await sync(who.rows, first);
    await sayAboutAll(who.rows);
    return who;
  }

  async function sayAboutAll(rows: UserRows) {
    for (const { id } of await rows.highlights.list('annotations', { limit: 50 }))
      await makeWords({ rows, randomText }, 'comments', { parentId: id, content: 'mine' });
  }

  /** All that a transaction of a sync may touch. */
  async function stateOf(userId: number) {
    const { rows: sources } =
      await sql`SELECT * FROM sync_sources WHERE user_id = ${userId} ORDER BY source`.execute(database.read);
    const { rows: items } = await sql`SELECT * FROM items WHERE user_id = ${userId} ORDER BY id`.execute(
      database.read,
    );
    const { rows: work } = await sql`SELECT (SELECT count(*) FROM jobs) AS jobs,
      (SELECT sum(version) FROM search_pending) AS documents, (SELECT count(*) FROM journal_dirty) AS notes`.execute(
      database.read,
    );
    return { rows: await allRows(database, userId), sources, items, work };
  }

  /** What is there, whatever its number is and when it came. */
  const viewOf = (rows: readonly AnyRow[]) =>
    rows
      .map((row) => {
        const parent = parentOf(row, rows);
        const name = (one: AnyRow) =>
          `${one.source === 'lectern' ? 'mine' : nameOfRow(one)} ${one.deleted_at === null ? '' : one.deleted_by}`;
        const { text, content, title, color, boundary, content_hash, full_hash } = row;
        return JSON.stringify([
          name(row),
          parent ? name(parent) : '',
          { text, content, title, color, boundary, content_hash, full_hash },
        ]);
      })
      .sort();

  describe.each(Object.entries(changes))('%s', (_name, [first, second]) => {
    it('(e) leaves nothing when it ends at any of its statements, and made again, it is as if it had not', async () => {
      const smooth = await prepared(first);
      await sync(smooth.rows, second);
      const goal = viewOf(await allRows(database, smooth.id));
      const ends = await forEachFault({}, async (faults) => {
        const { id, rows } = await prepared(first);
        const before = await stateOf(id);
        const crashing = createStore(crashingDatabase(database, faults), opened.clock.now).forUser(id);
        const failure = await sync(crashing, second).catch((error: unknown) => error);
        if (faults.fired !== undefined) {
          expect(String(failure)).toContain('the process ended');
          expect(await stateOf(id)).toEqual(before);
          await sync(rows, second);
        }
        expect(viewOf(await allRows(database, id))).toEqual(goal);
      });
      expect(ends).toBeGreaterThan(10);
    }, 60_000);

    it('(e) is there once when its end was never heard of and it is made again', async () => {
      const { id, rows } = await prepared(first);
      const faults = new Faults({ at: 1, moment: 'after' });
      const deaf = createStore(faultyDatabase(database, faults), opened.clock.now).forUser(id);
      await expect(sync(deaf, second)).rejects.toThrow('the process ended');
      const { rows: before } = await stateOf(id);
      const { counts } = await sync(rows, second);
      for (const kind of highlightKinds)
        expect(counts[kind]).toMatchObject({ created: 0, updated: 0, deleted: 0 });
      expect((await stateOf(id)).rows).toEqual(before);
    });
  });

  it('(e) a restore or a delete that ends in the middle leaves nothing either', async () => {
    const scene = async () => {
      const who = await person();
      await sync(who.rows, changes['of Research']?.[0] as SyncRequest);
      const [resource] = await who.rows.highlights.list('resources', { limit: 1 });
      return { ...who, resourceId: resource?.id ?? 0 };
    };
    await forEachFault({}, async (faults) => {
      const { id, resourceId } = await scene();
      const before = await stateOf(id);
      const crashing = createStore(crashingDatabase(database, faults), opened.clock.now).forUser(id);
      await crashing.highlights.delete('resources', resourceId).catch(() => {});
      if (faults.fired !== undefined) expect(await stateOf(id)).toEqual(before);
    });
    await forEachFault({}, async (faults) => {
      const { id, rows, resourceId } = await scene();
      await rows.highlights.delete('resources', resourceId);
      const before = await stateOf(id);
      const crashing = createStore(crashingDatabase(database, faults), opened.clock.now).forUser(id);
      await crashing.replicas.restore('resources', resourceId, pageWork).catch(() => {});
      if (faults.fired !== undefined) expect(await stateOf(id)).toEqual(before);
    });
  });

  type Break = (file: ReturnType<typeof researchDatabase>) => string;
  const run =
    (statement: string): Break =>
    ({ path, run }) => {
      run(statement);
      return path;
    };
  const write =
    (change: (path: string) => void): Break =>
    ({ path }) => {
      change(path);
      return path;
    };
  const broken: Record<string, Break> = {
    'is not there': ({ path }) => `${path}.gone`,
    'is a folder': ({ path }) => dirname(path),
    'is no database': write((path) => writeFileSync(path, 'not a database, whatever its name is'.repeat(99))),
    'is empty': write((path) => writeFileSync(path, '')),
    'is half of one': write((path) => truncateSync(path, 2 * 4_096)),
    'has no items': run('DROP TABLE items'),
    'has no annotations': run('DROP TABLE annotations'),
    'has no comments': run('DROP TABLE comments'),
    'has no notes': run('DROP TABLE notes'),
    'has a row that makes no sense': run(`UPDATE annotations SET content = '{"text":' WHERE id = 'a2'`),
  };

  it('(f) deletes nothing when the file of its source cannot be read whole', async () => {
    const { id, rows } = await person();
    await syncResearch(rows, noOwnFiles, { dbPath: researchDatabase().path });
    const syncedAt = opened.clock.now();
    const before = (await stateOf(id)).rows;
    expect(before).toHaveLength(6);
    for (const [why, breakIt] of Object.entries(broken)) {
      opened.clock.advance(1_000);
      const failure = await syncResearch(rows, noOwnFiles, { dbPath: breakIt(researchDatabase()) }).catch(
        (error) => error,
      );
      expect(failure, why).toBeInstanceOf(LecternError);
      expect((await stateOf(id)).rows, why).toEqual(before);
      const [source] = await rows.syncs.sources();
      expect(source, why).toMatchObject({
        lastSyncAt: syncedAt,
        lastError: failure.message,
        lastErrorAt: opened.clock.now(),
      });
    }
    await syncResearch(rows, noOwnFiles, { dbPath: researchDatabase().path });
    expect((await rows.syncs.sources())[0]).toMatchObject({ lastError: '', lastErrorAt: null });
    expect((await stateOf(id)).rows).toEqual(before);
  });

  it('(f) a source that says it has nothing has nothing', async () => {
    const { rows } = await person();
    const file = researchDatabase();
    await syncResearch(rows, noOwnFiles, { dbPath: file.path });
    file.run('DELETE FROM comments; DELETE FROM annotations; DELETE FROM notes; DELETE FROM items');
    const { counts } = await syncResearch(rows, noOwnFiles, { dbPath: file.path });
    expect(highlightKinds.map((kind) => counts[kind].deleted)).toEqual([2, 2, 1, 1]);
  });

  describe('beside others, in two processes', () => {
    let other: Store;

    beforeAll(async () => {
      ({ store: other } = await openStoreAt(opened.target, opened.clock));
      return () => other.close();
    });

    /** No name is there twice, nothing live is part of nothing, and nobody waits for a lock. */
    async function expectOnce(userId: number): Promise<AnyRow[]> {
      const rows = await allRows(database, userId);
      const live = rows.filter((row) => row.deleted_at === null);
      const names = live.map((row) => `${row.kind}|${row.source}|${row.original_id}`);
      expect(names).toEqual([...new Set(names)]);
      if (engine.name === 'postgres') {
        const { rows: waiting } = await sql`SELECT 1 FROM pg_locks WHERE NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`.execute(
          database.read,
        );
        expect(waiting).toEqual([]);
      }
      return rows;
    }

    it('(i) syncs of one source follow one another: the state is that of one of them', async () => {
      const { id, rows } = await person();
      const states = [0, 1, 2, 3].map((n) =>
        lightRequest(
          'a',
          [0, 1, 2, 3, 4]
            .filter((k) => k !== n)
            .map((k) => record(k, { text: `of ${n}`, page: (n + k) % 4 })),
        ),
      );
      for (let round = 0; round < 5; round++) {
        await Promise.all(states.map((request, n) => sync(n % 2 === 0 ? rows : other.forUser(id), request)));
        const live = sorted(liveOf(await expectOnce(id)));
        expect(states.map((request) => sorted(rowsOf(request)))).toContainEqual(live);
        await sync(rows, lightRequest('a', []));
      }
    });

    it('(i) syncs of two sources and of two people do not meet, though their pages are the same', async () => {
      const [anna, berta] = [await person(), await person()];
      const state = (source: string) =>
        lightRequest(
          source,
          [0, 1, 2, 3].map((n) => record(n, { page: n })),
        );
      await Promise.all(
        [anna, berta].flatMap(({ id, rows }) => [
          sync(rows, state('a')),
          sync(other.forUser(id), state('A')),
          sync(rows, state('%')),
        ]),
      );
      for (const { id } of [anna, berta]) {
        const rows = await expectOnce(id);
        expect(rows.filter((row) => row.source === 'web')).toHaveLength(4);
        expect(sorted(liveOf(rows))).toEqual(
          sorted(new Map(['a', 'A', '%'].flatMap((source) => [...rowsOf(state(source))]))),
        );
      }
    });

    it('(i) people may highlight, comment, delete and restore while it happens', async () => {
      const { id, rows } = await person();
      const states = [changes['of a Light']?.[0], changes['of a Light']?.[1]] as SyncRequest[];
      await sync(rows, states[0] as SyncRequest);
      for (let round = 0; round < 4; round++) {
        const [some] = await rows.highlights.list('annotations', { source: 'a_', limit: 1 });
        const [gone] = await rows.replicas.deleted('annotations', undefined, 1);
        const elsewhere = other.forUser(id);
        const settled = await Promise.allSettled([
          sync(rows, states[(round + 1) % 2] as SyncRequest),
          sync(elsewhere, { ...(states[0] as SyncRequest), source: 'A', snapshot: nothing }),
          makeHighlight(
            { rows: elsewhere, randomText },
            { url: 'https://example.org/1', text: 'mine', color: null, boundary: null, madeAt: null },
          ),
          ...(some
            ? [
                makeWords({ rows, randomText }, 'comments', { parentId: some.id, content: 'mine' }),
                elsewhere.highlights.delete('annotations', some.id),
              ]
            : []),
          ...(gone
            ? [
                rows.replicas.restore('annotations', gone.id, pageWork),
                elsewhere.replicas.restore('annotations', gone.id, pageWork),
              ]
            : []),
        ]);
        // What went meanwhile is not found; nothing else may go wrong.
        for (const one of settled)
          if (one.status === 'rejected') expect(String(one.reason)).toContain('annotation not found');
        await expectOnce(id);
      }
      await sync(rows, states[1] as SyncRequest);
      expect(sorted(liveOf(await expectOnce(id)))).toEqual(sorted(rowsOf(states[1] as SyncRequest)));
    });
  });
});
