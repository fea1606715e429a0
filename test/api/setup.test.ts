import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sha256 } from '../../src/accounts/secrets.ts';
import { createSetupLink } from '../../src/accounts/setup.ts';
import type { Store } from '../../src/store/store.ts';
import {
  answerOf,
  foreignOrigin,
  jsonOf,
  openApi,
  openEmptyApi,
  password,
  type TestApi,
} from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';

const day = 24 * 3600 * 1000;

onEachEngine('the first setup', (engine) => {
  let api: TestApi;
  let token: string;

  beforeEach(async () => {
    api = await openEmptyApi(engine);
    token = await newLink(api);
  });

  const isDone = async () => (await jsonOf<{ data: unknown }>(await api.visitor().get('/api/setup'))).data;

  it('comes before everything else', async () => {
    for (const { method, path, access } of api.entries) {
      const response = await api
        .browser()
        .send(method.toUpperCase(), path.replace('{id}', '1'), { json: method === 'get' ? undefined : {} });
      // Fever answers 200 to everybody, and says in the body that it does not know them.
      const isRefused =
        response.status === 401 || (path.includes('fever') && /"auth":0[,}]/.test(await response.text()));
      if (access !== 'open') expect([method, path, isRefused]).toEqual([method, path, true]);
    }
    for (const input of [{ password }, { username: 'owner', password }, { username: '', password: 'x' }]) {
      expect((await api.browser().post('/api/sessions', input)).status).toBe(401);
    }
    expect(await isDone()).toEqual({ done: false });
  });

  it('is not done by a program of an owner whom an old database came with: it adds members', async () => {
    const { users } = api.opened.store;
    const { id } = await users.create({ username: 'owner', passwordHash: null, role: 'owner' });
    const program = await api.program('owner', 'admin');
    const answer = await program.post('/api/users', { username: 'anna', password });
    expect(await jsonOf(answer)).toMatchObject({ data: { username: 'anna', role: 'member' } });
    expect(await users.findOwner()).toMatchObject({ id, username: 'owner' });
    expect(await isDone()).toEqual({ done: false });
  });

  it('makes the owner with the link, and logs in', async () => {
    const browser = api.browser();
    const response = await browser.post('/api/setup', { token, password });
    expect(await answerOf(response)).toEqual({ status: 200, body: { data: { username: 'owner' } } });
    expect(await jsonOf(await browser.get('/api/me'))).toMatchObject({
      data: { username: 'owner', role: 'owner' },
    });
    expect((await browser.get('/metrics')).status).toBe(200);
    expect(await isDone()).toEqual({ done: true });
  });

  it('makes the browser of the owner a known browser', async () => {
    const browser = api.browser();
    await browser.post('/api/setup', { token, password });
    const owner = await api.opened.store.users.findOwner();
    const secret = browser.cookies.get('known_browser') ?? '';
    expect(await api.opened.store.knownBrowsers.findUserId(sha256(secret))).toBe(owner?.id);
  });

  it('takes a name of choice', async () => {
    await api.browser().post('/api/setup', { token, username: ' Anna@Example.org ', password });
    expect(await usernames(api)).toEqual(['anna@example.org']);
    expect((await api.browser().post('/api/sessions', { password })).status).toBe(200);
  });

  it('works once', async () => {
    await api.browser().post('/api/setup', { token, password });
    const again = await api.browser().post('/api/setup', { token, username: 'mallory', password });
    expect(again.status).toBe(409);
    expect(again.headers.getSetCookie()).toEqual([]);
    expect(await usernames(api)).toEqual(['owner']);
  });

  it('ends all links with the first one that is used', async () => {
    const others = [await newLink(api), await newLink(api)];
    expect((await api.browser().post('/api/setup', { token: others[0], password })).status).toBe(200);
    for (const left of [token, others[1]]) {
      expect((await api.browser().post('/api/setup', { token: left, password })).status).toBe(409);
    }
    expect(JSON.stringify(await api.rows())).not.toContain('setup_link');
    expect(await createSetupLink(api.accounts)).toBeUndefined();
  });

  it('makes one owner of many who use the link at once', async () => {
    const names = ['a1', 'b2', 'c3', 'd4', 'e5', 'f6', 'g7', 'h8'];
    const responses = await Promise.all(
      names.map((username) => api.browser().post('/api/setup', { token, username, password })),
    );
    const [made, ...refused] = responses.map(({ status }) => status).sort();
    expect(made).toBe(200);
    for (const status of refused) expect(status).toBe(409);
    expect(await usernames(api)).toHaveLength(1);
  });

  it('makes nobody of one whose link was found good just before another used it', async () => {
    const late = holdAfterCheck(api.opened.store);
    const response = api.again({ store: late.store }).browser().post('/api/setup', {
      token,
      username: 'mallory',
      password,
    });
    await late.checked;
    expect((await api.browser().post('/api/setup', { token, password })).status).toBe(200);
    late.goOn();
    expect((await response).status).toBe(409);
    expect(await usernames(api)).toEqual(['owner']);
  });

  it('answers 409 when another setup completes while the link is checked', async () => {
    const { store } = api.opened;
    const setupLinks: Store['setupLinks'] = {
      ...store.setupLinks,
      async isValid(secretSha256) {
        await api.browser().post('/api/setup', { token, username: 'anna', password });
        return store.setupLinks.isValid(secretSha256);
      },
    };
    const late = api.again({ store: { ...store, setupLinks } });
    expect((await late.browser().post('/api/setup', { token, password })).status).toBe(409);
    expect(await usernames(api)).toEqual(['anna']);
  });

  it('refuses a link after a day', async () => {
    api.clock.advance(day - 1);
    const inTime = await newLink(api);
    api.clock.advance(1);
    expect((await api.browser().post('/api/setup', { token, password })).status).toBe(403);
    expect((await api.browser().post('/api/setup', { token: inTime, password })).status).toBe(200);
  });

  it.each(['eight888', 'p'.repeat(72)])('takes the password "%s"', async (fine) => {
    expect((await api.browser().post('/api/setup', { token, password: fine })).status).toBe(200);
    expect((await api.browser().post('/api/sessions', { password: fine })).status).toBe(200);
  });
});

