// Single sign-on against the real oidc-provider: the way there and back, and whose account it opens.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/accounts/secrets.ts';
import { createSetupLink } from '../../src/accounts/setup.ts';
import type { Store } from '../../src/store/store.ts';
import { answerOf, type Client, jsonOf, openApi, password, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { type OidcServer, startOidcServer } from '../support/oidc-server.ts';
import {
  authUrlFor,
  createSignOnWorld,
  forgetEverybody,
  outcomeOf,
  redirectUris,
  signOn,
} from '../support/sign-on.ts';

const annas = { preferred_username: 'anna', email: 'anna@example.org', email_verified: true };
const elsewhere = 'https://reader.example';

onEachEngine('single sign-on', (engine) => {
  let provider: OidcServer;
  let api: TestApi;
  let world: ReturnType<typeof createSignOnWorld>;

  beforeAll(async () => {
    api = await openApi(engine);
    world = createSignOnWorld(api.clock.now);
    provider = await startOidcServer([...redirectUris, `${elsewhere}/api/oidc/callback`]);
    provider.accounts.set('1', annas);
    provider.accounts.set('2', {
      preferred_username: 'ben',
      email: 'ben@example.org',
      email_verified: false,
    });
    provider.accounts.set('3', { email: 'cleo@example.org' });
    provider.accounts.set('4', { preferred_username: 'no name for us!' });
  });
  afterEach(() => forgetEverybody(api));
  afterAll(async () => {
    provider.close();
    await world.close();
    await api.close();
  });

  const allowing = (...people: string[]) => api.again({ oidc: world.allowing(provider.issuer, ...people) });
  const whoIs = async (browser: Client) => {
    const answer = await browser.get('/api/me');
    if (answer.status !== 200) return answer.status;
    const { data } = await jsonOf<{ data: { username: string; role: string } }>(answer);
    return `${data.username}, ${data.role}`;
  };
  const usernames = async () => (await api.opened.store.users.list()).map(({ username }) => username);
  const subjects = async () =>
    (await api.opened.database.read.selectFrom('users').select('oidc_subject').orderBy('id').execute()).map(
      (row) => row.oidc_subject,
    );

  describe('that is not set up', () => {
    it('says so, and has no other route', async () => {
      const visitor = api.visitor();
      expect(await jsonOf(await visitor.get('/api/oidc/enabled'))).toEqual({ data: { enabled: false } });
      for (const path of ['/api/oidc/login', '/api/oidc/callback?state=a&code=b', '/oidc/callback?code=b']) {
        expect(await answerOf(await visitor.get(path))).toEqual({
          status: 404,
          body: { error: 'single sign-on not found' },
        });
      }
      expect(provider.requests).toEqual([]);
    });
  });

  describe('on the way to the provider', () => {
    it('carries what the answer is checked by, all of it new each time', async () => {
      const browser = allowing('anna').browser();
      const [one, other] = [new URL(await authUrlFor(browser)), new URL(await authUrlFor(browser))];
      expect(one.origin + one.pathname).toBe(`${provider.issuer}/auth`);
      expect(Object.fromEntries(one.searchParams)).toEqual({
        client_id: 'lectern',
        response_type: 'code',
        redirect_uri: redirectUris[0],
        scope: 'openid profile email',
        state: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
      });
      for (const name of ['state', 'nonce', 'code_challenge']) {
        expect(one.searchParams.get(name)).not.toBe(other.searchParams.get(name));
      }
    });

    it.each([
      { url: undefined, more: [] },
      { url: elsewhere, more: ['Secure'] },
    ])('ties it to the browser by a cookie for ten minutes (public URL: $url)', async ({ url, more }) => {
      const oidc = world.allowing(provider.issuer, 'anna');
      const answer = await api
        .again({ oidc, ...(url && { publicUrl: url }) })
        .visitor()
        .get('/api/oidc/login');
      const [cookie = ''] = answer.headers.getSetCookie();
      const [, ...attributes] = cookie.split('; ');
      expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=600', 'Path=/', 'SameSite=Lax', ...more]);
      const { data } = await jsonOf<{ data: { auth_url: string } }>(answer);
      expect(new URL(data.auth_url).searchParams.get('redirect_uri')).toBe(
        `${url ?? 'http://reader.example'}/api/oidc/callback`,
      );
    });

    it('has the configured address to come back to', async () => {
      const [, redirectUri] = redirectUris;
      const oidc = world.with({ issuer: provider.issuer, redirectUri, allowedUsers: ['anna@example.org'] });
      await api.addUser('owner');
      const browser = api.again({ oidc }).browser();
      const authUrl = new URL(await authUrlFor(browser));
      expect(authUrl.searchParams.get('redirect_uri')).toBe(redirectUri);
      expect(outcomeOf(await signOn(browser, provider, '1'))).toBe('307 / with a session');
    });

    it('is not begun by a page of another site', async () => {
      const headers = { Origin: 'https://evil.example' };
      const answer = await allowing('anna').browser().get('/api/oidc/login', { headers });
      expect(answer.status).toBe(403);
      expect(answer.headers.getSetCookie()).toEqual([]);
    });
  });

  describe('of somebody new', () => {
    beforeEach(async () => {
      await api.addUser('owner');
    });

    it.each([
      { what: 'an e-mail address that is verified', entry: 'Anna@Example.ORG', subject: '1', name: 'anna' },
      { what: 'a name', entry: 'ben', subject: '2', name: 'ben' },
      { what: 'a subject', entry: 'sub:3', subject: '3', name: expect.stringMatching(/^user-[0-9a-f]{12}$/) },
      { what: 'a name for the account', entry: 'sub:4 as Dora', subject: '4', name: 'dora' },
    ])('lets in who is on the list by $what', async ({ entry, subject, name }) => {
      const browser = allowing('somebody-else', entry).browser();
      expect(outcomeOf(await signOn(browser, provider, subject))).toBe('307 / with a session');
      expect(await usernames()).toEqual(['owner', name]);
      expect(await whoIs(browser)).toMatch(/, member$/);
      expect((await browser.get('/api/groups')).status).toBe(200);
    });

    it.each([
      { what: 'an address that is not verified', entry: 'ben@example.org', subject: '2' },
      { what: 'an address of which that is not said', entry: 'cleo@example.org', subject: '3' },
      { what: 'a name in other letters', entry: 'Anna', subject: '1' },
      { what: "somebody else's subject", entry: 'sub:2', subject: '1' },
      { what: 'a subject that is written as a name', entry: '1', subject: '1' },
    ])('keeps out who is on the list by $what', async ({ entry, subject }) => {
      const browser = allowing(entry).browser();
      expect(outcomeOf(await signOn(browser, provider, subject))).toBe('307 /login?error=sso-not-allowed');
      expect(await whoIs(browser)).toBe(401);
      expect(await usernames()).toEqual(['owner']);
    });

    it('keeps everybody out where there is no list', async () => {
      expect(outcomeOf(await signOn(allowing().browser(), provider, '1'))).toBe(
        '307 /login?error=sso-not-allowed',
      );
    });

    it('makes one user of somebody who comes in two tabs at once', async () => {
      const here = allowing('anna');
      const both = [here.browser(), here.browser()];
      const answers = await Promise.all(both.map((browser) => signOn(browser, provider, '1')));
      expect(answers.map(outcomeOf)).toEqual(['307 / with a session', '307 / with a session']);
      expect(await usernames()).toEqual(['owner', 'anna']);
    });

    it('finds them made by the other tab, when both have found nobody before', async () => {
      const store = makingUsersTwice(api.opened.store);
      const late = api.again({ oidc: world.allowing(provider.issuer, 'anna'), store });
      expect(outcomeOf(await signOn(late.browser(), provider, '1'))).toBe('307 / with a session');
      expect(await usernames()).toEqual(['owner', 'anna']);
    });

    it('gives them no password to log in with', async () => {
      await signOn(allowing('anna').browser(), provider, '1');
      for (const guess of ['null', 'undefined', '1', provider.issuer]) {
        const input = { username: 'anna', password: guess };
        expect((await api.browser().post('/api/sessions', input)).status).toBe(401);
      }
    });
  });

  describe('beside accounts that exist', () => {
    it('opens none of them by a name or an address alone', async () => {
      for (const name of ['anna', 'anna@example.org', 'ben']) await api.addUser(name);
      const here = allowing('anna@example.org', 'ben');
      for (const subject of ['1', '2']) {
        const browser = here.browser();
        expect(outcomeOf(await signOn(browser, provider, subject))).toBe(
          '307 /login?error=sso-account-exists',
        );
        expect(await whoIs(browser)).toBe(401);
      }
      expect(await subjects()).toEqual([null, null, null]);
    });

    it('opens the one that the operator has named, to that person and to nobody else there', async () => {
      await api.addUser('owner');
      provider.accounts.set('5', annas);
      const here = allowing('anna@example.org as owner', 'ben as owner');
      const anna = here.browser();
      expect(outcomeOf(await signOn(anna, provider, '1'))).toBe('307 / with a session');
      expect(await whoIs(anna)).toBe('owner, owner');
      // One who has her address now, and one whom the list names too.
      for (const subject of ['5', '2']) {
        expect(outcomeOf(await signOn(here.browser(), provider, subject))).toBe(
          '307 /login?error=sso-account-exists',
        );
      }
      expect(await subjects()).toEqual([`${provider.issuer} 1`]);
      expect((await api.browser().post('/api/sessions', { password })).status).toBe(200);
    });

    it('does not take the same subject of another provider for the same person', async () => {
      const owner = await api.addUser('owner');
      await api.opened.store.users.setSubject(owner.id, 'https://other.example 1');
      const unlinked = '307 /login?error=sso-not-allowed';
      expect(outcomeOf(await signOn(allowing().browser(), provider, '1'))).toBe(unlinked);
      // Who has changed the provider says anew whose account it is.
      const here = allowing('anna as owner');
      expect(outcomeOf(await signOn(here.browser(), provider, '1'))).toBe('307 / with a session');
      expect(await subjects()).toEqual([`${provider.issuer} 1`]);
    });

    it('keeps out who was taken off the list', async () => {
      await api.addUser('owner');
      expect(outcomeOf(await signOn(allowing('anna', 'ben').browser(), provider, '1'))).toContain('session');
      expect(outcomeOf(await signOn(allowing('ben').browser(), provider, '1'))).toBe(
        '307 /login?error=sso-not-allowed',
      );
    });
  });

  describe('before there is an owner', () => {
    it('makes the owner of the only person on the list, and ends every setup link', async () => {
      const token = await createSetupLink(api.accounts);
      const browser = allowing('anna@example.org').browser();
      expect(outcomeOf(await signOn(browser, provider, '1'))).toBe('307 / with a session');
      expect(await whoIs(browser)).toBe('anna, owner');
      expect((await api.browser().post('/api/setup', { token, password })).status).toBe(409);
      expect(JSON.stringify(await api.rows())).not.toContain('setup_link');
    });

    describe('but rows of an old database that wait for one', () => {
      const ownerId = async () =>
        (await api.opened.store.users.create({ username: 'owner', passwordHash: null, role: 'owner' })).id;

      it('gives them to the only person on the list, and ends every setup link', async () => {
        const id = await ownerId();
        const token = await createSetupLink(api.accounts);
        const here = allowing('anna@example.org');
        const [browser, tab] = [here.browser(), here.browser()];
        await Promise.all([signOn(browser, provider, '1'), signOn(tab, provider, '1')]);
        expect(await whoIs(browser)).toBe('anna, owner');
        expect(await whoIs(tab)).toBe('anna, owner');
        expect((await api.opened.store.users.findOwner())?.id).toBe(id);
        expect(await usernames()).toEqual(['anna']);
        expect((await api.browser().post('/api/setup', { token, password })).status).toBe(409);
        expect(JSON.stringify(await api.rows())).not.toContain('setup_link');
      });

      it('leaves the owner its name where the other is taken', async () => {
        await ownerId();
        await api.opened.store.users.create({ username: 'anna', passwordHash: null, role: 'member' });
        const browser = allowing('anna@example.org').browser();
        await signOn(browser, provider, '1');
        expect(await whoIs(browser)).toBe('owner, owner');
      });

      it('gives them to nobody where it could be one of several', async () => {
        await ownerId();
        const browser = allowing('anna@example.org', 'ben').browser();
        expect(outcomeOf(await signOn(browser, provider, '1'))).toBe('307 /login?error=sso-setup-first');
        expect(await usernames()).toEqual(['owner']);
      });
    });

    it('makes nobody where it could be one of several', async () => {
      const browser = allowing('anna@example.org', 'ben').browser();
      expect(outcomeOf(await signOn(browser, provider, '1'))).toBe('307 /login?error=sso-setup-first');
      expect((await browser.get('/login?error=sso-setup-first')).headers.get('location')).toBe(
        '/?error=sso-setup-first',
      );
      expect(await usernames()).toEqual([]);
    });
  });

  describe('of somebody who is known', () => {
    beforeEach(async () => {
      const { id } = await api.addUser('anna');
      await api.opened.store.users.setSubject(id, `${provider.issuer} 1`);
    });

    it('needs no list, and no more than the subject', async () => {
      provider.requests.length = 0;
      const browser = allowing().browser();
      expect(outcomeOf(await signOn(browser, provider, '1'))).toBe('307 / with a session');
      expect(await whoIs(browser)).toBe('anna, owner');
      expect(provider.requests).not.toContain('/me');
    });

    it('makes the browser a known browser of the user', async () => {
      const browser = allowing().browser();
      await signOn(browser, provider, '1');
      const owner = await api.opened.store.users.findOwner();
      const secret = browser.cookies.get('known_browser') ?? '';
      expect(await api.opened.store.knownBrowsers.findUserId(sha256(secret))).toBe(owner?.id);
    });

    it('goes on in another process, and after a restart', async () => {
      const browser = allowing().browser();
      const back = await provider.visit(await authUrlFor(browser), { subject: '1' });
      const other = browser.at(allowing());
      expect(outcomeOf(await other.get(back.pathname + back.search))).toBe('307 / with a session');
    });

    it('begins a session of its own, and ends the one that the browser had', async () => {
      const browser = await api.logIn('anna');
      const before = browser.at(api);
      const here = browser.at(allowing());
      await signOn(here, provider, '1');
      expect(here.cookies.get('session')).not.toBe(before.cookies.get('session'));
      expect(here.cookies.has('sign_on')).toBe(false);
      expect([await whoIs(before), await whoIs(here)]).toEqual([401, 'anna, owner']);
    });

    it.each([
      ['/library?tag=a#x', '/library?tag=a#x'],
      ['//evil.example', '/'],
      ['/\\evil.example', '/'],
      ['https://evil.example/', '/'],
      ['javascript:alert(1)', '/'],
    ])('leads to a place on this site alone (%s)', async (next, path) => {
      const answer = await signOn(allowing().browser(), provider, '1', next);
      expect(outcomeOf(answer)).toBe(`307 ${path} with a session`);
    });

    it('leads to the front page where the place would be too long for a cookie', async () => {
      const answer = await signOn(allowing().browser(), provider, '1', `/${'a'.repeat(1001)}`);
      expect(outcomeOf(answer)).toBe('307 / with a session');
    });

    it('is over when the provider is told no', async () => {
      const browser = allowing().browser();
      const back = await provider.visit(await authUrlFor(browser, '/library'), 'nobody');
      expect(back.searchParams.get('error')).toBe('access_denied');
      expect(outcomeOf(await browser.get(back.pathname + back.search))).toBe(
        '307 /login?error=sso-denied&next=%2Flibrary',
      );
    });

    it('uses up no code for one who only looks whether the address is there', async () => {
      const browser = allowing().browser();
      const back = await provider.visit(await authUrlFor(browser), { subject: '1' });
      expect((await browser.send('HEAD', back.pathname + back.search)).status).toBe(204);
      expect(outcomeOf(await browser.get(back.pathname + back.search))).toBe('307 / with a session');
    });

    it('writes no secret into the log or the index', async () => {
      const here = allowing();
      const browser = here.browser();
      const back = await provider.visit(await authUrlFor(browser), { subject: '1' });
      await browser.get(`${back.pathname}${back.search}&iss=https://other.example`);
      await browser.get(back.pathname + back.search);
      const kept = [...here.logLines, JSON.stringify(await api.rows())].join('\n');
      expect(kept).toContain('single sign-on');
      for (const name of ['code', 'state']) {
        expect(kept).not.toContain(back.searchParams.get(name) ?? 'nothing');
      }
    });
  });
});

/** The store as the slower of two tabs meets it: the other has just made the same user. */
function makingUsersTwice(store: Store): Store {
  const create: Store['users']['create'] = async (user) => {
    await store.users.create(user);
    return store.users.create(user);
  };
  return { ...store, users: { ...store.users, create } };
}
