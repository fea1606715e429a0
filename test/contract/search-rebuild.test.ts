// The index is made new while the old one answers, and nothing that changes meanwhile is missed.
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { Conflict } from '../../src/errors.ts';
import { parseQuery } from '../../src/search/parse-query.ts';
import { rebuildIndex } from '../../src/search/rebuild-index.ts';
import type { Database } from '../../src/store/database.ts';
import type { Store } from '../../src/store/store.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { foundIds, indexAll, MemorySource } from '../support/search-docs.ts';

onEachEngine('a rebuild of search', (engine) => {
  let store: Store;
  let database: Database;
  let source: MemorySource;
  const find = (q: string) => foundIds(store, 1, parseQuery(q));
  const rebuild = () =>
    rebuildIndex({ searchIndex: store.searchIndex, leases: store.leases, sources: [source] }, 'rebuild');
  const change = async (doc: Parameters<MemorySource['put']>[0]) => {
    source.put(doc);
    await store.searchIndex.note('entry', [doc.refId]);
    await indexAll(store, source);
  };
  const tables = async () => {
    const { rows } = await (engine.name === 'sqlite'
      ? sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`
      : sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`
    ).execute(database.read);
    return rows.map(({ name }) => name).filter((name) => /_(next|old)(_|$)/.test(name));
  };
  const pending = () => database.read.selectFrom('search_pending').selectAll().execute();

  beforeEach(async () => {
    ({ store, database } = await openFreshStore(engine));
    await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    source = new MemorySource('entry');
    for (let n = 1; n <= 450; n++) source.put({ refId: n, text: `word w${n}`, urlKey: `p${n % 400}` });
    await indexAll(store, source);
    return () => store.close();
  });

  /** Calls `work` once, when the source is read for the n-th time. */
  function during(n: number, work: () => Promise<void>): void {
    const read = source.read.bind(source);
    let reads = 0;
    source.read = async (refIds) => {
      const texts = await read(refIds);
      reads += 1;
      if (reads === n) await work();
      return texts;
    };
  }

  it('finds the same before, meanwhile and after, and leaves nothing behind', async () => {
    const before = await find('word');
    expect(before.length).toBe(400);
    let meanwhile: number[] = [];
    during(2, async () => {
      meanwhile = await find('word');
    });
    await rebuild();
    expect(meanwhile).toEqual(before);
    expect(await find('word')).toEqual(before);
    expect(await tables()).toEqual([]);
    expect(await pending()).toEqual([]);
    // Twice, since the tables have other names inside now.
    await rebuild();
    expect(await find('word')).toEqual(before);
    source.reads.length = 0;
    await indexAll(store, source);
    expect(source.reads).toEqual([]);
  });

  it('takes out what is there without a document', async () => {
    const gone = source.docs.get(7);
    source.docs.delete(7);
    expect(await find('w7')).toEqual([7]);
    await rebuild();
    expect(await find('w7')).toEqual([]);
    if (gone) await change(gone);
    expect(await find('w7')).toEqual([7]);
  });

  it.each([1, 2, 3])('misses nothing that changes while it reads for the %d. time', async (n) => {
    during(n, async () => {
      await change({ refId: 1, text: 'other early' });
      await change({ refId: 449, text: 'other late' });
      await change({ refId: 900, text: 'word new' });
      source.docs.delete(2);
      await store.searchIndex.note('entry', [2]);
      await indexAll(store, source);
      expect(await find('early')).toEqual([1]);
    });
    await rebuild();
    expect(await find('other')).toEqual([1, 449]);
    expect(await find('new')).toEqual([900]);
    expect(await find('w2')).toEqual([]);
    expect(await find('w1')).toEqual([]);
    expect(await pending()).toEqual([]);
  });

  it('leaves to the indexer what was noted, and not indexed, before it took over', async () => {
    during(3, async () => {
      source.put({ refId: 5, text: 'other' });
      await store.searchIndex.note('entry', [5]);
    });
    await rebuild();
    expect((await pending()).map(({ kind, ref_id }) => `${kind} ${ref_id}`)).toEqual(['entry 5']);
    await indexAll(store, source);
    expect(await find('other')).toEqual([5]);
    expect(await find('w5')).toEqual([]);
  });

  it('leaves the old index serving when it is ended in the middle, and begins anew later', async () => {
    const before = await find('word');
    // As a process that was killed leaves it: nobody has cleared up.
    const lease = await store.leases.acquire('search-rebuild', 'killed', 60_000);
    if (!lease) throw new Error('no lease');
    const next = await store.searchIndex.beginNext(lease);
    await next.apply(lease, 'entry', []);
    await change({ refId: 1, text: 'word changed' });
    expect(await find('word')).toEqual(before);
    await expect(rebuild()).rejects.toThrow(Conflict);
    await store.leases.release(lease);
    await rebuild();
    expect(await find('word')).toEqual(before);
    expect(await find('changed')).toEqual([1]);
    expect(await tables()).toEqual([]);
    expect(await pending()).toEqual([]);
  });

  it('gives up, and says why, when a document cannot be read', async () => {
    const before = await find('word');
    during(2, async () => {
      throw new Error('cannot be read');
    });
    await expect(rebuild()).rejects.toThrow('cannot be read');
    expect(await find('word')).toEqual(before);
    expect(await tables()).toEqual([]);
  });

  it('answers every search while it takes over', async () => {
    let isOver = false;
    const asking = (async () => {
      let asked = 0;
      while (!isOver) {
        expect((await find('word')).length).toBe(400);
        asked += 1;
      }
      return asked;
    })();
    await rebuild().finally(() => {
      isOver = true;
    });
    expect(await asking).toBeGreaterThan(0);
  });
});
