// The read API in the runtime that Cloudflare has, with a bucket and an index that were filled by hand.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Log, LogLevel, Miniflare, Response } from 'miniflare';

export const accessToken = 'a token of more than sixteen';
export const host = 'https://mirror.example';

/** A mirror that only notes what it was asked for. */
const entry = `
import { createReadApi } from './read-api.ts';
let isRunning = false;
const mirror = {
  status: async () => ({ cursor: '2025-01-02T00:00:00Z', next_run_at: null, running: isRunning, counts: {}, last_problem: null }),
  start: async () => { const started = !isRunning; isRunning = true; return started; },
  reinflate: async ({ rag }) => ({ queued: true, rag }),
};
export default { fetch: (request, env) => createReadApi(env, mirror).fetch(request) };
`;

const tables = [
  `CREATE TABLE raindrops (id INTEGER PRIMARY KEY, link TEXT NOT NULL, title TEXT, excerpt TEXT, domain TEXT,
    created_at TEXT, updated_at TEXT)`,
  'CREATE INDEX idx_raindrops_updated ON raindrops (updated_at DESC)',
  'CREATE INDEX idx_raindrops_domain ON raindrops (domain)',
  'CREATE TABLE tags (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE NOT NULL)',
  `CREATE TABLE raindrop_tags (raindrop_id INTEGER REFERENCES raindrops(id) ON DELETE CASCADE,
    tag_id INTEGER REFERENCES tags(id) ON DELETE CASCADE, PRIMARY KEY (raindrop_id, tag_id))`,
  `CREATE VIRTUAL TABLE raindrop_fts USING fts5(title, excerpt, body, tags_txt, domain, content='',
    contentless_delete=1, tokenize='unicode61 remove_diacritics 2')`,
  `CREATE TABLE raindrop_text_state (raindrop_id INTEGER PRIMARY KEY REFERENCES raindrops(id) ON DELETE CASCADE,
    text_sha256 TEXT NOT NULL, word_count INTEGER, indexed_at TEXT)`,
];

export interface Kept {
  readonly id: number;
  readonly title: string;
  readonly text?: string;
  readonly excerpt?: string;
  readonly domain?: string;
  readonly tags?: readonly string[];
  readonly updatedAt?: string;
  readonly copy?: { readonly type: string; readonly body: string };
}

const page = '<!doctype html><title>A copy</title><script>alert(1)</script>';

export const sample: readonly Kept[] = [
  {
    id: 1,
    title: 'On sourdough',
    text: 'Flour, water and salt.',
    tags: ['bread'],
    domain: 'bakers.example',
  },
  { id: 2, title: 'Rye', text: 'Like sourdough bread, but of rye.', tags: ['bread', 'rye'] },
  {
    id: 3,
    title: 'Café society',
    text: `${'So it goes. '.repeat(40)}Crème  brûlée,\n said she. ${'And on. '.repeat(60)}`,
  },
  { id: 4, title: 'An empty page', text: '', tags: ['odd'] },
  { id: 5, title: 'Rust in the field', text: 'The ownership model, and the borrow checker.' },
  {
    id: 6,
    title: 'Ownership of land',
    text: 'A model of the market.',
    copy: { type: 'text/html; charset=windows-1252', body: page },
  },
  { id: 7, title: 'A paper', copy: { type: 'application/pdf', body: '%PDF' } },
  { id: 8, title: 'A script', copy: { type: 'text/javascript', body: 'alert(1)' } },
  { id: 9, title: 'A program', copy: { type: 'application/javascript', body: 'alert(1)' } },
  { id: 10, title: 'A picture', copy: { type: 'image/svg+xml', body: '<svg/>' } },
];

export interface ReadApiWorker {
  readonly miniflare: Miniflare;
  /** With the token, unless the headers say otherwise. */
  ask(
    path: string,
    init?: { method?: string; headers?: Record<string, string>; body?: string },
  ): Promise<Response>;
  /** The same of a Worker whose secret has this value. */
  askWithSecret(secret: string, path: string, method: string): Promise<Response>;
  keep(raindrops: readonly Kept[]): Promise<void>;
}

