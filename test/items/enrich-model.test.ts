// Random histories of saved pages, against what the contract says of them: which state may follow which, whose title holds,
// one job for an item at most, and files that are what their row says.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NotFound } from '../../src/errors.ts';
import { enrichKey, enrichKind } from '../../src/items/enrich-kind.ts';
import { failAbandoned } from '../../src/items/fail-abandoned.ts';
import { enrichAgain, restoreItem } from '../../src/items/save-item.ts';
import { propertyRuns } from '../support/depth.ts';
import { dyingWorker } from '../support/dying-worker.ts';
import { onEachEngine } from '../support/engines.ts';
import { pageOf } from '../support/enriching.ts';
import { image, useEnrichment } from '../support/enrichment-suite.ts';

type Step =
  | { do: 'enrich' | 'delete' | 'restore' | 'clear the title'; item: number }
  | { do: 'give a title'; item: number; title: string }
  | { do: 'work'; page: 'there' | 'gone' | 'broken' }
  | { do: 'die'; before: number }
  | { do: 'lose the lease'; page: 'there' | 'gone' }
  | { do: 'look after' };

const items = 2;
const anyItem = fc.nat(items - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('enrich', 'delete', 'restore', 'clear the title'),
      item: anyItem,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('give a title'),
      item: anyItem,
      title: fc.constantFrom('Mine', 'Ours'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('work'),
      page: fc.constantFrom('there', 'there', 'gone', 'broken'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('die'), before: fc.integer({ min: 1, max: 8 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('lose the lease'), page: fc.constantFrom('there', 'gone') }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('look after') }) },
) as fc.Arbitrary<Step>;

/** What a worker, or upkeep, may make of a state; and a person. */
const byWork: Record<string, readonly string[]> = {
  pending: ['pending', 'succeeded', 'failed'],
  succeeded: ['succeeded'],
  failed: ['failed'],
};
const byPerson: Record<string, readonly string[]> = {
  pending: ['pending'],
  succeeded: ['succeeded', 'pending'],
  failed: ['failed', 'pending'],
};

onEachEngine('the life of a saved page', (engine) => {
  const t = useEnrichment(engine);

  it('keeps to the contract, whatever happens in whichever order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), (steps) => live(steps)),
      { ...propertyRuns(12), endOnFailure: true },
    );
  });

  async function live(steps: readonly Step[]): Promise<void> {
    await t.database.write(async (trx) => {
      for (const table of ['jobs', 'items'] as const) await trx.deleteFrom(table).execute();
    });
    t.pages['/i.png'] = image();
    const ids: number[] = [];
    for (let n = 0; n < items; n++)
      ids.push(await t.work.save(t.anna, `http://site.example/${n}`, n === 0 ? 'Mine' : ''));
    let version = 0;
    for (const one of steps) {
      version += 1;
      const before = await Promise.all(ids.map((id) => t.work.item(t.anna, id)));
      const isWork = ['work', 'die', 'lose the lease', 'look after'].includes(one.do);
      await take(one, ids, version);
      for (const [n, id] of ids.entries()) {
        const was = before[n];
        const is = await t.work.item(t.anna, id);
        if (!was) continue;
        const next = (isWork ? byWork : byPerson)[was.enrichment_status ?? ''];
        expect(next).toContain(is.enrichment_status);
        if (isWork && was.title_from === 'person')
          expect([is.title, is.title_from]).toEqual([was.title, was.title_from]);
        if (isWork && one.do !== 'look after' && was.deleted_at !== null)
          expect([is.title, is.enrichment_status]).toEqual([was.title, was.enrichment_status]);
        expect(is.enrichment_error === null).toBe(is.enrichment_status !== 'failed');
        const jobs = await unfinished(id);
        expect(jobs).toBeLessThanOrEqual(1);
        if (one.do === 'look after' && is.deleted_at === null && is.enrichment_status === 'pending')
          expect(jobs).toBe(1);
        // While a job has not ended, or has died and nobody has looked after it, the files may be ahead of the row.
        if (jobs === 0 && !(await isAbandoned(id)))
          await t.expectNamedFiles(id, { evenOthers: is.enrichment_status === 'failed' });
      }
    }
  }

  async function take(one: Step, ids: readonly number[], version: number): Promise<void> {
    const id = 'item' in one ? (ids[one.item] ?? 0) : 0;
    serve('page' in one ? one.page : 'there', version);
    const rows = t.store.forUser(t.anna);
    const ifThere = (error: unknown) => expect(error).toBeInstanceOf(NotFound);
    if (one.do === 'enrich') await enrichAgain(rows, id).catch(ifThere);
    else if (one.do === 'delete') await rows.items.delete(id).catch(ifThere);
    else if (one.do === 'restore') await restoreItem(rows, id);
    else if (one.do === 'give a title') await rows.items.change(id, { title: one.title }).catch(ifThere);
    else if (one.do === 'clear the title') await rows.items.change(id, { title: '' }).catch(ifThere);
    else if (one.do === 'look after')
      await failAbandoned({ enrichments: t.store.enrichments, library: { files: t.work.files } });
    else {
      t.clock.advance(3_600_000);
      if (one.do === 'work') await t.work.work();
      else if (one.do === 'die') await die(one.before);
      else await loseTheLease();
    }
  }

  function serve(page: 'there' | 'gone' | 'broken', version: number): void {
    for (let n = 0; n < items; n++)
      t.pages[`/${n}`] =
        page === 'there'
          ? { body: pageOf({ title: `Page ${version}`, image: '/i.png', body: `<p>Version ${version}.` }) }
          : { status: page === 'gone' ? 404 : 500 };
    t.pages['/i.png'] = image(`an image ${version}`);
  }

  async function die(before: number): Promise<void> {
    const { deps, files } = t.work;
    const worker = dyingWorker(before);
    await t.rework({
      library: { files: worker.files(files), requireWriter: async () => {} },
      enrichments: worker.enrichments(t.store.enrichments),
    });
    const job = await t.work.claim();
    if (job) await t.work.attempt(job, worker.hasEnded);
    await t.rework({ library: deps.library, enrichments: deps.enrichments });
    await t.work.recover();
  }

  /** Another worker does it meanwhile, and the first comes to its end after that. */
  async function loseTheLease(): Promise<void> {
    const late = await t.work.claim();
    await t.work.recover();
    await t.work.work();
    if (late) expect((await t.work.attempt(late)).outcome).toBeUndefined();
  }

  async function isAbandoned(id: number): Promise<boolean> {
    const abandoned = await t.store.enrichments.findAbandoned(enrichKind);
    return abandoned.some(({ item }) => item.itemId === id);
  }

  async function unfinished(id: number): Promise<number> {
    const jobs = await t.store.jobs.list({ name: enrichKind.name, limit: 1_000 });
    return jobs.filter(
      ({ uniqueKey, state }) => uniqueKey === enrichKey(id) && (state === 'waiting' || state === 'running'),
    ).length;
  }
});
