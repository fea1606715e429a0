import { beforeEach, expect, it } from 'vitest';
import { Upstream } from '../../src/errors.ts';
import type { SearchSource } from '../../src/model/search.ts';
import { createEmbedFollower, embedEverything } from '../../src/search/meaning/embed-pending.ts';
import { type Embedder, TextRefused } from '../../src/search/meaning/embedder.ts';
import type { Database } from '../../src/store/database.ts';
import type { Store } from '../../src/store/store.ts';
import type { TestClock } from '../support/clock.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { indexAll, MemorySource } from '../support/search-docs.ts';
import { until } from '../support/until.ts';
import { createWordEmbedder, type WordEmbedder } from '../support/word-embedder.ts';

const never = new AbortController().signal;

onEachEngine('the vectors of documents', (engine) => {
  let store: Store;
  let database: Database;
  let clock: TestClock;
  let entries: MemorySource;
  let items: MemorySource;
  let embedder: WordEmbedder;

  beforeEach(async () => {
    ({ store, database, clock } = await openEmptyStore(engine));
    await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    await store.users.create({ username: 'ben', passwordHash: null, role: 'member' });
    entries = new MemorySource('entry');
    items = new MemorySource('item');
    embedder = createWordEmbedder();
  });

  const follower = (by: Embedder = embedder, holder = 'test', sources: SearchSource[] = [entries, items]) =>
    createEmbedFollower({ ...store, sources, embedder: by, alone: true }, holder);
  const embed = (by: Embedder = embedder) => embedEverything(follower(by), never);
  const index = async (source: MemorySource, ...refIds: number[]) => {
    await store.searchIndex.note(source.kind, refIds);
    await indexAll(store, entries, items);
  };
  const change = async (source: MemorySource, doc: Parameters<MemorySource['put']>[0]) => {
    source.put(doc);
    await index(source, doc.refId);
    await embed();
  };
  const chunks = () => database.read.selectFrom('chunks').selectAll().orderBy('chunk_key').execute();
  const keys = async () => (await chunks()).map((chunk) => chunk.chunk_key);
  const long = (word: string) => `${word} means that. `.repeat(40);

  it('are made of passages that begin with the title, under the keys of their documents', async () => {
    await change(entries, { refId: 7, title: 'A  title', text: long('first') });
    await change(items, { refId: 7, title: 'Only a title' });
    await change(items, { refId: 8, title: '', text: 'only text' });
    expect((await keys()).filter((key) => key.startsWith('it'))).toEqual(['it-7-c00', 'it-8-c00']);
    const ofEntry = (await chunks()).filter(({ kind }) => kind === 'entry');
    expect(ofEntry.length).toBeGreaterThan(2);
    expect(ofEntry.map((chunk) => chunk.chunk_key)).toEqual(ofEntry.map((_, n) => `en-7-c0${n}`));
    expect(ofEntry[0]).toMatchObject({ user_id: 1, part: 0, model: 'words/1', embedded_at: clock.now() });
    expect(ofEntry[0]?.vector.length).toBe(4 + 48);
    expect(embedder.texts).toContain('Only a title');
    expect(embedder.texts).toContain('only text');
    for (const text of embedder.texts.filter((text) => text.includes('means')))
      expect(text).toMatch(/^A title\. /);
  });

  it('are made of the first passages of a long text only', async () => {
    await change(entries, { refId: 1, text: long('word').repeat(100) });
    expect(await keys()).toHaveLength(8);
  });

  it('are not made for what the model cannot read, nor for what has no words', async () => {
    await change(entries, { refId: 1, title: '漢字', text: '漢字' });
    await change(entries, { refId: 2, title: '...', text: '—' });
    expect(await keys()).toEqual([]);
    expect(await follower().hasWork()).toBe(false);
  });

  it('are made again only when the text is another', async () => {
    await change(entries, { refId: 1, title: 'same', text: long('one') });
    const [before, asked] = [await chunks(), embedder.texts.length];
    await change(entries, { refId: 1, site: 'other.example' });
    await change(entries, { refId: 1, publishedAt: 500 * 60_000 });
    expect(await chunks()).toEqual(before);
    expect(embedder.texts).toHaveLength(asked);
    await change(entries, { refId: 1, text: long('two') });
    expect(embedder.texts.length).toBeGreaterThan(asked);
    expect((await chunks()).map(({ text_sha256 }) => text_sha256)).not.toContain(before[0]?.text_sha256);
  });

  it('change with the passage that changed, and leave with those that are there no more', async () => {
    await change(entries, { refId: 1, text: `${long('one')}${long('two')}` });
    const before = await chunks();
    embedder.texts.length = 0;
    await change(entries, { refId: 1, text: `${long('one')}` });
    const after = await chunks();
    expect(after.length).toBeLessThan(before.length);
    expect(after[0]).toEqual(before[0]);
    expect(embedder.texts.length).toBeLessThan(after.length);
  });

  it('go with their document, in the transaction that takes it out of search', async () => {
    await change(entries, { refId: 1, text: long('one') });
    await change(entries, { refId: 2, text: 'two' });
    entries.docs.delete(1);
    await index(entries, 1);
    expect(await keys()).toEqual(['en-2-c00']);
    const { gone } = await store.forUser(1).chunks.version();
    expect(gone).toBeGreaterThan(1);
  });

  it('stay when the index of search is rebuilt, except those whose documents do not come back', async () => {
    for (const refId of [1, 2, 3]) await change(entries, { refId, text: `text ${refId}` });
    const asked = embedder.texts.length;
    await store.searchIndex.clear();
    entries.docs.delete(2);
    // Nothing is found meanwhile, and nothing is thrown away that may still be needed.
    expect(await store.forUser(1).chunks.page('words/1', 0, 10)).toEqual([]);
    expect(await follower().look(never)).toBe(false);
    expect(await keys()).toHaveLength(3);
    await indexAll(store, entries, items);
    await embed();
    expect(await keys()).toEqual(['en-1-c00', 'en-3-c00']);
    expect(embedder.texts).toHaveLength(asked);
    expect(await follower().hasWork()).toBe(false);
  });

  it('are all made anew by another model, document by document', async () => {
    for (const refId of [1, 2, 3]) await change(entries, { refId, text: `text ${refId}` });
    const other = createWordEmbedder({ model: 'words/2', dimensions: 20 });
    expect((await follower(other).status()).pending).toBe(3);
    expect(await store.forUser(1).chunks.page('words/2', 0, 10)).toEqual([]);
    await embed(other);
    expect((await chunks()).map(({ model, vector }) => [model, vector.length])).toEqual(
      Array.from({ length: 3 }, () => ['words/2', 24]),
    );
    expect(await store.forUser(1).chunks.page('words/1', 0, 10)).toEqual([]);
    // And back again.
    await embed();
    expect(await follower().status()).toEqual({ documents: 3, chunks: 3, pending: 0 });
  });

  it('are made for the newest documents first', async () => {
    for (const refId of [1, 2, 3]) entries.put({ refId, text: `text ${refId}`, publishedAt: refId * 60_000 });
    await index(entries, 1, 2, 3);
    await embed(createSingle(embedder));
    expect(embedder.texts).toEqual(['text 3', 'text 2', 'text 1']);
  });

  it('are not written for a text that changed while the model had it', async () => {
    await change(entries, { refId: 1, text: 'old' });
    entries.put({ refId: 1, text: 'new' });
    await index(entries, 1);
    embedder.before = async () => {
      embedder.before = () => {};
      entries.put({ refId: 1, text: 'newest' });
      await index(entries, 1);
    };
    await embed();
    expect(embedder.texts).toEqual(['old', 'new', 'newest']);
    expect(await follower().hasWork()).toBe(false);
    const { createHash } = await import('node:crypto');
    expect((await chunks()).map((chunk) => chunk.text_sha256)).toEqual([
      createHash('sha256').update('newest').digest('hex'),
    ]);
  });

  it('are not written for a document that went while the model had it', async () => {
    entries.put({ refId: 1, text: 'old' });
    await index(entries, 1);
    embedder.before = async () => {
      entries.docs.delete(1);
      await index(entries, 1);
    };
    await embed();
    expect(await keys()).toEqual([]);
  });

  it('are made by one process at a time, and what one has left another goes on with', async () => {
    for (let refId = 1; refId <= 40; refId++) entries.put({ refId, text: `text ${refId}` });
    await index(entries, ...entries.docs.keys());
    let other: boolean | undefined;
    embedder.before = async () => {
      other ??= await follower(createWordEmbedder(), 'other').look(never);
    };
    await follower().look(never);
    expect(other).toBe(false);
    await embed();
    expect(await keys()).toHaveLength(40);
    expect(embedder.texts).toHaveLength(40);
  });

  it('are made by another process a minute after the one that made them was killed', async () => {
    entries.put({ refId: 1, text: 'one' });
    await index(entries, 1);
    let offsetMs = 0;
    database.timeOffsetMs = () => offsetMs;
    const gate = Promise.withResolvers<void>();
    let isUnderWay = false;
    embedder.before = () => {
      isUnderWay = true;
      return gate.promise;
    };
    // It renews nothing from here on, as one that was killed.
    const killed = follower(embedder, 'killed').look(never);
    await until('a batch is under way', () => isUnderWay);
    embedder.before = () => {};
    expect(await follower(embedder, 'other').look(never)).toBe(false);
    expect(await keys()).toEqual([]);
    offsetMs += 60_001;
    await follower(embedder, 'other').look(never);
    expect(await keys()).toHaveLength(1);
    gate.resolve();
    expect(await killed).toBe(false);
  });

  it('are not written by a process whose lease has moved on', async () => {
    entries.put({ refId: 1, text: 'one' });
    await index(entries, 1);
    embedder.before = async () => {
      await database.write((trx) =>
        trx.updateTable('leases').set({ epoch: 99 }).where('name', '=', 'meaning').execute(),
      );
    };
    expect(await follower().look(never)).toBe(false);
    expect(await keys()).toEqual([]);
  });

  it('keep what was done when it is told to stop, or when the model fails', async () => {
    for (let refId = 1; refId <= 30; refId++) entries.put({ refId, text: `text ${refId}` });
    await index(entries, ...entries.docs.keys());
    const stop = new AbortController();
    let batches = 0;
    embedder.before = () => {
      batches += 1;
      if (batches === 2) stop.abort(new Error('the worker stops'));
      if (batches === 4) throw new Error('no model');
    };
    expect(await follower().look(stop.signal)).toBe(false);
    expect(await keys()).toHaveLength(8);
    await expect(follower().look(never)).rejects.toThrow('no model');
    expect(await keys()).toHaveLength(16);
    await embed();
    expect(await keys()).toHaveLength(30);
    expect(embedder.texts).toHaveLength(30);
  });

  it('are left out for a document that the model refuses, until its text is another', async () => {
    for (const refId of [1, 2, 3]) entries.put({ refId, text: `text ${refId}` });
    await index(entries, 1, 2, 3);
    embedder.before = (texts) => {
      if (texts.includes('text 2')) throw new TextRefused('too odd');
    };
    const refused: number[] = [];
    const following = createEmbedFollower(
      { ...store, sources: [entries], embedder, onRefused: (doc) => refused.push(doc.refId) },
      'test',
    );
    await embedEverything(following, never);
    expect(refused).toEqual([2]);
    expect(await keys()).toEqual(['en-1-c00', 'en-3-c00']);
    await change(entries, { refId: 2, text: 'fine' });
    expect(await keys()).toHaveLength(3);
  });

  it('are kept, and asked for again, while the model refuses whatever it is given', async () => {
    entries.put({ refId: 1, text: 'text 1' });
    await index(entries, 1);
    await embed();
    entries.put({ refId: 1, text: 'other text 1' });
    entries.put({ refId: 2, text: 'text 2' });
    await index(entries, 1, 2);
    const loaded = embedder.before;
    embedder.before = () => {
      throw new TextRefused('no model is loaded');
    };
    const refused: number[] = [];
    const following = createEmbedFollower(
      { ...store, sources: [entries], embedder, onRefused: (doc) => refused.push(doc.refId) },
      'test',
    );
    await expect(embedEverything(following, never)).rejects.toThrow(Upstream);
    expect(refused).toEqual([]);
    expect(await keys()).toEqual(['en-1-c00']);
    embedder.before = loaded;
    await embedEverything(following, never);
    expect(await keys()).toEqual(['en-1-c00', 'en-2-c00']);
  });

  it('are read as they were written, whatever their bytes and sizes are', async () => {
    const vectors = [
      Uint8Array.from({ length: 256 }, (_, n) => n),
      new Uint8Array(40),
      Uint8Array.from([0xc3, 0x28, 0x00, 0xff, 0xfe, 0xf0, 0x80, 0x00]),
      Uint8Array.from({ length: 516 }, (_, n) => (n * 151) % 256),
    ];
    for (const [n] of vectors.entries()) {
      entries.put({ refId: n + 1, title: `title ${n}`, publishedAt: 1_000 + n });
      await index(entries, n + 1);
      await embed();
      await database.write((trx) =>
        trx
          .updateTable('chunks')
          .set({ vector: vectors[n] as Uint8Array })
          .where('ref_id', '=', n + 1)
          .execute(),
      );
    }
    const page = await store.forUser(1).chunks.page('words/1', 0, 10);
    expect(page.map(({ vector, ...row }) => ({ ...row, vector: [...vector] }))).toEqual(
      vectors.map((vector, n) => ({
        seq: n + 1,
        kind: 'entry',
        refId: n + 1,
        publishedAt: 1_000 + n,
        vector: [...vector],
      })),
    );
    const next = await store.forUser(1).chunks.page('words/1', 1, 2);
    expect(next.map(({ seq, vector }) => [seq, vector.length])).toEqual([
      [2, 40],
      [3, 8],
    ]);
  });

  it('have numbers that rise for each user, another one whenever they are written', async () => {
    await change(entries, { refId: 1, userId: 1, text: 'one' });
    await change(entries, { refId: 2, userId: 2, text: 'two' });
    await change(entries, { refId: 3, userId: 1, text: 'three' });
    const seqs = async (userId: number) =>
      (await store.forUser(userId).chunks.page('words/1', 0, 10)).map(({ refId, seq }) => [refId, seq]);
    expect(await seqs(1)).toEqual([
      [1, 1],
      [3, 2],
    ]);
    expect(await seqs(2)).toEqual([[2, 1]]);
    await change(entries, { refId: 1, text: 'other' });
    expect(await seqs(1)).toEqual([
      [3, 2],
      [1, 3],
    ]);
    expect(await store.forUser(1).chunks.version()).toEqual({ seq: 3, gone: 1 });
  });
});

/** One text at a time, so that the order is seen. */
function createSingle(embedder: WordEmbedder): Embedder {
  return { ...embedder, atOnce: 1 };
}
