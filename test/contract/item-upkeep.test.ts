// What the worker does for items without being asked: every pending one gets a job, and one whose job was given up is
// told so.
import { beforeEach, expect, it } from 'vitest';
import { enrichKey, enrichKind } from '../../src/items/enrich-kind.ts';
import { enrichJobOf, enrichPending, lookAfterPending } from '../../src/items/enrich-pending.ts';
import type { Job } from '../../src/model/job.ts';
import type { Database } from '../../src/store/database.ts';
import type { Outcome } from '../../src/store/job-queue/settle.ts';
import type { Store } from '../../src/store/store.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { changeItem, findItem, saveItem } from '../support/items.ts';
import { folderFiles, temporaryFolder } from '../support/library.ts';
import { addUser } from '../support/reader.ts';

onEachEngine('items that wait to be enriched', (engine) => {
  let store: Store;
  let database: Database;
  let anna: number;

  beforeEach(async () => {
    ({ store, database } = await openEmptyStore(engine));
    anna = (await addUser(store, 'anna', 'owner')).id;
  });

  const save = (name: string, columns = {}) =>
    saveItem(database, anna, `https://example.org/${name}`, columns);
  const waiting = async (): Promise<Job[]> =>
    (await store.jobs.list({ name: enrichKind.name, state: 'waiting', limit: 1_000 })).reverse();
  const statusOf = async (id: number) => {
    const { enrichment_status, enrichment_error } = await findItem(database, id);
    return [enrichment_status, enrichment_error];
  };
  /** Enqueues a job for the item and ends it so. */
  const endJob = async (id: number, outcome: Outcome | 'cancelled') => {
    const item = { id, userId: anna, url: 'https://example.org/' };
    const made = await store.jobs.enqueue(enrichKind, enrichJobOf(item, 0), { uniqueKey: enrichKey(id) });
    if (outcome === 'cancelled') return store.jobs.cancel(made.id);
    const [job] = await store.jobs.settleAndClaim([], {
      holder: 'test',
      leaseMs: 60_000,
      names: [enrichKind.name],
      total: 1,
      background: 1,
      low: 1,
      first: 'interactive',
      suspect: false,
    });
    if (job) await store.jobs.settleAndClaim([{ fence: job, outcome }]);
  };

  it('get a job each, without which they would wait for ever', async () => {
    const pending = await save('a');
    const unseen = await save('b', { enrichment_status: null });
    await save('done', { enrichment_status: 'succeeded' });
    await save('failed', { enrichment_status: 'failed' });
    await save('deleted', { deleted_at: 1 });
    await changeItem(database, await save('none'), { url: 'urn:sha256:abc' });
    expect(await enrichPending(store)).toBe(2);
    const jobs = await waiting();
    expect(jobs.map(({ uniqueKey }) => uniqueKey)).toEqual([enrichKey(pending), enrichKey(unseen)]);
    expect(jobs[0]).toMatchObject({
      lane: 'low',
      payload: {
        itemId: String(pending),
        userId: String(anna),
        url: 'https://example.org/a',
        enqueuedAt: '2026-01-01T00:00:00.000Z',
      },
    });
    expect(await enrichPending(store)).toBe(0);
    expect((await waiting()).length).toBe(2);
  });

  it('come one after the other when they are many', async () => {
    await database.write((trx) =>
      trx
        .insertInto('items')
        .values(
          Array.from({ length: 250 }, (_, n) => ({
            user_id: anna,
            url: `https://example.org/${n}`,
            url_key: String(n),
            published_at: null,
            collection_id: null,
            snapshot_key: null,
            snapshot_files: null,
            text_sha256: null,
            thumbnail_key: null,
            thumbnail_sha256: null,
            enrichment_status: 'pending' as const,
            enrichment_error: null,
            enriched_at: null,
            saved_at: 1,
            created_at: 1,
            updated_at: 1,
            deleted_at: null,
            purged_at: null,
          })),
        )
        .execute(),
    );
    expect(await enrichPending(store)).toBe(250);
    const jobs = await waiting();
    expect(new Set(jobs.map(({ uniqueKey }) => uniqueKey)).size).toBe(250);
    const [first, last] = [jobs[0]?.runAt ?? 0, jobs.at(-1)?.runAt ?? 0];
    expect(last - first).toBeGreaterThan(249 * 150);
    expect(jobs.every(({ runAt }, n) => n === 0 || runAt > (jobs[n - 1]?.runAt ?? 0))).toBe(true);
  });

  it('have failed when their last job was given up, and say why; nobody tries for ever', async () => {
    const died = await save('a');
    const stopped = await save('b');
    const forgotten = await save('c');
    await endJob(died, { kind: 'dead', error: 'The server hung up.' });
    await endJob(stopped, 'cancelled');
    const library = { files: await folderFiles(await temporaryFolder()) };
    await lookAfterPending({ store, library });
    expect(await statusOf(died)).toEqual(['failed', 'The server hung up.']);
    expect(await statusOf(stopped)).toEqual(['failed', 'Reading the page was cancelled.']);
    expect((await waiting()).map(({ uniqueKey }) => uniqueKey)).toEqual([enrichKey(forgotten)]);
  });
});
