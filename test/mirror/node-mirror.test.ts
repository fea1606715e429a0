// Raindrops on Node: each brings an item, with what belongs to it, and takes along what it brought.
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { saveItem } from '../../src/items/save-item.ts';
import { checkLibrary } from '../../src/library/check.ts';
import { takeInRaindrops } from '../../src/mirror/node/reinflate.ts';
import type { Item } from '../../src/model/item.ts';
import { searchText } from '../../src/search/search-text.ts';
import { TestApi } from '../support/api.ts';
import { TestClock } from '../support/clock.ts';
import { onEachEngine } from '../support/engines.ts';
import { folderFiles, reinflateInto, temporaryFolder } from '../support/library.ts';
import { indexItems, openMirror } from '../support/mirror-node.ts';
import { type RaindropServer, startRaindropServer } from '../support/raindrop-server.ts';

onEachEngine('the mirror on Node', (engine) => {
  let clock: TestClock;
  let server: RaindropServer;
  let folder: string;
  type Mirror = Awaited<ReturnType<typeof openMirror>>;
  let mirror: Mirror;

  beforeEach(async () => {
    clock = new TestClock(Date.parse('2026-03-01T05:15:00Z'));
    server = await startRaindropServer({ now: clock.now });
    folder = await temporaryFolder();
    mirror = await openMirror(await engine.emptyDatabase(), await folderFiles(folder, clock), server, clock);
    onTestFinished(async () => {
      await mirror.end();
      await server.close();
    });
  });

  const items = async (): Promise<Item[]> => mirror.rows.items.list({ limit: 500 });
  const itemAt = async (url: string) => (await items()).find((item) => item.url === url);
  const found = async (q: string) => {
    await mirror.index();
    const { hits } = await searchText(
      { ...mirror, now: clock.now },
      { userId: mirror.userId, q, limit: 100 },
    );
    return hits.map(({ title }) => title).sort();
  };

  it('brings items that are there at once, with tags, collection, star, text and permanent copy', async () => {
    const sea = server.account.addCollection({ title: 'Sea' });
    const mud = server.account.addCollection({ title: 'Mud', parentId: sea._id });
    server.account.add({
      link: 'https://example.org/tide?utm_source=x',
      title: 'Low water',
      excerpt: 'Of tides',
      note: 'walk there in May',
      tags: ['Sea', 'two  words'],
      domain: 'example.org',
      important: true,
      collectionId: mud._id,
      created: '2024-05-06T07:08:09.000Z',
      copy: { html: '<title>x</title><p>Curlews call.</p><script>alert(1)</script>' },
    });
    server.account.add({ link: 'https://api.raindrop.io/v2/raindrop/9/file?type=pdf', title: 'A file' });
    server.account.add({ link: 'mailto:a@example.org', title: 'No page' });
    await mirror.run();
    const item = await itemAt('https://example.org/tide?utm_source=x');
    expect(item).toMatchObject({
      title: 'Low water',
      excerpt: 'Of tides',
      siteName: 'example.org',
      tags: ['sea', 'two words'],
      isFavorite: true,
      origins: ['raindrop'],
      hasContent: true,
      hasPermanentCopy: true,
      enrichmentStatus: 'succeeded',
      createdAt: Date.parse('2024-05-06T07:08:09.000Z'),
    });
    const collections = await mirror.rows.collections.list();
    const parent = collections.find(({ name }) => name === 'Sea');
    expect(collections.find(({ name }) => name === 'Mud')).toMatchObject({
      id: item?.collectionId,
      parentId: parent?.id,
    });
    expect(await mirror.rows.raindrops.count()).toBe(3);
    expect(await items()).toHaveLength(2);
    for (const word of ['curlews', 'tides', 'may', 'sea', '"two words"', 'example'])
      expect({ word, found: await found(word) }).toEqual({ word, found: ['Low water'] });
    expect(await found('alert')).toEqual([]);
    expect(await mirror.store.jobs.list({ limit: 10 })).toEqual([]);
  });

  it('shows the permanent copy as a document that may do nothing, and its text to be read', async () => {
    server.account.add({
      link: 'https://example.org/a',
      title: 'A',
      copy: { html: '<p>First & last</p><script>alert(1)</script>' },
    });
    server.account.add({ link: 'https://example.org/b', title: 'B' });
    await mirror.run();
    const api = new TestApi({
      ...mirror,
      ...{ clock, folder, files: mirror.library.files, target: undefined as never },
    });
    const reader = await api.program('owner', 'read');
    const [a, b] = [await itemAt('https://example.org/a'), await itemAt('https://example.org/b')];
    const copy = await reader.get(`/api/v1/items/${a?.id}/permacopy`);
    expect(copy.status).toBe(200);
    expect(copy.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(copy.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
    expect(copy.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await copy.text()).toContain('<script>alert(1)</script>');
    const text = await (await reader.get(`/api/v1/items/${a?.id}/content`)).text();
    expect(text).toContain('<p>First &amp; last</p>');
    expect(text).not.toContain('alert');
    for (const name of ['permacopy', 'content'])
      expect((await reader.get(`/api/v1/items/${b?.id}/${name}`)).status).toBe(404);
    const details = await (await reader.get(`/api/v1/items/${a?.id}?include=details`)).json();
    expect(details).toMatchObject({ details: { hasPermanentCopy: true, origins: ['raindrop'] } });
    const listed = await (await reader.get('/api/v1/items?origin=raindrop')).json();
    expect(listed).toMatchObject({ items: [{}, {}] });
  });

  it('follows what is edited, moved and tagged there, and leaves alone what a person has said here', async () => {
    const one = server.account.addCollection({ title: 'One' });
    const two = server.account.addCollection({ title: 'Two' });
    const [a, b] = ['a', 'b'].map(
      (name) =>
        server.account.add({
          link: `https://example.org/${name}`,
          title: `Title ${name}`,
          excerpt: 'before',
          tags: ['first', 'stays'],
          collectionId: one._id,
        })._id,
    ) as [number, number];
    await mirror.run();
    const mine = (await itemAt('https://example.org/b')) as Item;
    const own = await mirror.rows.collections.create({ name: 'Mine', description: '', parentId: null });
    await mirror.rows.items.change(mine.id, {
      title: 'My own title',
      tags: [...mine.tags, 'mine'],
      collectionId: own.id,
    });
    for (const id of [a, b])
      server.account.edit(id, {
        title: 'After',
        excerpt: 'after',
        tags: ['stays', 'second'],
        collectionId: two._id,
      });
    await mirror.run();
    const names = new Map((await mirror.rows.collections.list()).map(({ id, name }) => [id, name]));
    const after = await itemAt('https://example.org/a');
    expect(after).toMatchObject({ title: 'After', excerpt: 'after', tags: ['second', 'stays'] });
    expect(names.get(after?.collectionId as number)).toBe('Two');
    expect(await itemAt('https://example.org/b')).toMatchObject({
      title: 'My own title',
      excerpt: 'after',
      tags: ['mine', 'second', 'stays'],
      collectionId: own.id,
    });
  });

  it('takes an item along when it goes, and brings it back, unless there is another reason for it', async () => {
    const [a, b] = ['a', 'b'].map(
      (name) => server.account.add({ link: `https://example.org/${name}`, title: name })._id,
    ) as [number, number];
    await mirror.run();
    await saveItem(mirror.rows, { url: 'https://example.org/b' });
    server.account.trash(a);
    server.account.trash(b);
    await mirror.run();
    expect((await items()).map(({ url, origins }) => [url, origins])).toEqual([
      ['https://example.org/b', ['manual']],
    ]);
    expect(await mirror.rows.raindrops.counts()).toMatchObject({ live: 0, removed: 2 });
    server.account.restore(a);
    await mirror.run();
    expect((await itemAt('https://example.org/a'))?.origins).toEqual(['raindrop']);
    expect((await mirror.library.files.read(`raindrops/${b}/raw.json`))?.length).toBeGreaterThan(100);
  });

  it("holds a person's deletion against every run that follows", async () => {
    const id = server.account.add({ link: 'https://example.org/a', title: 'A' })._id;
    await mirror.run();
    const item = (await itemAt('https://example.org/a')) as Item;
    await mirror.rows.items.delete(item.id);
    server.account.edit(id, { title: 'Changed' });
    await mirror.run();
    expect(await items()).toEqual([]);
    const saved = await saveItem(mirror.rows, { url: 'https://example.org/a' });
    expect(saved.item.origins).toEqual(['manual', 'raindrop']);
  });

  it('has one item for two raindrops of one page, until the last of them goes', async () => {
    const [first, second] = ['', '#part'].map(
      (end) => server.account.add({ link: `https://example.org/a${end}`, title: `A${end}` })._id,
    ) as [number, number];
    await mirror.run();
    expect(await items()).toHaveLength(1);
    server.account.purge(first);
    await mirror.run();
    expect(await items()).toHaveLength(1);
    server.account.purge(second);
    await mirror.run();
    expect(await items()).toEqual([]);
  });

  it('hands highlights over, with what was said about them, and takes back what is gone there', async () => {
    const id = server.account.add({ link: 'https://example.org/a', title: 'A' })._id;
    const mark = server.account.highlight(id, { text: 'a passage', note: 'remember', color: 'red' });
    server.account.highlight(id, { text: 'another' });
    await mirror.run();
    const texts = async () => {
      const list = await mirror.rows.highlights.list('annotations', { limit: 50 });
      return list.map(({ text, source }: { text: string; source: string }) => [text, source]).sort();
    };
    expect(await texts()).toEqual([
      ['a passage', 'raindrop'],
      ['another', 'raindrop'],
    ]);
    const said = await mirror.rows.highlights.list('comments', { limit: 50 });
    expect(said).toMatchObject([{ content: 'remember' }]);
    expect((await itemAt('https://example.org/a'))?.origins).toEqual(['highlight', 'raindrop']);
    server.account.highlight(id, { _id: mark._id, text: '' });
    await mirror.run();
    expect(await texts()).toEqual([['another', 'raindrop']]);
    // What was deleted there stays here as a replica.
    const replicas = await mirror.rows.replicas.changedAfter(
      'annotations',
      { updatedAt: 0, id: 0 },
      { includeDeleted: true, limit: 50 },
    );
    expect(replicas.filter(({ deletedAt }) => deletedAt !== null)).toMatchObject([{ text: 'a passage' }]);
  });

  it('is whole after the index was deleted: same state, same answers, and on from the cursor', async () => {
    server.account.fillWith(70);
    await mirror.run();
    server.account.trash(server.account.all()[5]?._id as number);
    await mirror.run();
    await mirror.index();
    await mirror.flush();
    const queries = ['example', '東京', 'karte', 'maps', 'library', 'über', '"the map"', 'zzz'];
    const answers = async (at: Mirror) =>
      Promise.all(
        queries.map(async (q) => {
          const { hits } = await searchText({ ...at, now: clock.now }, { userId: at.userId, q, limit: 100 });
          return hits.map(({ refId, title, score }) => [refId, title, score]);
        }),
      );
    const before = { hash: (await mirror.store.stateHash()).hash, answers: await answers(mirror) };
    expect(before.answers.flat().length).toBeGreaterThan(20);
    const check = await checkLibrary(mirror.library.files, (table) => mirror.store.durableRows(table), {
      readData: true,
      lastSet: null,
    });
    expect(check).toMatchObject({ problems: [] });
    expect(check.orphans).toEqual([]);

    const files = await folderFiles(folder, clock);
    const target = await engine.freshTarget();
    await reinflateInto(target, files);
    const again = await openMirror(target, files, server, clock);
    onTestFinished(() => again.end());
    expect(await takeInRaindrops({ store: again.store, files, holder: 'test' }, again.userId)).toEqual({
      raindrops: 0,
      removed: 0,
      problems: [],
    });
    await indexItems(again.store, files);
    expect((await again.store.stateHash()).hash).toBe(before.hash);
    expect(await answers(again)).toEqual(before.answers);
    server.requests.clear();
    await again.run();
    expect(server.requests.filter(({ path }) => path.endsWith('/cache'))).toEqual([]);
  });

  it('finds nothing by a text that is not as its row says, and tells of it when the index is rebuilt', async () => {
    server.account.add({ link: 'https://a.example/', title: 'A', copy: { html: '<p>petrichor</p>' } });
    const id = server.account.add({
      link: 'https://b.example/',
      title: 'B',
      copy: { html: '<p>whole</p>' },
    })._id;
    await mirror.run();
    await mirror.flush();
    await mirror.library.files.put(`raindrops/${id}/plain.txt`, 'rotten');
    const files = await folderFiles(folder, clock);
    const target = await engine.freshTarget();
    await reinflateInto(target, files);
    const again = await openMirror(target, files, server, clock);
    onTestFinished(() => again.end());
    const taken = await takeInRaindrops({ store: again.store, files, holder: 'test' }, again.userId);
    expect(taken.problems).toEqual([{ id, what: 'plain.txt is not what its row says it is' }]);
    await indexItems(again.store, files);
    const titles = async (q: string) =>
      (await searchText({ ...again, now: clock.now }, { userId: again.userId, q, limit: 10 })).hits.map(
        ({ title }) => title,
      );
    expect([await titles('rotten'), await titles('petrichor'), await titles('b')]).toEqual([
      [],
      ['A'],
      ['B'],
    ]);
  });

  it('puts items into a collection that is told of only after they came', async () => {
    const late = server.account.addCollection({ title: 'Late' });
    server.account.add({ link: 'https://a.example/', title: 'A', collectionId: late._id });
    server.faults.always(({ path }) => path === '/collections', {
      status: 200,
      body: { result: true, items: [] },
    });
    await mirror.run();
    expect((await itemAt('https://a.example/'))?.collectionId).toBeNull();
    server.faults.clear();
    await mirror.run();
    const [collection] = await mirror.rows.collections.list();
    expect((await itemAt('https://a.example/'))?.collectionId).toBe(collection?.id);
  });

  it('keeps the tags of two raindrops of one page apart, and finds the one that has a copy', async () => {
    const [first, second] = [
      server.account.add({ link: 'https://a.example/x', title: 'X', tags: ['both', 'one'] })._id,
      server.account.add({
        link: 'https://a.example/x#part',
        title: 'X part',
        tags: ['both', 'two'],
        copy: { html: '<p>petrichor</p>' },
      })._id,
    ];
    await mirror.run();
    expect(await found('petrichor')).toHaveLength(1);
    server.account.retag(first, ['one']);
    await mirror.run();
    expect((await items())[0]?.tags).toEqual(['both', 'one', 'two']);
    server.account.purge(second);
    await mirror.run();
    expect((await items())[0]?.tags).toEqual(['one']);
  });

  it('takes in the files of a mirror that another has written, but for what is damaged', async () => {
    server.account.fillWith(60);
    await mirror.run();
    server.account.purge(server.account.all()[3]?._id as number);
    await mirror.run();
    const files = mirror.library.files;
    const live = server.account.all().map(({ _id }) => _id);
    const [damaged, lost] = [live[10] as number, live[20] as number];
    const text = Buffer.from((await files.read(`raindrops/${damaged}/plain.txt`)) as Uint8Array);
    text[0] = (text[0] as number) ^ 1;
    await files.put(`raindrops/${damaged}/plain.txt`, text);
    // A line that was lost is made good by the objects.
    for await (const { key } of files.listAll('manifests/')) {
      const lines = Buffer.from((await files.read(key)) as Uint8Array).toString();
      await files.put(key, lines.replace(new RegExp(`^\\{"id":${lost},.*\\n`, 'gm'), ''));
    }
    const other = await openMirror(
      await engine.freshTarget(),
      await folderFiles(await temporaryFolder(), clock),
      server,
      clock,
    );
    onTestFinished(() => other.end());
    const taken = await takeInRaindrops({ store: other.store, files, holder: 'test' }, other.userId);
    expect(taken).toEqual({
      raindrops: live.length - 1,
      removed: 1,
      problems: [{ id: damaged, what: 'plain.txt is not what meta.json says it is' }],
    });
    const known = await other.rows.raindrops.known(live);
    expect(live.filter((id) => !known.has(id))).toEqual([damaged]);
    const urls = (list: Item[]) => list.map(({ url }) => url).sort();
    const damagedLink = server.account.get(damaged).link;
    expect(urls(await other.rows.items.list({ limit: 500 }))).toEqual(
      urls(await items()).filter((url) => url !== damagedLink),
    );
  });

  it('is left to whoever is at it', async () => {
    server.account.fillWith(2);
    const lease = await mirror.store.leases.acquire('mirror', 'somebody', 60_000);
    expect(lease).toBeDefined();
    await expect(mirror.batch()).rejects.toThrow('Another process is at the mirror');
    expect(server.requests).toHaveLength(0);
  });

  it('writes nothing once its lease has moved on', async () => {
    server.account.fillWith(3);
    server.faults.onRequest(async ({ path }) => {
      if (path !== '/raindrops/0') return;
      await mirror.database.write((trx) =>
        trx
          .updateTable('leases')
          .set((e) => ({ epoch: e('epoch', '+', 1), holder: 'another' }))
          .where('name', '=', 'mirror')
          .execute(),
      );
    });
    await expect(mirror.batch()).rejects.toThrow();
    server.faults.clear();
    expect(await mirror.rows.raindrops.count()).toBe(0);
    expect(await mirror.store.mirrorState.get('kv:raindrop:last_cursor')).toBeNull();
  });
});
