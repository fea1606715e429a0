import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { asFetch } from '../../src/outbound/as-fetch.ts';
import { answering, createWorld, reasonOf, textOf } from '../support/outbound.ts';

describe('an answer', () => {
  it('comes with its body decoded, its type, its headers and its validators', async () => {
    const world = createWorld();
    await world.site('a.example', (_request, response) =>
      response
        .writeHead(200, {
          'content-type': 'Application/RSS+XML; charset="ISO-8859-1"',
          'content-encoding': 'gzip',
          etag: 'W/"x\xe9"',
          'set-cookie': 'id=1',
        })
        .end(gzipSync('<rss/>')),
    );
    const outcome = await world.request('http://a.example/feed#top');
    expect(textOf(outcome)).toBe('<rss/>');
    expect(outcome).toMatchObject({
      kind: 'body',
      url: 'http://a.example/feed',
      mediaType: 'application/rss+xml',
      charset: 'iso-8859-1',
      validators: { url: 'http://a.example/feed', etag: 'W/"x\xe9"', lastModified: undefined },
    });
    expect(outcome).not.toHaveProperty('headers.set-cookie');
  });

  it('is asked for politely', async () => {
    const world = createWorld();
    let headers: Record<string, unknown> = {};
    await world.site('a.example', (request, response) => {
      headers = request.headers;
      response.end();
    });
    await world.request('http://a.example/', {
      headers: { Accept: 'text/html', Host: 'evil', Connection: 'x' },
    });
    expect(headers).toEqual({
      host: 'a.example',
      connection: 'keep-alive',
      'user-agent': 'Lectern/test',
      accept: 'text/html',
      'accept-encoding': 'gzip, zstd',
    });
  });

  it.each([
    [404, 'The server has nothing at this address.'],
    [401, 'The server asks for a login, or refuses the one it was given.'],
    [502, 'The server has a problem of its own (status 502).'],
    [418, 'The server answered with an error (status 418).'],
  ])('with status %i is a failure that says: %s', async (status, sentence) => {
    const world = createWorld();
    await world.site('a.example', (_request, response) => response.writeHead(status).end('no'));
    expect(await world.request('http://a.example/')).toMatchObject({
      reason: 'http-status',
      status,
      sentence,
    });
    const accepted = await world.request('http://a.example/', { acceptStatus: () => true });
    expect(accepted).toMatchObject({ kind: 'body', status });
    expect(textOf(accepted)).toBe('no');
  });

  it('of 403 with a challenge is told apart', async () => {
    const world = createWorld();
    await world.site('a.example', (request, response) =>
      response.writeHead(403, request.url === '/plain' ? {} : { 'cf-mitigated': 'challenge' }).end(),
    );
    const challenged = await world.request('http://a.example/');
    const plain = await world.request('http://a.example/plain');
    expect(challenged.sentence).toMatch(/proof that a person is reading/);
    expect(plain.sentence).not.toBe(challenged.sentence);
  });

  it('of 410 is gone, unless the caller wants what it says', async () => {
    const world = createWorld();
    await world.site('a.example', (_request, response) => response.writeHead(410).end('why'));
    expect((await world.request('http://a.example/')).kind).toBe('gone');
    expect(
      textOf(await world.request('http://a.example/', { acceptStatus: (status) => status === 410 })),
    ).toBe('why');
  });

  it('of a kind that is not wanted is refused', async () => {
    const world = createWorld();
    await world.site('a.example', (request, response) =>
      response.writeHead(200, request.url === '/none' ? {} : { 'content-type': 'image/PNG; x=y' }).end('x'),
    );
    expect((await world.request('http://a.example/', { mediaTypes: ['image/'] })).kind).toBe('body');
    expect((await world.request('http://a.example/', { mediaTypes: ['image/png'] })).kind).toBe('body');
    expect(reasonOf(await world.request('http://a.example/', { mediaTypes: ['text/html'] }))).toBe(
      'media-type',
    );
    expect(reasonOf(await world.request('http://a.example/none', { mediaTypes: ['text/html'] }))).toBe(
      'media-type',
    );
  });

  it('to HEAD has no body, whatever its headers say', async () => {
    const world = createWorld();
    await world.site('a.example', (_request, response) =>
      response.writeHead(200, { 'content-length': '99999999', 'content-encoding': 'zip' }).end(),
    );
    expect(await world.request('http://a.example/', { method: 'HEAD' })).toMatchObject({
      kind: 'body',
      bytes: Buffer.of(),
    });
  });
});

