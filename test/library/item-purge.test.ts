// Deleted items are let go for good after thirty days. Wherever that is interrupted, and whatever becomes of the index, no
// row names a file that is missing.
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { Later } from '../../src/errors.ts';
import { enrichKey, enrichKind } from '../../src/items/enrich-kind.ts';
import { enrichJobOf, lookAfterPending } from '../../src/items/enrich-pending.ts';
import { purgeItem, purgeKind, schedulePurges } from '../../src/items/purge-item.ts';
import { checkLibrary } from '../../src/library/check.ts';
import type { Files } from '../../src/library/files/files.ts';
import { keepDeletedMs } from '../../src/model/item.ts';
import type { ClaimedJob } from '../../src/store/job-queue/claim.ts';
import { TestClock, tieClocks } from '../support/clock.ts';
import { onEachEngine } from '../support/engines.ts';
import { changeItem, findItem, keepCopy, saveItem } from '../support/items.ts';
import {
  folderFiles,
  type OpenedPair,
  openPair,
  reinflateInto,
  temporaryFolder,
} from '../support/library.ts';
import { addUser } from '../support/reader.ts';

onEachEngine('an item that was deleted long ago', (engine) => {
  let clock: TestClock;
  let files: Files;
  let pair: OpenedPair;
  let anna: number;
  let id: number;
  let other: number;

  beforeEach(async () => {
    clock = new TestClock();
    files = await folderFiles(await temporaryFolder(), clock);
    pair = await openPair(await engine.emptyDatabase(), files, clock);
    tieClocks(pair.database, clock);
    onTestFinished(() => pair.close());
    anna = (await addUser(pair.store, 'anna', 'owner')).id;
    id = await save('a');
    other = await save('b');
    await changeItem(pair.database, id, { deleted_at: clock.now(), deleted_by: 'person' });
    await pair.flush();
  });

  async function save(name: string): Promise<number> {
    const columns = {
      title: `Title ${name}`,
      excerpt: 'What it is about',
      author: 'Ann',
      tags: ['one', 'two'],
    };
    const created = await saveItem(pair.database, anna, `https://example.org/${name}`, columns);
    const copy = await keepCopy(files, { id: created, userId: anna }, { text: 'kept', thumbnail: 'jpeg' });
    await changeItem(pair.database, created, { ...copy, enrichment_status: 'succeeded', word_count: 1 });
    return created;
  }

  const filesOf = async (itemId: number) => [
    ...(await Array.fromAsync(files.listAll(`items/${itemId}/`), ({ key }) => key)),
    ...(await Array.fromAsync(files.listAll(`thumbnails/${anna}/${itemId}.jpg`), ({ key }) => key)),
  ];
  const claim = async (name: string): Promise<ClaimedJob | undefined> =>
    (
      await pair.store.jobs.settleAndClaim([], {
        holder: 'test',
        leaseMs: 60_000,
        names: [name],
        total: 1,
        background: 1,
        low: 1,
        first: 'low',
        suspect: false,
      })
    )[0];
  /** Takes the job that is due, and does it as the runner would. */
  const work = async (
    from: Pick<Files, 'delete' | 'listAll'> = files,
  ): Promise<'none' | 'later' | 'done'> => {
    const job = await claim(purgeKind.name);
    if (!job) return 'none';
    try {
      const payload = purgeKind.schema.parse(JSON.parse(job.payload));
      const library = { files: from, requireWriter: async () => {} };
      await purgeItem({ itemPurge: pair.store.itemPurge, library }, payload, {
        fence: job,
        signal: new AbortController().signal,
      });
      return 'done';
    } catch (error) {
      const delayMs = error instanceof Later ? error.delayMs : 0;
      await pair.store.jobs.settleAndClaim([{ fence: job, outcome: { kind: 'returned', delayMs } }]);
      if (error instanceof Later) return 'later';
      throw error;
    }
  };
  /** What an index says that is made from the library alone. */
  const problemsAfterLoss = async () => {
    const target = await engine.freshTarget();
    await reinflateInto(target, files);
    const again = await openPair(target, files, clock);
    try {
      const check = { readData: true, lastSet: await again.store.journal.findLastSet() };
      return (await checkLibrary(files, (table) => again.store.durableRows(table), check)).problems;
    } finally {
      await again.close();
      // The index that was not lost goes on writing, as after a test that never was.
      await files.put('library.json', JSON.stringify({ id: pair.library.id, writer: pair.library.writer }));
    }
  };

  it('is let go of after thirty days, and not before; its address stays', async () => {
    clock.advance(keepDeletedMs - 1);
    await schedulePurges(pair.store, clock.now());
    clock.advance(60_000);
    expect(await work()).toBe('none');
    await schedulePurges(pair.store, clock.now());
    await pair.flush();
    clock.advance(60_000);
    expect(await work()).toBe('done');
    expect(await filesOf(id)).toEqual([]);
    const row = await findItem(pair.database, id);
    expect(row).toMatchObject({
      url_key: expect.stringContaining('example.org/a'),
      title: '',
      title_from: '',
      excerpt: '',
      author: '',
      word_count: 0,
      snapshot_key: null,
      snapshot_files: null,
      text_sha256: null,
      thumbnail_key: null,
      deleted_by: 'person',
      purged_at: clock.now(),
    });
    const tags = await pair.database.read.selectFrom('item_tags').select('item_id').distinct().execute();
    expect(tags).toEqual([{ item_id: other }]);
    expect((await filesOf(other)).length).toBe(5);
    await schedulePurges(pair.store, clock.now());
    expect(await work()).toBe('none');
  });

  it('takes its star along, and its place in the list of dead links', async () => {
    await pair.database.write(async (trx) => {
      const star = { link: '', title: '', content: 'x', pub_date: 0, feed_name: '', created_at: 0 };
      const of = { user_id: anna, entry_id: null, feed_id: null };
      await trx
        .insertInto('bookmarks')
        .values([
          { ...star, ...of, item_id: id, deleted_at: 1 },
          { ...star, ...of, item_id: other, deleted_at: null },
        ])
        .execute();
      await trx
        .insertInto('item_links')
        .values({ item_id: id, user_id: anna, next_check_at: 0, dead_since: null })
        .execute();
    });
    await pair.flush();
    clock.advance(keepDeletedMs);
    await schedulePurges(pair.store, clock.now());
    await pair.flush();
    clock.advance(60_000);
    await work();
    expect(await pair.database.read.selectFrom('bookmarks').select('item_id').execute()).toEqual([
      { item_id: other },
    ]);
    expect(await pair.database.read.selectFrom('item_links').select('item_id').execute()).toEqual([]);
  });

  it('names no missing file when the index is lost at any step, and is purged all the same', async () => {
    clock.advance(keepDeletedMs);
    await schedulePurges(pair.store, clock.now());
    clock.advance(60_000);
    // The library does not know yet that the row has let go of its files.
    expect(await work()).toBe('later');
    expect((await filesOf(id)).length).toBe(5);
    expect(await problemsAfterLoss()).toEqual([]);

    await pair.flush();
    expect(await problemsAfterLoss()).toEqual([]);
    // Ended between two files.
    let left = 2;
    const ending: Pick<Files, 'delete' | 'listAll'> = {
      listAll: (...args) => files.listAll(...args),
      delete: async (key) => {
        left -= 1;
        if (left < 0) throw new Error('the process ended');
        await files.delete(key);
      },
    };
    clock.advance(60_000);
    await expect(work(ending)).rejects.toThrow('the process ended');
    expect((await filesOf(id)).length).toBe(3);
    expect(await problemsAfterLoss()).toEqual([]);

    expect(await work()).toBe('done');
    await pair.flush();
    expect(await filesOf(id)).toEqual([]);
    expect(await problemsAfterLoss()).toEqual([]);
  });

  it('is purged by an index that was made anew in between', async () => {
    clock.advance(keepDeletedMs);
    await schedulePurges(pair.store, clock.now());
    await pair.flush();
    await pair.close();
    const target = await engine.freshTarget();
    await reinflateInto(target, files);
    pair = await openPair(target, files, clock);
    tieClocks(pair.database, clock);
    await schedulePurges(pair.store, clock.now());
    clock.advance(60_000);
    expect(await work()).toBe('done');
    expect(await filesOf(id)).toEqual([]);
    expect((await findItem(pair.database, id)).purged_at).toBe(clock.now());
  });

  it('is not purged when it is saved anew meanwhile, and what is fetched then is kept', async () => {
    const before = enrichJobOf({ id, userId: anna, url: 'https://example.org/a' }, clock.now());
    const { id: old } = await pair.store.jobs.enqueue(enrichKind, before, { uniqueKey: enrichKey(id) });
    await pair.store.jobs.cancel(old);
    clock.advance(keepDeletedMs);
    await schedulePurges(pair.store, clock.now());
    await pair.flush();
    // While it is in the queue no enrichment can come beside it: only when it has ended.
    await saveItem(pair.database, anna, 'https://example.org/a');
    const payload = enrichJobOf({ id, userId: anna, url: 'https://example.org/a' }, clock.now());
    const asked = await pair.store.jobs.enqueue(enrichKind, payload, { uniqueKey: enrichKey(id) });
    expect(asked.isNew).toBe(false);
    clock.advance(60_000);
    expect(await work()).toBe('done');
    expect((await filesOf(id)).length).toBe(5);
    expect(await findItem(pair.database, id)).toMatchObject({
      deleted_at: null,
      purged_at: null,
      title: 'Title a',
      enrichment_status: 'pending',
    });
    // What became of it long ago is no reason to give it up now.
    await lookAfterPending({ store: pair.store, library: { files } });
    expect((await findItem(pair.database, id)).enrichment_status).toBe('pending');
    expect(await claim(enrichKind.name)).toMatchObject({ name: enrichKind.name });
  });
});
