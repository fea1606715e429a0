// Requests that would make us reach into our own network: each ends with a typed failure, and not a byte arrives.
import { describe, expect, it } from 'vitest';
import { asFetch } from '../../src/outbound/as-fetch.ts';
import type { Failure } from '../../src/outbound/failure.ts';
import type { OutboundRequest, Outcome } from '../../src/outbound/outcome.ts';
import { answering, createWorld, reasonOf, startCanary, textOf, type World } from '../support/outbound.ts';

/** Every way out of this folder, as the reason that it failed with. */
const ways: Record<string, (world: World, url: string) => Promise<string>> = {
  request: async ({ outbound }, url) => reasonOf(await outbound.request({ url })),
  stream: async ({ outbound }, url) => reasonOf((await outbound.stream({ url })) as Outcome),
  fetch: ({ outbound }, url) =>
    asFetch(outbound)(url).then(
      () => 'body',
      (error) => (error.cause as Failure)?.reason ?? 'bad-url',
    ),
  post: async ({ outbound }, url) => reasonOf(await outbound.request({ url, method: 'POST', body: 'x' })),
  head: async ({ outbound }, url) => reasonOf(await outbound.request({ url, method: 'HEAD', unpaced: true })),
};

const literals = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '0', '0.0.0.0', '127.0.0.1.'],
  ...['①②⑦.⓪.⓪.①', '127。0。0。1', '１２７.0.0.1'],
  ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:0:0:1]'],
  ...['[64:ff9b::a9fe:a9fe]', '[2002:a9fe:a9fe::]', '[2001:0:4136:e378:8000:63bf:f5ff:fffe]'],
  ...[
    '169.254.169.254',
    '[fd00:ec2::254]',
    '100.100.100.200',
    'metadata.google.internal',
    '[::ffff:169.254.169.254]',
  ],
  ...['100.64.0.1', '192.88.99.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '198.18.0.1', '10.0.0.1'],
  ...['172.16.0.1', '192.168.0.1', '[fc00::1]', '[fe80::1]', '[ff02::1]', '[3fff::1]', '[64:ff9b:1::7f00:1]'],
  ...['localhost', 'LOCALHOST', 'localhost.', 'sub.localhost', 'metadata.google.internal.'],
];

describe.each(Object.keys(ways))('by %s', (way) => {
  it.each(literals)('http://%s/ is blocked before anything is dialled', async (host) => {
    const canary = await startCanary();
    const world = createWorld();
    expect(await ways[way]?.(world, `http://${host}:${canary.port}/`)).toBe('blocked-address');
    expect(await ways[way]?.(world, `https://${host}:${canary.port}/`)).toBe('blocked-address');
    expect(world.dials).toEqual([]);
    expect(canary).toMatchObject({ connections: 0, bytes: 0 });
  });

  it.each([
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    'ftp://127.0.0.1/',
    'data:text/html,x',
    'ws://a.example/',
  ])('%s is not fetched', async (url) => {
    const world = createWorld();
    expect(await ways[way]?.(world, url)).toBe('bad-url');
    expect([...world.queries, ...world.dials]).toEqual([]);
  });

  it.each([
    'jar:http://a.example/x!/',
    'source:file:///etc/passwd',
    'view-source:http://127.0.0.1/',
    'blob:http://a/b',
  ])('%s is not fetched either', async (url) => {
    const world = createWorld();
    expect(await ways[way]?.(world, url)).toBe('bad-url');
    expect([...world.queries, ...world.dials]).toEqual([]);
  });

  it('a name that resolves inside is blocked', async () => {
    const canary = await startCanary();
    const world = createWorld();
    for (const address of ['127.0.0.1', '10.0.0.1', '::ffff:127.0.0.1', '169.254.169.254', '::1']) {
      world.dns.set('inside.example', [address]);
      expect(await ways[way]?.(world, `http://inside.example:${canary.port}/`)).toBe('blocked-address');
    }
    expect(world.dials).toEqual([]);
    expect(canary.bytes).toBe(0);
  });
});

