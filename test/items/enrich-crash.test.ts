// A worker that is killed at every single step of its work, and what the next one finds: the row and the files agree
// again, nothing is doubled, and nothing that a person has is lost.
import { describe, expect, it } from 'vitest';
import { dyingWorker } from '../support/dying-worker.ts';
import { onEachEngine } from '../support/engines.ts';
import { pageOf } from '../support/enriching.ts';
import { image, useEnrichment } from '../support/enrichment-suite.ts';

onEachEngine('enrichment by workers that are killed', (engine) => {
  const t = useEnrichment(engine);
  const before = pageOf({ title: 'Before', image: '/before.png', body: '<p>What it was.' });
  const after = pageOf({ title: 'After', image: '/after.png', body: '<p>What it is.' });

  async function savedItem({ isOld }: { isOld: boolean }): Promise<number> {
    t.pages['/before.png'] = image('an image of before');
    t.pages['/after.png'] = image('an image of after');
    const id = await t.savePage(isOld ? before : after);
    if (!isOld) return id;
    await t.work.work();
    t.pages['/a'] = { body: after };
    await t.work.enrichAgain(t.anna, id);
    return id;
  }

  /** Returns whether it came to that step. */
  async function dieBefore(step: number): Promise<boolean> {
    const { deps, files } = t.work;
    const worker = dyingWorker(step);
    await t.rework({
      library: { files: worker.files(files), requireWriter: async () => {} },
      enrichments: worker.enrichments(t.store.enrichments),
    });
    const job = await t.work.claim();
    if (job) await t.work.attempt(job, worker.hasEnded);
    await t.rework({ library: deps.library, enrichments: deps.enrichments });
    if (worker.hasEnded()) await t.work.recover();
    return worker.hasEnded();
  }

  describe.each([
    ['a page that is new', false],
    ['a page that has a copy', true],
  ])('over %s', (_what, isOld) => {
    /** Each time with an item of its own, until the worker lives to the end. Returns how many steps it has. */
    async function atEachStep(look: (id: number) => Promise<void>): Promise<number> {
      for (let step = 1; ; step++) {
        const id = await savedItem({ isOld });
        const hasDied = await dieBefore(step);
        await look(id);
        await t.expectNamedFiles(id);
        // The address is free for the next one.
        await t.work.set(t.anna, id, { url_key: `gone ${id}` });
        if (hasDied) continue;
        expect(await t.work.check()).toMatchObject({ problems: [], orphans: [] });
        return step - 1;
      }
    }

    it('the next one repeats it without doubling anything, at whichever step it was', async () => {
      const steps = await atEachStep(async (id) => {
        await t.work.work();
        const row = await t.work.item(t.anna, id);
        expect(row).toMatchObject({ title: 'After', enrichment_status: 'succeeded' });
        expect(await t.work.text(`thumbnails/${t.anna}/${id}.jpg`)).toBe('a thumbnail of an image of after');
        expect(await t.work.text(`items/${id}/plain.txt`)).toBe('What it is.');
        expect(await t.work.claim()).toBeUndefined();
      });
      expect(steps).toBe(isOld ? 7 : 8);
    });

    it('row and files agree again when the page is gone by then', async () => {
      await atEachStep(async (id) => {
        t.pages['/a'] = { status: 404 };
        await t.work.work();
        const row = await t.work.item(t.anna, id);
        if (row.enrichment_status !== 'succeeded')
          expect(row).toMatchObject({ enrichment_status: 'failed', title: isOld ? 'Before' : '' });
        // What there was is not lost by a failure: the old copy or the new one, or of each file one of them.
        if (isOld) expect(row.text_sha256).not.toBeNull();
      });
    });

    it('row and files agree again when the item is deleted by then', async () => {
      await atEachStep(async (id) => {
        await t.work.set(t.anna, id, { deleted_at: 1, deleted_by: 'person' });
        await t.work.work();
      });
    });
  });
});
