// How much of bare node:http the feeds of the deframer keep: a real `lectern serve --role api` and a server that does nothing
// but send the same bytes under the same headers, each in a process of its own. They take turns, so that a busy machine
// slows both alike.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../src/store/open.ts';
import { createStore } from '../src/store/store.ts';
import { addRunFeed } from '../test/support/deframed-feeds.ts';
import { createLectern, type LecternProcess, mainEntry } from '../test/support/lectern-process.ts';
import { type Measured, percentile } from './load.ts';
import { type LargeLoad, measureLarge } from './load-large.ts';

const rounds = 7;
const roundMs = 2_000;
const warmUpMs = 2_000;
const goal = 0.7;
const feedUrl = 'https://example.com/feed.xml';
const path = `/rss?url=${encodeURIComponent(feedUrl)}`;
const articles = 200;
const builtAt = Date.UTC(2026, 2, 12, 14, 5, 6);
const dayMs = 86_400_000;

interface Contest {
  readonly name: string;
  readonly load: Pick<LargeLoad, 'headers' | 'status' | 'connections'>;
}

export async function run(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  const lectern = createLectern(mainEntry);
  let bare: Awaited<ReturnType<typeof startBare>> | undefined;
  try {
    const database = join(folder, 'index.db');
    const env = { LECTERN_DATABASE_URL: `sqlite:${database}`, LECTERN_LOG_LEVEL: 'warn' };
    // It makes the index; the feed is put in while nobody serves from it.
    await (await lectern.serve({ role: 'api', env })).stop();
    await fill(database);
    const server = await lectern.serve({ role: 'api', env });
    const answer = await answerOf(server);
    bare = await startBare(folder, answer);
    const urls = { bare: bare.url, lectern: server.url };
    process.stdout.write(
      `${(answer.body.byteLength / 1024).toFixed(0)} KB, ${articles} articles in a SQLite file, ` +
        `median of ${rounds} rounds of ${roundMs / 1000} s each\n\n${line('', ['requests/s', 'of bare', 'p50 ms', 'p99 ms'])}  goal\n`,
    );
    const full = await compare({ name: '200', load: { status: 200, connections: 16 } }, urls);
    const headers = { 'If-None-Match': answer.etag };
    const notModified = await compare({ name: '304', load: { status: 304, connections: 32, headers } }, urls);
    return full && notModified;
  } finally {
    bare?.stop();
    await lectern.endAll();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill(file: string): Promise<void> {
  const database = await openDatabase(
    { engine: 'sqlite', path: file },
    { now: () => Date.now(), onIdleError: () => {} },
  );
  const words = 'The council of the town has met on Monday & has spoken of <b>the bridge</b>. ';
  await addRunFeed(createStore(database, Date.now), {
    url: feedUrl,
    builtAt,
    articles: Array.from({ length: articles }, (_, n) => ({
      url: `https://example.com/${n}`,
      overall: (n % 11) / 10,
      pubDate: builtAt - n * dayMs,
      content: `<p>${words.repeat(12)}</p>`,
    })),
  });
  await database.close();
}

type Answer = Awaited<ReturnType<typeof answerOf>>;

/** Headers that a server adds by itself, each time. */
const ownHeaders = ['date', 'connection', 'keep-alive', 'transfer-encoding'];

async function answerOf(server: LecternProcess) {
  const full = await server.request(path, { headers: { 'Accept-Encoding': 'identity' } });
  const etag = full.headers.get('etag') ?? '';
  const notModified = await server.request(path, { headers: { 'If-None-Match': etag } });
  if (full.status !== 200 || notModified.status !== 304)
    throw new Error(`${path} answered ${full.status} and ${notModified.status}`);
  const headersOf = ({ headers }: Response) =>
    Object.fromEntries([...headers].filter(([name]) => !ownHeaders.includes(name)));
  return {
    body: new Uint8Array(await full.arrayBuffer()),
    etag,
    full: headersOf(full),
    notModified: headersOf(notModified),
  };
}

async function startBare(folder: string, { body, ...headers }: Answer) {
  const files = [join(folder, 'body'), join(folder, 'headers')] as const;
  writeFileSync(files[0], body);
  writeFileSync(files[1], JSON.stringify(headers));
  const script = fileURLToPath(new URL('./same-answer-server.ts', import.meta.url));
  const child = spawn(process.execPath, [script, ...files], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.stdout.once('data', (text) => resolve(String(text).trim()));
  });
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() };
}

async function compare({ name, load }: Contest, urls: { bare: string; lectern: string }): Promise<boolean> {
  const measure = (url: string, durationMs: number) => measureLarge({ ...load, url, path, durationMs });
  for (const url of Object.values(urls)) await measure(url, warmUpMs);
  const bare: Measured[] = [];
  const ours: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    bare.push(await measure(urls.bare, roundMs));
    ours.push(await measure(urls.lectern, roundMs));
  }
  // Of neighbours in time, which a busy machine has slowed alike.
  const ratios = ours.map(
    (one, round) => one.requestsPerSecond / (bare[round]?.requestsPerSecond ?? Number.NaN),
  );
  const ratio = percentile(ratios, 0.5);
  const isMet = ratio >= goal;
  const row = (who: string, all: readonly Measured[], share: string) => {
    const median = (key: keyof Measured) =>
      percentile(
        all.map((one) => one[key]),
        0.5,
      );
    return line(`${name}, ${who}`, [
      median('requestsPerSecond').toFixed(0),
      share,
      median('p50Ms').toFixed(2),
      median('p99Ms').toFixed(2),
    ]);
  };
  const [least = 0, most = 0] = [Math.min(...ratios), Math.max(...ratios)];
  process.stdout.write(
    `${row('bare node:http', bare, '1.00')}\n${row('lectern', ours, ratio.toFixed(2))}  ${goal.toFixed(2)} ${isMet ? 'met' : 'MISSED'}` +
      ` (rounds from ${least.toFixed(2)} to ${most.toFixed(2)}, ${load.connections} connections)\n`,
  );
  return isMet;
}

function line(name: string, cells: readonly string[]): string {
  return name.padEnd(22) + cells.map((cell) => cell.padStart(11)).join('');
}
