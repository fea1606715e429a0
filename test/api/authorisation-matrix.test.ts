// Who may call what, asked of every route that the router has.
import { beforeAll, describe, expect, it } from 'vitest';
import { feverKey } from '../../src/accounts/secrets.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { setDisabled } from '../../src/accounts/users.ts';
import type { RouteEntry } from '../../src/api/router.ts';
import { addFeed as deframe } from '../../src/deframer/add-feed.ts';
import { bookmarkPage } from '../../src/feeds/bookmark.ts';
import { makeHighlight, makeWords } from '../../src/highlights/make.ts';
import { saveItem } from '../../src/items/save-item.ts';
import { libraryTools } from '../../src/mcp/library-tools.ts';
import { keptRaindrop } from '../../src/mirror/node/kept-raindrop.ts';
import { factsOf } from '../../src/mirror/raindrop.ts';
import { type HighlightKind, highlightKinds } from '../../src/model/highlight.ts';
import { includesScope, type Scope, scopes, type User } from '../../src/model/user.ts';
import {
  answerOf,
  type Client,
  foreignOrigin,
  openApi,
  password,
  type Sent,
  type TestApi,
} from '../support/api.ts';
import { onBothEngines } from '../support/engines.ts';
import { addEnriched } from '../support/items.ts';
import { makeJob } from '../support/jobs.ts';
import { fill, giveIcon, listAll, newFeed, published } from '../support/reader.ts';

/** Makes what stands at a path with a parameter. A new path with a parameter needs its line here. */
const resources: Record<string, (api: TestApi, user: User) => Promise<number | string>> = {
  '/app/{file}': async () => 'nothing.js',
  '/api/groups/{id}': async ({ opened }, user) =>
    (await opened.store.forUser(user.id).groups.create({ name: `Group ${counter++}` })).id,
  '/api/tokens/{id}': async ({ accounts }, user) =>
    (await createToken(accounts, user, { name: 'theirs', scope: 'read' })).token.id,
  '/api/users/{id}': async ({ opened }) => (await opened.store.users.findByName('ben'))?.id ?? 0,
  '/api/users/{id}/password': async ({ opened }) => (await opened.store.users.findByName('ben'))?.id ?? 0,
  '/api/feeds/{id}': addFeed,
  '/api/feeds/{id}/icon': addFeedWithIcon,
  '/api/feeds/{id}/refresh': addFeed,
  '/api/items/{id}': addEntry,
  '/api/items/{id}/content': addEntry,
  '/api/items/{id}/similar': addEntry,
  '/api/bookmarks/{id}': addBookmark,
  '/api/bookmarks/{id}/content': addBookmark,
  '/api/v1/items/{id}': addItem,
  '/api/v1/items/{id}/restore': async (api, user) => {
    const id = await addItem(api, user);
    await api.opened.store.forUser(user.id).items.delete(id);
    return id;
  },
  '/api/v1/items/{id}/enrich': addItem,
  '/api/v1/items/{id}/thumbnail': addItem,
  '/api/v1/items/{id}/content': addItem,
  '/api/v1/items/{id}/similar': addItem,
  '/api/v1/items/{id}/permacopy': addCopiedItem,
  '/api/v1/items/{id}/icon': addItem,
  '/api/v1/tags/{name}': async ({ opened }, user) => {
    const name = `tag ${counter++}`;
    const url = `https://example.org/tagged/${counter++}`;
    await saveItem(opened.store.forUser(user.id), { url, tags: [name] });
    return name;
  },
  '/api/v1/collections/{id}': async ({ opened }, user) => {
    const { collections } = opened.store.forUser(user.id);
    return (await collections.create({ name: `Box ${counter++}`, description: '', parentId: null })).id;
  },
  '/api/v1/searches/{id}': async ({ opened }, user) => {
    const { savedSearches } = opened.store.forUser(user.id);
    return (await savedSearches.create({ name: `Search ${counter++}`, q: 'word' })).id;
  },
  ...highlightPaths(),
  '/api/v1/deframer/feeds/{id}': addDeframerFeed,
  '/api/v1/deframer/feeds/{id}/sync': addDeframerFeed,
  '/api/v1/deframer/feeds/{id}/items': addDeframerFeed,
  '/api/v1/jobs/{id}': (api) => makeJob(api, 'done'),
  '/api/v1/jobs/{id}/events': (api) => makeJob(api, 'done'),
  '/api/v1/jobs/{id}/retry': (api) => makeJob(api, 'dead'),
  '/api/v1/jobs/{id}/cancel': (api) => makeJob(api, 'waiting'),
};

