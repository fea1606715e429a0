// Who may call what, asked of every route that the router has.
import { beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/accounts/tokens.ts';
import type { RouteEntry } from '../../src/api/router.ts';
import { bookmarkPage } from '../../src/feeds/bookmark.ts';
import type { User } from '../../src/model/user.ts';
import { type Client, foreignOrigin, openApi, password, type Sent, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { makeJob } from '../support/jobs.ts';
import { fill, giveIcon, listAll, newFeed, published } from '../support/reader.ts';

/** Makes what stands at a path with a parameter. A new path with a parameter needs its line here. */
const resources: Record<string, (api: TestApi, user: User) => Promise<number | string>> = {
  '/app/{file}': async () => 'nothing.js',
  '/api/groups/{id}': async ({ opened }, user) =>
    (await opened.store.forUser(user.id).groups.create({ name: `Group ${counter++}` })).id,
  '/api/tokens/{id}': async ({ accounts }, user) =>
    (await createToken(accounts, user, { name: 'theirs', scope: 'read' })).token.id,
  '/api/users/{id}/password': async ({ opened }) => (await opened.store.users.findByName('ben'))?.id ?? 0,
  '/api/feeds/{id}': addFeed,
  '/api/feeds/{id}/icon': addFeedWithIcon,
  '/api/feeds/{id}/refresh': addFeed,
  '/api/items/{id}': addEntry,
  '/api/items/{id}/content': addEntry,
  '/api/bookmarks/{id}': addBookmark,
  '/api/bookmarks/{id}/content': addBookmark,
  '/api/v1/jobs/{id}': (api) => makeJob(api, 'done'),
  '/api/v1/jobs/{id}/events': (api) => makeJob(api, 'done'),
  '/api/v1/jobs/{id}/retry': (api) => makeJob(api, 'dead'),
  '/api/v1/jobs/{id}/cancel': (api) => makeJob(api, 'waiting'),
};

const page = { link: '', title: 'A page', content: '', feedName: '', pubDate: 0 };

async function addBookmark({ opened }: TestApi, user: User): Promise<number> {
  const link = `https://example.org/${counter++}`;
  return (await bookmarkPage(opened.store.forUser(user.id), { ...page, link })).id;
}

async function addFeed({ opened }: TestApi, user: User): Promise<number> {
  const link = `https://example.org/feed/${counter++}`;
  return (await opened.store.forUser(user.id).feeds.create(newFeed(link))).id;
}

async function addFeedWithIcon({ opened: { store } }: TestApi, user: User): Promise<number> {
  const link = `https://example.org/feed/${counter++}`;
  const { id } = await store.forUser(user.id).feeds.create(newFeed(link));
  await giveIcon(store, link, { type: 'image/png', etag: '"1"', bytes: new Uint8Array([1]) });
  return id;
}

async function addEntry({ opened: { store } }: TestApi, user: User): Promise<number> {
  const link = `https://example.org/feed/${counter++}`;
  const { id: feedId } = await store.forUser(user.id).feeds.create(newFeed(link));
  await fill(store, link, [published('a')]);
  const [entry] = await listAll(store.forUser(user.id), { feedId });
  return entry?.id ?? 0;
}

/** A body that the route would take, where one that is refused would hide the answer that counts. */
const bodies: Record<string, () => unknown> = {
  'patch /api/groups/{id}': () => ({ name: `Renamed ${counter++}` }),
  'post /api/feeds': () => ({ link: `https://example.org/new/${counter++}` }),
  'post /api/feeds/batch': () => ({ feeds: [] }),
  'post /api/feeds/validate': () => ({ url: 'https://example.org/' }),
  'patch /api/feeds/{id}': () => ({ name: `Renamed ${counter++}` }),
  'patch /api/items/-/read': () => ({ ids: [1] }),
  'patch /api/items/-/unread': () => ({ ids: [1] }),
  'post /api/items/-/read-all': () => ({}),
  'post /api/bookmarks': () => ({ link: `https://example.org/new/${counter++}` }),
  'put /api/users/{id}/password': () => ({ password }),
  'post /api/sessions': () => ({ username: 'anna', password }),
  'post /api/setup': () => ({ token: 'made up', password }),
};

const openRoutes = [
  'delete /api/sessions',
  'get /',
  'get /api/setup',
  'get /app/{file}',
  'get /assets/page.css',
  'get /boot.js',
  'get /healthz',
  'get /icon-192.png',
  'get /icon-512.png',
  'get /icon.svg',
  'get /login',
  'get /manifest.webmanifest',
  'get /operations',
  'get /parts',
  'get /ping',
  'get /reading.css',
  'get /readyz',
  'get /search',
  'get /settings',
  'get /setup',
  'get /sw.js',
  'post /api/sessions',
  'post /api/setup',
];

/** Programs log in and set up without a browser, so these alone do not insist on an Origin. */
const withoutOrigin = ['post /api/sessions', 'post /api/setup'];

let counter = 0;
const nameOf = ({ method, path }: RouteEntry) => `${method} ${path}`;
const isOpen = (entry: RouteEntry) => entry.access === 'open';
const isRead = (entry: RouteEntry) => entry.method === 'get';
const isForUsers = (entry: RouteEntry) => entry.access === 'user';
const hasParameter = (entry: RouteEntry) => entry.path.includes('{');
const not =
  (test: (entry: RouteEntry) => boolean) =>
  (entry: RouteEntry): boolean =>
    !test(entry);

onEachEngine('who may call what', (engine) => {
  let api: TestApi;
  let owner: User;
  let member: User;

  beforeAll(async () => {
    api = await openApi(engine);
    owner = await api.addUser('anna');
    member = await api.addUser('ben');
    return () => api.close();
  });

  /** The path to something that `holder` has. */
  async function pathOf(entry: RouteEntry, holder: User): Promise<string> {
    const make = resources[entry.path];
    if (hasParameter(entry) && !make) throw new Error(`${nameOf(entry)}: no resource in the table above`);
    return make ? entry.path.replace(/\{\w+\}/, String(await make(api, holder))) : entry.path;
  }

  function call(client: Client, entry: RouteEntry, path: string, sent?: Sent): Promise<Response> {
    const json = isRead(entry) ? undefined : (bodies[nameOf(entry)]?.() ?? {});
    return client.send(entry.method.toUpperCase(), path, { json, ...sent });
  }

  /** The routes that answered otherwise than they should, each with its status. */
  async function wrong(
    client: Client,
    entries: readonly RouteEntry[],
    isRight: (status: number) => boolean,
    sent?: Sent,
  ): Promise<string[]> {
    expect(entries).not.toEqual([]);
    const found: string[] = [];
    for (const entry of entries) {
      const { status } = await call(client, entry, await pathOf(entry, owner), sent);
      if (!isRight(status)) found.push(`${nameOf(entry)}: ${status}`);
    }
    return found;
  }

  const is = (expected: number) => (status: number) => status === expected;
  const passesTheGate = (status: number) => status !== 401 && status !== 403 && status < 500;

  it('has every route of the router in its list', () => {
    const registered = api.app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method.toLowerCase()} ${path}`);
    const listed = api.entries.map((entry) => nameOf(entry).replaceAll(/\{(\w+)\}/g, ':$1'));
    expect([...new Set(registered)].sort()).toEqual(listed.sort());
  });

  it('has only these open routes', () => {
    expect(api.entries.filter(isOpen).map(nameOf).sort()).toEqual(openRoutes);
  });

  it('asks a visitor to log in everywhere else', async () => {
    expect(await wrong(api.visitor(), api.entries.filter(not(isOpen)), is(401))).toEqual([]);
  });

  it('lets a visitor through to the open routes', async () => {
    const entries = api.entries.filter(isOpen).filter((entry) => nameOf(entry) !== 'post /api/setup');
    expect(await wrong(api.browser(), entries, passesTheGate)).toEqual([]);
  });

  it.each([
    { what: 'a made-up token', headers: { Authorization: 'Bearer lectern_made-up' } },
    { what: 'an empty token', headers: { Authorization: 'Bearer ' } },
    { what: 'another scheme', headers: { Authorization: 'Basic YW5uYTpjb3JyZWN0' } },
    { what: 'a made-up session', headers: { Cookie: 'session=made-up' } },
    { what: 'an empty session', headers: { Cookie: 'session=' } },
  ])('does not take $what for a login', async ({ headers }) => {
    const entries = api.entries.filter(not(isOpen));
    expect(await wrong(api.browser(), entries, is(401), { headers })).toEqual([]);
  });

  it('keeps a member out of what is for the owner', async () => {
    const entries = api.entries.filter(({ access }) => access === 'owner');
    expect(await wrong(await api.program('ben', 'write'), entries, is(403))).toEqual([]);
    expect(await wrong(await api.program('ben', 'read'), entries, is(403))).toEqual([]);
  });

  it('lets a member in everywhere else', async () => {
    const entries = api.entries.filter(({ access }) => access === 'user');
    expect(await wrong(await api.program('ben', 'write'), entries, passesTheGate)).toEqual([]);
  });

  it('lets the owner in everywhere', async () => {
    const entries = api.entries.filter(not(isOpen));
    expect(await wrong(await api.program('anna', 'write'), entries, passesTheGate)).toEqual([]);
  });

  it('lets a read-only token read and change nothing', async () => {
    const reader = await api.program('anna', 'read');
    const guarded = api.entries.filter(not(isOpen));
    expect(await wrong(reader, guarded.filter(isRead), passesTheGate)).toEqual([]);
    expect(await wrong(reader, guarded.filter(not(isRead)), is(403))).toEqual([]);
  });

  it('refuses a read-only token before it looks for what is asked', async () => {
    const reader = await api.program('ben', 'read');
    const entries = api.entries.filter(hasParameter).filter(not(isRead));
    expect(await wrong(reader, entries, is(403))).toEqual([]);
  });

  describe('what belongs to somebody', () => {
    const belongings = () => api.entries.filter(hasParameter).filter(not(isOpen));

    it('is there for them', async () => {
      const anna = await api.program('anna', 'write');
      const entries = belongings();
      expect(await wrong(anna, entries, (status) => status < 300)).toEqual([]);
    });

    it.each(['a member', 'the owner'])('is not found by another user, who is %s', async (who) => {
      const [holder, asker] = who === 'a member' ? [owner, member] : [member, owner];
      const client = await api.program(asker.username, 'write');
      for (const entry of belongings().filter(isForUsers)) {
        const { status } = await call(client, entry, await pathOf(entry, holder));
        expect(`${nameOf(entry)}: ${status}`).toBe(`${nameOf(entry)}: 404`);
      }
    });

    it('is answered for as if it were not there at all', async () => {
      const ben = await api.program('ben', 'write');
      for (const entry of belongings()) {
        const theirs = await call(ben, entry, await pathOf(entry, owner));
        const nobodys = await call(ben, entry, entry.path.replace(/\{\w+\}/, '999999999999999'));
        expect(await theirs.text()).toBe(await nobodys.text());
      }
    });
  });

  describe('a request that changes something, with the cookie', () => {
    it.each([
      { what: 'a foreign Origin', headers: { Origin: foreignOrigin } },
      { what: 'the Origin null', headers: { Origin: 'null' } },
    ])('is refused with $what', async ({ headers }) => {
      const anna = await api.logIn('anna');
      expect(await wrong(anna, api.entries.filter(not(isRead)), is(403), { headers })).toEqual([]);
      expect((await anna.get('/api/me')).status).toBe(200);
    });

    it('is refused without an Origin, but for logging in and setting up', async () => {
      const anna = await api.logIn('anna');
      const entries = api.entries
        .filter(not(isRead))
        .filter((entry) => !withoutOrigin.includes(nameOf(entry)));
      expect(await wrong(anna, entries, is(403), { headers: { Origin: undefined } })).toEqual([]);
      expect((await anna.get('/api/me')).status).toBe(200);
    });
  });

  it.each(['GET', 'HEAD'])('changes nothing in answer to a %s', async (method) => {
    const callers = [api.visitor(), await api.logIn('anna'), await api.program('ben', 'write')];
    const paths: string[] = [];
    for (const entry of api.entries.filter(isRead)) paths.push(await pathOf(entry, owner));
    const before = await api.rows();
    for (const client of callers) for (const path of paths) await client.send(method, path);
    expect(await api.rows()).toEqual(before);
    expect(before.users).toHaveLength(2);
  });
});
