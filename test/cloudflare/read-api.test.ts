// The read API of the mirror, in the runtime of Cloudflare: who is let in, what is found, and what a foreign page may do.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commonHeaders } from '../../cloudflare/src/read-api/common-headers.ts';
import { routes } from '../../cloudflare/src/read-api/routes.ts';
import { isSession, makeSession, sessionSeconds } from '../../cloudflare/src/read-api/secret.ts';
import { keep, sample } from './support/kept-raindrops.ts';
import { accessToken, host } from './support/miniflare.ts';
import { type MirrorWithRaindrop, startWithRaindrop } from './support/with-raindrop.ts';

let { worker, close } = {} as MirrorWithRaindrop;

beforeAll(async () => {
  ({ worker, close } = await startWithRaindrop());
  await keep(worker, sample);
});
afterAll(() => close());

const body = async <T>(answer: Response | Promise<Response>) => (await (await answer).json()) as T;

const signIn = (token: unknown, headers: Record<string, string> = {}) =>
  worker.ask('/api/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ token }),
  });
const cookieOf = (answer: Response) => answer.headers.get('set-cookie') ?? '';

describe('access to the mirror', () => {
  const asked = Object.entries(routes).map(([name, access]) => {
    const [method = '', path = ''] = name.split(' ');
    return { name, access, method, path: path.replace(':id', '1') };
  });

  it('only the session is open', () => {
    expect(asked.filter(({ access }) => access === 'open').map(({ path }) => path)).toEqual([
      '/api/session',
      '/api/session',
    ]);
  });

  it.each(asked.filter(({ access }) => access !== 'open'))(
    '$name is refused without the token',
    async (route) => {
      for (const headers of [
        {},
        { authorization: 'Bearer a token of more than sixteeN' },
        { authorization: `Basic ${accessToken}` },
        { cookie: 'session=1' },
        { cookie: `session=9999999999.${'0'.repeat(64)}` },
      ]) {
        const answer = await worker.ask(route.path, { method: route.method, headers });
        expect([answer.status, await answer.json()]).toEqual([
          401,
          { error: expect.stringMatching(/access token/) },
        ]);
      }
    },
  );

  it.each(asked)('$name answers 503 until a token is set that is long enough', async ({ path, method }) => {
    for (const secret of ['', 'fifteen letters']) {
      const answer = await worker.askWithSecret(secret, path, method);
      expect([answer.status, await answer.text()]).toEqual([
        503,
        expect.stringMatching(/secret put ACCESS_TOKEN/),
      ]);
    }
  });

  it('what is no route is refused, and not there for those who may ask', async () => {
    for (const path of ['/api/nothing', '/api/', '/api', '/api/raindrops']) {
      expect((await worker.ask(path, { headers: {} })).status).toBe(401);
      expect((await worker.ask(path)).status).toBe(404);
    }
    expect((await worker.ask('/api/search', { method: 'POST' })).status).toBe(404);
  });

  it('the page and its files are there for everybody, under a strict policy', async () => {
    const answer = await worker.ask('/app/index.js', { headers: {} });
    expect(await answer.text()).toBe('page /app/index.js');
    expect(Object.fromEntries(answer.headers)).toMatchObject(
      Object.fromEntries(Object.entries(commonHeaders).map(([name, value]) => [name.toLowerCase(), value])),
    );
  });

  it('files that the Worker never sees have the same headers', () => {
    const file = readFileSync(new URL('../../cloudflare/page/public/_headers', import.meta.url), 'utf8');
    const lines = Object.entries(commonHeaders).map(([name, value]) => `  ${name}: ${value}`);
    expect(file.split('\n').filter((line) => line.startsWith('  '))).toEqual(lines);
  });
});

