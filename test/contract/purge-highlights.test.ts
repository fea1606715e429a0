// Letting go of replicas: only of old ones, never of what something live stands on, and of nothing when it is only asked.
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { makeHighlight, makeWords, pageWork } from '../../src/highlights/make.ts';
import { type HighlightKind, highlightKinds } from '../../src/model/highlight.ts';
import type { UserRows } from '../../src/store/store.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { nothing } from '../support/highlights.ts';
import { randomText } from '../support/library.ts';
import { addUser } from '../support/reader.ts';
import {
  type AnyRow,
  allRows,
  parentOf,
  pick,
  requestOf,
  researchRequest,
  sync,
  turn,
} from '../support/sync-histories.ts';

const day = 24 * 3_600_000;
const words = (id: number, parent: number) => ({ id, parent, text: `said ${id}`, madeAt: 1 });
const paper = researchRequest('research', {
  resources: [{ id: 0, title: 'a paper', author: '' }],
  annotations: [0, 1].map((id) => ({ ...words(id, 0), color: null, boundary: 0 })),
  comments: [words(0, 0), words(1, 1)],
  notes: [words(0, 0)],
});

onEachEngine('a purge of replicas', (engine) => {
  let opened: Awaited<ReturnType<typeof openFreshStore>>;
  let people = 0;

  beforeAll(async () => {
    opened = await openFreshStore(engine);
    return () => opened.store.close();
  });

  const person = () => addUser(opened.store, `person ${people++}`);
  const rowsFor = (id: number) => allRows(opened.database, id);
  const now = () => opened.clock.now();
  const none = { resources: 0, annotations: 0, comments: 0, notes: 0 };

  it('lets go of what was deleted before a time, and of nothing that is there', async () => {
    const { id, rows } = await person();
    await sync(rows, paper);
    await sync(rows, { ...paper, snapshot: nothing });
    const [gone] = await rowsFor(id);
    const deletedAt = gone?.deleted_at as number;
    await sync(rows, paper);
    const before = await rowsFor(id);
    expect(await rows.replicas.purge(deletedAt, { dryRun: false })).toEqual(none);
    expect(await rowsFor(id)).toEqual(before);
    const all = { resources: 1, annotations: 2, comments: 2, notes: 1 };
    // Asked first, it says what it would do, and does nothing.
    expect(await rows.replicas.purge(deletedAt + 1, { dryRun: true })).toEqual(all);
    expect(await rowsFor(id)).toEqual(before);
    expect(await rows.replicas.purge(deletedAt + 1, { dryRun: false })).toEqual(all);
    expect(await rowsFor(id)).toEqual(before.filter((row) => row.deleted_at === null));
    expect(await rows.replicas.purge(deletedAt + 1, { dryRun: false })).toEqual(none);
  });

  it('keeps a replica that a person has said something about', async () => {
    const { id, rows } = await person();
    await sync(rows, paper);
    const [first] = await rows.highlights.list('annotations', { limit: 1 });
    const mine = await makeWords({ rows, randomText }, 'comments', {
      parentId: first?.id ?? 0,
      content: 'mine',
    });
    await sync(rows, { ...paper, snapshot: nothing });
    opened.clock.advance(100 * day);
    const purged = { resources: 0, annotations: 1, comments: 2, notes: 1 };
    expect(await rows.replicas.purge(now(), { dryRun: true })).toEqual(purged);
    expect(await rows.replicas.purge(now(), { dryRun: false })).toEqual(purged);
    expect(await rows.highlights.get('comments', mine.id)).toEqual(mine);
    expect((await rowsFor(id)).map(({ kind, id }) => [kind, id])).toContainEqual(['annotations', first?.id]);
    // And it goes back to its passage when that is there again.
    await sync(rows, paper);
    const [again] = await rows.highlights.list('annotations', { source: 'research', limit: 1 });
    expect((await rows.highlights.get('comments', mine.id)).annotationId).toBe(again?.id);
  });

  it('leaves a copy that was restored, and what others have', async () => {
    const [anna, berta] = [await person(), await person()];
    for (const { rows } of [anna, berta]) {
      await sync(rows, paper);
      await sync(rows, { ...paper, snapshot: nothing });
    }
    const [gone] = await anna.rows.replicas.deleted('annotations', undefined, 1);
    const { row } = await anna.rows.replicas.restore('annotations', gone?.id ?? 0, pageWork);
    const bertas = await rowsFor(berta.id);
    opened.clock.advance(100 * day);
    await anna.rows.replicas.purge(now(), { dryRun: false });
    expect(await anna.rows.highlights.get('annotations', row.id)).toEqual(row);
    expect((await rowsFor(anna.id)).filter(({ deleted_at }) => deleted_at !== null)).toEqual([]);
    expect(await rowsFor(berta.id)).toEqual(bertas);
  });

  it('goes through many in portions', async () => {
    const { id, rows } = await person();
    const many = { ...paper.snapshot, comments: [], notes: [] };
    const [one] = paper.snapshot.annotations;
    if (!one) throw new Error('there is no passage');
    const annotations = Array.from({ length: 1_100 }, (_, n) => ({ ...one, originalId: `${n}` }));
    await sync(rows, { ...paper, snapshot: { ...many, annotations } });
    await sync(rows, { ...paper, snapshot: nothing });
    opened.clock.advance(100 * day);
    const all = { ...none, annotations: 1_100, resources: 1 };
    expect(await rows.replicas.purge(now(), { dryRun: true })).toEqual(all);
    expect(await rows.replicas.purge(now(), { dryRun: false })).toEqual(all);
    expect(await rowsFor(id)).toEqual([]);
  });

  it('after any history lets go of exactly those that are old and that nothing left stands on', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { minLength: 6, maxLength: 14, size: 'max' }),
        fc.nat(1000),
        async (turns, when) => {
          const { id, rows } = await person();
          for (const { step } of turns) {
            opened.clock.advance(1_000);
            await take(rows, step);
          }
          const before = await rowsFor(id);
          const times = [...new Set(before.flatMap(({ deleted_at: at }) => (at === null ? [] : [at + 1])))];
          const until = pick(times, when) ?? now();
          // What is left of what is live and what is young is left, and so is what that stands on.
          const left = new Set<AnyRow>();
          const keep = (row: AnyRow | undefined) => {
            if (!row || left.has(row)) return;
            left.add(row);
            keep(parentOf(row, before));
          };
          for (const row of before) if (row.deleted_at === null || row.deleted_at >= until) keep(row);
          const counted = Object.fromEntries(
            highlightKinds.map((kind) => [
              kind,
              before.filter((row) => row.kind === kind && !left.has(row)).length,
            ]),
          );
          expect(await rows.replicas.purge(until, { dryRun: true })).toEqual(counted);
          expect(await rowsFor(id)).toEqual(before);
          expect(await rows.replicas.purge(until, { dryRun: false })).toEqual(counted);
          expect(await rowsFor(id)).toEqual(before.filter((row) => left.has(row)));
        },
      ),
      propertyRuns(10),
    );
  });

  async function take(rows: UserRows, step: Parameters<typeof requestOf>[0]): Promise<void> {
    const given = requestOf(step);
    if (given) await sync(rows, given.request);
    if (step.do === 'say') {
      const about = pick(await rows.highlights.list('annotations', { limit: 200 }), step.which);
      if (about) await makeWords({ rows, randomText }, 'comments', { parentId: about.id, content: 'mine' });
      else
        await makeHighlight(
          { rows, randomText },
          { url: 'https://example.org/0', text: 'mine', color: null, boundary: null, madeAt: null },
        );
    }
    if (step.do !== 'delete' && step.do !== 'restore') return;
    const kind: HighlightKind = step.kind;
    const found =
      step.do === 'delete'
        ? await rows.highlights.list(kind, { limit: 200 })
        : await rows.replicas.deleted(kind, undefined, 200);
    const row = pick<{ id: number }>(found, step.which);
    if (row && step.do === 'delete') await rows.highlights.delete(kind, row.id);
    if (row && step.do === 'restore') await rows.replicas.restore(kind, row.id, pageWork);
  }
});
