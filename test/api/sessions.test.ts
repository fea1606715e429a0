import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/accounts/secrets.ts';
import { sessionLifetimeMs } from '../../src/accounts/sessions.ts';
import { setPassword } from '../../src/accounts/users.ts';
import type { Store } from '../../src/store/store.ts';
import { answerOf, type Client, jsonOf, openApi, password, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';

const day = 24 * 3600 * 1000;
const proxy = { address: '10.0.0.0', prefix: 8, family: 'ipv4' } as const;

onEachEngine('sessions', (engine) => {
  let api: TestApi;

  beforeAll(async () => {
    api = await openApi(engine);
    await api.addUser('anna');
    return () => api.close();
  });

  // Wrong passwords of an earlier test do not count any more.
  beforeEach(() => api.clock.advance(600_000));

  const secretOf = (browser: Client) => browser.cookies.get('session') ?? '';
  const isLoggedIn = async (browser: Client) => (await browser.get('/api/me')).status === 200;

  describe('logging in', () => {
    it('comes to nothing when the password is changed between the check and the session', async () => {
      const [anna] = await api.opened.store.users.list();
      if (!anna) throw new Error('expected a user');
      const late = api.again({ store: changingPassword(api.opened.store, anna.id) });
      const response = await late.browser().post('/api/sessions', { password });
      expect(response.status).toBe(401);
      expect((await late.browser().post('/api/sessions', { password })).status).toBe(401);
      await setPassword(api.accounts, anna, password);
    });

    it('takes the password alone where the owner is the only user', async () => {
      const browser = api.browser();
      const response = await browser.post('/api/sessions', { password });
      expect(await answerOf(response)).toEqual({ status: 200, body: { data: { message: 'logged in' } } });
      expect(await jsonOf(await browser.get('/api/me'))).toMatchObject({ data: { username: 'anna' } });
    });

    it.each(['anna', 'ANNA', ' Anna ', 'ａｎｎａ'])('knows the user by the name "%s"', async (username) => {
      expect((await api.browser().post('/api/sessions', { username, password })).status).toBe(200);
    });

    it.each([
      { what: 'a wrong password', input: { password: 'wrong' } },
      { what: 'a name that nobody has', input: { username: 'nobody', password } },
      { what: 'an empty name', input: { username: '', password } },
      { what: 'a NUL after the right name', input: { username: 'anna\0', password } },
      { what: 'more after the right password', input: { password: `${password} and more` } },
      { what: 'a NUL after the right password', input: { password: `${password}\0` } },
      { what: 'the right password in capitals', input: { password: password.toUpperCase() } },
    ])('refuses $what, and sets no cookie', async ({ input }) => {
      const response = await api.browser().post('/api/sessions', input);
      expect(await answerOf(response)).toEqual({
        status: 401,
        body: { error: 'wrong username or password' },
      });
      expect(response.headers.getSetCookie()).toEqual([]);
    });

    it('gives a new session id and ends the session that the browser had', async () => {
      const browser = await api.logIn('anna');
      const before = browser.at(api);
      await browser.post('/api/sessions', { password });
      expect(secretOf(browser)).not.toBe(secretOf(before));
      expect(await isLoggedIn(browser)).toBe(true);
      expect(await isLoggedIn(before)).toBe(false);
    });

    it('does not take over a session id that was planted in the browser', async () => {
      const browser = api.browser();
      browser.cookies.set('session', 'planted');
      await browser.post('/api/sessions', { password });
      expect(secretOf(browser)).not.toBe('planted');
      expect((await api.browser().get('/api/me', { headers: { Cookie: 'session=planted' } })).status).toBe(
        401,
      );
    });

    it('leaves the session that the browser had alone when it fails', async () => {
      const browser = await api.logIn('anna');
      await browser.post('/api/sessions', { password: 'wrong' });
      expect(await isLoggedIn(browser)).toBe(true);
    });
  });

  describe('the cookie', () => {
    const cookieOf = async (at: TestApi, headers: Record<string, string> = {}, from = '198.51.100.1') => {
      const response = await at.visitor().post('/api/sessions', { password }, { headers, from });
      const [cookie = ''] = response.headers.getSetCookie();
      return cookie.split('; ').map((part) => part.replace(/^session=.+/, 'session'));
    };
    const plain = ['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax', 'session'];
    const forwarded = { 'X-Forwarded-Proto': 'https' };

    it('is HttpOnly, SameSite=Lax, for the whole site and for 30 days', async () => {
      expect((await cookieOf(api)).sort()).toEqual(plain);
    });

    it('is Secure when the public URL is HTTPS', async () => {
      expect(await cookieOf(api.again({ publicUrl: 'https://reader.example' }))).toContain('Secure');
    });

    it('is not Secure when the public URL is plain HTTP', async () => {
      expect((await cookieOf(api.again({ publicUrl: 'http://reader.example' }))).sort()).toEqual(plain);
    });

    it('is Secure when a trusted proxy says that it was asked over HTTPS', async () => {
      const behind = api.again({ trustedProxies: [proxy] });
      expect(await cookieOf(behind, forwarded, '10.1.2.3')).toContain('Secure');
      expect(await cookieOf(behind, forwarded, '::ffff:10.1.2.3')).toContain('Secure');
    });

    it('believes no such thing from anybody else', async () => {
      expect((await cookieOf(api, forwarded)).sort()).toEqual(plain);
      const behind = api.again({ trustedProxies: [proxy] });
      expect((await cookieOf(behind, forwarded, '198.51.100.1')).sort()).toEqual(plain);
    });
  });

  describe('logging out', () => {
    it('ends the session on the server and takes the cookie away', async () => {
      const browser = await api.logIn('anna');
      const copy = browser.at(api);
      const response = await browser.delete('/api/sessions');
      expect(response.status).toBe(204);
      expect(response.headers.get('Clear-Site-Data')).toBe('"cache"');
      expect(browser.cookies.has('session')).toBe(false);
      expect(await isLoggedIn(copy)).toBe(false);
      expect(JSON.stringify(await api.rows())).not.toContain(sha256(secretOf(copy)));
    });

    it('leaves the other sessions of the user alone', async () => {
      const [one, other] = [await api.logIn('anna'), await api.logIn('anna')];
      await one.delete('/api/sessions');
      expect(await isLoggedIn(other)).toBe(true);
    });

    it('is no error for one who is not logged in', async () => {
      expect((await api.visitor().delete('/api/sessions')).status).toBe(204);
    });
  });

  describe('a session', () => {
    it('survives a restart', async () => {
      const browser = await api.logIn('anna');
      expect(await isLoggedIn(browser.at(api.again()))).toBe(true);
    });

    it('that ended before a restart stays ended', async () => {
      const browser = await api.logIn('anna');
      const copy = browser.at(api.again());
      await browser.delete('/api/sessions');
      expect(await isLoggedIn(copy)).toBe(false);
    });

    it('ends 30 days after its last renewal', async () => {
      const browser = await api.logIn('anna');
      const untouched = browser.at(api);
      api.clock.advance(sessionLifetimeMs - 1);
      expect(await isLoggedIn(untouched)).toBe(true);
      api.clock.advance(sessionLifetimeMs);
      expect(await isLoggedIn(untouched)).toBe(false);
    });

    it('is not renewed in the first half of its life', async () => {
      const browser = await api.logIn('anna');
      api.clock.advance(15 * day);
      expect((await browser.get('/api/me')).headers.getSetCookie()).toEqual([]);
      api.clock.advance(15 * day);
      expect(await isLoggedIn(browser)).toBe(false);
    });

    it('is renewed by use in the second half, cookie and all', async () => {
      const browser = await api.logIn('anna');
      const secret = secretOf(browser);
      api.clock.advance(15 * day + 1);
      const [cookie] = (await browser.get('/api/me')).headers.getSetCookie();
      expect(cookie).toContain(`session=${secret}; Max-Age=2592000`);
      api.clock.advance(29 * day);
      expect(await isLoggedIn(browser)).toBe(true);
    });
  });

  it('keeps sessions and tokens as hashes only', async () => {
    const browser = await api.logIn('anna');
    const made = await browser.post('/api/tokens', { name: 'phone', scope: 'read' });
    const { data } = await jsonOf<{ data: { token: string } }>(made);
    const everything = JSON.stringify(await api.rows());
    for (const secret of [secretOf(browser), data.token]) {
      expect(everything).toContain(sha256(secret));
      expect(everything).not.toContain(secret);
      expect(everything).not.toContain(secret.replace('lectern_', ''));
    }
    expect(everything).not.toContain(password);
  });

  describe('where there are more users', () => {
    let shared: TestApi;

    beforeAll(async () => {
      shared = await openApi(engine);
      for (const username of ['anna', 'ben', 'cleo']) await shared.addUser(username);
      return () => shared.close();
    });

    it('the username is needed to log in', async () => {
      const response = await shared.browser().post('/api/sessions', { password });
      expect(response.status).toBe(400);
      expect(await jsonOf(response)).toEqual({ error: expect.stringMatching(/^username: /) });
      expect(await jsonOf(await (await shared.logIn('ben')).get('/api/me'))).toMatchObject({
        data: { username: 'ben', role: 'member' },
      });
    });

    it('one without a password never gets in', async () => {
      const username = 'single-sign-on';
      await shared.opened.store.users.create({ username, passwordHash: null, role: 'member' });
      for (const guess of ['nobody has this password', 'null', ' ']) {
        const response = await shared.browser().post('/api/sessions', { username, password: guess });
        expect(response.status).toBe(401);
      }
    });

    it('a new password ends all sessions of its user, and gives this browser a new one', async () => {
      const [here, elsewhere] = [await shared.logIn('ben'), await shared.logIn('ben')];
      const cleo = await shared.logIn('cleo');
      const before = here.at(shared);
      const input = { current_password: password, password: 'another good one' };
      expect((await here.put('/api/me/password', input)).status).toBe(204);
      expect(await isLoggedIn(here)).toBe(true);
      expect(secretOf(here)).not.toBe(secretOf(before));
      expect(await isLoggedIn(before)).toBe(false);
      expect(await isLoggedIn(elsewhere)).toBe(false);
      expect(await isLoggedIn(cleo)).toBe(true);
    });
  });
});

/** The store as one slow process meets it: by the time it makes a session, the password is another. */
function changingPassword(store: Store, userId: number): Store {
  const createSession: Store['credentials']['createSession'] = async (session) => {
    await store.users.setPassword(userId, 'another hash');
    return store.credentials.createSession(session);
  };
  return { ...store, credentials: { ...store.credentials, createSession } };
}
