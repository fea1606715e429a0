// Single sign-on with forged tokens, stolen answers and a provider that lies: nobody gets a session by any of it.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, openApi, ownOrigin, type TestApi } from '../support/api.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine } from '../support/engines.ts';
import {
  type Behaviour,
  type HostileProvider,
  hmacWithPublicKey,
  type Json,
  signedByAnother,
  startHostileProvider,
} from '../support/hostile-provider.ts';
import { type OidcServer, startOidcServer } from '../support/oidc-server.ts';
import { authUrlFor, createSignOnWorld, outcomeOf, redirectUris, signOn } from '../support/sign-on.ts';

const failed = '307 /login?error=sso-failed';
const expired = '307 /login?error=sso-expired';
const welcome = '307 / with a session';
const second = () => Math.floor(Date.now() / 1000);
const claims = (changes: Json) => ({ claims: (usual: Json) => ({ ...usual, ...changes }) });
const without = (name: string): Behaviour => ({
  claims: ({ [name]: _dropped, ...rest }) => rest,
});

/** Each is honest but for what is named. */
const forgeries: Record<string, Behaviour> = {
  'of another issuer': claims({ iss: 'https://other.example' }),
  'of nearly the same issuer': { claims: (usual) => ({ ...usual, iss: `${usual.iss}/` }) },
  'of no issuer': without('iss'),
  'for another client': claims({ aud: 'somebody-else' }),
  'for other clients': claims({ aud: ['somebody-else', 'lectern2'] }),
  'for nobody': without('aud'),
  'for us and another, made for no one': claims({ aud: ['lectern', 'somebody-else'] }),
  'for us and another, made for the other': claims({
    aud: ['lectern', 'somebody-else'],
    azp: 'somebody-else',
  }),
  'for us alone, made for another': claims({ azp: 'somebody-else' }),
  'that has expired': claims({ exp: second() - 60 }),
  'that never expires': without('exp'),
  'that expires as a text': claims({ exp: String(second() + 300) }),
  'that is not valid yet': claims({ nbf: second() + 300 }),
  'without the time it was made': without('iat'),
  'with another nonce': claims({ nonce: 'made up' }),
  'without a nonce': without('nonce'),
  'without a subject': without('sub'),
  'with an empty subject': claims({ sub: '' }),
  'with a number as subject': claims({ sub: 1 }),
  'with a NUL behind the subject': claims({ sub: 'sub-1\0' }),
  'with a line break behind the subject': claims({ sub: 'sub-1\n' }),
  'with a subject of 256 characters': claims({ sub: 's'.repeat(256) }),
  'with a subject in other letters': claims({ sub: 'ſub-1' }),
  'without a signature': { signature: () => '' },
  'by the algorithm none': { header: () => ({ alg: 'none' }), signature: () => '' },
  'by the algorithm none, which the provider claims to use': {
    discovery: (usual) => ({ ...usual, id_token_signing_alg_values_supported: ['RS256', 'none'] }),
    header: () => ({ alg: 'none' }),
    signature: () => '',
  },
  'by HS256 with the public key': {
    header: () => ({ alg: 'HS256', kid: 'one' }),
    signature: hmacWithPublicKey,
  },
  'by HS256 with the public key, which the provider claims to use': {
    discovery: (usual) => ({ ...usual, id_token_signing_alg_values_supported: ['RS256', 'HS256'] }),
    header: () => ({ alg: 'HS256', kid: 'one' }),
    signature: hmacWithPublicKey,
  },
  'by a key that is not the provider’s': { signature: signedByAnother },
  'by a key that nobody knows': { header: (usual) => ({ ...usual, kid: 'two' }) },
  'by a key that it brings along': {
    header: (usual) => ({ ...usual, kid: 'two', jku: 'http://127.0.0.1:1/jwks', jwk: { kty: 'RSA' } }),
  },
  'by another algorithm than its key is for': { header: (usual) => ({ ...usual, alg: 'PS256' }) },
  'with a header that must be understood': { header: (usual) => ({ ...usual, crit: ['b64'], b64: true }) },
  'that is missing': { token: ({ id_token: _none, ...rest }) => rest },
  'that is no token': { token: (usual) => ({ ...usual, id_token: 'a.b' }) },
  'that is a list': { token: (usual) => ({ ...usual, id_token: [usual.id_token] }) },
};

