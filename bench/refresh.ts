// A thousand feeds fetched by the real program, cold and then unchanged, compared with parsing and inserting the same
// documents in one process with nothing else to do; and what the API does meanwhile.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseFeed } from '../src/feeds/parse/parse-feed.ts';
import { openDatabase } from '../src/store/open.ts';
import { putEntries } from '../src/store/reader/put-entries.ts';
import { createStore } from '../src/store/store.ts';
import {
  createLectern,
  jsonRequest,
  type LecternProcess,
  mainEntry,
} from '../test/support/lectern-process.ts';
import { timed } from './durable-bench.ts';
import { percentile } from './load.ts';
import { startSite } from './site-process.ts';

export const feeds = 1_000;
const entriesPerFeed = 25;
const goal = 0.6;
const apiGoal = 3;

interface Counts {
  readonly full: number;
  readonly notModified: number;
}

const words = Array.from({ length: 3_000 }, (_, n) => (n * 7_919 + 1_234).toString(36));

/** 100 KB, the same each time for one number. */
export function feedDocument(n: number): string {
  const text = (from: number) => {
    let out = '';
    for (let k = 0; out.length < 3_700; k++)
      out += `${k % 40 === 0 ? '<p>' : ''}${words[(from * 31 + k * 17) % words.length]} ${k % 40 === 39 ? '</p>' : ''}`;
    return out.replaceAll('<', '&lt;');
  };
  const items = Array.from(
    { length: entriesPerFeed },
    (_, k) =>
      `<item><title>Entry ${k} of ${n}</title><link>https://example.org/${n}/${k}</link><guid>${n}-${k}</guid>` +
      `<pubDate>${new Date(1_750_000_000_000 + k * 60_000).toUTCString()}</pubDate><description>${text(n + k)}</description></item>`,
  );
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>Feed ${n}</title><link>https://example.org/${n}</link>${items.join('')}</channel></rss>`;
}

export async function run(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  const lectern = createLectern(mainEntry);
  const site = await startSite('./feed-site.ts');
  try {
    const limit = (feeds * 1_000) / (await bareMs(join(folder, 'bare.db')));
    const server = await lectern.serve({
      role: 'all',
      env: {
        LECTERN_HOME: folder,
        LECTERN_PASSWORD: 'for the benchmark only',
        LECTERN_ALLOW_PRIVATE_NETWORKS: 'true',
        LECTERN_LOG_LEVEL: 'warn',
      },
    });
    const api = await follow(server, site);
    const idle = await api.watch(async () => pause(3_000));
    const cold = await api.watch(() => api.refresh(async () => (await site.counts<Counts>()).full >= feeds));
    const again = await api.watch(() =>
      api.refresh(async () => (await site.counts<Counts>()).notModified >= feeds),
    );

    const perSecond = (ms: number) => (feeds * 1_000) / ms;
    const ratio = perSecond(cold.ms) / limit;
    const line = (what: string, ...cells: string[]) =>
      process.stdout.write(`  ${what.padEnd(36)}${cells.map((cell) => cell.padStart(10)).join('')}\n`);
    process.stdout.write(`${feeds} feeds of 100 KB with ${entriesPerFeed} entries\n`);
    line('', 'feeds/s', 'of limit', 'API p95');
    line('parse and insert alone', limit.toFixed(0), '', '');
    line('idle', '', '', `${idle.p95.toFixed(1)} ms`);
    line('cold', perSecond(cold.ms).toFixed(0), ratio.toFixed(2), `${cold.p95.toFixed(1)} ms`);
    line('all unchanged', perSecond(again.ms).toFixed(0), '', `${again.p95.toFixed(1)} ms`);
    const slower = Math.max(cold.p95, again.p95) / idle.p95;
    const met = { ratio: ratio >= goal, api: slower <= apiGoal };
    process.stdout.write(
      `  goals: ${goal} of the limit (${met.ratio ? 'met' : 'MISSED'}); API p95 at most ${apiGoal}x idle: ${slower.toFixed(1)}x (${met.api ? 'met' : 'MISSED'})\n`,
    );
    return met.ratio && met.api;
  } finally {
    site.stop();
    await lectern.endAll();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What one process needs that does nothing but parse each document and insert its entries. */
async function bareMs(path: string): Promise<number> {
  const database = await openDatabase({ engine: 'sqlite', path }, { now: Date.now, onIdleError: () => {} });
  const store = createStore(database, Date.now);
  const { id: userId } = await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
  const rows = store.forUser(userId);
  const documents = Array.from({ length: feeds }, (_, n) => Buffer.from(feedDocument(n)));
  await rows.feeds.createMany(
    documents.map((_, n) => ({ groupId: 1, name: `${n}`, link: `https://e/${n}`, siteUrl: '', proxy: '' })),
  );
  const made = await rows.feeds.list();
  const [group] = await store.pulls.findFeeds({ link: 'https://e/0', proxy: '' });
  try {
    return await timed(async () => {
      for (const [n, bytes] of documents.entries()) {
        const { entries } = parseFeed({ bytes, contentType: 'application/rss+xml', url: null });
        const published = entries.map((entry) => ({
          ...entry,
          link: entry.link ?? '',
          pubDate: entry.pubDate ?? 0,
        }));
        const id = made[n]?.id ?? 0;
        const feed = { id, userId, groupId: group?.groupId ?? 1, proxy: '', fullText: false };
        await database.write((trx) => putEntries(database, trx, feed, published, 0));
        if (n % 50 === 0) await database.tidy('light');
      }
    });
  } finally {
    await database.close();
  }
}

async function follow(server: LecternProcess, site: { origin: string }) {
  const login = await server.request(
    '/api/sessions',
    jsonRequest('POST', { password: 'for the benchmark only' }, { Origin: server.url }),
  );
  const Cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const headers = { Cookie, Origin: server.url };
  const post = (path: string, body?: unknown) =>
    server.request(path, jsonRequest('POST', body ?? {}, headers));
  const all = Array.from({ length: feeds }, (_, n) => ({ link: `${site.origin}/${n}`, name: `Feed ${n}` }));
  const added = await post('/api/feeds/batch', { feeds: all });
  if (added.status !== 200) throw new Error(`the feeds were not taken: ${added.status}`);

  return {
    /** Asks for everything to be fetched, and waits until it was. */
    async refresh(isDone: () => Promise<boolean>): Promise<void> {
      await post('/api/feeds/refresh');
      while (!(await isDone())) await pause(50);
      const unread = async () =>
        ((await (await server.request('/api/items?limit=1', { headers })).json()) as { total: number }).total;
      while ((await unread()) < feeds * entriesPerFeed) await pause(50);
    },
    /** How long `work` takes, and how the API answers a reader meanwhile. */
    async watch(work: () => Promise<unknown>): Promise<{ ms: number; p95: number }> {
      const times: number[] = [];
      let isOver = false;
      const reading = (async () => {
        while (!isOver) {
          times.push(
            await timed(async () =>
              (await server.request('/api/items?unread=true&limit=20', { headers })).arrayBuffer(),
            ),
          );
          await pause(20);
        }
      })();
      const ms = await timed(work);
      isOver = true;
      await reading;
      return { ms, p95: percentile(times, 0.95) };
    },
  };
}
