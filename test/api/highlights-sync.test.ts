// The two ways in for highlights that are made elsewhere, by the examples of their design: Light pushes, Research is read.
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { answerOf, type Client, jsonOf, openApi, type TestApi } from '../support/api.ts';
import { isDeep } from '../support/depth.ts';
import { onBothEngines } from '../support/engines.ts';
import { researchDatabase } from '../support/research-database.ts';
import { allRows } from '../support/sync-histories.ts';

const path = '/api/light/sync';
const article = 'https://example.com/article';

/** The request of the design, to the letter. */
const designed = `{
  "source": "light-macbook",
  "highlights": {
    "https://example.com/article": [
      {
        "groupID": 1766149301308,
        "repr": "highlighted text",
        "chunks": ["text snippet 1", "text snippet 2"],
        "date": "2025-12-19T13:01:41.308Z",
        "url": "https://example.com/article"
      }
    ]
  }
}`;

interface AnnotationJson {
  readonly id: number;
  readonly text: string;
  readonly external_id: string;
  readonly boundary: unknown;
  readonly resource: { readonly url: string; readonly id: number };
  readonly [field: string]: unknown;
}

const lightCounters = (over: object = {}) => ({
  data: {
    resources_created: 0,
    annotations_created: 0,
    annotations_updated: 0,
    annotations_deleted: 0,
    annotations_unchanged: 0,
    ...over,
  },
});
const researchCounters = (over: object = {}) => ({
  data: {
    ...Object.fromEntries(
      ['resources', 'annotations', 'comments', 'notes'].flatMap((kind) =>
        ['created', 'updated', 'deleted', 'unchanged'].map((what) => [`${kind}_${what}`, 0]),
      ),
    ),
    ...over,
  },
});

const passage = (groupID: unknown, over: object = {}) => ({ groupID, repr: `text ${groupID}`, ...over });