describe('a redirect', () => {
  const statuses = [301, 302, 303, 307, 308];

  it.each(statuses)('with status %i to our own machine is blocked at that hop', async (status) => {
    const canary = await startCanary();
    const world = createWorld();
    const address = await world.site('a.example', (_request, response) =>
      response.writeHead(status, { location: `http://127.0.0.1:${canary.port}/` }).end(),
    );
    const outcome = await world.request('http://a.example/');
    expect(outcome).toMatchObject({
      kind: 'failed',
      reason: 'blocked-address',
      hops: [{ url: 'http://a.example/', status, permanent: status === 301 || status === 308 }],
    });
    expect(world.dials).toEqual([address]);
    expect(canary.bytes).toBe(0);
  });

  it('is blocked at the third hop as at the first', async () => {
    const canary = await startCanary();
    const world = createWorld();
    await world.site('a.example', (request, response) => {
      const next = { '/': '/2', '/2': '/3' }[request.url ?? ''] ?? `http://localhost:${canary.port}/`;
      response.writeHead(302, { location: next }).end();
    });
    const outcome = await world.request('http://a.example/');
    expect(reasonOf(outcome)).toBe('blocked-address');
    expect(outcome.hops.map((hop) => hop.url)).toEqual([
      'http://a.example/',
      'http://a.example/2',
      'http://a.example/3',
    ]);
    expect(canary.bytes).toBe(0);
  });

  it.each([
    'http://127.0.0.1:1\\@ok.example/',
    'http://ok.example@127.0.0.1/',
    'http://ok.example:80@127.0.0.1:1/',
    'http://127.0.0.1:1#@ok.example/',
    'http://127.0.0.1:1?@ok.example/',
    '//127.0.0.1/',
    '\\\\127.0.0.1\\',
    'http:127.0.0.1',
    '///127.0.0.1/',
    'http://[::ffff:7f00:1]/',
  ])('to %s is judged on the host that would be connected to', async (location) => {
    const world = createWorld();
    await world.site('a.example', (_request, response) => response.writeHead(302, { location }).end());
    await world.site('ok.example', (_request, response) => response.end('ok'));
    const outcome = await world.request('https://a.example/'.replace('https', 'http'));
    // "http:127.0.0.1" against an http: base is a path of the same host, which then leads to itself.
    expect(['blocked-address', 'too-many-redirects']).toContain(reasonOf(outcome));
    expect(world.dials.every((address) => address.startsWith('93.184.216.'))).toBe(true);
  });

  it.each([
    'file:///etc/passwd',
    'gopher://127.0.0.1:11211/',
    'ftp://a.example/',
    'data:text/html,x',
    'javascript:1',
  ])('to %s is not followed', async (location) => {
    const world = createWorld();
    await world.site('a.example', (_request, response) => response.writeHead(302, { location }).end());
    expect(reasonOf(await world.request('http://a.example/'))).toBe('bad-redirect');
  });

  it('in a circle, or through more than ten others, comes to an end', async () => {
    const world = createWorld();
    let asked = 0;
    await world.site('a.example', (request, response) => {
      asked += 1;
      const location =
        request.url === '/circle' ? '/back' : request.url === '/back' ? '/circle' : `/${asked}`;
      response.writeHead(302, { location }).end();
    });
    expect(reasonOf(await world.request('http://a.example/circle'))).toBe('too-many-redirects');
    expect(asked).toBe(2);
    expect(reasonOf(await world.request('http://a.example/'))).toBe('too-many-redirects');
    expect(asked).toBe(2 + 11);
  });

  it('to an address of more than 8 KB is not followed', async () => {
    const world = createWorld();
    await world.site('a.example', (_request, response) =>
      response.writeHead(302, { location: `/${'x'.repeat(8 * 1024)}` }).end(),
    );
    expect(reasonOf(await world.request('http://a.example/'))).toBe('bad-redirect');
  });
});

describe('a name that changes its mind', () => {
  it('is asked once for a connection, and the address that was checked is the one connected to', async () => {
    const canary = await startCanary();
    const world = createWorld();
    const address = await world.site('a.example', (_request, response) => response.end('public'));
    const answers = [[address], ['127.0.0.1'], ['127.0.0.1']];
    world.dns.set('a.example', () => answers.shift() ?? []);
    expect(textOf(await world.request(`http://a.example:${canary.port}/`))).toBe('public');
    expect(world.queries).toEqual(['a.example']);
    expect(world.dials).toEqual([address]);
    expect(canary.bytes).toBe(0);
  });

  it('is blocked when it turns inward, though a connection to its old address is still open', async () => {
    const world = createWorld();
    const address = await world.site('a.example', (_request, response) => response.end('public'));
    expect(textOf(await world.request('http://a.example/'))).toBe('public');
    expect(textOf(await world.request('http://a.example/'))).toBe('public');
    expect(world.dials).toEqual([address]);
    world.dns.set('a.example', ['127.0.0.1']);
    expect(reasonOf(await world.request('http://a.example/'))).toBe('blocked-address');
    expect(world.dials).toEqual([address]);
  });

  it('gets a new connection when it moves to another public address', async () => {
    const world = createWorld();
    const first = await world.site('a.example', (_request, response) => response.end('first'));
    await world.request('http://a.example/');
    const second = await world.site('a.example', (_request, response) => response.end('second'));
    expect(textOf(await world.request('http://a.example/'))).toBe('second');
    expect(world.dials).toEqual([first, second]);
  });

  it('with public and private addresses at once is reached by the public ones only', async () => {
    const canary = await startCanary();
    const world = createWorld();
    const address = await world.site('a.example', (_request, response) => response.end('public'));
    world.dns.set('a.example', ['127.0.0.1', '10.0.0.1', address, '::1', '169.254.169.254']);
    expect(textOf(await world.request(`http://a.example:${canary.port}/`))).toBe('public');
    expect(world.dials).toEqual([address]);
    expect(canary.bytes).toBe(0);
  });
});

