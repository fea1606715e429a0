// What a sync changes is noted for search in the same transaction, and nothing else is.
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Snapshot } from '../../src/model/highlight.ts';
import type { Database } from '../../src/store/database.ts';
import type { UserRows } from '../../src/store/store.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { nothing } from '../support/highlights.ts';
import { addUser } from '../support/reader.ts';
import { sync } from '../support/sync-histories.ts';

const passage = (originalId: string, text = 'a passage') => ({
  originalId,
  resource: 'r',
  text,
  color: null,
  boundary: null,
  madeAt: 1,
});
const base = {
  resources: [{ originalId: 'r', type: 'pdf', title: 'A paper' }],
  annotations: [passage('a'), passage('b'), passage('c')],
  comments: [{ originalId: 'c', annotation: 'a', content: 'said', madeAt: 1 }],
  notes: [{ originalId: 'n', resource: 'r', content: 'noted', madeAt: 1 }],
} as const satisfies Snapshot;

onEachEngine('a sync, for search', (engine) => {
  let database: Database;
  let rows: UserRows;
  let people = 0;
  let opened: Awaited<ReturnType<typeof openFreshStore>>;

  beforeAll(async () => {
    opened = await openFreshStore(engine);
    ({ database } = opened);
    return () => opened.store.close();
  });

  beforeEach(async () => {
    ({ rows } = await addUser(opened.store, `person ${people++}`));
    await bring(base);
  });

  const bring = (snapshot: Snapshot) =>
    sync(rows, {
      source: 'research',
      kind: 'research',
      snapshot,
      extent: 'all',
      onMove: 'update',
      dryRun: false,
    });

  /** The passages that are to be indexed anew after it, by what their source calls them. */
  async function notedBy(snapshot: Snapshot): Promise<string[]> {
    const before = await rows.highlights.list('annotations', { limit: 10 });
    await database.write((trx) => trx.deleteFrom('search_pending').execute());
    await bring(snapshot);
    const after = await rows.highlights.list('annotations', { limit: 10 });
    const noted = await database.read
      .selectFrom('search_pending')
      .select('ref_id')
      .where('kind', '=', 'annotation')
      .execute();
    const nameOf = (id: number) => [...before, ...after].find((row) => row.id === id)?.originalId ?? '';
    return noted.map(({ ref_id }) => nameOf(ref_id)).sort();
  }

  it.each<[string, Snapshot, string[]]>([
    ['nothing, when nothing has changed', base, []],
    [
      'a passage that is new, has changed or has gone',
      { ...base, annotations: [passage('a'), passage('b', 'other'), passage('d')] },
      ['b', 'c', 'd'],
    ],
    ['all, when all have gone', nothing, ['a', 'b', 'c']],
    [
      'a passage about which something else is said',
      { ...base, comments: [{ ...base.comments[0], content: 'otherwise' }] },
      ['a'],
    ],
    ['a passage about which nothing is said any longer', { ...base, comments: [] }, ['a']],
    [
      'a passage about which more is said',
      {
        ...base,
        comments: [...base.comments, { originalId: 'd', annotation: 'b', content: 'x', madeAt: 1 }],
      },
      ['b'],
    ],
    [
      'both passages, when what was said is about the other',
      { ...base, comments: [{ ...base.comments[0], annotation: 'b' }] },
      ['a', 'b'],
    ],
    [
      'every passage of what has another title',
      { ...base, resources: [{ ...base.resources[0], title: 'Renamed' }] },
      ['a', 'b', 'c'],
    ],
  ])('notes %s', async (_name, snapshot, expected) => {
    expect(await notedBy(snapshot)).toEqual(expected);
  });
});