describe('validators', () => {
  const etag = 'W/"\x80 opaque, quotes included"';
  const lastModified = 'yesterday, as this server writes it';

  it('are sent back byte for byte, and a 304 keeps what it does not replace', async () => {
    const world = createWorld();
    const seen: unknown[] = [];
    await world.site('a.example', (request, response) => {
      seen.push([request.headers['if-none-match'], request.headers['if-modified-since']]);
      response.writeHead(304, { etag: '"new"' }).end();
    });
    const url = 'http://a.example/feed';
    const outcome = await world.request(url, { validators: { url, etag, lastModified } });
    expect(seen).toEqual([[etag, lastModified]]);
    expect(outcome).toMatchObject({ kind: 'not-modified', validators: { url, etag: '"new"', lastModified } });
    await world.request(url, { validators: { url, etag } });
    expect(seen[1]).toEqual([etag, undefined]);
    expect(world.dials).toHaveLength(1);
  });

  it('that a 200 does not send again are to be forgotten', async () => {
    const world = createWorld();
    await world.site('a.example', (_request, response) =>
      response.writeHead(200, { 'last-modified': 'now' }).end(),
    );
    const url = 'http://a.example/feed';
    expect(await world.request(url, { validators: { url, etag } })).toMatchObject({
      validators: { url, etag: undefined, lastModified: 'now' },
    });
  });

  it('go to the URL that they came from, and to no other', async () => {
    const world = createWorld();
    const seen: string[] = [];
    await world.site('a.example', (request, response) => {
      seen.push(`${request.url} ${request.headers['if-none-match']}`);
      if (request.url === '/old') response.writeHead(301, { location: '/new' }).end();
      else if (request.headers['if-none-match']) response.writeHead(304).end();
      else response.writeHead(200, { etag: '"1"' }).end();
    });
    const first = await world.request('http://a.example/old', {
      validators: { url: 'http://a.example/old', etag: '"0"' },
    });
    if (first.kind !== 'body') throw new Error(first.kind);
    expect(first.validators).toMatchObject({ url: 'http://a.example/new', etag: '"1"' });
    const second = await world.request('http://a.example/old', { validators: first.validators });
    expect(second.kind).toBe('not-modified');
    expect(seen).toEqual(['/old "0"', '/new undefined', '/old undefined', '/new "1"']);
  });
});

