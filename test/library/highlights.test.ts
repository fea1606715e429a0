// "Delete the database; nothing is lost": a reader's highlights of all kinds, the replicas of what was deleted, what was had
// back, and what is known of the sources. From each engine into each.
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeHighlight, makeWords, pageWork } from '../../src/highlights/make.ts';
import { highlightKinds } from '../../src/model/highlight.ts';
import type { Target } from '../../src/store/open.ts';
import { type Client, TestApi } from '../support/api.ts';
import { TestClock } from '../support/clock.ts';
import { engines, useEngine } from '../support/engines.ts';
import { nothing } from '../support/highlights.ts';
import { folderFiles, openPair, randomText, reinflateInto, temporaryFolder } from '../support/library.ts';
import { allRows, lightRequest, researchRequest, sync } from '../support/sync-histories.ts';

const passage = (id: number, page: number, text = `passage ${id}`) => ({
  id,
  page,
  spelling: 0,
  text,
  color: id % 2 === 0 ? null : 'red',
  boundary: id,
  madeAt: id * 1_000,
});
const words = (id: number, parent: number) => ({ id, parent, text: `said ${id}`, madeAt: id });
const papers = researchRequest('research', {
  resources: [0, 1, 2].map((id) => ({ id, title: `paper ${id}`, author: 'somebody' })),
  annotations: [0, 1, 2].map((id) => ({ ...passage(id, 0), parent: id })),
  comments: [words(0, 0), words(1, 1)],
  notes: [words(0, 0), words(1, 2)],
});

/** Everything that can be asked about highlights. */
async function viewOf(client: Client) {
  const queries = ['limit=200', 'limit=200&deleted=true', 'limit=200&include_deleted=true'];
  const paths = [
    ...highlightKinds.flatMap((kind) => queries.map((query) => `/api/${kind}?${query}`)),
    '/api/highlights/summary',
    '/api/sync/sources',
    '/api/highlights/export?format=markdown',
    '/api/highlights/export?format=json',
    '/api/v1/items?limit=100',
  ];
  const answers: Record<string, string> = {};
  for (const path of paths) {
    const response = await client.get(path);
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    answers[path] = await response.text();
  }
  return answers;
}

describe.each(engines.flatMap((from) => engines.map((to) => [from, to] as const)))(
  'highlights, from %s into %s',
  (from, to) => {
    const [source, destination] = [useEngine(from), useEngine(to)];

    it('are as they were left, and go on as if nothing had been', async () => {
      const clock = new TestClock();
      const folder = await temporaryFolder();
      const files = await folderFiles(folder, clock);
      const open = async (target: Target) => {
        const pair = await openPair(target, files, clock);
        let closed: Promise<void> | undefined;
        const close = () => {
          closed ??= pair.close();
          return closed;
        };
        onTestFinished(close);
        return { ...pair, close, api: new TestApi({ ...pair, clock, target, files, folder }) };
      };

      const before = await open(await source.freshTarget());
      const anna = await before.api.addUser('anna');
      const client = await before.api.program('anna', 'write');
      const rows = before.store.forUser(anna.id);
      const live = async () => {
        clock.advance(1_000);
        await sync(rows, lightRequest('a_', [passage(1, 0), passage(2, 1), passage(3, 2)]));
        await sync(rows, papers);
        const own = { url: 'https://example.org/0', color: null, boundary: { n: [null, 'x'] }, madeAt: null };
        const mine = await makeHighlight({ rows, randomText }, { ...own, text: 'mine', comment: 'my words' });
        await makeWords({ rows, randomText }, 'notes', { parentId: mine.resourceId, content: 'my note' });
        for (const { id } of await rows.highlights.list('annotations', { source: 'a_', limit: 10 }))
          await makeWords({ rows, randomText }, 'comments', { parentId: id, content: 'about theirs' });
        await before.flush();
        // Changed, moved, gone, deleted by hand, and had back.
        clock.advance(1_000);
        await sync(rows, lightRequest('a_', [passage(1, 0, 'changed'), passage(2, 3)]));
        await sync(rows, { ...papers, snapshot: nothing });
        await sync(rows, papers);
        const [lost] = await rows.replicas.deleted('annotations', undefined, 1);
        await rows.replicas.restore('annotations', lost?.id ?? 0, pageWork);
        await rows.highlights.delete('annotations', mine.id);
        await rows.syncs.configure({ source: 'research', kind: 'research' }, { db_path: '/somewhere' });
        await rows.syncs.noteFailure({ source: 'a_', kind: 'light' }, 'it went wrong');
      };
      await live();
      await before.flush();
      const view = await viewOf(client);
      const hash = await before.store.stateHash();
      const all = await allRows(before.database, anna.id);
      await before.close();
      // It is all there to be lost.
      for (const kind of highlightKinds) {
        const own = all.filter((row) => row.kind === kind);
        expect(own.some((row) => row.deleted_at === null)).toBe(true);
        expect(own.some((row) => row.deleted_at !== null)).toBe(true);
      }
      for (const name of ['restored', 'lectern', 'web', 'a_', 'research'])
        expect(all.some((row) => row.source === name && row.deleted_at === null)).toBe(true);

      const target = await destination.freshTarget();
      await reinflateInto(target, files, { now: clock.now });
      const after = await open(target);
      expect(await after.store.stateHash()).toEqual(hash);
      expect(await allRows(after.database, anna.id)).toEqual(all);
      expect(await viewOf(client.at(after.api))).toEqual(view);

      // The next sync finds nothing new, and what comes now has an id that nothing has had.
      const again = after.store.forUser(anna.id);
      const { counts } = await sync(again, papers);
      for (const kind of highlightKinds)
        expect(counts[kind]).toMatchObject({ created: 0, updated: 0, deleted: 0 });
      await sync(again, lightRequest('a_', [passage(1, 0, 'changed'), passage(2, 3), passage(9, 0)]));
      const made = (await again.highlights.list('annotations', { source: 'a_', limit: 10 })).find(
        ({ originalId }) => originalId === '9',
      );
      const ids = all.filter(({ kind }) => kind === 'annotations').map(({ id }) => id);
      expect(made?.id).toBeGreaterThan(Math.max(...ids));
      const updates = all.map(({ updated_at }) => updated_at);
      expect(made?.updatedAt).toBeGreaterThan(Math.max(...updates));
    }, 60_000);
  },
);
