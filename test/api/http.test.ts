// How the API speaks HTTP, whatever the route: methods, bodies, errors, headers.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  answerOf,
  type Client,
  jsonOf,
  openApi,
  ownOrigin,
  type Sent,
  type TestApi,
} from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';

const limit = 1024 * 1024;

onEachEngine('HTTP', (engine) => {
  let api: TestApi;
  let anna: Client;

  beforeAll(async () => {
    api = await openApi(engine);
    await api.addUser('anna');
    anna = await api.program('anna', 'admin');
    return () => api.close();
  });

  const asJson = (body: Sent['body'], headers: Record<string, string> = {}): Sent => ({
    body,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
  const postGroup = (sent: Sent) => anna.send('POST', '/api/groups', sent);

  describe('a path and a method', () => {
    it.each([
      '/nowhere',
      '/api',
      '/api/',
      '/api/groups/',
      '/api/groups/1/feeds',
      '/API/groups',
      '/assets/',
      '//',
    ])('that are not there answer 404: %s', async (path) => {
      expect(await answerOf(await anna.get(path))).toEqual({ status: 404, body: { error: 'not found' } });
    });

    it.each([
      '/assets/../package.json',
      '/assets/%2e%2e/%2e%2e/package.json',
      '/assets/..%2f..%2fpackage.json',
      '/assets/..%5c..%5cpackage.json',
      '/assets/%252e%252e%252fpages.ts',
      '/assets/page.css%00.js',
      '/assets//page.css',
      '/app/../pages.ts',
    ])('lead to no file beside those that are meant to be served: %s', async (path) => {
      expect((await anna.get(path)).status).toBe(404);
    });

    it.each([
      { method: 'PUT', path: '/api/groups', allow: 'GET, HEAD, OPTIONS, POST' },
      { method: 'POST', path: '/api/groups/1', allow: 'DELETE, GET, HEAD, OPTIONS, PATCH' },
      { method: 'GET', path: '/api/sessions', allow: 'DELETE, OPTIONS, POST' },
      { method: 'HEAD', path: '/api/sessions', allow: 'DELETE, OPTIONS, POST' },
      { method: 'GET', path: '/api/me/password', allow: 'OPTIONS, PUT' },
      { method: 'DELETE', path: '/healthz', allow: 'GET, HEAD, OPTIONS' },
      { method: 'PROPFIND', path: '/api/me', allow: 'GET, HEAD, OPTIONS' },
    ])(
      'that do not go together answer 405 and what would: $method $path',
      async ({ method, path, allow }) => {
        // No browser or fetch() sends TRACE; a raw socket can.
        const response =
          method === 'TRACE' ? await anna.send('PROPFIND', path) : await anna.send(method, path);
        expect(response.status).toBe(405);
        expect(response.headers.get('Allow')).toBe(allow);
      },
    );

    it('are told by OPTIONS', async () => {
      const response = await api.visitor().send('OPTIONS', '/api/groups/7');
      expect(response.status).toBe(204);
      expect(response.headers.get('Allow')).toBe('DELETE, GET, HEAD, OPTIONS, PATCH');
      expect((await api.visitor().send('OPTIONS', '/nowhere')).status).toBe(404);
    });

    it('answer HEAD as GET, without the body', async () => {
      const head = await anna.send('HEAD', '/api/groups');
      expect(head.status).toBe(200);
      expect(head.headers.get('Content-Type')).toContain('application/json');
      expect(await head.text()).toBe('');
      expect((await api.visitor().send('HEAD', '/api/groups')).status).toBe(401);
    });
  });

  describe('a body', () => {
    const streamOf = (chunks: string[]) => ReadableStream.from(chunks.map((chunk) => Buffer.from(chunk)));
    const tooLarge = { status: 413, body: { error: expect.stringContaining(String(limit)) } };

    it('that is declared too large is not read', async () => {
      const response = await postGroup(asJson('{"name":"x"}', { 'Content-Length': String(limit + 1) }));
      expect(await answerOf(response)).toEqual(tooLarge);
    });

    it('that turns out too large is not read to its end', async () => {
      let sent = 0;
      const long = new ReadableStream({
        pull(controller) {
          if (sent === 4 * limit) return controller.close();
          sent += limit / 16;
          controller.enqueue(Buffer.alloc(limit / 16, ' '));
        },
      });
      expect(await answerOf(await postGroup(asJson(long)))).toEqual(tooLarge);
      expect(sent).toBeLessThan(2 * limit);
    });

    describe('of somebody who is not known', () => {
      /** Endless; counts what was taken of it. */
      const endless = () => {
        const taken = { bytes: 0 };
        const stream = new ReadableStream({
          pull(controller) {
            taken.bytes += 1024;
            controller.enqueue(Buffer.alloc(1024, ' '));
          },
        });
        return { taken, stream };
      };
      const sendTo = (path: string, body: string | ReadableStream, type = 'application/json') =>
        api.browser().send('POST', path, { body, headers: { 'Content-Type': type } });
      const form = 'application/x-www-form-urlencoded';
      const open = [
        ['/api/sessions', 'application/json'],
        ['/api/setup', 'application/json'],
        ['/accounts/ClientLogin', form],
        ['/fever/', form],
      ];

      it.each(open)('to %s needs a declared length, and is not read without one', async (path, type) => {
        const { taken, stream } = endless();
        expect((await sendTo(path, stream, type)).status).toBe(411);
        expect(taken.bytes).toBeLessThan(10_000);
      });

      it.each(['/api/sessions', '/api/setup'])('to %s has at most 16 KB', async (path) => {
        const padded = (size: number) => '{}'.padEnd(size);
        expect((await sendTo(path, padded(16 * 1024))).status).toBe(400);
        expect((await sendTo(path, padded(16 * 1024 + 1))).status).toBe(413);
      });

      it.each(['/v1/import', '/v1/feeds', '/mcp', '/api/opml', '/api/groups'])(
        'to %s is not read, since a header would say who asks',
        async (path) => {
          const { taken, stream } = endless();
          expect((await sendTo(path, stream)).status).toBe(401);
          expect(taken.bytes).toBeLessThan(10_000);
        },
      );
    });

    it('is taken up to the limit, in pieces or in one', async () => {
      const padded = (name: string, size: number) => JSON.stringify({ name }).padEnd(size);
      expect((await postGroup(asJson(padded('whole', limit)))).status).toBe(200);
      expect((await postGroup(asJson(streamOf([...padded('pieces', 100)])))).status).toBe(200);
      expect((await postGroup(asJson(padded('over', limit + 1)))).status).toBe(413);
    });

    it.each([
      'application/json',
      'Application/JSON',
      'application/json;charset=utf-8',
      'application/json; charset="UTF-8"',
    ])('of the type %s is taken', async (type) => {
      const response = await postGroup(
        asJson(`{"name":"as ${type.replaceAll('"', '')}"}`, { 'Content-Type': type }),
      );
      expect(response.status).toBe(200);
    });

    it.each([
      { what: 'XML', headers: { 'Content-Type': 'application/xml' } },
      { what: 'JSON lines', headers: { 'Content-Type': 'application/jsonl' } },
      { what: 'JSON in UTF-16', headers: { 'Content-Type': 'application/json; charset=utf-16' } },
      { what: 'JSON in Latin 1', headers: { 'Content-Type': 'application/json; charset=iso-8859-1' } },
      { what: 'JSON in gzip', headers: { 'Content-Encoding': 'gzip' } },
      { what: 'JSON in a chain of encodings', headers: { 'Content-Encoding': 'gzip, gzip, br' } },
    ])('that is $what answers 415', async ({ headers }) => {
      const response = await postGroup(asJson('{"name":"x"}', headers as Record<string, string>));
      expect(await answerOf(response)).toEqual({
        status: 415,
        body: { error: expect.stringContaining('application/json') },
      });
    });

    it.each([
      { what: 'nothing', body: '' },
      { what: 'broken off', body: '{"name":"x"' },
      { what: 'a trailing comma', body: '{"name":"x",}' },
      { what: 'a comment', body: '{"name":"x"} // why' },
      { what: 'not JSON', body: '<name>x</name>' },
      { what: 'NaN', body: '{"name":NaN}' },
      { what: 'UTF-16', body: Buffer.from('{"name":"x"}', 'utf16le') },
      { what: 'an array', body: '[{"name":"x"}]' },
      { what: 'a string', body: '"name"' },
      { what: 'null', body: 'null' },
      { what: 'nested 100,000 deep', body: '['.repeat(100_000) },
    ])('that is $what answers 400', async ({ body }) => {
      const { status, body: error } = await answerOf(await postGroup(asJson(body)));
      expect(status).toBe(400);
      expect(error).toEqual({ error: expect.not.stringMatching(/node_modules|at |\.ts/) });
    });

    it('names every field that is wrong', async () => {
      const response = await anna.post('/api/me/password', {});
      expect(response.status).toBe(405);
      const { body } = await answerOf(await anna.put('/api/me/password', { current_password: 1 }));
      expect(body).toEqual({ error: expect.stringMatching(/^current_password: .+; password: .+/) });
    });

    it.each([
      '{"name":"polluted $","__proto__":{"polluted":true}}',
      '{"name":"polluted $","constructor":{"prototype":{"polluted":true}}}',
      '{"__proto__":{"name":"polluted $"}}',
    ])('cannot reach the prototype of objects: %s', async (body) => {
      const query = '?__proto__[polluted]=true&constructor.prototype.polluted=true&__proto__=x';
      await anna.send('POST', `/api/groups${query}`, asJson(body.replace('$', body.slice(2, 8))));
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      const { data } = await jsonOf<{ data: object[] }>(await anna.get(`/api/groups${query}`));
      for (const group of data) {
        expect(Object.keys(group).sort()).toEqual(['created_at', 'id', 'name', 'updated_at']);
      }
    });
  });

  describe('an error', () => {
    it('is a text, and under /api/v1 a code and a message', async () => {
      expect(await jsonOf(await anna.get('/api/nowhere'))).toEqual({ error: 'not found' });
      expect(await jsonOf(await anna.get('/api/v1/nowhere'))).toEqual({
        error: { code: 'not_found', message: 'not found' },
      });
    });

    it('of nobody being logged in says how to', async () => {
      const response = await api.visitor().get('/api/me');
      expect(response.headers.get('WWW-Authenticate')).toBe('Bearer');
      expect(await answerOf(response)).toEqual({ status: 401, body: { error: 'unauthorized' } });
    });
  });

  describe('the request id', () => {
    it.each(['abc', 'A-b_c.9', 'x'.repeat(64)])('that came with the request is kept: %s', async (id) => {
      const response = await anna.get('/healthz', { headers: { 'X-Request-Id': id } });
      expect(response.headers.get('X-Request-Id')).toBe(id);
    });

    it.each(['', 'a b', '<script>', 'x'.repeat(65), 'é', 'a,b'])(
      'that is not fit to be repeated is replaced: "%s"',
      async (id) => {
        const response = await anna.get('/healthz', { headers: { 'X-Request-Id': id } });
        expect(response.headers.get('X-Request-Id')).toMatch(/^[\w-]{16}$/);
      },
    );

    it('is made anew for each request that has none, and stands in the log', async () => {
      const ids = [await anna.get('/nowhere'), await anna.get('/healthz')].map(
        ({ headers }) => headers.get('X-Request-Id') ?? '',
      );
      expect(new Set(ids).size).toBe(2);
      for (const id of ids)
        expect(api.logLines.some((line) => line.includes(`"requestId":"${id}"`))).toBe(true);
    });
  });

  it('carries the security headers in every answer', async () => {
    const withList = api.again({ corsAllowedOrigins: [ownOrigin] }).browser();
    const preflight = { headers: { 'Access-Control-Request-Method': 'POST' } };
    const answers = {
      200: await anna.get('/api/groups'),
      '200 for a page': await api.visitor().get('/login'),
      204: await anna.send('OPTIONS', '/api/groups'),
      '204 for a preflight': await withList.send('OPTIONS', '/api/groups', preflight),
      302: await api.visitor().get('/'),
      400: await postGroup(asJson('{')),
      401: await api.visitor().get('/api/groups'),
      404: await anna.get('/nowhere'),
      405: await anna.send('PUT', '/api/groups'),
      413: await postGroup(asJson('{}', { 'Content-Length': String(limit + 1) })),
      415: await postGroup({ body: '{}' }),
    };
    for (const [expected, { status, headers }] of Object.entries(answers)) {
      expect(String(status)).toBe(expected.slice(0, 3));
      expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'");
      expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('Referrer-Policy')).toBe('same-origin');
      expect(headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin');
      // A page is the same for everybody, and asked after each time.
      expect(headers.get('Cache-Control')).toBe(expected.endsWith('page') ? 'no-cache' : 'no-store');
      expect(headers.get('X-Request-Id')).not.toBeNull();
    }
  });
});