export async function startReadApi(): Promise<ReadApiWorker> {
  const resolveDir = fileURLToPath(new URL('../../cloudflare/src/read-api', import.meta.url));
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir, loader: 'ts' },
    bundle: true,
    format: 'esm',
    target: 'esnext',
    write: false,
  });
  const worker = (name: string, secret: string) => ({
    config: {
      name,
      compatibilityDate: '2026-11-01',
      manifest: {
        mainModule: 'worker.js',
        modules: { 'worker.js': { type: 'esm' as const, contents: outputFiles[0]?.text ?? '' } },
      },
      env: {
        BUCKET: { type: 'r2' as const, name: 'mirror' },
        DB: { type: 'd1' as const, id: 'mirror' },
        ACCESS_TOKEN: { type: 'text' as const, value: secret },
        ASSETS: { type: 'fetcher' as const, handler: sendPage },
      },
    },
  });
  const miniflare = new Miniflare({
    log: new Log(LogLevel.ERROR),
    telemetry: { enabled: false },
    enableDevRegistry: false,
    cf: false,
    workers: [worker('set', accessToken), worker('short', 'fifteen letters'), worker('empty', '')],
  });
  const db = await miniflare.getD1Database('DB', 'set');
  await db.batch(tables.map((table) => db.prepare(table)));
  return {
    miniflare,
    ask: (path, { headers = { authorization: `Bearer ${accessToken}` }, ...init } = {}) =>
      miniflare.dispatchFetch(host + path, { ...init, headers, redirect: 'manual' }),
    askWithSecret: async (secret, path, method) => {
      const name = secret === '' ? 'empty' : 'short';
      const other = await miniflare.getWorker(name);
      return (await other.fetch(host + path, {
        method,
        headers: { authorization: `Bearer ${secret}` },
      })) as unknown as Response;
    },
    keep: (raindrops) => keep(miniflare, raindrops),
  };
}

const sendPage = ({ url }: { url: string }) => new Response(`page ${new URL(url).pathname}`);

/** As an ingest leaves them. */
async function keep(miniflare: Miniflare, raindrops: readonly Kept[]): Promise<void> {
  const db = await miniflare.getD1Database('DB', 'set');
  const bucket = await miniflare.getR2Bucket('BUCKET', 'set');
  for (const one of raindrops) {
    const { id, title, text = '', excerpt = '', domain = 'example.org', tags = [] } = one;
    const updatedAt = one.updatedAt ?? `2025-01-01T00:00:${String(id % 60).padStart(2, '0')}Z`;
    await db.batch([
      db
        .prepare('INSERT INTO raindrops VALUES (?, ?, ?, ?, ?, ?, ?)')
        .bind(id, `https://${domain}/${id}`, title, excerpt, domain, updatedAt, updatedAt),
      db
        .prepare(
          'INSERT INTO raindrop_fts(rowid, title, excerpt, body, tags_txt, domain) VALUES (?, ?, ?, ?, ?, ?)',
        )
        .bind(id, title, excerpt, text, tags.join(' '), domain),
      db.prepare('INSERT INTO raindrop_text_state VALUES (?, ?, ?, ?)').bind(id, 'f00d', 3, updatedAt),
      ...tags.flatMap((tag) => [
        db.prepare('INSERT OR IGNORE INTO tags(name) VALUES (?)').bind(tag),
        db.prepare('INSERT INTO raindrop_tags SELECT ?, id FROM tags WHERE name = ?').bind(id, tag),
      ]),
    ]);
    await bucket.put(`raindrops/${id}/plain.txt`, text);
    if (!one.copy) continue;
    await bucket.put(`raindrops/${id}/permacopy.html`, one.copy.body);
    const meta = { sha256: 'f00d', content_type: one.copy.type, content_length: 4, fetched_at: updatedAt };
    await bucket.put(`raindrops/${id}/meta.json`, JSON.stringify(meta));
  }
}
