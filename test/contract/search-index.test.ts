import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { createIndexer, indexEverything } from '../../src/search/index-pending.ts';
import { parseQuery } from '../../src/search/parse-query.ts';
import { termsVersion } from '../../src/search/terms.ts';
import type { Database } from '../../src/store/database.ts';
import { notePending } from '../../src/store/search/pending.ts';
import { searchIndex } from '../../src/store/search/search-index.ts';
import type { Store } from '../../src/store/store.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { foundIds, indexAll, indexerOf, MemorySource } from '../support/search-docs.ts';

onEachEngine('the indexer', (engine) => {
  let store: Store;
  let database: Database;
  let source: MemorySource;
  const find = async (q: string, userId = 1) => foundIds(store, userId, parseQuery(q));
  const pending = async () =>
    (await database.read.selectFrom('search_pending').select('ref_id').orderBy('ref_id').execute()).map(
      (row) => row.ref_id,
    );
  const note = (...refIds: number[]) => store.searchIndex.note('entry', refIds);
  const change = async (doc: Parameters<MemorySource['put']>[0]) => {
    source.put(doc);
    await note(doc.refId);
    await indexAll(store, source);
  };

  beforeEach(async () => {
    ({ store, database } = await openEmptyStore(engine));
    await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    await store.users.create({ username: 'ben', passwordHash: null, role: 'member' });
    source = new MemorySource('entry');
  });

  it('notes documents in the transaction that changes them, or not at all', async () => {
    await database
      .write(async (trx) => {
        await notePending(trx, 'entry', [1]);
        throw new Error('undone');
      })
      .catch(() => {});
    expect(await pending()).toEqual([]);
    await database.write((trx) => notePending(trx, 'entry', [2, 1, 2]));
    expect(await pending()).toEqual([1, 2]);
  });

  it('replaces what a document had by what it has', async () => {
    await change({ refId: 1, title: 'old title', text: 'old text' });
    await change({ refId: 1, title: 'new title' });
    expect(await find('new text')).toEqual([1]);
    expect(await find('"old title"')).toEqual([]);
    await change({ refId: 1, text: 'other' });
    expect(await find('text')).toEqual([]);
    expect(await find('other')).toEqual([1]);
  });

  it('takes out a document that is gone', async () => {
    await change({ refId: 1, title: 'here' });
    source.docs.delete(1);
    await note(1);
    await indexAll(store, source);
    expect(await find('here')).toEqual([]);
    expect(await database.read.selectFrom('search_docs').select('id').execute()).toEqual([]);
    expect(await termRows()).toBe(0);
  });

  const termRows = async () => {
    const { rows } = await (engine.name === 'sqlite'
      ? sql<{ n: number }>`SELECT count(*) AS n FROM search_terms_docsize`
      : sql<{ n: number }>`SELECT count(*) AS n FROM search_terms`
    ).execute(database.read);
    return rows[0]?.n;
  };

  it('leaves the index fit for other writes after it took documents out', async () => {
    for (let n = 1; n <= 20; n++) source.put({ refId: n, text: 'word' });
    await indexAll(store, source);
    for (let n = 1; n <= 20; n++) {
      await change({ refId: n, text: `other${n}` });
      await store.forUser(1).groups.create({ name: `group ${n}` });
    }
    expect(await find('word')).toEqual([]);
  });

  it('moves a document that gets another date or another owner', async () => {
    await change({ refId: 1, title: 'mover', publishedAt: 60_000 });
    await change({ refId: 2, title: 'mover', publishedAt: 120_000 });
    await change({ refId: 1, publishedAt: 180_000 });
    const { hits } = await store.forUser(1).search.find(parseQuery('mover'), { order: 'newest', limit: 9 });
    expect(hits.map((hit) => hit.refId)).toEqual([1, 2]);
    await change({ refId: 1, userId: 2 });
    expect(await find('mover')).toEqual([2]);
    expect(await find('mover', 2)).toEqual([1]);
    expect(await termRows()).toBe(2);
  });

  it('writes no terms when only what stands beside the text has changed', async () => {
    await change({ refId: 1, title: 'still', text: 'water', site: 'a.example' });
    const writes = await wroteTerms(() => change({ refId: 1, urlKey: 'key' }));
    expect(writes).toBe(false);
    const { hits } = await store.forUser(1).search.find(parseQuery('water'), { order: 'rank', limit: 9 });
    expect(hits).toMatchObject([{ urlKey: 'key' }]);
    expect(await wroteTerms(() => change({ refId: 1 }))).toBe(false);
    // What it is filtered by stands among its terms.
    expect(await wroteTerms(() => change({ refId: 1, site: 'b.example' }))).toBe(true);
    expect(await wroteTerms(() => change({ refId: 1, facts: { tags: ['a'] } }))).toBe(true);
    expect(await wroteTerms(() => change({ refId: 1, text: 'wine' }))).toBe(true);
  });

  /** By the row's own marks: the version that wrote it, or the number of segments that there were. */
  async function wroteTerms(work: () => Promise<unknown>): Promise<boolean> {
    const state = async () => {
      const { rows } = await (engine.name === 'sqlite'
        ? sql`SELECT id, hex(block) AS block FROM search_terms_data ORDER BY id`
        : sql`SELECT doc_id, xmin::text FROM search_terms ORDER BY doc_id, part`
      ).execute(database.read);
      return JSON.stringify(rows);
    };
    const before = await state();
    await work();
    return (await state()) !== before;
  }

  it('leaves pending what is noted again while it reads', async () => {
    source.put({ refId: 1, text: 'first' });
    await note(1);
    const read = source.read.bind(source);
    source.read = async (refIds) => {
      const texts = await read(refIds);
      source.read = read;
      source.put({ refId: 1, text: 'second' });
      await note(1);
      return texts;
    };
    const { apply } = store.searchIndex;
    let applied = 0;
    const watched = {
      ...store.searchIndex,
      apply: async (...args: Parameters<typeof apply>) => {
        await apply(...args);
        applied += 1;
        if (applied === 1) expect(await pending()).toEqual([1]);
      },
    };
    await indexEverything(
      createIndexer({ searchIndex: watched, leases: store.leases, sources: [source] }, 'test'),
    );
    expect(applied).toBeGreaterThan(1);
    expect(await pending()).toEqual([]);
    expect(await find('second')).toEqual([1]);
    expect(await find('first')).toEqual([]);
  });

  it('does nothing while another has the lease, and what it lost the lease for is left to the other', async () => {
    source.put({ refId: 1, text: 'word' });
    await note(1);
    const held = await store.leases.acquire('search', 'other', 60_000);
    await indexerOf(store, [source]).look();
    expect(await pending()).toEqual([1]);
    if (held) await store.leases.release(held);

    const read = source.read.bind(source);
    source.read = async (refIds) => {
      // The lease runs out while the source is slow, and somebody else takes it.
      database.timeOffsetMs = () => 3_600_000;
      await store.leases.acquire('search', 'other', 60_000);
      return read(refIds);
    };
    await indexerOf(store, [source]).look();
    expect(await pending()).toEqual([1]);
    expect(await find('word')).toEqual([]);
  });

  it('is through with everything only when the other that has the lease is', async () => {
    source.put({ refId: 1, text: 'word' });
    await note(1);
    const held = await store.leases.acquire('search', 'other', 60_000);
    let attempts = 0;
    const leases: typeof store.leases = {
      ...store.leases,
      acquire: async (...args) => {
        attempts += 1;
        if (attempts === 3 && held) await store.leases.release(held);
        return store.leases.acquire(...args);
      },
    };
    await indexEverything(
      createIndexer({ searchIndex: store.searchIndex, leases, sources: [source] }, 'test'),
    );
    expect(await pending()).toEqual([]);
    expect(await find('word')).toEqual([1]);
  });

  it('goes on after it failed between two transactions, and ends with the same', async () => {
    for (let n = 1; n <= 450; n++) source.put({ refId: n, title: `t${n}`, text: 'word' });
    await note(...source.docs.keys());
    let writes = 0;
    const failing: Database = {
      ...database,
      write: (work, options) => {
        writes += 1;
        if (writes % 3 === 0) return Promise.reject(new Error('the power failed'));
        return database.write(work, options);
      },
    };
    const flaky = createIndexer(
      { searchIndex: searchIndex(failing), leases: store.leases, sources: [source] },
      'flaky',
    );
    let failures = 0;
    for (let more = true; more; ) {
      more = await flaky.look().catch(() => {
        failures += 1;
        return true;
      });
    }
    expect(failures).toBeGreaterThan(0);
    expect(await pending()).toEqual([]);
    expect((await find('word')).length).toBe(450);
    expect(await termRows()).toBe(450);
  });

  it('indexes the other kinds when one cannot be read, and says which error it met', async () => {
    const broken = new MemorySource('item');
    broken.put({ refId: 1 });
    broken.read = async () => {
      throw new Error('cannot be read');
    };
    source.put({ refId: 1, text: 'word' });
    await expect(indexerOf(store, [broken, source]).look()).rejects.toThrow('cannot be read');
    expect(await find('word')).toEqual([1]);
  });

  it('indexes everything once in an index that is new, and again when it is told to', async () => {
    for (let n = 1; n <= 1_203; n++) source.put({ refId: n, text: 'word' });
    await indexAll(store, source);
    expect(source.reads.flat().length).toBe(1_203);
    await indexAll(store, source);
    expect(source.reads.flat().length).toBe(1_203);
    await store.searchIndex.clear();
    expect(await find('word')).toEqual([]);
    await indexAll(store, source);
    expect(source.reads.flat().length).toBe(2_406);
    expect(await termRows()).toBe(1_203);
  });

  it('gives every document its new key when the rules for addresses have changed, and splits no text for it', async () => {
    source.put({ refId: 1, text: 'water', urlKey: '1:page' });
    await indexAll(store, source);
    const before = JSON.stringify({ terms: termsVersion, after: null });
    await database.write((trx) =>
      trx.updateTable('meta').set({ value: before }).where('key', '=', 'search_noted:entry').execute(),
    );
    source.put({ refId: 1, urlKey: '2:page' });
    expect(await wroteTerms(() => indexAll(store, source))).toBe(false);
    const { hits } = await store.forUser(1).search.find(parseQuery('water'), { order: 'rank', limit: 9 });
    expect(hits).toMatchObject([{ urlKey: '2:page' }]);
  });

  it('finds room for many documents of one minute', async () => {
    for (let n = 1; n <= 3_000; n++) source.put({ refId: n, text: `n${n}`, publishedAt: 1_700_000_000_000 });
    await indexAll(store, source);
    expect(await find('n1')).toEqual([1]);
    expect(await find('n3000')).toEqual([3_000]);
    expect(await termRows()).toBe(3_000);
  });

  it('finds words and phrases in every part of a book', async () => {
    const words = Array.from({ length: 40_000 }, (_, n) => (n % 2 ? 'the' : `w${n}`));
    await change({ refId: 1, title: 'book', text: words.join(' ') });
    for (const n of [0, 2, 600, 16_382, 16_384, 20_000, 39_996]) {
      expect(await find(`w${n}`)).toEqual([1]);
      expect(await find(`"the w${n + 2} the"`)).toEqual([1]);
      expect(await find(`"w${n} the w${n + 2}"`)).toEqual([1]);
      expect(await find(`"w${n} w${n + 2}"`)).toEqual([]);
      expect(await find(`book -"the w${n + 2} the"`)).toEqual([]);
    }
    expect(await find('book -"the the"')).toEqual([1]);
    await change({ refId: 1, text: 'short' });
    expect(await find('w600')).toEqual([]);
    expect(await termRows()).toBe(1);
  });
});