describe('where private networks are allowed', () => {
  it('they are reached', async () => {
    const canary = await startCanary();
    const world = createWorld({ allowPrivateNetworks: true });
    expect(textOf(await world.request(`http://127.0.0.1:${canary.port}/`))).toBe('secret');
    expect(textOf(await world.request(`http://localhost:${canary.port}/`))).toBe('secret');
  });

  it.each([
    '169.254.169.254',
    '[::ffff:169.254.169.254]',
    '[::169.254.169.254]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:a9fe:a9fe::]',
    '[fd00:ec2::254]',
    '100.100.100.200',
    'metadata.google.internal',
    'METADATA.GOOGLE.INTERNAL.',
    '168.63.129.16',
    '0.0.0.0',
    '[::]',
    '224.0.0.1',
  ])('%s stays blocked', async (host) => {
    const world = createWorld({ allowPrivateNetworks: true });
    world.dns.set('metadata.google.internal', ['127.0.0.1']);
    expect(reasonOf(await world.request(`http://${host}/`))).toBe('blocked-address');
    expect(world.dials).toEqual([]);
  });

  it('a name for the metadata address stays blocked too, at first and after a redirect', async () => {
    const world = createWorld({ allowPrivateNetworks: true });
    await world.site('a.example', (_request, response) =>
      response.writeHead(302, { location: 'http://rebound.example/latest/meta-data/' }).end(),
    );
    world.dns.set('rebound.example', ['169.254.169.254']);
    expect(reasonOf(await world.request('http://rebound.example/'))).toBe('blocked-address');
    expect(reasonOf(await world.request('http://a.example/'))).toBe('blocked-address');
  });
});

describe('what a failure tells', () => {
  it('is the same for an open port, a closed one, a private name and a name that does not exist', async () => {
    const canary = await startCanary();
    const world = createWorld();
    world.dns.set('intranet.example', ['10.0.0.1']);
    const urls = [
      `http://127.0.0.1:${canary.port}/`,
      'http://127.0.0.1:1/',
      'http://intranet.example/',
      'http://nowhere.example/',
      'http://169.254.169.254/',
      'http://192.0.2.1/',
    ];
    const outcomes = await Promise.all(urls.map((url) => world.request(url)));
    expect(new Set(outcomes.map((outcome) => outcome.sentence)).size).toBe(1);
  });

  it('is the same for a port that refuses and one that is silent', async () => {
    const world = createWorld({ limits: { connectMs: 40 } });
    const silent = await world.rawSite('silent.example', () => {});
    world.dns.set('closed.example', ['93.184.216.200']);
    const closed = createWorld({ openSocket: () => world.deps.openSocket?.('127.0.0.1', 1) as never });
    closed.dns.set('closed.example', [silent]);
    const refused = await closed.request('http://closed.example/');
    const stalled = await world.request('https://silent.example/');
    expect(reasonOf(refused)).toBe('refused');
    expect(reasonOf(stalled)).toBe('timeout-connect');
    expect(refused.sentence).toBe(stalled.sentence);
  });

  it('never has an address, a port or a password in its sentence', async () => {
    const world = createWorld();
    await world.site('a.example', (_request, response) => response.writeHead(500).end());
    const inputs: OutboundRequest[] = [
      { url: 'http://user:hunter2@a.example/' },
      { url: 'http://user:hunter2@127.0.0.1:8484/' },
      { url: 'http://user:hunter2@nowhere.example:99999/' },
      { url: 'http://a.example/', proxy: 'http://user:hunter2@10.0.0.1:3128' },
    ];
    for (const input of inputs) {
      const outcome = await world.outbound.request(input);
      expect(outcome.kind).toBe('failed');
      expect(outcome.sentence).not.toMatch(/\d+\.\d+|hunter2|:\d/);
      expect(JSON.stringify({ ...outcome, cause: undefined })).not.toContain('hunter2');
    }
  });
});

describe('a bomb', () => {
  it('of a hundred encodings is refused before it is unpacked', async () => {
    const world = createWorld();
    const encodings = Array(100).fill('gzip').join(', ');
    await world.rawSite(
      'a.example',
      answering(`HTTP/1.1 200 OK\r\nContent-Encoding: ${encodings}\r\nContent-Length: 3\r\n\r\nabc`),
    );
    expect(reasonOf(await world.request('http://a.example/'))).toBe('bad-encoding');
  });
});