onEachEngine('attacks on single sign-on', (engine) => {
  let api: TestApi;
  let honest: OidcServer;
  let hostile: HostileProvider;
  let world: ReturnType<typeof createSignOnWorld>;

  beforeAll(async () => {
    api = await openApi(engine, { loginLimits: { rateLimit: 100_000 } });
    world = createSignOnWorld(api.clock.now);
    [honest, hostile] = [await startOidcServer(redirectUris), await startHostileProvider()];
    const { users } = api.opened.store;
    const anna = await api.addUser('anna');
    await users.setSubject(anna.id, `${hostile.issuer} sub-1`);
    const ben = await api.addUser('ben@example.org');
    await users.setSubject(ben.id, `${honest.issuer} 1`);
    return async () => {
      hostile.close();
      await world.close();
      await api.close();
    };
  });
  afterAll(() => honest.close());

  /** As a process that knows nothing of the provider yet. */
  const freshBrowser = (issuer = hostile.issuer, ...allowed: string[]): Client =>
    api.again({ oidc: world.allowing(issuer, ...allowed), loginLimits: { rateLimit: 100_000 } }).browser();
  const attempt = async (behaviour: Behaviour, browser = freshBrowser()) => {
    hostile.behaviour = behaviour;
    const back = hostile.approve(await authUrlFor(browser));
    return outcomeOf(await browser.get(back.pathname + back.search));
  };
  const sessions = () =>
    api.opened.database.read.selectFrom('sessions').selectAll().orderBy('secret_sha256').execute();
  const users = () => api.opened.database.read.selectFrom('users').selectAll().orderBy('id').execute();

  it('an honest token opens the door, so that it is the forgery that keeps it shut', async () => {
    expect(await attempt({})).toBe(welcome);
    expect(await attempt(claims({ aud: ['lectern'], azp: 'lectern' }))).toBe(welcome);
    expect(await attempt(claims({ aud: ['lectern', 'other'], azp: 'lectern' }))).toBe(welcome);
  });

  describe('a token', () => {
    it.each(Object.keys(forgeries))('%s opens nothing', async (what) => {
      const before = [await sessions(), await users()];
      expect(await attempt(forgeries[what] ?? {})).toBe(failed);
      expect([await sessions(), await users()]).toEqual(before);
    });

    it('opens nothing with any other value where the provider has to say who, for whom and on what', async () => {
      const browser = freshBrowser();
      const before = await sessions();
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom('iss', 'aud', 'nonce', 'azp', 'exp', 'sub'),
          fc.jsonValue({ maxDepth: 1 }),
          async (name, value) => {
            fc.pre(!(name === 'aud' && [value].flat().includes('lectern')));
            fc.pre(!(name === 'exp' && typeof value === 'number' && value > second()));
            // Another subject is another person, whom nobody knows.
            const outcome = await attempt(claims({ [name]: value }), browser);
            expect(outcome).toMatch(name === 'sub' ? /sso-(failed|not-allowed)$/ : /sso-failed$/);
          },
        ),
        propertyRuns(60),
      );
      expect(await sessions()).toEqual(before);
    });
  });

  describe('what the provider says of a person', () => {
    const email = 'ben@example.org';
    const listed = `${email} as ${email}`;

    it.each([
      { what: 'not verified', as: { email, email_verified: false } },
      { what: 'not said to be verified', as: { email } },
      { what: 'verified as a text', as: { email, email_verified: 'true' } },
      { what: 'verified as a number', as: { email, email_verified: 1 } },
      { what: 'one of several', as: { email: [email], email_verified: true } },
      { what: 'in letters that only look so', as: { email: 'ben＠example.org', email_verified: true } },
    ])('does not link an address that is $what to the account that has it', async ({ as }) => {
      const before = await users();
      const outcome = await attempt(
        claims({ ...as, sub: 'stranger', preferred_username: email }),
        freshBrowser(hostile.issuer, listed),
      );
      expect(outcome).toBe('307 /login?error=sso-not-allowed');
      expect(await users()).toEqual(before);
    });

    it('does not prove the address of the token by a word about another', async () => {
      const behaviour: Behaviour = {
        ...claims({ sub: 'sub-1', email, email_verified: false }),
        userinfo: () => ({ sub: 'sub-1', email: 'x@example.org', email_verified: true }),
      };
      const outcome = await attempt(behaviour, freshBrowser(hostile.issuer, listed));
      expect(outcome).toBe('307 /login?error=sso-not-allowed');
    });

    it('is not taken from what it says of somebody else', async () => {
      const behaviour: Behaviour = {
        ...claims({ sub: 'stranger' }),
        userinfo: () => ({ sub: 'sub-1', email, email_verified: true }),
      };
      expect(await attempt(behaviour, freshBrowser(hostile.issuer, listed))).toBe(failed);
    });
  });

  describe('an answer', () => {
    /** Where the provider would send the browser, before anything is done to it. */
    const answered = async (browser: Client) => honest.visit(await authUrlFor(browser), { subject: '1' });
    const send = async (browser: Client, url: URL) => outcomeOf(await browser.get(url.pathname + url.search));

    it.each([
      { what: 'another state', change: (url: URL) => url.searchParams.set('state', 'made-up') },
      { what: 'an empty state', change: (url: URL) => url.searchParams.set('state', '') },
      { what: 'no state', change: (url: URL) => url.searchParams.delete('state') },
      { what: 'two states', change: (url: URL) => url.searchParams.append('state', 'made-up') },
    ])('with $what is refused, and the right one still counts', async ({ change }) => {
      const browser = freshBrowser(honest.issuer);
      const url = await answered(browser);
      const changed = new URL(url);
      change(changed);
      expect(await send(browser, changed)).toBe(expired);
      expect(await send(browser, url)).toBe(welcome);
    });

    it.each([
      { what: 'another issuer', change: (url: URL) => url.searchParams.set('iss', 'https://other.example') },
      { what: 'no issuer', change: (url: URL) => url.searchParams.delete('iss') },
      { what: 'two codes', change: (url: URL) => url.searchParams.append('code', 'x') },
      { what: 'another code', change: (url: URL) => url.searchParams.set('code', 'x') },
      { what: 'no code', change: (url: URL) => url.searchParams.delete('code') },
      { what: 'a token beside the code', change: (url: URL) => url.searchParams.set('id_token', 'a.b.c') },
    ])('with $what is refused', async ({ change }) => {
      const browser = freshBrowser(honest.issuer);
      const url = await answered(browser);
      change(url);
      expect(await send(browser, url)).toBe(failed);
    });

    it('counts once', async () => {
      const browser = freshBrowser(honest.issuer);
      const copy = new URL(await answered(browser));
      const cookie = browser.cookies.get('sign_on') ?? '';
      expect(await send(browser, copy)).toBe(welcome);
      expect(await send(browser, copy)).toBe(expired);
      // Even with the cookie of before.
      const again = freshBrowser(honest.issuer);
      again.cookies.set('sign_on', cookie);
      expect(await send(again, copy)).toBe(expired);
    });

    it('counts once of many at the same time', async () => {
      const browser = freshBrowser(honest.issuer);
      const url = await answered(browser);
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => send(browser, url)));
      expect(outcomes.filter((outcome) => outcome === welcome)).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === expired)).toHaveLength(7);
    });

    it('is worth nothing in another browser', async () => {
      const url = await answered(freshBrowser(honest.issuer));
      expect(await send(freshBrowser(honest.issuer), url)).toBe(expired);
      // One that is on its own way at the moment.
      const victim = freshBrowser(honest.issuer);
      await authUrlFor(victim);
      expect(await send(victim, url)).toBe(expired);
      expect(victim.cookies.has('session')).toBe(false);
    });

    it('with a code of somebody else’s sign-on is refused by its challenge', async () => {
      const theirs = await answered(freshBrowser(honest.issuer));
      const victim = freshBrowser(honest.issuer);
      const own = await answered(victim);
      own.searchParams.set('code', theirs.searchParams.get('code') ?? '');
      honest.requests.length = 0;
      expect(await send(victim, own)).toBe(failed);
      expect(honest.requests).toEqual(
        ['/.well-known/openid-configuration', '/token'].slice(-honest.requests.length),
      );
      expect(honest.requests).toContain('/token');
    });

    it('with a code that was used is refused', async () => {
      const first = freshBrowser(honest.issuer);
      const used = await answered(first);
      expect(await send(first, used)).toBe(welcome);
      const again = freshBrowser(honest.issuer);
      const own = await answered(again);
      own.searchParams.set('code', used.searchParams.get('code') ?? '');
      expect(await send(again, own)).toBe(failed);
    });

    it('comes too late after ten minutes', async () => {
      const browser = freshBrowser(honest.issuer);
      const url = await answered(browser);
      api.clock.advance(600_000);
      expect(await send(browser, url)).toBe(expired);
    });

    it('comes too late when the provider was changed meanwhile', async () => {
      const browser = freshBrowser(honest.issuer);
      const url = await answered(browser);
      const moved = browser.at(api.again({ oidc: world.allowing(hostile.issuer) }));
      hostile.requests.length = 0;
      expect(await send(moved, url)).toBe(expired);
      expect(hostile.requests).toEqual([]);
    });

    it('needs the cookie as we have given it', async () => {
      const browser = freshBrowser(honest.issuer);
      const url = await answered(browser);
      const cookie = browser.cookies.get('sign_on') ?? '';
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 0, max: cookie.length - 1 }),
          fc.constantFrom(...'AQgw_-.%'),
          async (at, letter) => {
            const forged = cookie.slice(0, at) + letter + cookie.slice(at + 1);
            // The last letter of base64 has bits that mean nothing, and which are compared all the same.
            fc.pre(forged !== cookie);
            browser.cookies.set('sign_on', forged);
            expect(await send(browser, url)).toBe(expired);
          },
        ),
        propertyRuns(40),
      );
      const [payload = ''] = cookie.split('.');
      for (const forged of ['', '.', payload, `${payload}.`, `${cookie}.`, `e30.${cookie.split('.')[1]}`]) {
        browser.cookies.set('sign_on', forged);
        expect(await send(browser, url)).toBe(expired);
      }
      browser.cookies.set('sign_on', cookie);
      expect(await send(browser, url)).toBe(welcome);
    });

    it('that is an error says nothing of it to the person', async () => {
      const browser = freshBrowser();
      const { searchParams } = new URL(await authUrlFor(browser));
      const query = new URLSearchParams({
        error: '<script>alert(1)</script>',
        error_description: 'https://evil.example',
        state: searchParams.get('state') ?? '',
      });
      const answer = await browser.get(`/api/oidc/callback?${query}`);
      expect(outcomeOf(answer)).toBe(failed);
      expect(await answer.text()).toBe('');
    });
  });

  it('a flood of answers is stopped before it reaches the provider', async () => {
    const oidc = world.allowing(hostile.issuer);
    const here = api.again({ oidc, loginLimits: { rateLimit: 3 } });
    hostile.behaviour = claims({ aud: 'somebody-else' });
    const outcomes: string[] = [];
    hostile.requests.length = 0;
    for (let n = 0; n < 5; n++) {
      const browser = here.browser();
      const back = hostile.approve(await authUrlFor(browser));
      outcomes.push(outcomeOf(await browser.get(back.pathname + back.search, { from: '203.0.113.9' })));
    }
    const busy = '307 /login?error=sso-busy';
    expect(outcomes).toEqual([failed, failed, failed, busy, busy]);
    expect(hostile.requests.filter(({ path }) => path === '/token')).toHaveLength(3);
  });

  it('the address it leads to is never taken from the answer', async () => {
    const browser = freshBrowser(honest.issuer);
    honest.accounts.set('1', {});
    const answer = await signOn(browser, honest, '1', `${ownOrigin}//evil.example`);
    expect(outcomeOf(answer)).toBe(welcome);
  });
});