/** The same for the paths of Miniflux: what stands in the place of the parameters, in their order. */
const minifluxResources: Record<string, (api: TestApi, user: User) => Promise<number[]>> = {
  '/v1/categories/{id}': addGroup,
  '/v1/categories/{id}/feeds': addGroup,
  '/v1/categories/{id}/refresh': addGroup,
  '/v1/categories/{id}/mark-all-as-read': addGroup,
  '/v1/categories/{id}/entries': addGroup,
  '/v1/categories/{id}/entries/{entry}': async (api, user) => [1, await addEntry(api, user)],
  '/v1/feeds/{id}': async (api, user) => [await addFeed(api, user)],
  '/v1/feeds/{id}/refresh': async (api, user) => [await addFeed(api, user)],
  '/v1/feeds/{id}/mark-all-as-read': async (api, user) => [await addFeed(api, user)],
  '/v1/feeds/{id}/icon': async (api, user) => [await addFeedWithIcon(api, user)],
  '/v1/icons/{id}': async (api, user) => [await addFeedWithIcon(api, user)],
  '/v1/feeds/{id}/entries': async (api, user) => [await addFeed(api, user)],
  '/v1/feeds/{id}/entries/{entry}': async (api, user) => {
    const entry = await api.opened.store.forUser(user.id).entries.get(await addEntry(api, user));
    return [entry.feedId, entry.id];
  },
  '/v1/entries/{id}': async (api, user) => [await addEntry(api, user)],
  '/v1/entries/{id}/bookmark': async (api, user) => [await addEntry(api, user)],
  '/v1/entries/{id}/star': async (api, user) => [await addEntry(api, user)],
  '/v1/entries/{id}/save': async (api, user) => [await addEntry(api, user)],
  '/v1/enclosures/{id}': async (api, user) => [(await addEntry(api, user)) * 100],
};

/** A highlight, what it stands in and what was said of both; deleted where it is to be restored. */
function highlightPaths(): typeof resources {
  const paths = highlightKinds.flatMap((kind) => [
    [`/api/${kind}/{id}`, addHighlight(kind)] as const,
    [`/api/${kind}/{id}/history`, addHighlight(kind)] as const,
    [`/api/${kind}/{id}/restore`, addHighlight(kind, true)] as const,
  ]);
  return {
    ...Object.fromEntries(paths),
    '/api/resources/{id}/full': addHighlight('resources'),
    '/api/resources/{id}/annotations': addHighlight('resources'),
    '/api/resources/{id}/notes': addHighlight('resources'),
    '/api/annotations/{id}/comments': addHighlight('annotations'),
  };
}

function addHighlight(kind: HighlightKind, isDeleted = false) {
  return async ({ opened: { store } }: TestApi, user: User): Promise<number> => {
    const rows = store.forUser(user.id);
    const deps = { rows, randomText: () => `highlight ${counter++}` };
    const url = `https://example.org/highlighted/${counter++}`;
    const given = { url, text: 'A passage', color: null, boundary: null, madeAt: null };
    const { id, resourceId } = await makeHighlight(deps, given);
    const ids = {
      resources: resourceId,
      annotations: id,
      comments: (await makeWords(deps, 'comments', { parentId: id, content: 'A comment' })).id,
      notes: (await makeWords(deps, 'notes', { parentId: resourceId, content: 'A note' })).id,
    };
    if (isDeleted) await rows.highlights.delete(kind, ids[kind]);
    return ids[kind];
  };
}

