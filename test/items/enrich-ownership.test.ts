// Jobs that come too late, twice, or for somebody else: they write nothing.
import { describe, expect, it } from 'vitest';
import { enrichKind } from '../../src/items/enrich-kind.ts';
import { onEachEngine } from '../support/engines.ts';
import { pageOf, simpleReader } from '../support/enriching.ts';
import { image, url, useEnrichment } from '../support/enrichment-suite.ts';

onEachEngine('enrichment and whose it is', (engine) => {
  const t = useEnrichment(engine);

  describe('whose it is', () => {
    it('is checked: a job for the item of somebody else changes nothing', async () => {
      const id = await t.savePage(pageOf({ title: 'x' }));
      const before = await t.work.item(t.anna, id);
      const job = {
        itemId: String(id),
        userId: String(t.berta),
        url,
        enqueuedAt: '2026-01-01T00:00:00.000Z',
      };
      await t.store.jobs.cancel((await t.store.jobs.list({ limit: 1 }))[0]?.id ?? 0);
      await t.store.jobs.enqueue(enrichKind, job);
      expect(await t.work.work()).toEqual(['done']);
      expect(await t.work.item(t.anna, id)).toEqual(before);
      expect(t.asked).toEqual([]);
      expect(await t.work.keys()).toEqual([]);
    });

    it('ends quietly for one that does not exist, was deleted, or is done', async () => {
      const done = await t.savePage(pageOf({ title: 'x' }));
      await t.work.work();
      const deleted = await t.work.save(t.anna, 'http://site.example/b');
      await t.work.set(t.anna, deleted, { deleted_at: 1, deleted_by: 'person' });
      const before = [await t.work.item(t.anna, done), await t.work.item(t.anna, deleted)];
      const enqueuedAt = '2026-01-01T00:00:00.000Z';
      for (const itemId of ['999999', String(done)])
        await t.store.jobs.enqueue(enrichKind, { itemId, userId: String(t.anna), url, enqueuedAt });
      t.asked.length = 0;
      expect(await t.work.work()).toEqual(['done', 'done', 'done']);
      expect([await t.work.item(t.anna, done), await t.work.item(t.anna, deleted)]).toEqual(before);
      expect(t.asked).toEqual([]);
    });

    it('fetches the address of the item, not the one in the job', async () => {
      t.pages['/a'] = { body: pageOf({}) };
      t.pages['/other'] = { body: pageOf({}) };
      const id = await t.work.save(t.anna, url);
      await t.work.set(t.anna, id, { url: 'http://site.example/other' });
      await t.work.work();
      expect(t.asked).toEqual(['/other']);
    });

    it('takes an item without a status for a pending one', async () => {
      const id = await t.savePage(pageOf({ title: 'x' }));
      await t.work.set(t.anna, id, { enrichment_status: null });
      await t.work.work();
      expect((await t.work.item(t.anna, id)).enrichment_status).toBe('succeeded');
    });
  });

  describe('of an item that is deleted meanwhile', () => {
    const whileReading = (then: () => Promise<void>) =>
      t.rework({
        page: {
          ...simpleReader,
          read: async (page) => {
            await then();
            return simpleReader.read(page);
          },
        },
      });
    /** Between the files and the row. */
    const afterFiles = (then: () => Promise<void>) => {
      const { files } = t.work;
      return t.rework({
        library: {
          requireWriter: async () => {},
          files: {
            ...files,
            put: async (key, data) => {
              const written = await files.put(key, data);
              if (key.endsWith('meta.json')) await then();
              return written;
            },
          },
        },
      });
    };
    const remove = (id: number) => t.work.set(t.anna, id, { deleted_at: 1, deleted_by: 'person' });

    it('writes nothing', async () => {
      const id = await t.savePage(pageOf({ title: 'x' }));
      await whileReading(() => remove(id));
      expect(await t.work.work()).toEqual(['done']);
      expect(await t.work.item(t.anna, id)).toMatchObject({ title: '', enrichment_status: 'pending' });
      expect(await t.work.keys()).toEqual([]);
    });

    it('does not say that it has failed', async () => {
      t.pages['/a'] = { status: 404 };
      const id = await t.work.save(t.anna, url);
      const { outbound } = t.world;
      await t.rework({
        outbound: {
          ...outbound,
          stream: async (input) => {
            await remove(id);
            return outbound.stream(input);
          },
        },
      });
      expect(await t.work.work()).toEqual(['done']);
      expect(await t.work.item(t.anna, id)).toMatchObject({
        enrichment_status: 'pending',
        enrichment_error: null,
      });
    });

    it('takes back the files that it had written', async () => {
      t.pages['/i.png'] = image();
      const id = await t.savePage(pageOf({ title: 'x', image: '/i.png' }));
      await afterFiles(() => remove(id));
      expect(await t.work.work()).toEqual(['done']);
      expect(await t.work.item(t.anna, id)).toMatchObject({
        title: '',
        snapshot_key: null,
        thumbnail_key: null,
      });
      expect(await t.work.keys()).toEqual([]);
    });

    it('leaves a copy that it had before whole', async () => {
      const id = await t.savePage(pageOf({ title: 'Before' }));
      await t.work.work();
      t.pages['/a'] = { body: pageOf({ title: 'After', body: 'Other words.' }) };
      await t.work.enrichAgain(t.anna, id);
      await afterFiles(() => remove(id));
      expect(await t.work.work()).toEqual(['done']);
      expect(await t.work.item(t.anna, id)).toMatchObject({ title: 'Before', deleted_at: 1 });
      await t.expectNamedFiles(id);
    });

    it('begins anew when the item is brought back while the files are taken away', async () => {
      const id = await t.savePage(pageOf({ title: 'x' }));
      await afterFiles(() => remove(id));
      const { files } = t.work.deps.library;
      await t.rework({
        library: {
          requireWriter: async () => {},
          files: {
            ...files,
            delete: async (key) => {
              await files.delete(key);
              if (key.endsWith('readable.html'))
                await t.work.set(t.anna, id, { deleted_at: null, deleted_by: '' });
            },
          },
        },
      });
      // Whoever brings it back finds a job that has not ended, and makes no other.
      const job = await t.work.claim();
      expect(job && (await t.work.attempt(job)).outcome).toEqual({ kind: 'returned', delayMs: 0 });
      await t.rework({ library: { files: t.work.files, requireWriter: async () => {} } });
      expect(await t.work.work()).toEqual(['done']);
      expect((await t.work.item(t.anna, id)).enrichment_status).toBe('succeeded');
      await t.expectNamedFiles(id);
    });
  });

  describe('by a worker that lost its lease', () => {
    it('writes no file and no row', async () => {
      const id = await t.savePage(pageOf({ title: 'x' }));
      const job = await t.work.claim();
      await t.store.jobs.releaseHolder('test');
      await t.store.jobs.keep([], { leaseMs: 600_000, maxCrashes: 3, suspectDelayMs: 0 });
      expect(job && (await t.work.attempt(job)).outcome).toBeUndefined();
      expect(await t.work.keys()).toEqual([]);
      expect((await t.work.item(t.anna, id)).enrichment_status).toBe('pending');
      expect(await t.work.work()).toEqual(['done']);
      expect((await t.work.item(t.anna, id)).enrichment_status).toBe('succeeded');
    });

    it.each(['readable.html', 'chunks.jsonl', 'meta.json'])(
      'leaves row and files in agreement when it stood still before it wrote %s',
      async (at) => {
        t.pages['/i.png'] = image('an image of before');
        const id = await t.savePage(pageOf({ title: 'Before', image: '/i.png' }));
        const { files } = t.work;
        let isOvertaken = false;
        await t.rework({
          library: {
            requireWriter: async () => {},
            files: {
              ...files,
              put: async (key, data) => {
                if (key.endsWith(at) && !isOvertaken) {
                  isOvertaken = true;
                  await t.work.recover();
                  t.pages['/a'] = { body: pageOf({ title: 'After', body: 'Other words.', image: '/i.png' }) };
                  t.pages['/i.png'] = image('an image of after');
                  expect(await t.work.work()).toEqual(['done']);
                }
                return files.put(key, data);
              },
            },
          },
        });
        const late = await t.work.claim();
        expect(late && (await t.work.attempt(late)).outcome).toBeUndefined();
        expect(await t.work.item(t.anna, id)).toMatchObject({
          title: 'After',
          enrichment_status: 'succeeded',
        });
        await t.expectNamedFiles(id);
      },
    );

    it('leaves row and file in agreement where there is nothing but a picture', async () => {
      t.pages['/a'] = image('an image of before');
      const id = await t.work.save(t.anna, url);
      const { files } = t.work;
      let isOvertaken = false;
      await t.rework({
        page: {
          ...simpleReader,
          read: async (page) => ({ ...(await simpleReader.read(page)), html: '', text: '' }),
        },
        library: {
          requireWriter: async () => {},
          files: {
            ...files,
            put: async (key, data) => {
              if (!isOvertaken) {
                isOvertaken = true;
                await t.work.recover();
                t.pages['/a'] = image('an image of after');
                expect(await t.work.work()).toEqual(['done']);
              }
              return files.put(key, data);
            },
          },
        },
      });
      const late = await t.work.claim();
      expect(late && (await t.work.attempt(late)).outcome).toBeUndefined();
      expect((await t.work.item(t.anna, id)).snapshot_key).toBeNull();
      await t.expectNamedFiles(id);
    });

    it('does not say that the item has failed', async () => {
      t.pages['/a'] = { status: 404 };
      const id = await t.work.save(t.anna, url);
      const job = await t.work.claim();
      await t.store.jobs.releaseHolder('test');
      await t.store.jobs.keep([], { leaseMs: 600_000, maxCrashes: 3, suspectDelayMs: 0 });
      expect(job && (await t.work.attempt(job)).outcome).toBeUndefined();
      expect((await t.work.item(t.anna, id)).enrichment_status).toBe('pending');
    });
  });
});
