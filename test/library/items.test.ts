// Saved items survive the loss of the index: rows, kept copies and pictures, on a folder and on S3, from each engine into
// the other; and what was still to be fetched is fetched.
import { beforeEach, describe, expect, it } from 'vitest';
import { enrichPending } from '../../src/items/enrich-pending.ts';
import { checkLibrary } from '../../src/library/check.ts';
import type { Files } from '../../src/library/files/files.ts';
import type { Target } from '../../src/store/open.ts';
import { TestClock } from '../support/clock.ts';
import { type Engine, useEngine } from '../support/engines.ts';
import { createEnriching, pageOf } from '../support/enriching.ts';
import { changeItem, findItem, keepCopy, saveItem } from '../support/items.ts';
import { onEachLibrary, openFreshFiles } from '../support/libraries.ts';
import { type OpenedPair, openPair, reinflateInto } from '../support/library.ts';
import { createWorld } from '../support/outbound.ts';
import { addUser } from '../support/reader.ts';

const ways = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const;

onEachLibrary('saved items after the loss of the index', (library) => {
  describe.each(ways)('from %s into %s', (from, to) => {
    const [source, destination]: [Engine, Engine] = [useEngine(from), useEngine(to)];
    let clock: TestClock;
    let files: Files;

    beforeEach(async () => {
      clock = new TestClock();
      files = await openFreshFiles(library);
    });

    const within = async <T>(target: Target, work: (pair: OpenedPair) => Promise<T>): Promise<T> => {
      const pair = await openPair(target, files, clock);
      try {
        return await work(pair);
      } finally {
        await pair.flush();
        await pair.close();
      }
    };

    const textOf = async (key: string) => Buffer.from((await files.read(key)) ?? []).toString();
    const check = async ({ store }: OpenedPair) =>
      checkLibrary(files, (table) => store.durableRows(table), {
        readData: true,
        lastSet: await store.journal.findLastSet(),
      });

    async function fill({ store, database }: OpenedPair) {
      const { id: userId } = await addUser(store, 'anna', 'owner');
      const collection = await database.write((trx) =>
        trx
          .insertInto('collections')
          .values({ user_id: userId, parent_id: null, name: 'Birds', created_at: 1, updated_at: 1 })
          .returning('id')
          .executeTakeFirstOrThrow(),
      );
      const read = await saveItem(database, userId, 'https://example.org/heron', {
        title: 'Heron',
        collection_id: collection.id,
        tags: ['birds', 'water'],
      });
      const copy = await keepCopy(files, { id: read, userId }, { text: 'A heron.', thumbnail: 'jpeg' });
      await changeItem(database, read, { ...copy, enrichment_status: 'succeeded', enriched_at: 5 });
      const pending = await saveItem(database, userId, 'http://site.example/egret');
      const deleted = await saveItem(database, userId, 'https://example.org/gone', { deleted_at: 5 });
      return { userId, read, pending, deleted };
    }

    it('are all there, whole, and those that are pending are fetched', async () => {
      const { ids, hash } = await within(await source.freshTarget(), async (pair) => {
        const filled = await fill(pair);
        return { ids: filled, hash: (await pair.store.stateHash()).hash };
      });
      const target = await destination.freshTarget();
      await reinflateInto(target, files);
      await within(target, async (pair) => {
        const { store, database } = pair;
        expect((await store.stateHash()).hash).toBe(hash);
        expect(await check(pair)).toMatchObject({ files: 5, problems: [], orphans: [] });
        const { snapshot_key, thumbnail_key } = await findItem(database, ids.read);
        expect(await textOf(`${snapshot_key}/plain.txt`)).toBe('A heron.');
        expect(await textOf(`thumbnails/${thumbnail_key}`)).toBe('jpeg');
        const world = createWorld({ now: clock.now });
        await world.site('site.example', (_request, response) =>
          response.writeHead(200, { 'content-type': 'text/html' }).end(pageOf({ title: 'Egret' })),
        );
        const enriching = await createEnriching({ store, database, clock }, world, { files });
        expect(await enrichPending(store)).toBe(1);
        await enriching.work();
        expect(await findItem(database, ids.pending)).toMatchObject({
          title: 'Egret',
          enrichment_status: 'succeeded',
        });
        expect(await textOf(`items/${ids.pending}/plain.txt`)).toBe('Some words.');
        // What was given an id before never gives it to another.
        expect(await saveItem(database, ids.userId, 'https://example.org/new')).toBeGreaterThan(ids.deleted);
      });
    });

    it('show it when a file of theirs is missing or is not what was kept', async () => {
      await within(await source.freshTarget(), async (pair) => {
        const { read, userId } = await fill(pair);
        await pair.flush();
        const copy = `items/${read}/readable.html`;
        const picture = `thumbnails/${userId}/${read}.jpg`;
        await files.put(copy, '<p>An egret.</p>');
        await files.delete(picture);
        expect((await check(pair)).problems).toEqual([
          { key: copy, what: 'its hash is not the one that its row has' },
          { key: picture, what: 'it is missing' },
        ]);
        await files.delete(copy);
        await files.put(picture, 'gif');
        expect((await check(pair)).problems).toEqual([
          { key: copy, what: 'it is missing' },
          { key: picture, what: 'its hash is not the one that its row has' },
        ]);
      });
    });
  });
});