const page = { link: '', title: 'A page', content: '', feedName: '', pubDate: 0 };

async function addBookmark({ opened }: TestApi, user: User): Promise<number> {
  const link = `https://example.org/${counter++}`;
  return (await bookmarkPage(opened.store.forUser(user.id), { ...page, link })).id;
}

function addItem({ opened }: TestApi, user: User): Promise<number> {
  return addEnriched(opened, user.id, `https://example.org/saved/${counter++}`);
}

/** An item that the mirror has a permanent copy of. */
async function addCopiedItem(api: TestApi, user: User): Promise<number> {
  const { files, store } = api.opened;
  const rows = store.forUser(user.id);
  const id = await addItem(api, user);
  const { url } = await rows.items.get(id);
  const raindropId = counter++;
  await files.put(`raindrops/${raindropId}/permacopy.html`, '<p>As it was.</p>');
  await files.put(`raindrops/${raindropId}/meta.json`, '{"content_type":"text/html","sha256":"0"}');
  const facts = factsOf({ _id: raindropId, link: url });
  const copy = {
    copy: 'stored',
    removedAt: null,
    rawSha256: '',
    textSha256: '',
    wordCount: 3,
    files: {},
  } as const;
  await rows.raindrops.upsert([keptRaindrop({ ...facts, ...copy, text: '' })]);
  return id;
}