onEachEngine('an owner who came with an old database', (engine) => {
  let api: TestApi;

  beforeEach(async () => {
    api = await openEmptyApi(engine);
    await api.opened.store.users.create({ username: 'owner', passwordHash: null, role: 'owner' });
  });

  const done = async () => (await jsonOf<{ data: unknown }>(await api.visitor().get('/api/setup'))).data;

  it('becomes whoever has the link, by the name and the password that they choose', async () => {
    expect(await done()).toEqual({ done: false });
    expect((await api.browser().post('/api/sessions', { password })).status).toBe(401);
    const token = await newLink(api);
    const mine = await api.browser().post('/api/setup', { token, username: 'anna', password });
    expect(mine.status).toBe(200);
    expect(await api.opened.store.users.list()).toMatchObject([{ id: 1, username: 'anna', role: 'owner' }]);
    expect(await done()).toEqual({ done: true });
    expect((await api.browser().post('/api/setup', { token, username: 'mallory', password })).status).toBe(
      409,
    );
    expect((await api.browser().post('/api/sessions', { password })).status).toBe(200);
    expect(await createSetupLink(api.accounts)).toBeUndefined();
  });

  it('becomes one of many who use the link at once', async () => {
    const token = await newLink(api);
    const names = ['a1', 'b2', 'c3', 'd4'];
    const statuses = await Promise.all(
      names.map(
        async (username) => (await api.browser().post('/api/setup', { token, username, password })).status,
      ),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(await usernames(api)).toHaveLength(1);
  });

  it('does not take the name of a member', async () => {
    await api.opened.store.users.create({ username: 'berta', passwordHash: null, role: 'member' });
    const token = await newLink(api);
    const taken = await api.browser().post('/api/setup', { token, username: 'berta', password });
    expect(taken.status).toBe(409);
    expect((await api.browser().post('/api/setup', { token, password })).status).toBe(200);
  });
});

onEachEngine('a setup that is refused', (engine) => {
  let api: TestApi;
  let token: string;

  beforeAll(async () => {
    api = await openApi(engine);
    token = await newLink(api);
    return () => api.close();
  });

  // However it was refused, nobody was made and the link is still good.
  afterEach(async () => {
    expect(await usernames(api)).toEqual([]);
    expect(await api.opened.store.setupLinks.isValid(sha256(token))).toBe(true);
  });

  it.each(['made-up', ' ', '%', "' OR 1=1 --", 'x'.repeat(200)])('for the link "%s"', async (made) => {
    expect((await api.browser().post('/api/setup', { token: made, password })).status).toBe(403);
  });

  it('to a page of another site', async () => {
    const headers = { Origin: foreignOrigin };
    expect((await api.browser().post('/api/setup', { token, password }, { headers })).status).toBe(403);
  });

  it('leaves the link in the index as a hash only', async () => {
    expect(JSON.stringify(await api.rows())).not.toContain(token);
  });

  it.each([
    { what: 'a short password', input: { password: 'seven77' }, field: 'password' },
    { what: 'a password of 73 bytes', input: { password: 'p'.repeat(73) }, field: 'password' },
    { what: 'a password of 25 wide characters', input: { password: '鍵'.repeat(25) }, field: 'password' },
    { what: 'a password with NUL', input: { password: 'eight888\0' }, field: 'password' },
    { what: 'no password', input: {}, field: 'password' },
    { what: 'a number as password', input: { password: 12_345_678 }, field: 'password' },
    { what: 'a name with a space', input: { password, username: 'an na' }, field: 'username' },
    { what: 'a name with markup', input: { password, username: '<b>anna' }, field: 'username' },
    { what: 'an empty name', input: { password, username: '' }, field: 'username' },
    { what: 'a name of 65 letters', input: { password, username: 'a'.repeat(65) }, field: 'username' },
    { what: 'a list as token', input: { password, token: [] }, field: 'token' },
  ])('for $what names the field', async ({ input, field }) => {
    const response = await api.browser().post('/api/setup', { token, ...input });
    expect(response.status).toBe(400);
    expect(await jsonOf(response)).toEqual({ error: expect.stringMatching(`^${field}: `) });
  });
});

async function newLink({ accounts }: TestApi): Promise<string> {
  const secret = await createSetupLink(accounts);
  if (secret === undefined) throw new Error('there is an owner already');
  return secret;
}

async function usernames({ opened }: TestApi): Promise<string[]> {
  return (await opened.store.users.list()).map(({ username }) => username);
}

/** The store as one slow process meets it: the link is found good, and then time passes. */
function holdAfterCheck(store: Store) {
  const checked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const setupLinks: Store['setupLinks'] = {
    ...store.setupLinks,
    async isValid(secretSha256) {
      const valid = await store.setupLinks.isValid(secretSha256);
      checked.resolve();
      await held.promise;
      return valid;
    },
  };
  return { store: { ...store, setupLinks }, checked: checked.promise, goOn: held.resolve };
}
