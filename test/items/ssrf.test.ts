// Every way by which a saved page makes us ask another host, with every address that would lead into our own network: not a
// byte arrives, and nothing but public addresses is dialled. What a browser asks for is in screenshot-attacks.test.ts.
import { describe, expect, it } from 'vitest';
import { fetchIcon, type IconDeps } from '../../src/feeds/icons/fetch-icon.ts';
import { type FetchedPage, fetchPage, type PageOutcome } from '../../src/items/fetch-page.ts';
import { findThumbnail } from '../../src/items/find-thumbnail.ts';
import { createHostTurns } from '../../src/outbound/host-turns.ts';
import type { EnrichableItem } from '../../src/store/enrichment-store.ts';
import { isDeep, seed } from '../support/depth.ts';
import { quiet } from '../support/enriching.ts';
import { type Canary, createWorld, startCanary, type World } from '../support/outbound.ts';

const { signal } = new AbortController();
const fence = { id: 1, epoch: 1 };

/** Made of a port at which something of ours listens. */
const literals: readonly string[] = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '0', '0.0.0.0', '127.0.0.1.'],
  ...['①②⑦.⓪.⓪.①', '127。0。0。1', '１２７.0.0.1'],
  ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::127.0.0.1]', '[0:0:0:0:0:0:0:1]'],
  ...['[64:ff9b::a9fe:a9fe]', '[2002:a9fe:a9fe::]', '[2001:0:4136:e378:8000:63bf:f5ff:fffe]'],
  ...['169.254.169.254', '[fd00:ec2::254]', '100.100.100.200', 'metadata.google.internal'],
  ...['100.64.0.1', '192.88.99.1', '224.0.0.1', '240.0.0.1', '198.18.0.1', '10.0.0.1', '172.16.0.1'],
  ...['192.168.0.1', '[fc00::1]', '[fe80::1]', '[ff02::1]', '[3fff::1]'],
  ...['localhost', 'LOCALHOST.', 'sub.localhost', 'inside.example', 'inside6.example'],
];

/** Judged by the host that would be connected to. */
const confusing: readonly string[] = [
  'http://ok.example@127.0.0.1:PORT/',
  'http://ok.example:80@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT\\@ok.example/',
  'http://127.0.0.1:PORT#@ok.example/',
  'http://127.0.0.1:PORT?@ok.example/',
  'http:\\\\127.0.0.1:PORT\\',
  'http:///127.0.0.1:PORT/',
  'http://127.0.0.1\t:PORT/',
  ' http://127.0.0.1:PORT/',
  'HTTP://LOCALHOST:PORT/',
];

const schemes: readonly string[] = [
  'file:///etc/passwd',
  'gopher://127.0.0.1:PORT/_GET%20/',
  'ftp://127.0.0.1:PORT/',
  'data:text/html,<title>secret</title>',
  'jar:http://127.0.0.1:PORT/x!/',
  'source:file:///etc/passwd',
  'view-source:http://127.0.0.1:PORT/',
  'ws://127.0.0.1:PORT/',
  'blob:http://127.0.0.1:PORT/x',
  'chrome://version',
  'javascript:1',
];

const payloads: readonly string[] = [
  ...literals.map((host) => `http://${host}:PORT/`),
  ...['127.0.0.1', '[::1]', 'inside.example'].map((host) => `https://${host}:PORT/`),
  ...confusing,
  ...schemes,
];

interface Scene {
  readonly world: World;
  readonly canary: Canary;
  /** Where `http://site.example/PATH` leads. */
  readonly leads: Map<string, { status: number; location: string }>;
  /** What `http://site.example/` has in it. */
  html: string;
  /** Bytes that came from somewhere, however far they came. */
  readonly got: Uint8Array[];
}

/** Headers are Latin-1, and servers write what they like into them. */
const asHeader = (text: string) => Buffer.from(text).toString('latin1');

async function createScene(): Promise<Scene> {
  const canary = await startCanary();
  const world = createWorld();
  const scene: Scene = { world, canary, leads: new Map(), html: '', got: [] };
  await world.site('site.example', (request, response) => {
    const lead = scene.leads.get(request.url ?? '');
    if (!lead) return response.writeHead(200, { 'content-type': 'text/html' }).end(scene.html);
    return response.writeHead(lead.status, { location: asHeader(lead.location) }).end();
  });
  await world.site('ok.example', (_request, response) => response.end('ok'));
  world.dns.set('inside.example', ['127.0.0.1']);
  world.dns.set('inside6.example', ['::ffff:127.0.0.1', '::1']);
  return scene;
}

const pageAt = async ({ world, got }: Scene, url: string): Promise<PageOutcome> => {
  const deps = { outbound: world.outbound, turns: createHostTurns(world.clock.now), now: world.clock.now };
  const outcome = await fetchPage(deps, { url, signal });
  if (outcome.kind === 'page') got.push(outcome.bytes);
  return outcome;
};

/** Saved, and what its item is told. */
const savePage = async (scene: Scene, url: string): Promise<void> => {
  expect(await pageAt(scene, url)).toMatchObject({ kind: 'failed', isForGood: true });
};

const lead = (scene: Scene, status: number, location: string, from = '/lead') => {
  scene.leads.set(from, { status, location });
  return `http://site.example${from}`;
};

const item: EnrichableItem = {
  itemId: 1,
  userId: 1,
  url: 'http://site.example/',
  isPending: true,
  isWanted: true,
  proxy: undefined,
  isHidden: false,
  files: { snapshot: null, thumbnail: null },
};

