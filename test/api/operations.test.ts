// What those who run Lectern look at, and what they and others see when the index is gone.
import { beforeAll, describe, expect, it } from 'vitest';
import { feverKey } from '../../src/accounts/secrets.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import { Unavailable } from '../../src/errors.ts';
import { presenceName } from '../../src/model/presence.ts';
import type { Database } from '../../src/store/database.ts';
import { createStore } from '../../src/store/store.ts';
import { answerOf, type Client, jsonOf, openApi, openEmptyApi, type TestApi } from '../support/api.ts';
import { awayIndex } from '../support/away-index.ts';
import { onEachEngine } from '../support/engines.ts';
import { fillDisk } from '../support/full-disk.ts';

onEachEngine('operations', (engine) => {
  describe('while all is well', () => {
    let api: TestApi;
    let anna: Client;

    beforeAll(async () => {
      api = await openApi(engine);
      await api.addUser('anna');
      anna = await api.logIn('anna');
      return () => api.close();
    });

    it('answers to everybody that it is alive and ready', async () => {
      const visitor = api.visitor();
      expect(await answerOf(await visitor.get('/healthz'))).toEqual({ status: 200, body: { status: 'ok' } });
      const jobs = { waiting: 0, running: 0, dead: 0 };
      const journal = { pending: expect.any(Number), lag_seconds: expect.any(Number) };
      const ready = { status: 'ready', schema: expect.any(Number), jobs, journal, library: 'up' };
      expect(await answerOf(await visitor.get('/readyz'))).toEqual({ status: 200, body: ready });
      const ping = await visitor.get('/ping');
      expect([ping.status, await ping.text()]).toEqual([200, 'pong']);
    });

    it('is not ready once the file of the index was deleted or replaced', async () => {
      const { store } = api.opened;
      const withoutFile = { ...store, index: { ...store.index, isInPlace: () => false } };
      const response = await api.again({ store: withoutFile }).visitor().get('/readyz');
      expect(await answerOf(response)).toEqual({
        status: 503,
        body: { error: 'the index file was deleted or replaced' },
      });
    });

    it('an API that stops is not ready, still serves, and closes each connection after its answer', async () => {
      const stopping = api.again({ isStopping: () => true });
      const visitor = stopping.visitor();
      const logged = stopping.logLines.length;
      const ready = await visitor.get('/readyz');
      expect(ready.headers.get('Connection')).toBe('close');
      expect(await answerOf(ready)).toEqual({ status: 503, body: { error: 'stopping' } });
      expect(stopping.logLines.slice(logged).join('')).not.toContain('"level":"error"');
      for (const path of ['/healthz', '/api/groups', '/no-such-path']) {
        const response = await visitor.get(path);
        expect([path, response.headers.get('Connection')]).toEqual([path, 'close']);
        expect([200, 401, 404]).toContain(response.status);
      }
      expect((await anna.get('/healthz')).headers.get('Connection')).toBeNull();
    });

    it('is not ready when the index takes longer than two seconds to answer', async () => {
      const { store } = api.opened;
      const silent = { ...store, schemaVersion: () => Promise.withResolvers<number>().promise };
      const response = await api.again({ store: silent }).visitor().get('/readyz');
      expect(await answerOf(response)).toEqual({
        status: 503,
        body: { error: 'the index does not answer' },
      });
      expect(response.headers.get('Retry-After')).toMatch(/^\d+$/);
    });

    it('shows what the connections to PostgreSQL are doing', async () => {
      const { store } = api.opened;
      const pools = () => [{ name: 'read', max: 8, size: 5, idle: 3, waiting: 1 }];
      const withPools = { ...store, index: { ...store.index, pools } };
      const owner = await api.again({ store: withPools }).program('anna', 'read');
      const metrics = await (await owner.get('/metrics')).text();
      expect(metrics).toContain('lectern_index_pool_max{pool="read"} 8');
      expect(metrics).toContain('lectern_index_pool_size{pool="read"} 5');
      expect(metrics).toContain('lectern_index_pool_idle{pool="read"} 3');
      expect(metrics).toContain('lectern_index_pool_waiting{pool="read"} 1');
    });

    it('counts requests by the pattern of their route, never by a path that somebody made up', async () => {
      const made = ['/made-up-1', '/api/groups/made-up-2', '/assets/made-up-3', '/api/v1/made-up-4'];
      for (const path of made) await anna.get(path);
      await anna.get('/api/groups/987654321');
      const metrics = await (await anna.get('/metrics')).text();
      expect(metrics).toContain('method="GET",route="/api/groups/{id}",status="404"');
      expect(metrics).toContain('method="GET",route="none",status="404"');
      expect(metrics).not.toContain('made-up');
      expect(metrics).not.toContain('987654321');
      expect(api.logLines.join('')).not.toContain('made-up');
    });

    it('shows running processes by role, the age of each lease, and whether it drains', async () => {
      const { leases } = api.opened.store;
      for (const [role, holder] of [
        ['api', 'a'],
        ['worker', 'b'],
        ['worker', 'c'],
      ] as const)
        await leases.acquire(presenceName({ role, holder }), holder, 15_000);
      const lease = await leases.acquire('journal', 'b', 15_000);
      const metrics = async (of: Client) => (await of.get('/metrics')).text();
      const shown = await metrics(anna);
      for (const line of ['{role="all"} 0', '{role="api"} 1', '{role="worker"} 2'])
        expect(shown).toContain(`lectern_processes${line}\n`);
      expect(shown).toMatch(/lectern_lease_age_seconds\{name="journal"\} 0(\.\d+)?\n/);
      expect(shown.match(/^lectern_lease_age_seconds\{/gm)).toHaveLength(1);
      expect(shown).toContain('lectern_draining 0\n');
      if (lease) await leases.release(lease);
      expect(await metrics(anna)).not.toContain('lectern_lease_age_seconds{');
    });

    it('counts logins by their outcome', async () => {
      await api.visitor().post('/api/sessions', { password: 'wrong' });
      const metrics = await (await anna.get('/metrics')).text();
      expect(metrics).toContain('lectern_logins_total{outcome="accepted"} 1');
      expect(metrics).toContain('lectern_logins_total{outcome="refused"} 1');
    });

    it('describes every route of ours that is not a page in openapi.json', async () => {
      const response = await anna.get('/openapi.json');
      const { openapi, paths } = await jsonOf<{ openapi: string; paths: Record<string, object> }>(response);
      expect(openapi).toBe('3.1.0');
      const described = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method} ${path}`),
      );
      // Pages and their files are for browsers: all that is open, but for what programs call.
      const pages = [
        '/',
        '/setup',
        '/login',
        '/library',
        '/highlights',
        '/search',
        '/operations',
        '/mirror',
        '/deframer',
        '/settings',
        '/parts',
        '/docs',
        '/openapi.json',
        '/oidc/callback',
      ];
      const isFile = (path: string) => /\.\w+$|^\/app\//.test(path);
      const routes = api.entries
        .filter(({ path, access }) => !pages.includes(path) && !isFile(path) && access !== 'app')
        .map(({ method, path }) => `${method} ${path}`);
      expect(described.sort()).toEqual(routes.sort());
    });

    it('shows the same on a page', async () => {
      const response = await anna.get('/docs');
      expect(response.headers.get('Content-Type')).toContain('text/html');
      const html = await response.text();
      for (const path of ['/api/groups/{id}', '/api/sessions', '/metrics']) expect(html).toContain(path);
    });
  });

  describe('when the disk of the index is full', () => {
    it('answers a write with 507 and a sentence, and takes it when there is room again', async () => {
      const api = await openEmptyApi(engine);
      await api.addUser('anna');
      const { database } = api.opened;
      let isFull = false;
      const filling: Database = {
        ...database,
        write: (work, options) =>
          database.write(async (trx) => {
            if (isFull) await fillDisk(database, trx);
            return work(trx);
          }, options),
      };
      const anna = await api.again({ store: createStore(filling, api.clock.now) }).program('anna', 'write');
      isFull = true;
      expect(await answerOf(await anna.post('/api/groups', { name: 'News' }))).toEqual({
        status: 507,
        body: { error: expect.stringContaining('the disk of the index is full') },
      });
      isFull = false;
      expect((await anna.post('/api/groups', { name: 'News' })).status).toBe(200);
    });
  });

  describe('while the index does not answer', () => {
    it('every protocol answers 503 with Retry-After', async () => {
      const api = await openEmptyApi(engine);
      const user = await api.addUser('anna');
      const { secret } = await createToken(api.accounts, user, { name: 'an app', scope: 'write' });
      const away = awayIndex(api.opened.database);
      const served = api.again({ store: createStore(away.database, api.clock.now) });
      const anna = served.holding(secret);
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tags' } };
      const fever = new URLSearchParams({ api_key: feverKey('anna', secret) });
      const requests: Record<string, () => Promise<Response>> = {
        REST: () => anna.get('/api/groups'),
        'REST v1': () => anna.get('/api/v1/items'),
        'Google Reader': () => anna.get('/reader/api/0/subscription/list'),
        Fever: () => anna.send('POST', '/fever/?api&groups', { body: fever }),
        Miniflux: () => anna.get('/v1/feeds'),
        Light: () => anna.post('/api/light/sync', { source: 'light', highlights: {} }),
        MCP: () => anna.post('/mcp', call),
      };
      for (const [name, request] of Object.entries(requests))
        expect([name, (await request()).status]).toEqual([name, 200]);
      away.begin();
      for (const [name, request] of Object.entries(requests)) {
        const response = await request();
        const text = await response.text();
        expect([name, response.status, response.headers.get('Retry-After')]).toEqual([name, 503, '1']);
        expect(text).toContain('the index does not answer');
      }
      // One line for all of them, without a stack.
      const logged = served.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level !== 'debug');
      expect(logged.filter(({ dependency }) => dependency === 'index')).toHaveLength(1);
      expect(logged.filter(({ err }) => err)).toEqual([]);
    });
  });

  describe('while the library is away', () => {
    it('requests are served, and /readyz and /metrics say that it is away', async () => {
      const api = await openEmptyApi(engine);
      await api.addUser('anna');
      const anna = await api.program('anna', 'read');
      api.outages.noticed(new Unavailable('library', 'the library does not answer'));
      const ready = await anna.get('/readyz');
      expect(await answerOf(ready)).toMatchObject({
        status: 200,
        body: { status: 'degraded', library: 'away' },
      });
      const metrics = await (await anna.get('/metrics')).text();
      expect(metrics).toContain('lectern_dependency_up{dependency="index"} 1');
      expect(metrics).toContain('lectern_dependency_up{dependency="library"} 0');
    });
  });

  describe('when the index is gone', () => {
    let api: TestApi;
    let anna: Client;

    beforeAll(async () => {
      api = await openApi(engine);
      await api.addUser('anna');
      anna = await api.program('anna', 'write');
      await api.close();
    });

    it('is alive but not ready', async () => {
      expect((await api.visitor().get('/healthz')).status).toBe(200);
      const response = await api.visitor().get('/readyz');
      expect(response.headers.get('Retry-After')).toBe('1');
      expect(await answerOf(response)).toEqual({ status: 503, body: { error: 'the index does not answer' } });
    });

    it('tells the client nothing and the log everything', async () => {
      const response = await anna.get('/api/groups', { headers: { 'X-Request-Id': 'the-failing-one' } });
      expect(await answerOf(response)).toEqual({ status: 500, body: { error: 'internal server error' } });
      expect(response.headers.get('X-Request-Id')).toBe('the-failing-one');
      expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
      const failed = api.logLines
        .map((line) => JSON.parse(line))
        .find(({ requestId, level }) => requestId === 'the-failing-one' && level === 'error');
      expect(failed).toMatchObject({ route: '/api/groups', err: { stack: expect.stringContaining('.ts') } });
    });

    it('fails in the same words wherever it fails', async () => {
      const sent: [string, string, object?][] = [
        ['POST', '/api/sessions', { username: 'anna', password: 'top secret' }],
        ['POST', '/api/groups', { name: 'News' }],
        ['GET', '/api/setup'],
        ['GET', '/'],
      ];
      for (const [method, path, json] of sent) {
        const response = await anna.send(method, path, { json });
        expect(await answerOf(response)).toEqual({ status: 500, body: { error: 'internal server error' } });
      }
      expect(api.logLines.join('')).not.toContain('top secret');
    });
  });
});
