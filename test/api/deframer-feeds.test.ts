// The deframer as its operator sees it over HTTP, and what readers see of it beside their entries.
import { beforeEach, expect, it } from 'vitest';
import { itemHash } from '../../src/deframer/item-hash.ts';
import { answerOf, type Client, jsonOf, openEmptyApi, type TestApi } from '../support/api.ts';
import { tieClocks } from '../support/clock.ts';
import { analysisOf, intervalMs, leaseMs, usage } from '../support/deframing.ts';
import { onEachEngine } from '../support/engines.ts';
import { fill, newFeed, published } from '../support/reader.ts';

const path = '/api/v1/deframer';
const url = 'https://news.example.co.uk/feed';

interface Feed {
  readonly id: string;
  readonly state: string;
  readonly [field: string]: unknown;
}

onEachEngine('the deframer over HTTP', (engine) => {
  let api: TestApi;
  let owner: Client;

  beforeEach(async () => {
    api = await openEmptyApi(engine);
    tieClocks(api.opened.database, api.clock);
    await api.addUser('anna');
    await api.addUser('ben');
    owner = await api.program('anna', 'admin');
  });

  const store = () => api.opened.store;
  const dataOf = async <T = Feed>(response: Response, status = 200): Promise<T> => {
    expect(response.status).toBe(status);
    return (await jsonOf<{ data: T }>(response)).data;
  };
  const add = async (input: object = {}) => dataOf(await owner.post(`${path}/feeds`, { url, ...input }), 201);
  const list = async (query = '') => dataOf<Feed[]>(await owner.get(`${path}/feeds${query}`));
  const iso = (at: number) => new Date(at).toISOString();
  const lease = async () => {
    const taken = await store().deframeRuns.acquire({ ttlMs: leaseMs });
    if (!taken) throw new Error('no feed was due');
    return taken;
  };
  const putItem = async (feedUrl: string, articleUrl: string, over = {}) => {
    await store().deframerFeeds.sync(feedUrl);
    const taken = await lease();
    const item = {
      id: crypto.randomUUID(),
      hash: itemHash(articleUrl),
      url: articleUrl,
      content: '',
      author: '',
    };
    const analysis = analysisOf('Loud', { title_corrected: 'Quiet', ...over });
    await store().deframeRuns.putItem(
      taken,
      { ...item, analysis, analysisKey: articleUrl, pubDate: 0, usage },
      leaseMs,
    );
    await store().deframeRuns.finish(taken, { intervalMs });
  };

  it('adds a feed that is neither enabled nor scheduled', async () => {
    const response = await owner.post(`${path}/feeds`, { url });
    const feed = await dataOf(response, 201);
    expect(response.headers.get('location')).toBe(`${path}/feeds/${feed.id}`);
    expect(feed).toEqual({
      id: feed.id,
      url,
      root_domain: 'example.co.uk',
      enforce_feed_domain: true,
      polling: false,
      enabled: false,
      prompt: null,
      state: 'disabled',
      next_run_at: null,
      last_run_at: null,
      last_error: null,
      last_note: null,
      items: 0,
      built_at: null,
      rss_path: '/rss?url=https%3A%2F%2Fnews.example.co.uk%2Ffeed',
      usage: { calls: 0, tokens_in: 0, tokens_out: 0, cost: 0 },
      created_at: iso(api.clock.now()),
      deleted_at: null,
    });
    expect(await list()).toEqual([feed]);
  });

  it('adds one as it is wanted, and runs it at once', async () => {
    const feed = await add({
      root_domain: null,
      enforce_feed_domain: false,
      enabled: true,
      polling: true,
      sync: true,
    });
    expect(feed).toMatchObject({
      root_domain: null,
      enforce_feed_domain: false,
      polling: true,
      state: 'due',
    });
    expect((await lease()).feedId).toBe(feed.id);
    expect((await list())[0]?.state).toBe('running');
  });

  it.each([
    [{ url: 'no address' }, 400, /^url: /],
    [{ url: 'ftp://example.com/' }, 400, /^url: /],
    [{ url: 'https://anna:secret@example.com/' }, 400, /^url: /],
    [{ root_domain: 'https://example.com/' }, 400, /^root_domain: /],
    [{ sync: true }, 400, /^sync: /],
    [{ enabled: 'yes' }, 400, /^enabled: /],
  ])('refuses %j', async (input, status, message) => {
    const { status: given, body } = await answerOf(await owner.post(`${path}/feeds`, { url, ...input }));
    expect(given).toBe(status);
    expect((body as { error: { message: string } }).error.message).toMatch(message);
    expect(await list()).toEqual([]);
  });

  it('refuses one that is there already', async () => {
    await add();
    expect((await owner.post(`${path}/feeds`, { url: `${url}#x` })).status).toBe(409);
  });

  it('changes one, and refuses what is no change', async () => {
    const { id } = await add();
    const change = (input: object) => owner.patch(`${path}/feeds/${id}`, input);
    expect(await dataOf(await change({ enabled: true }))).toMatchObject({ enabled: true, state: 'paused' });
    expect(await dataOf(await change({ polling: true, prompt: ' Be kind. ' }))).toMatchObject({
      polling: true,
      prompt: 'Be kind.',
    });
    expect(await dataOf(await change({ root_domain: 'Bücher.example' }))).toMatchObject({
      root_domain: 'xn--bcher-kva.example',
    });
    expect(
      await dataOf(await change({ root_domain: null, prompt: null, enforce_feed_domain: false })),
    ).toMatchObject({
      root_domain: null,
      prompt: null,
      enforce_feed_domain: false,
      enabled: true,
    });
    expect((await change({ prompt: '' })).status).toBe(400);
    expect((await change({ root_domain: 'a b' })).status).toBe(400);
    expect((await owner.patch(`${path}/feeds/${crypto.randomUUID()}`, { enabled: true })).status).toBe(404);
    expect((await owner.patch(`${path}/feeds/7`, { enabled: true })).status).toBe(400);
  });

  it('runs one that is enabled, and revives one that is dead', async () => {
    const { id } = await add();
    const sync = () => owner.post(`${path}/feeds/${id}/sync`, undefined);
    expect(await answerOf(await sync())).toEqual({
      status: 400,
      body: { error: { code: 'invalid', message: 'the feed is disabled: enable it first' } },
    });
    await owner.patch(`${path}/feeds/${id}`, { enabled: true });
    expect(await dataOf(await sync(), 202)).toMatchObject({ state: 'due' });
    await store().deframeRuns.finish(await lease(), { error: '404: nothing', intervalMs });
    expect((await list())[0]).toMatchObject({ state: 'dead', last_error: '404: nothing', next_run_at: null });
    expect(await dataOf(await sync(), 202)).toMatchObject({ state: 'due', last_error: null });
    await owner.patch(`${path}/feeds/${id}`, { polling: true });
    await store().deframeRuns.finish(await lease(), { intervalMs, note: 'Look.' });
    expect((await list())[0]).toMatchObject({ state: 'waiting', last_note: 'Look.' });
  });

  it('deletes one, and lists it among the deleted', async () => {
    const { id } = await add();
    expect((await owner.delete(`${path}/feeds/${id}`)).status).toBe(204);
    expect(await list()).toEqual([]);
    expect(await list('?deleted=true')).toMatchObject([{ id, state: 'deleted' }]);
    expect((await owner.delete(`${path}/feeds/${id}`)).status).toBe(409);
    expect((await owner.post(`${path}/feeds/${id}/sync`, undefined)).status).toBe(409);
    await add();
  });

  it('says what analyses, and what it took', async () => {
    const { id } = await add({ enabled: true });
    await putItem(url, 'https://news.example.co.uk/1');
    expect(await dataOf<object>(await owner.get(path))).toEqual({
      analyzer: { type: 'local', model: 'local/1' },
      interval_seconds: 1800,
      items_per_feed: 20,
      open: true,
      totals: { feeds: 1, items: 1, calls: 1, tokens_in: 100, tokens_out: 20, cost: 0.000007 },
      usage: [{ day: '2026-01-01', calls: 1, tokens_in: 100, tokens_out: 20, cost: 0.000007 }],
    });
    expect(await dataOf<object[]>(await owner.get(`${path}/feeds/${id}/items`))).toMatchObject([
      { url: 'https://news.example.co.uk/1', title_original: 'Loud', title_corrected: 'Quiet', overall: 0.5 },
    ]);
    // What was paid stays paid.
    await owner.delete(`${path}/feeds/${id}`);
    expect(await dataOf<{ totals: object }>(await owner.get(path))).toMatchObject({
      totals: { feeds: 0, items: 0, calls: 1 },
    });
  });

  it('shows readers what was made of an entry, by its address, while the feed is enabled', async () => {
    await add({ enabled: true });
    const ben = await api.logIn('ben');
    const link = 'https://news.example.co.uk/loud';
    const user = await store().users.findByName('ben');
    if (!user) throw new Error('there is no ben');
    await store().forUser(user.id).feeds.create(newFeed(url));
    await fill(store(), url, [
      published('loud', { link, title: 'Loud' }),
      published('other'),
      published('none', { link: '' }),
    ]);
    const listed = async () =>
      (
        await jsonOf<{ data: { id: number; guid: string; deframed?: object }[] }>(
          await ben.get('/api/items?view=brief'),
        )
      ).data;
    const opened = async () => {
      const id = (await listed()).find(({ guid }) => guid === 'loud')?.id;
      return dataOf<{ deframed?: object }>(await ben.get(`/api/items/${id}`));
    };
    expect((await listed()).some((entry) => 'deframed' in entry)).toBe(false);
    expect(await opened()).not.toHaveProperty('deframed');

    await putItem(url, link, { framing_reason: 'a word', category: 'world' });
    const marked = (await listed()).filter((entry) => entry.deframed);
    expect(marked.map(({ guid, deframed }) => [guid, deframed])).toEqual([
      ['loud', { title: 'Quiet', overall: 0.5 }],
    ]);
    expect((await opened()).deframed).toEqual({
      title: 'Quiet',
      title_reason: 'for a test',
      description: '',
      overall: 0.5,
      overall_reason: '',
      category: 'world',
      model: 'test',
      scores: [
        { name: 'framing', score: 0, reason: 'a word' },
        { name: 'clickbait', score: 0.5, reason: '' },
        { name: 'persuasive', score: 0, reason: '' },
        { name: 'hyper_stimulus', score: 0, reason: '' },
        { name: 'speculative', score: 0, reason: '' },
      ],
    });
    // The publisher has corrected it since: what was said of the title of before is not said of this one.
    await fill(store(), url, [published('loud', { link, title: 'Corrected', contentHash: 'another' })]);
    expect((await listed()).some((entry) => 'deframed' in entry)).toBe(false);
    expect(await opened()).not.toHaveProperty('deframed');
    await fill(store(), url, [published('loud', { link, title: ' Loud ', contentHash: 'again' })]);
    expect(await opened()).toHaveProperty('deframed');

    // Another feed calls the page something else, and is asked last.
    await owner.post(`${path}/feeds`, { url: `${url}/other`, enforce_feed_domain: false, enabled: true });
    api.clock.advance(1_000);
    await putItem(`${url}/other`, link, { title_original: 'A lie', title_corrected: 'A quiet lie' });
    expect((await opened()).deframed).toMatchObject({ title: 'Quiet' });
    const item = await jsonOf(await api.visitor().get(`/api/item?url=${encodeURIComponent(link)}`));
    expect(item).toMatchObject({ title_corrected: 'Quiet' });

    // Other apps see what they have always seen.
    const full = await jsonOf<{ data: object[] }>(await ben.get('/api/items'));
    expect(full.data.some((entry) => 'deframed' in entry)).toBe(false);

    await store().deframerFeeds.change(url, { enabled: false });
    expect((await listed()).some((entry) => 'deframed' in entry)).toBe(false);
    expect(await opened()).not.toHaveProperty('deframed');
  });
});