async function addGroup({ opened }: TestApi, user: User): Promise<number[]> {
  return [(await opened.store.forUser(user.id).groups.create({ name: `Group ${counter++}` })).id];
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

async function addDeframerFeed({ accounts, opened: { store } }: TestApi): Promise<string> {
  const { deframerFeeds } = store;
  const input = { withRootDomain: true, enforceFeedDomain: true };
  const url = `https://example.org/deframed/${counter++}`;
  const { id } = await deframe({ deframerFeeds, randomText: accounts.randomText }, { url, ...input });
  await deframerFeeds.change(id, { enabled: true });
  return id;
}

async function addEntry({ opened: { store } }: TestApi, user: User): Promise<number> {
  const link = `https://example.org/feed/${counter++}`;
  const { id: feedId } = await store.forUser(user.id).feeds.create(newFeed(link));
  const enclosures = [{ url: 'https://example.org/a.mp3', type: 'audio/mpeg', lengthBytes: 1 }];
  await fill(store, link, [published('a', { enclosures })]);
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
  'post /api/v1/ask': () => ({ q: 'Who built the lighthouse?' }),
  'post /api/v1/items': () => ({ url: `https://example.org/new/${counter++}` }),
  'patch /api/v1/items/{id}': () => ({ title: `Renamed ${counter++}` }),
  'post /api/v1/items/bulk': () => ({ ids: ['1'], action: 'archive' }),
  'patch /api/v1/tags/{name}': () => ({ newName: `Renamed ${counter++}` }),
  'post /api/v1/collections': () => ({ name: `Box ${counter++}` }),
  'patch /api/v1/collections/{id}': () => ({ name: `Renamed ${counter++}` }),
  'post /api/v1/deframer/feeds': () => ({ url: `https://example.org/deframed/new/${counter++}` }),
  'post /api/v1/searches': () => ({ name: `Search ${counter++}`, q: 'word' }),
  'patch /api/v1/searches/{id}': () => ({ q: 'another' }),
  'patch /api/resources/{id}': () => ({ title: `Renamed ${counter++}` }),
  'patch /api/annotations/{id}': () => ({ color: 'green' }),
  'patch /api/comments/{id}': () => ({ content: 'Another' }),
  'patch /api/notes/{id}': () => ({ content: 'Another' }),
  'post /api/resources': () => ({ type: 'book', title: 'A book' }),
  'post /api/annotations': () => ({ url: `https://example.org/new/${counter++}`, text: 'A passage' }),
  'post /api/light/sync': () => ({ source: 'light', highlights: {} }),
  'post /api/research/config': () => ({ db_path: 'research.db' }),
  'patch /api/users/{id}': () => ({ disabled: false }),
  'put /api/users/{id}/password': () => ({ password, keep_tokens: true }),
  'post /api/sessions': () => ({ username: 'anna', password }),
  'post /api/setup': () => ({ token: 'made up', password }),
  'put /v1/categories/{id}': () => ({ title: `Renamed ${counter++}` }),
  'put /v1/feeds/{id}': () => ({ title: `Renamed ${counter++}` }),
};

/** The same for routes that take a file. */
const files: Record<string, string> = {
  'post /api/opml': '<opml><body/></opml>',
  'post /api/highlights/import': '[]',
};

const openRoutes = [
  'delete /api/sessions',
  'get /',
  'get /api/item',
  'get /api/oidc/callback',
  'get /api/oidc/enabled',
  'get /api/oidc/login',
  'get /api/setup',
  'get /api/site',
  'get /app/{file}',
  'get /assets/page.css',
  'get /boot.js',
  'get /deframer',
  'get /healthz',
  'get /highlights',
  'get /icon-192.png',
  'get /icon-512.png',
  'get /icon.svg',
  'get /library',
  'get /login',
  'get /manifest.webmanifest',
  'get /mirror',
  'get /oidc/callback',
  'get /operations',
  'get /parts',
  'get /ping',
  'get /reading.css',
  'get /readyz',
  'get /rss',
  'get /search',
  'get /settings',
  'get /setup',
  'get /sw.js',
  'post /api/sessions',
  'post /api/setup',
];

/** What a token without the scope admin must not touch, since it would outlive the token or lock its user out. */
const accountRoutes = [
  'delete /api/me/oidc',
  'delete /api/me/sessions',
  'delete /api/tokens/{id}',
  'get /api/me/oidc',
  'get /api/tokens',
  'post /api/me/oidc',
  'post /api/tokens',
  'put /api/me/password',
];

/** What is asked by POST and changes nothing. */
const readsByPost = ['post /api/v1/ask'];

/** Where a read-only token may do some of what can be asked, and the route itself sees to it which. */
const feverPaths = ['/api/fever.php', '/fever', '/fever.php', '/fever/'];
const guardThemselves = [
  ...feverPaths.map((path) => `get ${path}`),
  ...feverPaths.map((path) => `post ${path}`),
  'post /mcp',
];

/** Programs log in and set up without a browser, so these alone do not insist on an Origin. */
const withoutOrigin = ['post /api/sessions', 'post /api/setup'];

let counter = 0;
const nameOf = ({ method, path }: RouteEntry) => `${method} ${path}`;
const isOpen = (entry: RouteEntry) => entry.access === 'open';
const isRead = (entry: RouteEntry) => entry.method === 'get';
const isForApps = (entry: RouteEntry) => entry.access === 'app';
const isForUsers = (entry: RouteEntry) => entry.access === 'user' || entry.access === 'account';
/** The routes of our own API have no scope that their handler checks. */
const scopeOf = ({ scope }: RouteEntry) => scope as Scope;
const hasParameter = (entry: RouteEntry) => entry.path.includes('{');
const not =
  (test: (entry: RouteEntry) => boolean) =>
  (entry: RouteEntry): boolean =>
    !test(entry);

onBothEngines('who may call what', (engine) => {
  let api: TestApi;
  let owner: User;
  let member: User;
  const sharedPaths = new Map<string, string>();

  beforeAll(async () => {
    // Whoever is refused at every route has tried often.
    api = await openApi(engine, { loginLimits: { rateLimit: 10_000 } });
    owner = await api.addUser('anna');
    member = await api.addUser('ben');
    return () => api.close();
  });

  /** The routes of our own API. */
  const own = () => api.entries.filter(not(isForApps));

  /** The path to something that `holder` has. */
  async function pathOf(entry: RouteEntry, holder: User): Promise<string> {
    const make = resources[entry.path];
    if (hasParameter(entry) && !make) throw new Error(`${nameOf(entry)}: no resource in the table above`);
    return make ? entry.path.replace(/\{\w+\}/, String(await make(api, holder))) : entry.path;
  }

  function call(client: Client, entry: RouteEntry, path: string, sent?: Sent): Promise<Response> {
    const body = files[nameOf(entry)];
    if (body !== undefined) return client.send('POST', path, { body, ...sent });
    const json = isRead(entry) ? undefined : (bodies[nameOf(entry)]?.() ?? {});
    return client.send(entry.method.toUpperCase(), path, { json, ...sent });
  }

  /** Refused requests change nothing, so they can all use the same object. */
  async function sharedPathOf(entry: RouteEntry): Promise<string> {
    const path = sharedPaths.get(entry.path) ?? (await pathOf(entry, owner));
    sharedPaths.set(entry.path, path);
    return path;
  }

  /** The routes that did not answer as expected, with a status or in a range, each with its status. */
  async function wrong(
    client: Client,
    entries: readonly RouteEntry[],
    expected: 401 | 403 | ((status: number) => boolean),
    sent?: Sent,
  ): Promise<string[]> {
    expect(entries).not.toEqual([]);
    const found: string[] = [];
    for (const entry of entries) {
      const isRefused = typeof expected === 'number';
      const path = await (isRefused ? sharedPathOf(entry) : pathOf(entry, owner));
      const { status, body } = await call(client, entry, path, sent);
      // A user may have eight streams of events.
      await body?.cancel();
      if (isRefused ? status !== expected : !expected(status)) found.push(`${nameOf(entry)}: ${status}`);
    }
    return found;
  }

  const passesTheGate = (status: number) => status !== 401 && status !== 403 && status < 500;

  it('has every route of the router in its list', () => {
    const registered = api.app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method.toLowerCase()} ${path}`);
    const listed = api.entries.map((entry) =>
      nameOf(entry)
        .replaceAll(/\{(\w+)\}/g, ':$1')
        .replaceAll(/\{(\w+)\*\}/g, ':$1{.+}'),
    );
    expect([...new Set(registered)].sort()).toEqual(listed.sort());
  });

  it('has only these open routes', () => {
    expect(own().filter(isOpen).map(nameOf).sort()).toEqual(openRoutes);
  });

  it('asks a visitor to log in everywhere else', async () => {
    expect(await wrong(api.visitor(), own().filter(not(isOpen)), 401)).toEqual([]);
  });

  it('lets a visitor through to the open routes', async () => {
    const entries = own()
      .filter(isOpen)
      .filter((entry) => nameOf(entry) !== 'post /api/setup');
    expect(await wrong(api.browser(), entries, passesTheGate)).toEqual([]);
  });

  it.each([
    { what: 'a made-up token', headers: { Authorization: 'Bearer lectern_made-up' } },
    { what: 'an empty token', headers: { Authorization: 'Bearer ' } },
    { what: 'another scheme', headers: { Authorization: 'Basic YW5uYTpjb3JyZWN0' } },
    { what: 'a made-up session', headers: { Cookie: 'session=made-up' } },
    { what: 'an empty session', headers: { Cookie: 'session=' } },
  ])('does not take $what for a login', async ({ headers }) => {
    const entries = own().filter(not(isOpen));
    expect(await wrong(api.browser(), entries, 401, { headers })).toEqual([]);
  });

  describe.each(scopes)('with a token of the scope %s', (scope) => {
    it('a member reaches what is for users and for that scope, and nothing else', async () => {
      const ben = await api.program('ben', scope);
      const isTheirs = (entry: RouteEntry) => isForUsers(entry) && includesScope(scope, scopeOf(entry));
      const guarded = own().filter(not(isOpen));
      expect(await wrong(ben, guarded.filter(not(isTheirs)), 403)).toEqual([]);
      expect(await wrong(ben, guarded.filter(isTheirs), passesTheGate)).toEqual([]);
    });

    it('the owner reaches everything for that scope, and nothing else', async () => {
      const anna = await api.program('anna', scope);
      const isTheirs = (entry: RouteEntry) => includesScope(scope, scopeOf(entry));
      const guarded = own().filter(not(isOpen));
      const others = guarded.filter(not(isTheirs));
      if (scope === 'admin') expect(others).toEqual([]);
      else expect(await wrong(anna, others, 403)).toEqual([]);
      expect(await wrong(anna, guarded.filter(isTheirs), passesTheGate)).toEqual([]);
    });
  });

  it('has the scope admin for accounts and for what only the owner may do, but for metrics', () => {
    const isForAdmin = ({ access }: RouteEntry) => access === 'account' || access === 'owner';
    const others = own().filter((entry) => isForAdmin(entry) !== (scopeOf(entry) === 'admin'));
    expect(others.map(nameOf)).toEqual(['get /metrics']);
    expect(
      own()
        .filter(({ access }) => access === 'account')
        .map(nameOf)
        .sort(),
    ).toEqual(accountRoutes);
  });

  it('lets a session do what a token of the scope admin may do', async () => {
    const entries = own().filter(not(isOpen));
    const isNoLogOut = (entry: RouteEntry) => nameOf(entry) !== 'put /api/me/password';
    expect(await wrong(await api.logIn('anna'), entries.filter(isNoLogOut), passesTheGate)).toEqual([]);
  });

  it('lets a read-only token read and change nothing', async () => {
    const reader = await api.program('anna', 'read');
    const mayRead = (entry: RouteEntry) => scopeOf(entry) === 'read';
    const byPost = own().filter(not(isOpen)).filter(mayRead).filter(not(isRead));
    expect(byPost.map(nameOf)).toEqual(readsByPost);
    const before = await api.rows();
    for (const entry of byPost) await (await call(reader, entry, await pathOf(entry, owner))).text();
    expect(await api.rows()).toEqual(before);
  });

  it('refuses a read-only token before it looks for what is asked', async () => {
    const reader = await api.program('ben', 'read');
    const entries = own().filter(hasParameter).filter(not(isRead));
    expect(await wrong(reader, entries, 403)).toEqual([]);
  });

  describe('a disabled member', () => {
    let session: Client;
    const tokens = new Map<Scope, string>();

    beforeAll(async () => {
      const carl = await api.addUser('carl');
      session = await api.logIn('carl');
      for (const scope of scopes)
        tokens.set(scope, (await createToken(api.accounts, carl, { name: scope, scope })).secret);
      await setDisabled(api.accounts, carl.id, true);
    });

    it('is logged out everywhere', async () => {
      expect(await wrong(session, own().filter(not(isOpen)), 401)).toEqual([]);
    });

    it.each(scopes)('is refused with a token of the scope %s, and is told why', async (scope) => {
      const carl = api.holding(tokens.get(scope) ?? '');
      const entries = own().filter(not(isOpen));
      expect(await wrong(carl, entries, 403)).toEqual([]);
      const message = 'this account is disabled: ask the owner of this Lectern';
      expect(await answerOf(await carl.get('/api/feeds'))).toMatchObject({
        status: 403,
        body: { error: message },
      });
    });

    it.each(scopes)(
      'gets the answer for a wrong token from every reader app, with the scope %s',
      async (scope) => {
        const secret = tokens.get(scope) ?? '';
        const answersTo = async (token: string) => {
          const headers = { Authorization: `Bearer ${token}` };
          const key = feverKey('carl', token);
          const answers: string[] = [];
          for (const entry of api.entries.filter(isForApps).filter(({ path }) => path !== '/mcp')) {
            const path = entry.path.replace(/\{\w+\*?\}/, '1');
            const query = path.endsWith('/ClientLogin')
              ? `?Email=carl&Passwd=${token}`
              : `?api&api_key=${key}`;
            const response = await call(api.visitor(), entry, path + query, { headers });
            answers.push(`${nameOf(entry)}: ${response.status} ${await response.text()}`);
          }
          return answers;
        };
        expect(await answersTo(secret)).toEqual(await answersTo('lectern_made-up'));
      },
    );
  });

  describe('what belongs to somebody', () => {
    const belongings = () => own().filter(hasParameter).filter(not(isOpen));

    it('is there for them', async () => {
      const anna = await api.program('anna', 'admin');
      const entries = belongings();
      expect(await wrong(anna, entries, (status) => status < 300)).toEqual([]);
    });

    it.each(['a member', 'the owner'])('is not found by another user, who is %s', async (who) => {
      const [holder, asker] = who === 'a member' ? [owner, member] : [member, owner];
      const client = await api.program(asker.username, 'admin');
      for (const entry of belongings().filter(isForUsers)) {
        const { status } = await call(client, entry, await pathOf(entry, holder));
        expect(`${nameOf(entry)}: ${status}`).toBe(`${nameOf(entry)}: 404`);
      }
    });

    it('is answered for as if it were not there at all', async () => {
      const ben = await api.program('ben', 'admin');
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
      expect(await wrong(anna, own().filter(not(isRead)), 403, { headers })).toEqual([]);
      expect((await anna.get('/api/me')).status).toBe(200);
    });

    it('is refused without an Origin, but for logging in and setting up', async () => {
      const anna = await api.logIn('anna');
      const entries = own()
        .filter(not(isRead))
        .filter((entry) => !withoutOrigin.includes(nameOf(entry)));
      expect(await wrong(anna, entries, 403, { headers: { Origin: undefined } })).toEqual([]);
      expect((await anna.get('/api/me')).status).toBe(200);
    });
  });

  describe('the routes of reader apps', () => {
    const apps = () => api.entries.filter(isForApps);
    /** Fever answers 200 to everybody, and says in the body whether it knows them. */
    const refused = async (response: Response) =>
      response.status === 401 || (response.status === 200 && /"auth":0[,}]/.test(await response.text()));

    const admitted = async (client: Client, sent?: Sent): Promise<string[]> => {
      const found: string[] = [];
      for (const entry of apps()) {
        const path = entry.path.replace(/\{\w+\*?\}/, '1');
        const response = await call(client, entry, path, sent);
        if (!(await refused(response))) found.push(`${nameOf(entry)}: ${response.status}`);
      }
      return found;
    };

    it('refuse a visitor, and what is no login', async () => {
      expect(await admitted(api.visitor())).toEqual([]);
      expect(await admitted(api.visitor(), { headers: { 'X-Auth-Token': '' } })).toEqual([]);
    });

    it('take no cookie: a foreign page could have sent it', async () => {
      expect(await admitted(await api.logIn('anna'))).toEqual([]);
    });

    it('let a user with a token in, on every route', async () => {
      const anna = await api.program('anna', 'write');
      // Fever takes a key and ClientLogin a password; they have tests of their own.
      const takesToken = ({ path }: RouteEntry) =>
        !feverPaths.includes(path) && !path.endsWith('/ClientLogin');
      for (const entry of apps().filter(takesToken)) {
        const { status } = await call(anna, entry, entry.path.replace(/\{\w+\*?\}/, '1'));
        const isAnswered = status !== 401 && status < 500;
        expect(`${nameOf(entry)}: ${isAnswered}`).toBe(`${nameOf(entry)}: true`);
      }
    });

    it('let a read-only token change nothing', async () => {
      const reader = await api.program('anna', 'read');
      const writing = apps().filter(({ scope }) => scope === 'write');
      expect(
        api.entries
          .filter(({ scope }) => scope === 'handler')
          .map(nameOf)
          .sort(),
      ).toEqual(guardThemselves);
      for (const entry of writing) {
        const { status } = await call(reader, entry, entry.path.replace(/\{\w+\*?\}/, '1'));
        expect(`${nameOf(entry)}: ${status}`).toBe(`${nameOf(entry)}: 403`);
      }
    });

    it('let a read-only token read by Fever, and mark nothing', async () => {
      const id = await addEntry(api, owner);
      const { secret } = await createToken(api.accounts, owner, { name: 'fever', scope: 'read' });
      const address = `/fever/?api&api_key=${feverKey(owner.username, secret)}`;
      const before = await api.rows();
      const read = await answerOf(await api.visitor().get(`${address}&items`));
      expect(read).toMatchObject({ status: 200, body: { auth: 1 } });
      for (const mark of ['item', 'feed', 'group']) {
        const marked = await answerOf(await api.visitor().get(`${address}&mark=${mark}&as=read&id=${id}`));
        const body = { api_version: 3, auth: 1, error: 'this token may only read' };
        expect(marked).toEqual({ status: 403, body });
      }
      expect(await api.rows()).toEqual(before);
    });

    it('let a read-only token call the tools of assistants that read, and no other', async () => {
      const item_id = await addItem(api, owner);
      const reader = await api.program('anna', 'read');
      const before = await api.rows();
      for (const { name, writes } of libraryTools) {
        const given = {
          save: { url: 'https://example.org/' },
          tag: { item_id, add: ['a'] },
          mark_read: { entry_ids: [1] },
        };
        const params = { name, arguments: given[name as 'save'] ?? {} };
        const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
        const { body } = await answerOf(await reader.post('/mcp', message));
        const text = JSON.stringify(body);
        expect([name, text.includes('you may only read')]).toEqual([name, writes]);
      }
      expect(await api.rows()).toEqual(before);
    });

    const belongings = () =>
      apps()
        .filter(({ path }) => path.startsWith('/v1/') && path !== '/v1/users/{id}/mark-all-as-read')
        .filter(hasParameter);
    const pathTo = (entry: RouteEntry, ids: readonly (number | string)[]) => {
      const left = [...ids];
      return entry.path.replaceAll(/\{\w+\}/g, () => String(left.shift()));
    };

    it('have what belongs to somebody for them, and for nobody else', async () => {
      const anna = await api.program('anna', 'write');
      const ben = await api.program('ben', 'write');
      expect(belongings()).not.toEqual([]);
      for (const entry of belongings()) {
        const make = minifluxResources[entry.path];
        if (!make) throw new Error(`${nameOf(entry)}: no resource in the table above`);
        const ids = await make(api, owner);
        const theirs = await call(ben, entry, pathTo(entry, ids));
        const nobodys = await call(
          ben,
          entry,
          pathTo(
            entry,
            ids.map(() => '999999999999999'),
          ),
        );
        expect(`${nameOf(entry)}: ${theirs.status}`).toBe(`${nameOf(entry)}: 404`);
        if (ids.length === 1) expect(await theirs.text()).toBe(await nobodys.text());
        const own = await call(anna, entry, pathTo(entry, ids));
        expect(`${nameOf(entry)}: ${own.status < 300}`).toBe(`${nameOf(entry)}: true`);
      }
    });
  });

  it.each(['GET', 'HEAD'])('changes nothing in answer to a %s', async (method) => {
    const callers = [api.visitor(), await api.logIn('anna'), await api.program('ben', 'write')];
    const paths: string[] = [];
    for (const entry of own().filter(isRead)) paths.push(await pathOf(entry, owner));
    for (const entry of api.entries.filter(isForApps).filter(isRead))
      paths.push(entry.path.replace(/\{\w+\*?\}/, '1'));
    const before = await api.rows();
    for (const client of callers) for (const path of paths) await client.send(method, path);
    expect(await api.rows()).toEqual(before);
    expect(before.users).toHaveLength(3);
  });
});
