// The clients of `bench lag`, in a process of their own, so that building requests does not delay what the benchmark measures.
// Arguments: the server's URL, a token, the folder of the library, seconds.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { LagReport } from './lag.ts';

const [url = '', token = '', library = '', seconds = ''] = process.argv.slice(2);
const pages = 100;
const perPage = 60;
const feeds = 20;
const markerEveryMs = 500;
const pageEveryMs = 5_000;
/** Time for the last markers and pages after the syncs have ended. */
const graceMs = 10_000;
const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
const endsAt = Date.now() + Number(seconds) * 1000;
const isOver = () => Date.now() >= endsAt;

const site = await startSite();
for (let n = 0; n < feeds; n++)
  await post('/api/feeds', { link: `${site.url}/feed/${n}`, name: `feed ${n}`, group_id: 1 });

let [syncs, refused] = [0, 0];
const acknowledged = new Map<string, number>();
const lagsMs: number[] = [];
const saved = new Map<number, number>();
const pageTimesMs: number[] = [];
let isWatching = true;

const watching = watch();
await Promise.all([...[1, 2, 3].map(sync), mark(), savePages()]);
const graceEndsAt = Date.now() + graceMs;
while (Date.now() < graceEndsAt && (acknowledged.size > 0 || saved.size > 0)) await pause(100);
isWatching = false;
await watching;
const report: LagReport = {
  syncs,
  refused,
  lagsMs,
  unwritten: acknowledged.size,
  feeds,
  fetchedFeeds: site.fetched.size,
  savedPages: saved.size + pageTimesMs.length,
  readPages: pageTimesMs.length,
  slowestPageMs: Math.max(0, ...pageTimesMs),
};
site.close();
process.stdout.write(JSON.stringify(report));

/** Each sync changes every highlight. */
async function sync(client: number): Promise<void> {
  for (let round = 0; !isOver(); round++) {
    const response = await post('/api/light/sync', lightBody(client, round));
    if (response.ok) syncs += 1;
    else refused += 1;
    await response.arrayBuffer();
  }
}

function lightBody(client: number, round: number): unknown {
  const highlights: Record<string, unknown[]> = {};
  for (let page = 0; page < pages; page++) {
    const pageUrl = `https://example.org/${client}/${page}`;
    highlights[pageUrl] = Array.from({ length: perPage }, (_, n) => {
      const groupID = 1_766_149_301_308 + page * perPage + n;
      const repr = `A passage that a reader kept, number ${n} of page ${page}, in version ${round}, of about a hundred characters.`;
      return {
        groupID,
        repr,
        chunks: [repr.slice(0, 60), repr.slice(60)],
        date: new Date(groupID).toISOString(),
        url: pageUrl,
      };
    });
  }
  return { source: `light-${client}`, highlights };
}

async function mark(): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    const name = `marker ${n} of the lag`;
    const response = await post('/api/groups', { name });
    if (response.ok) acknowledged.set(name, performance.now());
    await response.arrayBuffer();
    await pause(markerEveryMs);
  }
}

/** Looks for the markers in new segments. */
async function watch(): Promise<void> {
  const journal = join(library, 'journal');
  const known = new Set<string>(readdirSync(journal, { recursive: true, encoding: 'utf8' }));
  while (isWatching) {
    for (const name of readdirSync(journal, { recursive: true, encoding: 'utf8' })) {
      if (known.has(name) || !name.endsWith('.jsonl')) continue;
      known.add(name);
      const text = readFileSync(join(journal, name), 'utf8');
      const now = performance.now();
      for (const [marker] of text.matchAll(/marker \d+ of the lag/g)) {
        const at = acknowledged.get(marker);
        if (at === undefined) continue;
        acknowledged.delete(marker);
        lagsMs.push(Math.max(0, now - at));
      }
    }
    for (const [id, at] of saved) {
      const response = await fetch(`${url}/api/v1/items/${id}`, { headers });
      if (!(await response.text()).includes('"succeeded"')) continue;
      saved.delete(id);
      pageTimesMs.push(performance.now() - at);
    }
    await pause(50);
  }
}

async function savePages(): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    const response = await post('/api/v1/items', { url: `${site.url}/page/${n}` });
    const { id } = (await response.json()) as { id: number };
    saved.set(id, performance.now());
    await pause(pageEveryMs);
  }
}

async function startSite() {
  const fetched = new Set<string>();
  const server = createServer(({ url: path = '' }, response) => {
    const isFeed = path.startsWith('/feed/');
    if (isFeed) fetched.add(path);
    response.setHeader('Content-Type', isFeed ? 'application/rss+xml' : 'text/html');
    const words = 'A sentence of a page that is worth reading. '.repeat(40);
    response.end(
      isFeed
        ? `<rss version="2.0"><channel><title>Feed</title><item><title>A</title><link>http://example.org${path}</link></item></channel></rss>`
        : `<html><head><title>A page</title></head><body><article><p>${words}</p></article></body></html>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    fetched,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function post(path: string, body: unknown): Promise<Response> {
  return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
}
