import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { opmlLimits } from '../../src/feeds/opml/limits.ts';
import {
  answerOf,
  type Client,
  foreignOrigin,
  jsonOf,
  openEmptyApi,
  type Sent,
  type TestApi,
} from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { fill, newFeed, published } from '../support/reader.ts';

interface Imported {
  created: number;
  existing: number;
  failed: number;
  groups_created: number;
  errors: { link: string; error: string }[];
  warnings: string[];
}

const feed = (link: string, name = 'T') => `<outline text="${name}" type="rss" xmlUrl="${link}"/>`;
const file = (body: string) => `<opml version="2.0"><head/><body>${body}</body></opml>`;
const many = (count: number) =>
  file(
    Array.from(
      { length: count / 100 },
      (_, group) =>
        `<outline text="Group ${group}">${Array.from({ length: 100 }, (_, n) =>
          feed(`https://host-${group}.example/feeds/${n}.xml`, `Feed ${group}.${n}`),
        ).join('\n')}</outline>`,
    ).join('\n'),
  );
const none = { created: 0, existing: 0, failed: 0, groups_created: 0, errors: [], warnings: [] };

onEachEngine('the OPML API', (engine) => {
  let api: TestApi;
  let anna: Client;

  beforeEach(async () => {
    api = await openEmptyApi(engine);
    await api.addUser('anna');
    anna = await api.logIn('anna');
  });

  async function send(
    body: Sent['body'],
    { query = '', headers, as = anna }: { query?: string; headers?: Sent['headers']; as?: Client } = {},
  ): Promise<Imported> {
    const response = await as.send('POST', `/api/opml${query}`, { body, ...(headers && { headers }) });
    expect(response.status).toBe(200);
    return (await jsonOf<{ data: Imported }>(response)).data;
  }

  async function listed(client = anna): Promise<[group: string, name: string, link: string][]> {
    const { data: groups } = await jsonOf<{ data: { id: number; name: string }[] }>(
      await client.get('/api/groups'),
    );
    const { data: feeds } = await jsonOf<{ data: { group_id: number; name: string; link: string }[] }>(
      await client.get('/api/feeds'),
    );
    const names = new Map(groups.map(({ id, name }) => [id, name]));
    return feeds.map(({ group_id, name, link }) => [names.get(group_id) ?? '', name, link]);
  }

  async function ownRows(name = 'anna') {
    const user = await api.opened.store.users.findByName(name);
    return { rows: api.opened.store.forUser(user?.id ?? 0) };
  }

  const exported = async (client = anna) => (await client.get('/api/opml')).text();

  it('follows the feeds of a file, in groups by its folders', async () => {
    const done = await send(
      file(`
        ${feed('https://top.example/', 'Top')}
        <outline text="Tech">${feed('feed://rust.example/rss', 'Rust')}
          <outline text="Databases">${feed('https://sql.example/', 'SQL')}${feed('javascript:1')}</outline>
        </outline>
        <outline text="Later"/>
        <outline text="Default">${feed('https://too.example/', 'Too')}</outline>
        ${feed('https://top.example/')}`),
    );
    expect(done).toEqual({
      created: 4,
      existing: 0,
      failed: 1,
      groups_created: 3,
      errors: [{ link: 'javascript:1', error: 'expected an http(s) address' }],
      warnings: ['https://top.example/ is in the file more than once'],
    });
    expect(await listed()).toEqual([
      ['Default', 'Top', 'https://top.example/'],
      ['Tech', 'Rust', 'http://rust.example/rss'],
      ['Tech / Databases', 'SQL', 'https://sql.example/'],
      ['Default', 'Too', 'https://too.example/'],
    ]);
    const { data: groups } = await jsonOf<{ data: { name: string }[] }>(await anna.get('/api/groups'));
    expect(groups.map(({ name }) => name)).toEqual(['Default', 'Tech', 'Tech / Databases', 'Later']);
  });

  it('says in a dry run what it would do, and does nothing', async () => {
    const { rows } = await ownRows();
    await rows.feeds.create(newFeed('https://there.example/'));
    const text = file(
      `<outline text="A">${feed('https://there.example/')}${feed('https://new.example/')}${feed('x:')}</outline>`,
    );
    const before = await api.rows();
    const planned = await send(text, { query: '?dry_run=true' });
    expect(planned).toMatchObject({ created: 1, existing: 1, failed: 1, groups_created: 1 });
    expect(await api.rows()).toEqual(before);
    expect(await send(text, { query: '?dry_run=false' })).toEqual(planned);
    expect((await anna.send('POST', '/api/opml?dry_run=maybe', { body: text })).status).toBe(400);
  });

  it('leaves what is there as it is', async () => {
    const { rows } = await ownRows();
    const mine = await rows.groups.create({ name: 'Mine' });
    await rows.feeds.create({ ...newFeed('https://a.example/'), groupId: mine.id, name: 'My name' });
    const done = await send(
      file(`<outline text="Theirs">${feed('https://a.example/', 'Their name')}</outline>`),
    );
    expect(done).toEqual({ ...none, existing: 1, groups_created: 1 });
    expect(await listed()).toEqual([['Mine', 'My name', 'https://a.example/']]);
  });

  it('names a feed without a name when it is first fetched, and keeps the name of the file otherwise', async () => {
    await send(file(`${feed('https://a.example/', '')}${feed('https://b.example/', 'B as I call it')}`));
    expect((await listed()).map(([, name]) => name)).toEqual(['https://a.example/', 'B as I call it']);
  });

  it('starts with the entries that others have of a feed already', async () => {
    await api.addUser('ben');
    const ben = await ownRows('ben');
    await ben.rows.feeds.create(newFeed('https://a.example/'));
    await fill(api.opened.store, 'https://a.example/', [published('one'), published('two')]);
    await send(file(feed('https://a.example/')));
    const { total } = await jsonOf<{ total: number }>(await anna.get('/api/items'));
    expect(total).toBe(2);
  });

  it('has every new feed fetched when the worker looks for what is due, and queues nothing itself', async () => {
    await send(many(200));
    const { total } = await api.opened.store.pulls.findDue(10, { restMs: 0 });
    expect(total).toBe(200);
    expect(await api.opened.store.jobs.list({ limit: 10 })).toEqual([]);
  });

  it('takes 10,000 feeds in one request, and none of them twice', async () => {
    expect(await send(many(10_000))).toEqual({ ...none, created: 10_000, groups_created: 100 });
    expect(await send(many(10_000))).toEqual({ ...none, existing: 10_000 });
    const { data, total } = await jsonOf<{ data: { name: string }[]; total: number }>(
      await anna.get('/api/feeds'),
    );
    expect(total).toBe(10_000);
    expect(new Set(data.map(({ name }) => name)).size).toBe(10_000);
    const links = (await exported()).match(/xmlUrl="[^"]+"/g) ?? [];
    expect(new Set(links).size).toBe(10_000);
  });

  it('lets others in while it is at it', async () => {
    let turns = 0;
    let isDone = false;
    const others = (async () => {
      for (; !isDone; turns += 1) await nextTurn();
    })();
    await send(many(1_000));
    isDone = true;
    await others;
    // A transaction is for 50 feeds, and reading stops every 500 tags.
    expect(turns).toBeGreaterThan(20);
  });

  it('goes on where it was ended half way', async () => {
    const text = many(1_000);
    const whole = api.opened.store;
    let portions = 0;
    const dying = api.again({
      store: {
        ...whole,
        forUser: (id: number) => {
          const rows = whole.forUser(id);
          const createMany: typeof rows.feeds.createMany = async (feeds) => {
            portions += 1;
            if (portions === 2) throw new Error('the process dies here');
            return rows.feeds.createMany(feeds);
          };
          return { ...rows, feeds: { ...rows.feeds, createMany } };
        },
      },
    });
    expect((await anna.at(dying).send('POST', '/api/opml', { body: text })).status).toBe(500);
    expect(await listed()).toHaveLength(500);
    expect(await send(text)).toEqual({ ...none, created: 500, existing: 500 });
    const groups = new Set((await listed()).map(([group]) => group));
    expect(groups.size).toBe(10);
  });

  it('counts whatever is wrong, and lists the first of very much', async () => {
    const bad = Array.from({ length: 1_200 }, (_, n) => feed(`ftp://a.example/${n}`));
    const twice = Array.from({ length: 1_200 }, () => feed('https://a.example/'));
    const { failed, errors, warnings } = await send(file([...bad, ...twice].join('')));
    expect([failed, errors.length, warnings.length]).toEqual([1_200, 1_000, 1_001]);
    expect(warnings.at(-1)).toBe('and 199 more like these');
  });

  it('can be asked for the same twice at once', async () => {
    const [one, other] = await Promise.all([send(many(300)), send(many(300))]);
    expect(one.created + other.created).toBe(300);
    expect(one.groups_created + other.groups_created).toBe(3);
    expect(one.existing + other.existing).toBe(300);
    expect(await listed()).toHaveLength(300);
  });

  describe('a body', () => {
    it.each([
      'text/x-opml',
      'text/xml',
      'application/xml; charset=utf-8',
      'application/octet-stream',
      'text/plain',
      undefined,
    ])('may have any type: %s', async (type) => {
      const body = new TextEncoder().encode(file(feed('https://a.example/', 'Ä')));
      await send(body, { headers: { 'Content-Type': type } });
      expect(await listed()).toEqual([['Default', 'Ä', 'https://a.example/']]);
    });

    it('may be in UTF-16, or in what its type says', async () => {
      await send(Buffer.from(`\ufeff${file(feed('https://a.example/', 'Д'))}`, 'utf16le'));
      await send(Buffer.from(file(feed('https://b.example/', '\u00c4')), 'latin1'), {
        headers: { 'Content-Type': 'text/xml; charset=windows-1251' },
      });
      expect((await listed()).map(([, name]) => name)).toEqual(['Д', 'Д']);
    });

    it.each<[body: Sent['body'], status: number, error: string]>([
      ['', 400, 'the file is empty'],
      ['<html></html>', 400, 'the file is a web page, not OPML'],
      [
        '<!DOCTYPE a [<!ENTITY a "&a;">]><opml><outline text="&a;"/></opml>',
        400,
        'the file declares entities that grow beyond measure',
      ],
      [
        new Uint8Array(opmlLimits.fileBytes + 1),
        413,
        `the body is too large: the limit is ${opmlLimits.fileBytes} bytes`,
      ],
    ])('that cannot be read is refused with a sentence: %#', async (body, status, error) => {
      const response = await anna.send('POST', '/api/opml', { body });
      expect(await answerOf(response)).toEqual({ status, body: { error } });
    });
  });

  it('takes an address inside as POST /api/feeds does: it is refused when it is fetched', async () => {
    const inside = 'http://127.0.0.1/feed';
    expect((await send(file(feed(inside)))).created).toBe(1);
    await api.addUser('ben');
    const ben = await api.logIn('ben');
    expect((await ben.post('/api/feeds', { link: inside })).status).toBe(200);
  });

  it('refuses an address that is longer than an index can hold, as POST /api/feeds does', async () => {
    // Letters that no compression makes shorter.
    const letters = Array.from({ length: 900 }, (_, n) =>
      String.fromCharCode(0x4e00 + ((n * 7919) % 20_000)),
    );
    const long = `https://a.example/${letters.join('')}`;
    expect((await send(file(feed(long)))).failed).toBe(1);
    expect((await anna.post('/api/feeds', { link: long })).status).toBe(400);
  });

  it('is for those who may change something', async () => {
    const body = file(feed('https://a.example/'));
    const reader = await api.program('anna', 'read');
    expect((await reader.send('POST', '/api/opml', { body })).status).toBe(403);
    expect((await reader.send('POST', '/api/opml?dry_run=true', { body })).status).toBe(403);
    expect((await reader.get('/api/opml')).status).toBe(200);
    // As a form on another site would send it, which browsers do without asking first.
    const foreign = { 'Content-Type': 'text/plain', Origin: foreignOrigin };
    expect((await anna.send('POST', '/api/opml', { body, headers: foreign })).status).toBe(403);
    expect(await listed()).toEqual([]);
    const writer = await api.program('anna', 'write');
    expect((await send(body, { as: writer })).created).toBe(1);
  });

  describe('the file that it gives', () => {
    it('has a name and a type, and everything that is yours', async () => {
      await api.addUser('ben');
      const ben = await api.logIn('ben');
      await send(file(feed('https://ben.example/')), { as: ben });
      await send(file(`${feed('https://a.example/', 'A &amp; B')}<outline text="Empty"/>`));
      const response = await anna.get('/api/opml');
      const day = new Date(api.clock.now()).toISOString().slice(0, 10);
      expect(response.headers.get('content-disposition')).toBe(`attachment; filename="lectern-${day}.opml"`);
      expect(response.headers.get('content-type')).toBe('text/x-opml; charset=utf-8');
      const text = await response.text();
      expect(text).toContain(`<dateCreated>${new Date(api.clock.now()).toUTCString()}</dateCreated>`);
      expect(text).toContain('text="A &amp; B" title="A &amp; B" type="rss" xmlUrl="https://a.example/"');
      expect(text).toContain('<outline text="Empty" title="Empty"/>');
      expect(text).not.toContain('ben');
      expect(text).not.toContain('anna');
    });

    it('brings another user the same groups and feeds, and its own user nothing', async () => {
      const { rows } = await ownRows();
      for (const name of ['A / B', 'A', 'A // B', 'a / / b', '/ odd', 'é & <ü>', 'x  /  y']) {
        const { id } = await rows.groups.create({ name });
        await rows.feeds.create({ ...newFeed(`https://example.org/${id}`), groupId: id, name: `In ${name}` });
      }
      await rows.groups.create({ name: 'Empty' });
      await rows.groups.create({ name: 'Empty / Inner' });
      await rows.feeds.create(newFeed('https://example.org/top'));
      const text = await exported();
      expect(await send(text)).toEqual({ ...none, existing: 8 });

      await api.addUser('ben');
      const ben = await api.logIn('ben');
      expect(await send(text, { as: ben })).toEqual({ ...none, created: 8, groups_created: 9 });
      expect(await exported(ben)).toBe(text);
    });

    it('leaves out a feed that was deleted, also while its entries are still being taken away', async () => {
      const { rows } = await ownRows();
      const { id, link } = await rows.feeds.create(newFeed('https://gone.example/'));
      const entries = Array.from({ length: 600 }, (_, n) => published(`e${n}`));
      await fill(api.opened.store, link, entries);
      await rows.feeds.delete(id);
      expect(await exported()).not.toContain('outline');
    });
  });
});
