// One step, two hosts: the same account mirrored by a Worker (real workerd, R2, D1, KV, queue and cron) and on Node. The
// objects are the same to the byte, the answers are the same, and neither asks more often than is polite.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { savedUrl } from '../../src/items/save-url.ts';
import { takeInRaindrops } from '../../src/mirror/node/reinflate.ts';
import { searchText } from '../../src/search/search-text.ts';
import { type CloudflareHarness, startCloudflare } from '../cloudflare/support/miniflare.ts';
import { TestClock } from '../support/clock.ts';
import { useEngine } from '../support/engines.ts';
import { folderFiles, temporaryFolder } from '../support/library.ts';
import { indexItems, openMirror } from '../support/mirror-node.ts';
import { type RaindropServer, startRaindropServer } from '../support/raindrop-server.ts';

/** As many as a person may have, in more than two batches. */
const count = 1_234;
const startAt = '2026-03-01T05:15:00.000Z';
const hour = 3_600_000;

describe('raindrops that are mirrored on Node and by a Worker', () => {
  const engine = useEngine('sqlite');
  const other = useEngine('postgres');
  const clock = new TestClock(Date.parse(startAt));
  let workersTime = Date.parse(startAt);
  let onNode: RaindropServer;
  let onWorker: RaindropServer;
  let mirror: Awaited<ReturnType<typeof openMirror>>;
  let worker: CloudflareHarness;
  let folder: string;
  let objects: Map<string, Uint8Array>;

  beforeAll(async () => {
    onNode = await startRaindropServer({ now: clock.now });
    onWorker = await startRaindropServer({ now: () => workersTime });
    for (const { account } of [onNode, onWorker]) account.fillWith(count);
    const onClock = (now: number) => {
      workersTime = now;
    };
    worker = await startCloudflare({ apiUrl: onWorker.apiUrl, startAt, onClock });
    folder = mkdtempSync(join(tmpdir(), 'lectern-library-'));
    const files = await folderFiles(folder, clock);
    mirror = await openMirror(await engine.freshTarget(), files, onNode, clock);
    const [batches] = await Promise.all([
      mirror.run(),
      (async () => {
        await worker.cron();
        await worker.waitUntilIdle(300_000);
      })(),
    ]);
    expect(await worker.errors()).toEqual([]);
    expect(batches).toHaveLength(Math.ceil(count / 50));
    objects = await worker.objects();
  }, 300_000);

  afterAll(async () => {
    await mirror?.end();
    await worker.dispose();
    await onNode.close();
    await onWorker.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('have the same objects, byte for byte', async () => {
    const keys: string[] = [];
    for (const prefix of ['raindrops/', 'manifests/'])
      for await (const { key } of mirror.library.files.listAll(prefix)) keys.push(key);
    expect(keys.filter((key) => key.endsWith('/raw.json'))).toHaveLength(count);
    expect([...objects.keys()].sort()).toEqual(keys.sort());
    const different: string[] = [];
    for (const key of keys) {
      const here = Buffer.from((await mirror.library.files.read(key)) as Uint8Array);
      if (!here.equals(objects.get(key) as Uint8Array)) different.push(key);
    }
    expect(different).toEqual([]);
  });

  it('stand at the same cursor, and wait for the same hour', async () => {
    for (const key of ['kv:raindrop:last_cursor', 'kv:raindrop:schedule', 'kv:raindrop:copies'])
      expect(await worker.state(key)).toBe(await mirror.store.mirrorState.get(key));
  });

  it('were asked for six to ten times in a minute, fifty in an hour', async () => {
    for (const { requests } of [onNode, onWorker]) {
      const times = requests.filter(({ host }) => host === 'api').map(({ at }) => at);
      for (const [n, at] of times.entries()) {
        const until = times.findIndex((next, m) => m > n && next >= at + 60_000);
        expect((until < 0 ? times.length : until) - n).toBeLessThanOrEqual(10);
      }
      const gaps = times.slice(1).map((at, n) => at - (times[n] as number));
      const within = gaps.filter((gap) => gap < hour / 2);
      const perMinute = 60_000 / (within.reduce((sum, gap) => sum + gap, 0) / within.length);
      expect(perMinute).toBeGreaterThanOrEqual(6);
      expect(perMinute).toBeLessThanOrEqual(10);
      expect(gaps.filter((gap) => gap >= hour)).toHaveLength(Math.ceil(count / 50) - 1);
    }
    expect(
      onWorker.requests.map(({ path }) => path).filter((path) => !path.startsWith('/copies')),
    ).toHaveLength(
      onNode.requests.map(({ path }) => path).filter((path) => !path.startsWith('/copies')).length,
    );
  });

  /** Words with spaces between them: of others, the two hosts have different notions. */
  const queries = () => {
    const words = onNode.account
      .all()
      .flatMap(({ title, excerpt, note, tags, domain }) => [title, excerpt, note, ...tags, domain])
      .flatMap((text) => text.match(/[\p{Script=Latin}\d]{3,}/gu) ?? [])
      .map((word) => word.toLowerCase());
    const distinct = [...new Set(words)].sort();
    const step = Math.max(1, Math.floor(distinct.length / 40));
    const single = distinct.filter((_, n) => n % step === 0).slice(0, 40);
    const pairs = single.slice(0, 9).map((word, n) => `${word} ${distinct[(n * 7 + 3) % distinct.length]}`);
    return [...single, ...pairs, 'nothingthatisthere', 'uber', 'über'];
  };

  const keysOnWorker = async (q: string) => {
    const match = q
      .split(' ')
      .map((word) => `"${word}"`)
      .join(' ');
    const rows = await worker.query<{ link: string }>(
      'SELECT r.link FROM raindrop_fts f JOIN raindrops r ON r.id = f.rowid WHERE raindrop_fts MATCH ?',
      match,
    );
    return keys(rows.map(({ link }) => savedUrl(link).key));
  };
  /** Two raindrops of one page are one item on Node. */
  const keys = (found: readonly (string | null)[]) => {
    const links = onNode.account.all().map(({ link }) => savedUrl(link).key);
    const twice = new Set(links.filter((key, n) => links.indexOf(key) !== n));
    return [...new Set(found)].filter((key) => key !== null && !twice.has(key)).sort();
  };
  const keysOnNode = async ({ store, userId }: Pick<typeof mirror, 'store' | 'userId'>, q: string) => {
    const found: (string | null)[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await searchText(
        { store, now: Date.now },
        { userId, q, limit: 200, kinds: ['item'], ...(cursor !== undefined && { cursor }) },
      );
      found.push(...page.hits.map(({ urlKey }) => urlKey));
      cursor = page.nextCursor;
      if (cursor === undefined) return keys(found);
    }
  };

  it('are found by the same words, here and there', async () => {
    await mirror.index();
    let found = 0;
    for (const q of queries()) {
      const expected = await keysOnWorker(q);
      found += expected.length;
      expect({ q, found: await keysOnNode(mirror, q) }).toEqual({ q, found: expected });
    }
    expect(queries().length).toBeGreaterThanOrEqual(50);
    expect(found).toBeGreaterThan(count);
  });

  it('are taken in by a Lectern on PostgreSQL straight from what the Worker wrote', async () => {
    const files = await folderFiles(await temporaryFolder(), clock);
    for (const [key, bytes] of objects) await files.put(key, bytes);
    const target = await other.freshTarget();
    const fresh = await openMirror(target, files, onNode, clock);
    try {
      const taken = await takeInRaindrops({ store: fresh.store, files, holder: 'test' }, fresh.userId);
      expect(taken).toEqual({ raindrops: count, removed: 0, problems: [] });
      await indexItems(fresh.store, files);
      for (const q of queries())
        expect({ q, found: await keysOnNode(fresh, q) }).toEqual({ q, found: await keysOnWorker(q) });
    } finally {
      await fresh.end();
    }
  });

  it('are taken in by a Worker from what Node wrote', async () => {
    const fresh = await startCloudflare({ apiUrl: onWorker.apiUrl, startAt });
    try {
      for (const prefix of ['raindrops/', 'manifests/'])
        for await (const { key } of mirror.library.files.listAll(prefix))
          await fresh.putObject(key, new Uint8Array((await mirror.library.files.read(key)) as Uint8Array));
      await fresh.send({ reinflate: { after: null, rag: false } });
      await fresh.waitUntilIdle(300_000);
      expect(await fresh.errors()).toEqual([]);
      expect(await stateOf(fresh)).toEqual(await stateOf(worker));
    } finally {
      await fresh.dispose();
    }
  }, 300_000);
});

/** All that the index says, but for when it was told. */
async function stateOf({ query }: CloudflareHarness) {
  return {
    raindrops: await query('SELECT * FROM raindrops ORDER BY id'),
    tags: await query(
      'SELECT rt.raindrop_id, t.name FROM raindrop_tags rt JOIN tags t ON t.id = rt.tag_id ORDER BY 1, 2',
    ),
    texts: await query('SELECT raindrop_id, text_sha256, word_count FROM raindrop_text_state ORDER BY 1'),
  };
}