describe('following', () => {
  it('reports each hop, and whether it is permanent', async () => {
    const world = createWorld();
    const hops = { '/': 301, '/308': 308, '/302': 302, '/307': 307, '/303': 303 };
    const paths = Object.keys(hops);
    await world.site('a.example', (request, response) => {
      const index = paths.indexOf(request.url ?? '');
      if (index < 0) response.end('here');
      else
        response.writeHead(Object.values(hops)[index] ?? 0, { location: paths[index + 1] ?? '/end' }).end();
    });
    const outcome = await world.request('http://a.example/');
    expect(textOf(outcome)).toBe('here');
    expect(outcome.url).toBe('http://a.example/end');
    expect(outcome.hops).toEqual(
      Object.entries(hops).map(([path, status]) => ({
        url: `http://a.example${path}`,
        status,
        permanent: status === 301 || status === 308,
      })),
    );
  });

  it.each([
    ['UTF-8', Buffer.from('/caf\u00e9/\u65e5?q=\u00fc'), '/caf%C3%A9/%E6%97%A5?q=%C3%BC'],
    ['Latin-1', Buffer.from('/caf\u00e9', 'latin1'), '/caf%C3%A9'],
    ['neither, but escaped', Buffer.from('/caf%C3%A9'), '/caf%C3%A9'],
  ])('takes an address that is written in %s for what was meant', async (_encoding, location, path) => {
    const world = createWorld();
    await world.rawSite('a.example', (socket) =>
      socket.on('data', (chunk) => {
        const asked = chunk.toString('latin1').split(' ')[1] ?? '';
        if (asked !== '/')
          return socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${asked.length}\r\n\r\n${asked}`);
        socket.write('HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ');
        socket.write(location);
        socket.write('\r\n\r\n');
      }),
    );
    const outcome = await world.request('http://a.example/');
    expect(textOf(outcome)).toBe(path);
    expect(outcome.url).toBe(`http://a.example${path}`);
  });

  it('finds the host that a name in UTF-8 stands for', async () => {
    const world = createWorld();
    await world.site('xn--bcher-kva.example', (_request, response) => response.end('books'));
    await world.rawSite(
      'a.example',
      answering('HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: http://b\u00fccher.example/\r\n\r\n'),
    );
    expect(textOf(await world.request('http://a.example/'))).toBe('books');
  });

  it('is left to the caller who asks for that', async () => {
    const world = createWorld();
    await world.site('a.example', (_request, response) => response.writeHead(302, { location: '/x' }).end());
    expect(await world.request('http://a.example/', { redirect: 'manual' })).toMatchObject({
      kind: 'body',
      status: 302,
      headers: { location: '/x' },
    });
  });

  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [307, 'POST', 'POST', 'form'],
    [308, 'PUT', 'PUT', 'form'],
  ] as const)('status %i turns a %s into a %s', async (status, method, expected, body) => {
    const world = createWorld();
    await world.site('a.example', async (request, response) => {
      if (request.url === '/') return response.writeHead(status, { location: '/next' }).end();
      response.end(
        `${request.method} ${await new Response(request as never).text()} ${request.headers['content-type']}`,
      );
    });
    const headers = { 'content-type': 'text/x' };
    const outcome = await world.request('http://a.example/', { method, body: 'form', headers });
    expect(textOf(outcome)).toBe(`${expected} ${body} ${body ? 'text/x' : undefined}`);
  });

  it('does not carry a body to another origin', async () => {
    const world = createWorld();
    let received = 0;
    await world.site('a.example', (_request, response) =>
      response.writeHead(307, { location: 'http://b.example/' }).end(),
    );
    await world.site('b.example', () => received++);
    expect(reasonOf(await world.request('http://a.example/', { method: 'POST', body: 'secret' }))).toBe(
      'bad-redirect',
    );
    expect(received).toBe(0);
  });
});

describe('credentials', () => {
  const credentials = { basic: { username: 'ann', password: 'pässword:1' }, headers: { 'X-My-Key': 'k' } };
  const basic = `Basic ${Buffer.from('ann:pässword:1').toString('base64')}`;

  /** a.example leads to b.example, that one back to a.example, and this one on within itself. */
  async function circle() {
    const world = createWorld();
    const seen: unknown[] = [];
    const note = (request: { headers: Record<string, unknown> }) =>
      seen.push([
        request.headers.host,
        request.headers.authorization,
        request.headers['x-my-key'],
        request.headers.cookie,
      ]);
    await world.site('a.example', (request, response) => {
      note(request);
      const next = { '/': '/own', '/own': 'http://b.example/', '/back': '/home' }[request.url ?? ''];
      if (next) response.writeHead(302, { location: next }).end();
      else response.end('back');
    });
    await world.site('b.example', (request, response) => {
      note(request);
      response.writeHead(302, { location: 'http://x:y@a.example/back' }).end();
    });
    return { world, seen };
  }

  it('go to their own origin, and nowhere after it was left', async () => {
    const { world, seen } = await circle();
    const outcome = await world.request('http://a.example/', { credentials, headers: { Cookie: 'c=1' } });
    expect(textOf(outcome)).toBe('back');
    expect(seen).toEqual([
      ['a.example', basic, 'k', 'c=1'],
      ['a.example', basic, 'k', 'c=1'],
      ['b.example', undefined, undefined, undefined],
      ['a.example', undefined, undefined, undefined],
      ['a.example', undefined, undefined, undefined],
    ]);
  });

  it('in a URL are taken as Basic and reported nowhere', async () => {
    const { world, seen } = await circle();
    const outcome = await world.request('http://ann:p%C3%A4ssword:1@a.example/');
    expect(seen[0]).toEqual(['a.example', basic, undefined, undefined]);
    expect(JSON.stringify(outcome)).not.toMatch(/ann|ssword|x:y/);
  });

  it('do not follow from https to http, or to another port', async () => {
    const world = createWorld();
    const seen: unknown[] = [];
    await world.secureSite('secure.example', (request, response) => {
      response
        .writeHead(302, {
          location: request.url === '/' ? 'http://a.example/' : 'https://secure.example:8443/',
        })
        .end();
    });
    await world.site('a.example', (request, response) => {
      seen.push(request.headers.authorization);
      response.end();
    });
    await world.request('https://secure.example/', { credentials });
    expect(seen).toEqual([undefined]);
  });
});

describe('as fetch()', () => {
  it('an answer is a Response, of whatever status', async () => {
    const world = createWorld();
    await world.site('a.example', async (request, response) => {
      const body = await new Response(request as never).text();
      response.writeHead(request.url === '/bad' ? 400 : 200, {
        'content-encoding': 'gzip',
        'content-type': 'application/json',
      });
      response.end(gzipSync(JSON.stringify({ body, key: request.headers.authorization })));
    });
    const fetch = asFetch(world.outbound);
    const init = { method: 'POST', body: 'hello', headers: { authorization: 'Bearer k' } };
    const response = await fetch('http://a.example/', init);
    expect(response.headers.get('content-encoding')).toBeNull();
    expect(await response.json()).toEqual({ body: 'hello', key: 'Bearer k' });
    expect(response.url).toBe('http://a.example/');
    expect((await fetch('http://a.example/bad', init)).status).toBe(400);
  });

  it('a redirect is followed, given as it is, or an error', async () => {
    const world = createWorld();
    await world.site('a.example', (request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/next' }).end();
      else response.end('next');
    });
    const fetch = asFetch(world.outbound);
    expect(await (await fetch('http://a.example/')).text()).toBe('next');
    expect((await fetch('http://a.example/', { redirect: 'manual' })).status).toBe(302);
    await expect(fetch('http://a.example/', { redirect: 'error' })).rejects.toThrow(TypeError);
  });

  it.each([600, 999])(
    'status %i, which no Response can have, is a TypeError that holds no turn',
    async (status) => {
      const world = createWorld({ pacing: { maxConcurrent: 1, gapMs: 0 } });
      await world.rawSite(
        'a.example',
        answering(`HTTP/1.1 ${status} Denied\r\nContent-Length: 9\r\n\r\nabc`),
      );
      const fetch = asFetch(world.outbound);
      for (let index = 0; index < 2; index++) {
        await expect(fetch('http://a.example/')).rejects.toMatchObject({
          name: 'TypeError',
          message: 'fetch failed',
          cause: { reason: 'protocol' },
        });
      }
    },
  );

  it('headers that no Response can have are a TypeError that leaves the stream', async () => {
    const { outbound } = createWorld();
    let isLeft = false;
    const stream = (async function* () {
      yield* [] as Uint8Array[];
    })();
    stream.return = async () => {
      isLeft = true;
      return { done: true, value: undefined };
    };
    const fetch = asFetch({
      ...outbound,
      stream: async ({ url }) => ({
        kind: 'body',
        url,
        hops: [],
        sentence: '',
        status: 200,
        headers: { 'x-a': '\u65e5' },
        validators: { url },
        mediaType: undefined,
        charset: undefined,
        stream,
      }),
    });
    await expect(fetch('http://a.example/')).rejects.toMatchObject({ message: 'fetch failed' });
    expect(isLeft).toBe(true);
  });

  it('a failure is a TypeError, and a cancelled request its own reason', async () => {
    const world = createWorld();
    const fetch = asFetch(world.outbound);
    await expect(fetch('http://10.0.0.1/')).rejects.toMatchObject({
      name: 'TypeError',
      cause: { reason: 'blocked-address' },
    });
    await expect(fetch('http://a.example/', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});