async function showImage({ world, got }: Scene, url: string): Promise<void> {
  const page: FetchedPage = {
    kind: 'page',
    url: item.url,
    mediaType: 'text/html',
    charset: undefined,
    bytes: new Uint8Array(),
  };
  const facts = { title: '', excerpt: '', author: '', siteName: '', language: '', canonicalUrl: '' };
  const named = { publishedAt: null, imageUrls: [url], iconUrls: [url] };
  const copy = { facts: { ...facts, ...named }, html: '', text: '', wordCount: 0 };
  const thumbnail = async (bytes: Uint8Array) => {
    got.push(bytes);
    return bytes;
  };
  const deps = { outbound: world.outbound, page: { thumbnail }, log: quiet };
  expect(await findThumbnail(deps, { item, page, copy }, signal)).toBeUndefined();
}

async function lookForIcon({ world, got }: Scene, origin: string): Promise<void> {
  const icons = {
    keep: async (_fence: unknown, _origin: string, icon?: { bytes: Uint8Array }) => {
      if (icon) got.push(icon.bytes);
    },
  } as unknown as IconDeps['icons'];
  await fetchIcon({ icons, outbound: world.outbound, now: world.clock.now }, { origin }, { fence, signal });
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

const ways: Record<string, (scene: Scene, payload: string) => Promise<void>> = {
  'the address of a page': savePage,
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((status) => [
      `a redirect of a page by ${status}`,
      (scene: Scene, payload: string) => savePage(scene, lead(scene, status, payload)),
    ]),
  ),
  'the third redirect of a page': (scene, payload) => {
    lead(scene, 302, payload, '/3');
    lead(scene, 301, 'http://site.example/3', '/2');
    return savePage(scene, lead(scene, 307, '/2', '/1'));
  },
  'the image of a page': showImage,
  'a redirect of an image': (scene, payload) => showImage(scene, lead(scene, 302, payload)),
  'the third redirect of an image': (scene, payload) => {
    lead(scene, 308, payload, '/3');
    lead(scene, 302, '/3', '/2');
    return showImage(scene, lead(scene, 301, '/2', '/1'));
  },
  'the site of an icon': (scene, payload) => lookForIcon(scene, payload.replace(/\/$/, '')),
  'an icon that a page names': (scene, payload) => {
    scene.html = `<link rel="icon" href="${escaped(payload)}">`;
    return lookForIcon(scene, 'http://site.example');
  },
  'a redirect of an icon': (scene, payload) => {
    scene.html = '<link rel="icon" href="/lead">';
    lead(scene, 302, payload);
    return lookForIcon(scene, 'http://site.example');
  },
  'a redirect of the page that names an icon': (scene, payload) => {
    lead(scene, 302, payload, '/');
    return lookForIcon(scene, 'http://site.example');
  },
};

function expectNothingInside({ world, canary, got }: Scene): void {
  expect(canary).toMatchObject({ connections: 0, bytes: 0 });
  expect(world.dials.filter((address) => !address.startsWith('93.184.216.'))).toEqual([]);
  for (const bytes of got) expect(Buffer.from(bytes).toString()).not.toMatch(/secret|root:/);
}

describe.each(Object.keys(ways).map((way, index) => [way, index] as const))('by %s', (way, index) => {
  // Each way has other payloads than the next one, so that even a sample has every payload.
  const tried = isDeep ? payloads : payloads.filter((_, n) => (n + index + seed) % 4 === 0);
  it.each(tried)('%s is not reached', async (payload) => {
    const scene = await createScene();
    await ways[way]?.(scene, payload.replaceAll('PORT', String(scene.canary.port)));
    expectNothingInside(scene);
  });

  it('a name with public and private addresses is reached by the public ones only', async () => {
    const scene = await createScene();
    const { world, canary } = scene;
    const [ok = ''] = world.dns.get('ok.example') as readonly string[];
    world.dns.set('mixed.example', ['127.0.0.1', ok, '10.0.0.1', '::1']);
    await ways[way]?.(scene, `http://mixed.example:${canary.port}/`).catch(() => {});
    expectNothingInside(scene);
    expect(world.dials).toContain(ok);
  });

  it('a name that turns inward is asked again for each connection, and not followed', async () => {
    const scene = await createScene();
    const { world, canary } = scene;
    const [ok = ''] = world.dns.get('ok.example') as readonly string[];
    let asked = 0;
    world.dns.set('turning.example', () => (asked++ === 0 ? [ok] : ['127.0.0.1']));
    for (let n = 0; n < 3; n++)
      await ways[way]?.(scene, `http://turning.example:${canary.port}/`).catch(() => {});
    expect(asked).toBeGreaterThan(1);
    expectNothingInside(scene);
  });
});

it('what the item is told is the same for an open port, a closed one and a name that does not exist', async () => {
  const scene = await createScene();
  const urls = [
    `http://127.0.0.1:${scene.canary.port}/`,
    'http://127.0.0.1:1/',
    'http://inside.example/',
    'http://169.254.169.254/latest/meta-data/',
    'http://nowhere.example/',
    lead(scene, 302, 'http://10.0.0.1/'),
  ];
  const outcomes = await Promise.all(urls.map((url) => pageAt(scene, url)));
  const sentences = outcomes.map((outcome) => (outcome.kind === 'page' ? 'a page' : outcome.sentence));
  expect(new Set(sentences)).toEqual(
    new Set(['No server was found at this address on the public internet.']),
  );
});

it('credentials of an address are not handed on to another host', async () => {
  const scene = await createScene();
  const heard: (string | undefined)[] = [];
  await scene.world.site('other.example', (request, response) => {
    heard.push(request.headers.authorization);
    response.writeHead(200, { 'content-type': 'text/html' }).end('page');
  });
  lead(scene, 302, 'http://other.example/');
  await pageAt(scene, 'http://anna:hunter2@site.example/lead');
  expect(heard).toEqual([undefined]);
});
