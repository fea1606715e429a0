// A provider that is down, slow, endless, or leads into our own network: Lectern goes on, and nobody comes in.
import type { ServerResponse } from 'node:http';
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createOidc } from '../../src/accounts/oidc.ts';
import { answerOf, type Client, jsonOf, openApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { type HostileProvider, type Json, startHostileProvider } from '../support/hostile-provider.ts';
import { createWorld, startCanary } from '../support/outbound.ts';
import {
  authUrlFor,
  createSignOnWorld,
  forgetEverybody,
  outcomeOf,
  usualSettings,
} from '../support/sign-on.ts';

const discoveryPath = '/.well-known/openid-configuration';
const unreachable = '307 /login?error=sso-unreachable';
/** Enough for a busy machine to answer itself, and little enough to wait for. */
const patienceMs = 2_000;
/** Holds the line and says nothing. */
const silence = () => {};

onEachEngine('a provider in trouble', (engine) => {
  let api: TestApi;
  let provider: HostileProvider;
  let world: ReturnType<typeof createSignOnWorld>;
  let here: TestApi;

  beforeAll(async () => {
    api = await openApi(engine);
    return () => api.close();
  });
  beforeEach(async () => {
    const anna = await api.addUser('anna');
    provider = await startHostileProvider();
    await api.opened.store.users.setSubject(anna.id, `${provider.issuer} sub-1`);
    world = createSignOnWorld(api.clock.now);
    here = api.again({ oidc: world.allowing(provider.issuer) });
  });
  afterEach(async () => {
    provider.close();
    await world.close();
    await forgetEverybody(api);
  });

  const withLittlePatience = () => {
    const hasty = createSignOnWorld(api.clock.now, patienceMs);
    onTestFinished(() => hasty.close());
    return api.again({ oidc: hasty.allowing(provider.issuer) });
  };
  const begin = async (browser: Client) => answerOf(await browser.get('/api/oidc/login'));
  const refused = { status: 502, body: { error: 'the sign-on service cannot be reached' } };
  const finish = async (browser = here.browser()) => {
    const back = provider.approve(await authUrlFor(browser));
    return outcomeOf(await browser.get(back.pathname + back.search));
  };
  const asked = (path: string) => provider.requests.filter((request) => request.path === path).length;

  it('keeps nothing from starting, nor from saying that there is single sign-on', async () => {
    provider.close();
    const enabled = await here.visitor().get('/api/oidc/enabled');
    expect(await jsonOf(enabled)).toEqual({ data: { enabled: true } });
    expect(await begin(here.browser())).toEqual(refused);
    expect((await api.logIn('anna')).cookies.has('session')).toBe(true);
  });

  it.each(['down', 'up'])(
    'is asked again after the clock was ahead for a minute, when it was %s then',
    async (state) => {
      const jumpMs = 400 * 86_400_000;
      const down = (response: ServerResponse) => void response.writeHead(500).end();
      api.clock.advance(jumpMs);
      provider.behaviour = state === 'down' ? { answer: { [discoveryPath]: down } } : {};
      await begin(here.browser());
      api.clock.advance(60_000 - jumpMs);
      provider.behaviour = {};
      expect((await begin(here.browser())).status).toBe(200);
      expect(asked(discoveryPath)).toBe(2);
    },
  );

  it('is asked again when it is back, but not by everybody who waits', async () => {
    const down = (response: ServerResponse) => void response.writeHead(500).end();
    provider.behaviour = { answer: { [discoveryPath]: down } };
    const many = await Promise.all(Array.from({ length: 10 }, () => begin(here.browser())));
    expect(many).toEqual(Array.from({ length: 10 }, () => refused));
    expect(await begin(here.browser())).toEqual(refused);
    expect(asked(discoveryPath)).toBe(1);

    provider.behaviour = {};
    api.clock.advance(5_000);
    expect(await finish()).toBe('307 / with a session');
    expect(await finish()).toBe('307 / with a session');
    expect(asked(discoveryPath)).toBe(2);
  });

  it('is known for an hour, and after that for as long as it cannot be asked', async () => {
    expect(await finish()).toBe('307 / with a session');
    api.clock.advance(3_600_000);
    provider.behaviour = { answer: { [discoveryPath]: (response) => void response.writeHead(500).end() } };
    expect(await finish()).toBe('307 / with a session');
    expect(asked(discoveryPath)).toBe(2);
  });

  it('is asked even if it wanted to be left alone: somebody stands before the door', async () => {
    const later = { 'retry-after': '3600' };
    provider.behaviour = {
      answer: { [discoveryPath]: (response) => void response.writeHead(503, later).end() },
    };
    expect(await begin(here.browser())).toEqual(refused);
    provider.behaviour = {};
    api.clock.advance(5_000);
    expect(await finish()).toBe('307 / with a session');
  });

  it('is waited for no longer than it takes to lose patience', async () => {
    const hasty = withLittlePatience();
    const startedAt = performance.now();
    provider.behaviour = { answer: { [discoveryPath]: silence } };
    expect(await begin(hasty.browser())).toEqual(refused);
    provider.behaviour = { answer: { '/token': silence } };
    api.clock.advance(5_000);
    expect(await finish(hasty.browser())).toBe(unreachable);
    provider.behaviour = { answer: { '/jwks': silence } };
    expect(await finish(hasty.browser())).toBe(unreachable);
    expect(performance.now() - startedAt).toBeLessThan(10 * patienceMs);
  });

  it('that drips is not waited for either', async () => {
    const timers: NodeJS.Timeout[] = [];
    const drip = (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      timers.push(setInterval(() => response.write(' '), 20));
    };
    provider.behaviour = { answer: { '/token': drip } };
    expect(await finish(withLittlePatience().browser())).toBe(unreachable);
    for (const timer of timers) clearInterval(timer);
  });

  it.each([discoveryPath, '/token', '/jwks'])(
    'that answers without end at %s is not read to it',
    async (path) => {
      const flood = (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(`{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`);
      };
      provider.behaviour = { answer: { [path]: flood } };
      if (path === discoveryPath) expect(await begin(here.browser())).toEqual(refused);
      else expect(await finish()).toBe(unreachable);
    },
  );

  it.each<[string, (usual: Json) => Json]>([
    ['calls itself by another name', (usual) => ({ ...usual, issuer: 'https://other.example' })],
    ['calls itself by no name', ({ issuer: _none, ...rest }) => rest],
    ['has no place to log in', ({ authorization_endpoint: _none, ...rest }) => rest],
    ['has a script to log in', (usual) => ({ ...usual, authorization_endpoint: 'javascript:alert(1)' })],
    ['is a list', () => [] as unknown as Json],
  ])('that %s is not used', async (_what, discovery) => {
    provider.behaviour = { discovery };
    const answer = await here.browser().get('/api/oidc/login');
    expect(await answerOf(answer)).toEqual(refused);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  it.each(['/token', '/jwks', '/userinfo'])('that leads elsewhere from %s is not followed', async (path) => {
    const canary = await startCanary();
    const location = `http://127.0.0.1:${canary.port}/`;
    provider.behaviour = {
      answer: { [path]: (response) => void response.writeHead(307, { location }).end() },
    };
    const listed = api.again({ oidc: world.allowing(provider.issuer, 'anna') });
    expect(await finish(listed.browser())).toBe('307 /login?error=sso-failed');
    expect(canary.connections).toBe(0);
  });

  it.each(['token_endpoint', 'jwks_uri', 'userinfo_endpoint'])(
    'without TLS has its %s where it is itself',
    async (name) => {
      const canary = await startCanary();
      const elsewhere = `http://127.0.0.1:${canary.port}/x`;
      provider.behaviour = { discovery: (usual) => ({ ...usual, [name]: elsewhere }) };
      const listed = api.again({ oidc: world.allowing(provider.issuer, 'anna') });
      expect(await finish(listed.browser())).toBe(unreachable);
      expect(canary.connections).toBe(0);
    },
  );

  it.each([
    { methods: undefined, sends: { client_id: null, client_secret: null, basic: true } },
    {
      methods: ['client_secret_post', 'private_key_jwt'],
      sends: { client_id: 'lectern', client_secret: 'known to both sides', basic: false },
    },
  ])('is shown our secret in a way that it takes ($methods)', async ({ methods, sends }) => {
    provider.behaviour = {
      discovery: (usual) => ({ ...usual, token_endpoint_auth_methods_supported: methods }),
    };
    expect(await finish()).toBe('307 / with a session');
    const { body, authorization } = provider.requests.find(({ path }) => path === '/token') ?? {};
    expect({
      client_id: body?.get('client_id'),
      client_secret: body?.get('client_secret'),
      basic: authorization?.startsWith('Basic ') ?? false,
    }).toEqual(sends);
  });

  it('is shown none where there is none', async () => {
    const oidc = world.with({ issuer: provider.issuer, clientSecret: undefined });
    expect(await finish(api.again({ oidc }).browser())).toBe('307 / with a session');
    const { body, authorization } = provider.requests.find(({ path }) => path === '/token') ?? {};
    expect([body?.get('client_id'), body?.get('client_secret'), authorization]).toEqual([
      'lectern',
      null,
      undefined,
    ]);
  });

  describe('on the internet', () => {
    const publicIssuer = 'https://secure.example';

    /** A provider behind a public address, seen by a Lectern that may not reach into its own network. */
    async function far(discovery?: (usual: Json) => Json, issuer = publicIssuer) {
      const internet = createWorld();
      const known = await startHostileProvider(issuer);
      if (discovery) known.behaviour = { discovery };
      await internet.secureSite('secure.example', (request, response) => known.handle(request, response));
      const { outbound } = internet;
      const oidc = createOidc({ outbound, now: api.clock.now }, { ...usualSettings, issuer });
      const browser = api.again({ oidc }).browser();
      return { internet, known, browser };
    }

    it('works over TLS', async () => {
      const { known, browser } = await far();
      await api.addUser('ben');
      const ben = await api.opened.store.users.findByName('ben');
      await api.opened.store.users.setSubject(ben?.id ?? 0, `${publicIssuer} sub-1`);
      const back = known.approve(await authUrlFor(browser));
      expect(outcomeOf(await browser.get(back.pathname + back.search))).toBe('307 / with a session');
      const basic = Buffer.from('lectern:known+to+both+sides').toString('base64');
      expect(known.requests.find(({ path }) => path === '/token')?.authorization).toBe(`Basic ${basic}`);
    });

    const inside = (port: number) => [
      'https://169.254.169.254/latest/meta-data',
      `https://127.0.0.1:${port}/`,
      `https://[::1]:${port}/`,
      `https://2130706433:${port}/`,
      `https://localhost:${port}/`,
      `https://inside.example:${port}/`,
      `http://127.0.0.1:${port}/`,
      'http://secure.example/x',
    ];

    it.each(['jwks_uri', 'token_endpoint', 'userinfo_endpoint'])(
      'leads nowhere inside by its %s',
      async (name) => {
        const canary = await startCanary();
        const allowed = { allowedUsers: ['anna'] };
        for (const address of inside(canary.port)) {
          const { internet, known } = await far((usual) => ({ ...usual, [name]: address }));
          internet.dns.set('inside.example', ['127.0.0.1']);
          internet.dns.set('localhost', ['127.0.0.1']);
          const settings = { ...usualSettings, ...allowed, issuer: publicIssuer };
          const oidc = createOidc({ outbound: internet.outbound, now: api.clock.now }, settings);
          const browser = api.again({ oidc }).browser();
          const back = known.approve(await authUrlFor(browser));
          const outcome = outcomeOf(await browser.get(back.pathname + back.search));
          expect(`${address}: ${outcome}`).toMatch(/sso-(unreachable|failed)$/);
          expect(internet.dials.every((dialled) => dialled.startsWith('93.184.216.'))).toBe(true);
        }
        expect(canary.connections).toBe(0);
      },
    );

    it('is no issuer inside', async () => {
      const canary = await startCanary();
      for (const address of inside(canary.port)) {
        const { browser } = await far(undefined, address);
        expect(await begin(browser)).toEqual(refused);
      }
      expect(canary.connections).toBe(0);
    });
  });
});