describe('a session of the mirror', () => {
  it('is given for the token, and is good for everything that the token is good for', async () => {
    const answer = await signIn(accessToken, { origin: host });
    expect([answer.status, cookieOf(answer)]).toEqual([
      204,
      expect.stringMatching(
        /^session=\d+\.[0-9a-f]{64}; Max-Age=2592000; Path=\/api; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
    const [cookie = ''] = cookieOf(answer).split(';');
    expect((await worker.ask('/api/tags', { headers: { cookie } })).status).toBe(200);
    const later = cookie.replace(/=\d+/, (value) => `=${Number(value.slice(1)) + 1}`);
    expect((await worker.ask('/api/tags', { headers: { cookie: later } })).status).toBe(401);
  });

  it('is given for nothing else', async () => {
    for (const [token, status] of [
      ['another token, as long', 401],
      ['', 401],
      [7, 400],
      [undefined, 400],
    ] as const) {
      const answer = await signIn(token);
      expect([answer.status, cookieOf(answer), await answer.json()]).toEqual([
        status,
        '',
        { error: expect.stringMatching(/^token: /) },
      ]);
    }
    expect((await signIn(accessToken, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await signIn('x'.repeat(5_000))).status).toBe(413);
  });

  it('is over after thirty days, and with another token', async () => {
    const session = await makeSession(accessToken, 1_000);
    expect(await isSession(session, accessToken, 1_000 + sessionSeconds - 1)).toBe(true);
    expect(await isSession(session, accessToken, 1_000 + sessionSeconds)).toBe(false);
    expect(await isSession(session, 'another token, as long', 1_001)).toBe(false);
  });

  it('ends', async () => {
    const [cookie = ''] = cookieOf(await signIn(accessToken)).split(';');
    const end = (headers: Record<string, string>) =>
      worker.ask('/api/session', { method: 'DELETE', headers });
    expect((await end({ cookie })).status).toBe(403);
    const answer = await end({ cookie, origin: host });
    expect([answer.status, cookieOf(answer)]).toEqual([
      204,
      expect.stringMatching(/^session=; Max-Age=0; Path=\/api/),
    ]);
  });
});

describe('a raindrop of the mirror', () => {
  const headersOf = async (id: number) => {
    const answer = await worker.ask(`/api/raindrops/${id}/copy`);
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
    return [answer.headers.get('content-type'), answer.headers.get('content-disposition')];
  };

  it('is told with its tags, what is known of its copy, and the state of its text', async () => {
    expect(await body(worker.ask('/api/raindrops/6'))).toMatchObject({
      id: 6,
      title: 'Ownership of land',
      link: 'https://example.org/6',
      tags: [],
      meta: { content_type: 'text/html; charset=windows-1252' },
      text: { text_sha256: 'f00d', word_count: 3 },
      has_copy: true,
    });
    expect(await body(worker.ask('/api/raindrops/1'))).toMatchObject({
      tags: ['bread'],
      meta: null,
      has_copy: false,
    });
  });

  it('its copy can run nothing, load nothing and be framed by nobody else', async () => {
    const answer = await worker.ask('/api/raindrops/6/copy');
    expect(await answer.text()).toContain('<title>A copy</title>');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=windows-1252',
      'content-security-policy':
        "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline' data:; font-src data:; media-src data:; frame-ancestors 'self'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    });
  });

  it('a copy has its true type, unless the page could take it for a script of its own', async () => {
    expect(await headersOf(7)).toEqual(['application/pdf', null]);
    expect(await headersOf(8)).toEqual(['text/plain', null]);
    expect(await headersOf(9)).toEqual(['application/octet-stream', 'attachment; filename="raindrop-9"']);
    expect(await headersOf(10)).toEqual(['image/svg+xml', null]);
  });

  it('its text is plain', async () => {
    const answer = await worker.ask('/api/raindrops/1/text');
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual([
      'text/plain; charset=utf-8',
      'Flour, water and salt.',
    ]);
  });

  it('one that is not there is said to be missing, and one that cannot be is refused', async () => {
    for (const path of [
      '/api/raindrops/99',
      '/api/raindrops/99/copy',
      '/api/raindrops/99/text',
      '/api/raindrops/1/copy',
    ])
      expect([path, (await worker.ask(path)).status]).toEqual([path, 404]);
    for (const id of ['0', '-1', 'x', '1.5', '99999999999999999999', '%2e%2e'])
      expect([id, await body(worker.ask(`/api/raindrops/${id}/text`))]).toEqual([
        id,
        { error: expect.stringMatching(/^id: expected|no such route/) },
      ]);
  });
});

describe('the mirror from outside', () => {
  it('tags are told with how many have them', async () => {
    const { tags } = await body<{ tags: { name: string; count: number }[] }>(worker.ask('/api/tags'));
    expect(tags.filter(({ name }) => name !== 'many')).toEqual([
      { name: 'bread', count: 2 },
      { name: 'odd', count: 1 },
      { name: 'rye', count: 1 },
    ]);
  });

  // After all that reads: the run finds nothing at Raindrop, and takes away what is kept.
  it('is changed by a session only for its own site', async () => {
    const [cookie = ''] = cookieOf(await signIn(accessToken)).split(';');
    const run = (headers: Record<string, string>) =>
      worker.ask('/api/mirror/run', { method: 'POST', headers });
    expect((await run({ cookie })).status).toBe(403);
    expect((await run({ cookie, origin: 'https://evil.example' })).status).toBe(403);
    expect((await run({ cookie, origin: 'null' })).status).toBe(403);
    expect((await signIn(accessToken, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await run({ cookie, origin: host })).status).toBe(202);
  });

  it('tells its state, is started, and is rebuilt', async () => {
    await worker.waitUntilIdle();
    const run = await worker.ask('/api/mirror/run', { method: 'POST' });
    expect([run.status, await run.json()]).toEqual([202, { started: true }]);
    await worker.waitUntilIdle();
    // There are none at Raindrop, so none is found any more; what there is of them stays in the bucket.
    expect((await worker.objects()).size).toBeGreaterThan(sample.length);
    expect(await body(worker.ask('/api/mirror'))).toMatchObject({
      raindrops: 0,
      cursor: '1970-01-01T00:00:00.000Z',
      run: { phase: 'idle', problem: null, total: 0 },
      reinflate: null,
    });
    const rebuild = (content?: unknown) =>
      worker.ask('/api/mirror/reinflate', {
        method: 'POST',
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        ...(content !== undefined && { body: JSON.stringify(content) }),
      });
    for (const rag of [undefined, false, true])
      expect(await body(rebuild(rag === undefined ? undefined : { rag }))).toEqual({ queued: true });
    const asked = (await worker.sent()).slice(-3).map(({ message }) => message);
    expect(asked).toEqual([false, false, true].map((rag) => ({ reinflate: { after: null, rag } })));
    await worker.waitUntilIdle();
    expect(await body(worker.ask('/api/mirror'))).toMatchObject({ reinflate: { rag: true, left: 0 } });
    expect(await body(rebuild({ rag: 1 }))).toEqual({ error: 'rag: expected true or false' });
  });
});
