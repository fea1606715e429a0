import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Plan, type PlanRules, type Present, startPlan } from './plan.ts';

interface Wanted {
  readonly originalId: string;
  readonly fullHash: string;
  readonly parentId: number | null | undefined;
}
type Rules = Omit<PlanRules<Wanted>, 'parentOf'>;

const all: Rules = { onMove: 'recreate', mayDelete: () => true };
const wanted = (originalId: string, fullHash = 'h', parentId: number | null | undefined = 1): Wanted => ({
  originalId,
  fullHash,
  parentId,
});
const present = (id: number, originalId: string, fullHash = 'h', parentId: number | null = 1): Present => ({
  id,
  originalId,
  fullHash,
  parentId,
});

/** The rows are met one at a time. */
function plan(records: readonly Wanted[], rows: readonly Present[], rules: Rules): Plan<Wanted> {
  const byId = new Map(records.map((record) => [record.originalId, record]));
  const planner = startPlan(byId, { ...rules, parentOf: ({ parentId }) => parentId });
  for (const row of rows) planner.meet([row]);
  return planner.finish();
}

describe('a plan', () => {
  it('makes what is not there, changes what differs, lets go of what has gone, and leaves the rest', () => {
    const made = wanted('new');
    const changed = wanted('changed', 'other');
    expect(
      plan(
        [made, changed, wanted('same')],
        [present(1, 'changed'), present(2, 'same'), present(3, 'gone')],
        all,
      ),
    ).toEqual({
      create: [made],
      update: [{ id: 1, record: changed }],
      delete: [present(3, 'gone')],
      unchanged: 1,
    });
  });

  it('takes what is part of something else for another row, or has the row move along', () => {
    const moved = wanted('a', 'h', 2);
    expect(plan([moved], [present(7, 'a')], all)).toEqual({
      create: [moved],
      update: [],
      delete: [present(7, 'a')],
      unchanged: 0,
    });
    expect(plan([moved], [present(7, 'a')], { ...all, onMove: 'update' })).toEqual({
      create: [],
      update: [{ id: 7, record: moved }],
      delete: [],
      unchanged: 0,
    });
  });

  it('lets go of nothing that it may not', () => {
    const rows = [present(1, 'a'), present(2, 'b', 'h', 5)];
    expect(plan([], rows, { ...all, mayDelete: ({ parentId }) => parentId === 5 }).delete).toEqual([rows[1]]);
    expect(plan([], rows, { ...all, mayDelete: () => false }).delete).toEqual([]);
  });

  it('takes no id for a name that objects have anyway', () => {
    const names = ['__proto__', 'constructor', 'toString', ''];
    const { create, unchanged } = plan(
      names.map((name) => wanted(name)),
      [present(1, '__proto__')],
      all,
    );
    expect(create.map(({ originalId }) => originalId)).toEqual(['constructor', 'toString', '']);
    expect(unchanged).toBe(1);
  });

  it('leads from any state to any other, and there to nothing more', () => {
    const state = fc.uniqueArray(
      fc.record({
        originalId: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
        fullHash: fc.constantFrom('x', 'y'),
        parentId: fc.constantFrom(1, 2, null),
      }),
      { selector: ({ originalId }) => originalId },
    );
    fc.assert(
      fc.property(
        state,
        state,
        fc.constantFrom('update' as const, 'recreate' as const),
        (before, after, onMove) => {
          const rules = { onMove, mayDelete: () => true };
          const rows = new Map<number, Present>(before.map((row, id) => [id, { ...row, id }]));
          const done = plan(after, [...rows.values()], rules);
          for (const { id } of done.delete) expect(rows.delete(id)).toBe(true);
          for (const { id, record } of done.update) rows.set(id, { ...record, id } as Present);
          for (const [n, record] of done.create.entries())
            rows.set(100 + n, { ...record, id: 100 + n } as Present);
          const byId = (a: { originalId: string }, b: { originalId: string }) =>
            a.originalId < b.originalId ? -1 : 1;
          expect([...rows.values()].map(({ id: _, ...row }) => row).sort(byId)).toEqual(
            [...after].sort(byId),
          );
          expect(done.create.length + done.update.length + done.unchanged).toBe(after.length);
          expect(plan(after, [...rows.values()], rules)).toEqual({
            create: [],
            update: [],
            delete: [],
            unchanged: after.length,
          });
        },
      ),
    );
  });
});