onBothEngines('highlights that are made elsewhere', (engine) => {
  let api: TestApi;
  let owner: Client;
  let people = 0;
  let client: Client;
  let userId: number;

  beforeAll(async () => {
    api = await openApi(engine);
    await api.addUser('owner');
    owner = await api.program('owner', 'admin');
    return () => api.close();
  });

  beforeEach(async () => {
    const name = `person${people++}`;
    userId = (await api.addUser(name)).id;
    client = await api.program(name, 'write');
  });

  const push = async (body: object, sender = client) => answerOf(await sender.post(path, body));
  const send = (body: string, headers = { 'Content-Type': 'application/json' }) =>
    client.send('POST', path, { body, headers });
  const pushed = async (highlights: object, over: object = {}) =>
    push({ source: 'light-macbook', highlights, ...over });
  const rowsNow = () => allRows(api.opened.database, userId);
  const list = async (query = '', reader = client) =>
    (await jsonOf<{ data: AnnotationJson[] }>(await reader.get(`/api/annotations?limit=200&${query}`))).data;
  const texts = async (query = '') => (await list(query)).map(({ text }) => text).sort();
  const sources = async (reader = client) =>
    (await jsonOf<{ data: Record<string, unknown>[] }>(await reader.get('/api/sync/sources'))).data;

  describe('by Light', () => {
    it('are taken by the request of the design, and answered by its five counters', async () => {
      const response = await send(designed);
      expect(response.status).toBe(200);
      expect(await jsonOf(response)).toEqual(lightCounters({ resources_created: 1, annotations_created: 1 }));
      const [made] = await list();
      expect(made).toEqual({
        id: expect.any(Number),
        source: 'light-macbook',
        external_id: 'light-macbook:1766149301308',
        in_step: true,
        content_hash: '1e197d79520502de464c104bd8477eb8d88f96243ea3765f745ace251b48356b',
        text: 'highlighted text',
        color: null,
        boundary: {
          groupID: 1766149301308,
          date: '2025-12-19T13:01:41.308Z',
          chunks: ['text snippet 1', 'text snippet 2'],
          url: article,
        },
        made_at: '2025-12-19T13:01:41.308Z',
        created_at: expect.any(String),
        updated_at: expect.any(String),
        deleted_at: null,
        resource_id: made?.resource.id,
        resource: {
          id: expect.any(Number),
          type: 'website',
          title: article,
          author: '',
          url: article,
          item_id: expect.any(Number),
        },
        comments: [],
      });
      expect(await answerOf(await send(designed))).toEqual({
        status: 200,
        body: lightCounters({ annotations_unchanged: 1 }),
      });
    });

    it('are created, updated, deleted and unchanged', async () => {
      await pushed({ [article]: [passage(1), passage(2), passage(3)] });
      expect(
        await pushed({
          [article]: [passage(1), passage(2, { repr: 'other' }), passage(4)],
          'https://x.org': [],
        }),
      ).toEqual({
        status: 200,
        body: lightCounters({
          resources_created: 1,
          annotations_created: 1,
          annotations_updated: 1,
          annotations_deleted: 1,
          annotations_unchanged: 1,
        }),
      });
      expect(await texts()).toEqual(['other', 'text 1', 'text 4']);
    });

    it('are another row on another page, and the old one a replica', async () => {
      await pushed({ [article]: [passage(1)] });
      const [before] = await list();
      expect((await pushed({ 'https://example.com/other': [passage(1)] })).body).toEqual(
        lightCounters({ resources_created: 1, annotations_created: 1, annotations_deleted: 1 }),
      );
      const [after] = await list();
      expect(after?.id).not.toBe(before?.id);
      expect(after?.resource.url).toBe('https://example.com/other');
      const history = await jsonOf<{ data: AnnotationJson[] }>(
        await client.get(`/api/annotations/${after?.id}/history`),
      );
      expect(history.data.map(({ id }) => id)).toEqual([after?.id, before?.id]);
    });

    it('are on one page, whatever its address is spelled like', async () => {
      const { body } = await pushed({
        [article]: [passage(1)],
        'http://EXAMPLE.com/article/?utm_source=x': [passage(2)],
        'https://example.com:443/article#part': [passage(3)],
      });
      expect(body).toEqual(lightCounters({ resources_created: 1, annotations_created: 3 }));
    });

    it('of one page alone leave the others in peace', async () => {
      await pushed({ [article]: [passage(1), passage(2)], 'https://example.com/b': [passage(3)] });
      const scope = 'http://example.com/article/';
      expect((await pushed({ [article]: [passage(2)] }, { scope })).body).toEqual(
        lightCounters({ annotations_deleted: 1, annotations_unchanged: 1 }),
      );
      expect(await texts()).toEqual(['text 2', 'text 3']);
      expect((await pushed({}, { scope })).body).toEqual(lightCounters({ annotations_deleted: 1 }));
      expect(await texts()).toEqual(['text 3']);
      expect((await pushed({}, { scope: 'https://example.com/never-seen' })).body).toEqual(lightCounters());
      expect(await texts()).toEqual(['text 3']);
    });

    it('of one page alone are refused when they are of another, and nothing is changed', async () => {
      await pushed({ [article]: [passage(1)] });
      const before = await rowsNow();
      const { status, body } = await pushed({ 'https://example.com/b': [] }, { scope: article });
      expect(status).toBe(400);
      expect(body).toEqual({ error: expect.stringContaining('highlights["https://example.com/b"]') });
      expect(await rowsNow()).toEqual(before);
    });

    it('may be asked about first: a dry run says what it would do, and does nothing', async () => {
      await pushed({ [article]: [passage(1), passage(2)] });
      const before = await rowsNow();
      const counted = { annotations_created: 1, annotations_updated: 1, annotations_deleted: 1 };
      const next = { [article]: [passage(2, { repr: 'other' }), passage(3)] };
      expect((await pushed(next, { dry_run: true })).body).toEqual(
        lightCounters({
          ...counted,
          plan: {
            annotations: {
              create: ['light-macbook:3'],
              update: ['light-macbook:2'],
              delete: ['light-macbook:1'],
            },
          },
        }),
      );
      expect(await rowsNow()).toEqual(before);
      expect((await pushed(next, { dry_run: false })).body).toEqual(lightCounters(counted));
    });

    it.each([
      ['missing', '{"source":"light-macbook"}'],
      ['null', '{"source":"light-macbook","highlights":null}'],
      ['a list', '{"source":"light-macbook","highlights":[]}'],
      ['text', '{"source":"light-macbook","highlights":"{}"}'],
      ['a number', '{"source":"light-macbook","highlights":0}'],
    ])('are not taken for none when they are %s: 400, and nothing is changed', async (_name, body) => {
      await pushed({ [article]: [passage(1)] });
      const before = await rowsNow();
      const answer = await answerOf(await send(body));
      expect(answer).toEqual({ status: 400, body: { error: expect.stringMatching(/^highlights: /) } });
      expect(await rowsNow()).toEqual(before);
    });

    it.each(['', '{', '[]', 'null', '"x"', '{"source":"light-macbook","highlights":{"a":[{}'])(
      'are refused when the body makes no sense: %j',
      async (body) => {
        await pushed({ [article]: [passage(1)] });
        const before = await rowsNow();
        expect((await send(body)).status).toBe(400);
        expect(await rowsNow()).toEqual(before);
      },
    );

    it('are all deleted by an empty object, which is not a mistake', async () => {
      await pushed({ [article]: [passage(1), passage(2)] });
      expect(await pushed({})).toEqual({ status: 200, body: lightCounters({ annotations_deleted: 2 }) });
      expect(await texts()).toEqual([]);
      expect(await list('deleted=true')).toHaveLength(2);
    });

    it('are refused whole when one of them makes no sense', async () => {
      await pushed({ [article]: [passage(1)] });
      const before = await rowsNow();
      for (const wrong of [2 ** 53, 1.5, '', null, undefined, {}, [], true]) {
        const { status, body } = await pushed({ [article]: [passage(1, { repr: 'new' }), passage(wrong)] });
        expect(status).toBe(400);
        expect(body).toEqual({ error: expect.stringContaining(`highlights["${article}"][1].groupID`) });
      }
      // What has lost its last digits on the way would be its neighbour.
      const response = await send(designed.replace('1766149301308,', '9007199254740993,'));
      expect(response.status).toBe(400);
      expect(await rowsNow()).toEqual(before);
    });

    it('may be called by large numbers and by texts', async () => {
      const ids = [
        Number.MAX_SAFE_INTEGER,
        -7,
        0,
        '9007199254740993',
        '9007199254740992',
        'loc_1:2%',
        "'; --",
      ];
      const { body } = await pushed({ [article]: ids.map((id) => passage(id)) });
      expect(body).toEqual(lightCounters({ resources_created: 1, annotations_created: ids.length }));
      expect((await list()).map(({ external_id }) => external_id).sort()).toEqual(
        ids.map((id) => `light-macbook:${id}`).sort(),
      );
    });

    it('that are sent twice are one: the later one, in whatever order', async () => {
      const old = passage(7, { repr: 'old', date: '2025-01-01T00:00:00Z' });
      const later = passage(7, { repr: 'later', date: '2025-01-02T00:00:00Z' });
      expect((await pushed({ [article]: [later, old, passage('7', old)] })).body).toEqual(
        lightCounters({ resources_created: 1, annotations_created: 1 }),
      );
      expect(await texts()).toEqual(['later']);
      expect((await pushed({ 'https://example.com/b': [old], [article]: [later] })).body).toEqual(
        lightCounters({ resources_created: 1, annotations_unchanged: 1 }),
      );
      for (const both of [
        [passage(8, { repr: 'x' }), passage(8, { repr: 'y' })],
        [passage(8, { repr: 'y' }), passage(8, { repr: 'x' })],
      ])
        await pushed({ [article]: both });
      expect(await list('deleted=true')).toHaveLength(1);
    });

    it('keep whatever characters they have', async () => {
      const odd = [
        'rtl \u202e\u05d0\u05d1\u200f marks',
        'e\u0301 is not \u00e9',
        '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
        '\ufeff\u2028\u2029\u0085',
        '"\\u0000" \\ \' %_ </script>',
        ' \t\n ',
      ];
      const url = 'https://example.com/\u05d0?q=\u{1f468}\u200d\u{1f469}';
      const source = 'light \u202e \u{1f468}\u200d\u{1f469} e\u0301';
      const highlights = { [url]: odd.map((text, n) => passage(n, { repr: text, chunks: [text] })) };
      expect((await push({ source, highlights })).body).toEqual(
        lightCounters({ resources_created: 1, annotations_created: odd.length }),
      );
      const made = await list(`source=${encodeURIComponent(source)}`);
      expect(made.map(({ text }) => text).sort()).toEqual([...odd].sort());
      for (const { text, boundary } of made) expect(boundary).toMatchObject({ chunks: [text] });
      expect((await push({ source, highlights })).body).toEqual(
        lightCounters({ annotations_unchanged: odd.length }),
      );
    });

    it('lose what no engine can keep, and are the same the next time', async () => {
      const highlights = {
        'https://example.com/\u0000\ud800': [
          passage('a\u0000\udfff', {
            repr: 'nul \u0000 half \ud83d',
            chunks: ['\u0000', '\ud800'],
            date: '\u0000',
          }),
        ],
        'file:///\u0000\ud800': [passage('b')],
      };
      expect((await pushed(highlights)).body).toEqual(
        lightCounters({ resources_created: 2, annotations_created: 2 }),
      );
      expect(await texts()).toEqual(['nul  half \ufffd', 'text b']);
      expect((await pushed(highlights)).body).toEqual(lightCounters({ annotations_unchanged: 2 }));
      expect(
        (await pushed({ 'file:///\u0000\ud800': [passage('b')] }, { scope: 'file:///\u0000\ud800' })).body,
      ).toEqual(lightCounters({ annotations_unchanged: 1 }));
    });

    it('may be on pages whose addresses are names of every object, or long', async () => {
      const long = (n: number) =>
        `https://example.com/${Array.from({ length: 700 }, (_, k) => (k * 7919 + n) % 9973).join('/')}`;
      const urls = [
        '__proto__',
        'constructor',
        'hasOwnProperty',
        'file:///a b',
        long(1),
        long(2),
        `x:${long(3)}`,
      ];
      const body = `{"source":"a","highlights":{${urls
        .map((url, n) => `${JSON.stringify(url)}:[{"groupID":${n},"repr":"x"}]`)
        .join()}}}`;
      for (const expected of [
        lightCounters({ resources_created: urls.length, annotations_created: urls.length }),
        lightCounters({ annotations_unchanged: urls.length }),
      ])
        expect(await answerOf(await send(body))).toEqual({ status: 200, body: expected });
      expect((await list()).map(({ resource }) => resource.url).sort()).toEqual([...urls].sort());
    });

    it('of 20 MB are taken, and compared in portions', async () => {
      const count = isDeep ? 4_500 : 1_500;
      const words = 'x'.repeat(20_250_000 / count);
      const highlights = {
        [article]: Array.from({ length: count }, (_, n) => passage(n, { repr: `${n} ${words}` })),
      };
      expect((await pushed(highlights)).body).toEqual(
        lightCounters({ resources_created: 1, annotations_created: count }),
      );
      expect((await pushed(highlights)).body).toEqual(lightCounters({ annotations_unchanged: count }));
      highlights[article]?.splice(0, count - 1);
      expect((await pushed(highlights)).body).toEqual(
        lightCounters({ annotations_deleted: count - 1, annotations_unchanged: 1 }),
      );
    });

    it.each(['a', 'a_', 'A', 'a:b', '%', '__proto__'])(
      'of other sources stay when %s says that it has none',
      async (source) => {
        const all = ['a', 'a_', 'A', 'a:b', '%', 'ab', '__proto__', 'a%'];
        for (const one of all)
          await push({ source: one, highlights: { [article]: [passage(1), passage('b:1')] } });
        expect((await push({ source, highlights: {} })).body).toEqual(
          lightCounters({ annotations_deleted: 2 }),
        );
        const left = (await list()).map(({ external_id }) => external_id).sort();
        expect(left).toEqual(
          all
            .filter((one) => one !== source)
            .flatMap((one) => [`${one}:1`, `${one}:b:1`])
            .sort(),
        );
      },
    );

    it.each(['lectern', 'restored', 'web', 'research', 'kindle', 'readwise', 'hypothesis', 'koreader'])(
      'cannot come under the name %s',
      async (source) => {
        expect(await push({ source, highlights: {} })).toEqual({
          status: 400,
          body: { error: expect.stringContaining(`source: "${source}"`) },
        });
      },
    );

    it.each([[undefined], [null], [''], [' '], [7], ['x'.repeat(201)], ['a\u0000']])(
      'need the name of their source: %# %j',
      async (source) => {
        const { status, body } = await push({ source, highlights: {} });
        expect({ status, body }).toEqual({
          status: 400,
          body: { error: expect.stringMatching(/^source: /) },
        });
      },
    );

    it('cannot come under a name that something else keeps in step', async () => {
      const { rows } = { rows: api.opened.store.forUser(userId) };
      await rows.syncs.configure({ source: 'paper', kind: 'kindle' }, {});
      const before = await rowsNow();
      expect(await push({ source: 'paper', highlights: { [article]: [passage(1)] } })).toEqual({
        status: 409,
        body: { error: expect.stringContaining('"paper" is kept in step by kindle') },
      });
      expect(await rowsNow()).toEqual(before);
    });

    it('need a token that may write, and somebody who is known', async () => {
      const reader = await api.program(`person${people - 1}`, 'read');
      expect((await reader.post(path, JSON.parse(designed))).status).toBe(403);
      expect((await api.visitor().post(path, JSON.parse(designed))).status).toBe(401);
      expect(await rowsNow()).toEqual([]);
    });

    it('are of the one whose token it is', async () => {
      await pushed({ [article]: [passage(1)] });
      const name = `person${people++}`;
      await api.addUser(name);
      const other = await api.program(name, 'write');
      expect((await push({ source: 'light-macbook', highlights: {} }, other)).body).toEqual(lightCounters());
      expect(await list('', other)).toEqual([]);
      expect(await texts()).toEqual(['text 1']);
    });

    it('are told of among the sources', async () => {
      await pushed({ [article]: [passage(1)] });
      const none = { created: 0, updated: 0, deleted: 0, unchanged: 0 };
      expect(await sources()).toEqual([
        {
          source: 'light-macbook',
          kind: 'light',
          config: {},
          last_sync_at: new Date(api.clock.now()).toISOString(),
          last_error: '',
          last_error_at: null,
          counts: {
            resources: { ...none, created: 1 },
            annotations: { ...none, created: 1 },
            comments: none,
            notes: none,
          },
        },
      ]);
    });
  });

  describe('in Research', () => {
    const configure = async (db_path: unknown, sender = owner) =>
      answerOf(await sender.post('/api/research/config', { db_path }));
    const synced = async () => answerOf(await owner.post('/api/research/sync', {}));

    beforeEach(async () => {
      // The owner is one for all tests.
      await api.opened.database.write(async (trx) => {
        for (const table of ['comments', 'notes', 'annotations', 'resources', 'sync_sources'] as const)
          await trx.deleteFrom(table).execute();
      });
    });

    it('have their file remembered', async () => {
      expect(await answerOf(await owner.get('/api/research/config'))).toEqual({
        status: 200,
        body: { data: { db_path: null, last_sync_at: null } },
      });
      expect(await configure('/somewhere/research.db')).toEqual({
        status: 200,
        body: { data: { db_path: '/somewhere/research.db', last_sync_at: null } },
      });
      expect(await answerOf(await owner.get('/api/research/config'))).toEqual({
        status: 200,
        body: { data: { db_path: '/somewhere/research.db', last_sync_at: null } },
      });
    });

    it.each([[undefined], [null], [''], [7], ['research.db'], ['./research.db'], [['/a']]])(
      'need the whole path of their file: %# %j',
      async (db_path) => {
        expect(await configure(db_path)).toEqual({
          status: 400,
          body: { error: expect.stringContaining('db_path') },
        });
      },
    );

    it("db_path is refused inside Lectern's home, when it is set and when it is read", async () => {
      const inside = join(api.opened.folder, 'research.db');
      const refused = { status: 400, body: { error: expect.stringMatching(/^db_path: .*LECTERN_HOME/) } };
      expect(await configure(inside)).toEqual(refused);
      const link = join(mkdtempSync(join(tmpdir(), 'lectern-test-')), 'research.db');
      onTestFinished(() => rmSync(dirname(link), { recursive: true }));
      expect(await configure(link)).toMatchObject({ status: 200 });
      writeFileSync(inside, '');
      symlinkSync(inside, link);
      expect(await synced()).toEqual(refused);
    });

    it('are not read before it is known where they are', async () => {
      expect(await synced()).toEqual({ status: 409, body: { error: expect.stringContaining('db_path') } });
    });

    it('are answered by the sixteen counters of the design', async () => {
      const file = researchDatabase();
      await configure(file.path);
      expect(await synced()).toEqual({
        status: 200,
        body: researchCounters({
          resources_created: 2,
          annotations_created: 2,
          comments_created: 1,
          notes_created: 1,
        }),
      });
      file.run(`UPDATE items SET title = 'A changed paper' WHERE id = 'i1';
        UPDATE annotations SET deleted_at = '2026-01-01' WHERE id = 'a2';
        UPDATE comments SET content = 'said otherwise';
        DELETE FROM notes;
        INSERT INTO notes VALUES ('n2', 'i1', 'new', NULL)`);
      expect(await synced()).toEqual({
        status: 200,
        body: researchCounters({
          resources_updated: 1,
          resources_unchanged: 1,
          annotations_deleted: 1,
          annotations_unchanged: 1,
          comments_updated: 1,
          notes_created: 1,
          notes_deleted: 1,
        }),
      });
      const at = new Date(api.clock.now()).toISOString();
      expect(await answerOf(await owner.get('/api/research/config'))).toEqual({
        status: 200,
        body: { data: { db_path: file.path, last_sync_at: at } },
      });
      const [made] = await list('source=research', owner);
      expect(made).toMatchObject({
        external_id: 'research:a1',
        text: 'a passage',
        color: '#ff0',
        boundary: { pageNumber: 3, position: { boundingRect: { pageNumber: 3 } }, source: 'research' },
        resource: { type: 'pdf', title: 'A changed paper', url: '', item_id: null },
        comments: [{ content: 'said otherwise', external_id: 'research:c1' }],
      });
    });

    it('stay when their file cannot be read, and it is said why', async () => {
      const file = researchDatabase();
      await configure(file.path);
      await synced();
      const goodAt = new Date(api.clock.now()).toISOString();
      const ownerId = (await api.opened.store.users.findByName('owner'))?.id ?? 0;
      const before = await allRows(api.opened.database, ownerId);
      api.clock.advance(60_000);
      for (const spoil of [() => writeFileSync(file.path, 'no database'), () => rmSync(file.path)]) {
        spoil();
        const { status, body } = await synced();
        expect(status).toBeGreaterThanOrEqual(400);
        const { error } = body as { error: string };
        expect(error).toContain(file.path);
        expect(await allRows(api.opened.database, ownerId)).toEqual(before);
        expect(await sources(owner)).toEqual([
          expect.objectContaining({
            source: 'research',
            kind: 'research',
            config: { db_path: file.path },
            last_sync_at: goodAt,
            last_error: error,
            last_error_at: new Date(api.clock.now()).toISOString(),
          }),
        ]);
      }
    });

    it('are the business of the owner', async () => {
      expect((await client.get('/api/research/config')).status).toBe(403);
      expect((await configure('/a', client)).status).toBe(403);
      expect((await client.post('/api/research/sync', {})).status).toBe(403);
      const writer = await api.program('owner', 'write');
      expect((await writer.get('/api/research/config')).status).toBe(403);
      expect((await configure('/a', writer)).status).toBe(403);
      expect((await writer.post('/api/research/sync', {})).status).toBe(403);
    });
  });
});
