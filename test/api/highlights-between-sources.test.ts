// Where what people make, what sources tell and what files bring meet: nobody takes away what is another's.
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { reconcile } from '../../src/highlights/reconcile.ts';
import type { Snapshot } from '../../src/model/highlight.ts';
import type { UserRows } from '../../src/store/store.ts';
import { answerOf, type Client, openApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { nothing } from '../support/highlights.ts';

const url = 'https://example.com/article';
const dayMs = 24 * 60 * 60 * 1000;

interface Row {
  readonly id: number;
  readonly content: string;
  readonly annotation_id: number;
}

onEachEngine('highlights of several sources', (engine) => {
  let api: TestApi;
  let people = 0;
  let client: Client;
  let rows: UserRows;

  beforeAll(async () => {
    api = await openApi(engine);
    await api.addUser('owner');
    return () => api.close();
  });

  beforeEach(async () => {
    const name = `person${people++}`;
    const { id } = await api.addUser(name);
    client = await api.program(name, 'write');
    rows = api.opened.store.forUser(id);
  });

  const send = async (path: string, body: object) => answerOf(await client.post(path, body));
  const made = async (path: string, body: object) => {
    const { status, body: answer } = await send(path, body);
    expect({ status, answer }).toMatchObject({ status: 201 });
    return (answer as { data: Row }).data;
  };
  const list = async (path: string) => {
    const { status, body } = await answerOf(await client.get(path));
    expect(status).toBe(200);
    return (body as { data: Row[] }).data;
  };
  const light = (highlights: object, source = 'light-m') => send('/api/light/sync', { source, highlights });
  const on = (page: string) => ({ [page]: [{ groupID: 1, repr: 'a passage' }] });
  const paper: Snapshot = {
    ...nothing,
    resources: [{ originalId: 'r', type: 'pdf', title: 'A paper' }],
    annotations: [
      { originalId: 'a', resource: 'r', text: 'a finding', color: null, boundary: null, madeAt: 1 },
    ],
  };
  const research = (snapshot: Snapshot) =>
    reconcile(rows, {
      source: 'research',
      kind: 'research',
      snapshot,
      extent: 'all',
      onMove: 'update',
      dryRun: false,
    });
  const clippings = (...texts: readonly string[]) =>
    texts
      .map(
        (text, n) =>
          `Walden (Henry David Thoreau)\n- Your Highlight on Location ${n + 1}-${n + 1} | Added on Monday, March 3, 2025 8:01:02 PM\n\n${text}\n==========\n`,
      )
      .join('');
  const importKindle = async (body: string) => {
    const path = '/api/highlights/import?kind=kindle';
    return answerOf(await client.send('POST', path, { body }));
  };

  it('nobody makes a row under the name of one that syncs', async () => {
    expect((await light(on(url))).status).toBe(200);
    const refused = await send('/api/annotations', { url, text: 'mine', external_id: 'light-m:2' });
    expect(refused).toMatchObject({ status: 409, body: { error: expect.stringContaining('"light-m"') } });
    expect(
      await send('/api/resources', { type: 'pdf', title: 'x', external_id: 'research:1' }),
    ).toMatchObject({ status: 400 });
  });

  it('none that begins to sync takes what others made under its name for deleted', async () => {
    const mine = await made('/api/annotations', { url, text: 'mine', external_id: 'light-m:2' });
    expect(await light({})).toMatchObject({ status: 409 });
    expect(await list('/api/annotations')).toMatchObject([{ id: mine.id }]);
  });

  it('a Light says nothing of what is no highlight', async () => {
    // As one that synced before and another tool that wrote beside it would leave them.
    await light(on(url));
    await api.opened.database.write((trx) =>
      trx.updateTable('sync_sources').set({ kind: 'kindle' }).where('source', '=', 'light-m').execute(),
    );
    await made('/api/resources', { type: 'pdf', title: 'A paper', external_id: 'light-m:paper' });
    await api.opened.database.write((trx) =>
      trx.updateTable('sync_sources').set({ kind: 'light' }).where('source', '=', 'light-m').execute(),
    );
    expect(await light({})).toMatchObject({ status: 200, body: { data: { annotations_deleted: 1 } } });
    expect(await list('/api/resources?type=pdf')).toHaveLength(1);
  });

  it('what another tool said about a passage goes with it to another page', async () => {
    await light(on(url));
    const [before] = await list('/api/annotations');
    await made('/api/comments', { annotation_id: before?.id, content: 'theirs', external_id: 'tool:1' });
    await light(on('https://example.com/moved'));
    const [after] = await list('/api/annotations');
    expect(after?.id).not.toBe(before?.id);
    expect(await list('/api/comments')).toMatchObject([{ annotation_id: after?.id, content: 'theirs' }]);
  });

  it.each(['json', 'markdown', 'w3c'])(
    '%s has what was said about what its source deleted',
    async (format) => {
      await research(paper);
      const [annotation] = await list('/api/annotations');
      const [resource] = await list('/api/resources');
      await made('/api/comments', { annotation_id: annotation?.id, content: 'my comment' });
      await made('/api/notes', { resource_id: resource?.id, content: 'my note' });
      await research(nothing);
      expect(await list('/api/annotations')).toEqual([]);
      const text = await (await client.get(`/api/highlights/export?format=${format}`)).text();
      expect(text).toContain('my comment');
      expect(text).toContain('my note');
    },
  );

  it('a file overwrites nothing that another has at the same place', async () => {
    expect((await importKindle(clippings('Alpha, the first.'))).status).toBe(200);
    const [alpha] = await list('/api/annotations');
    await made('/api/comments', { annotation_id: alpha?.id, content: 'of alpha' });
    await importKindle(clippings('Beta, another.'));
    expect(await list('/api/annotations')).toHaveLength(2);
    expect(await list('/api/comments')).toMatchObject([{ annotation_id: alpha?.id }]);
  });

  it('a large file is read in a thread, and one that is none is refused from there', async () => {
    const texts = Array.from({ length: 1_500 }, (_, n) => `Passage ${n} of a long file, which is long.`);
    const large = clippings(...texts);
    expect(large.length).toBeGreaterThan(100_000);
    expect(await importKindle(large)).toMatchObject({
      status: 200,
      body: { data: { annotations_created: 1_500 } },
    });
    expect(await importKindle('no clipping\n'.repeat(10_000))).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('no My Clippings.txt') },
    });
  });

  it('what a person deleted of a file is not brought back, also after old replicas were let go', async () => {
    await importKindle(clippings('Gone', 'Kept'));
    const [first] = await list('/api/annotations');
    expect((await client.delete(`/api/annotations/${first?.id}`)).status).toBe(204);
    await light(on(url));
    await light({});
    const purged = await rows.replicas.purge(api.clock.now() + dayMs, { dryRun: false });
    expect(purged).toMatchObject({ annotations: 1 });
    expect(await importKindle(clippings('Gone', 'Kept'))).toMatchObject({
      body: { data: { annotations_created: 0, left_out: 1 } },
    });
  });

  it.each([
    ['boundary', 'too deep', { boundary: JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)) }],
    ['boundary', 'too long', { boundary: 'x'.repeat(100_001) }],
    ['made_at', 'on no day', { made_at: '2026-02-31' }],
    ['made_at', 'with more behind', { made_at: '2026-03-12 (x)' }],
    ['made_at', 'without a zone', { made_at: '2026-03-12T10:00:00' }],
  ])('what is wrong with a %s is said: %s', async (field, _what, over) => {
    expect(await send('/api/annotations', { url, text: 'x', ...over })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining(field) },
    });
  });

  it.each(['deleted=true', 'include_deleted=true', 'updated_after=2026-01-01'])(
    'no filter is left out in silence beside %s',
    async (query) => {
      expect((await client.get(`/api/annotations?${query}`)).status).toBe(200);
      expect(await answerOf(await client.get(`/api/annotations?${query}&source=kindle`))).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(/^source: /) },
      });
    },
  );
});
