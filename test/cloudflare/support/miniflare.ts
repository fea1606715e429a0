// The Worker of cloudflare/ in workerd, with the R2, D1, KV and queue of Miniflare. Time passes by pauses and delays alone
// (worker-entry.ts), so that a run of days takes seconds.
import { readdirSync, readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { Log, LogLevel, Miniflare, Response as NodeResponse } from 'miniflare';
import type { MirrorHost } from '../../../src/mirror/host.ts';
import { until } from '../../support/until.ts';
import { withBytes } from './worker-json.ts';

const cloudflare = new URL('../../../cloudflare/', import.meta.url);
const maxRetries = 2;

export const host = 'https://mirror.example';
export const accessToken = 'a token of more than sixteen';

export interface HarnessOptions {
  /** Of the stand-in for Raindrop, whose token is `test-token`. */
  readonly apiUrl: string;
  /** What the clock begins with. */
  readonly startAt?: string;
  /** Called before each request to Raindrop, whose stand-in goes by the same clock. */
  readonly onClock?: (now: number) => void;
  /** Search by meaning, by fakes (worker-fakes.ts). */
  readonly hasVectors?: boolean;
}

export interface SentMessage {
  readonly message: unknown;
  readonly delayMs: number;
  /** When it was due. */
  readonly at: number;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export type CloudflareHarness = Awaited<ReturnType<typeof startCloudflare>>;

export async function startCloudflare(options: HarnessOptions) {
  const miniflare = new Miniflare(await miniflareOptions(options));
  await miniflare.ready;
  const state = await miniflare.getKVNamespace('STATE');
  const bucket = await miniflare.getR2Bucket('BUCKET');
  const database = await miniflare.getD1Database('DB');
  await state.put('test:clock', String(Date.parse(options.startAt ?? '2026-01-01T05:15:00Z')));

  async function keys(prefix: string): Promise<string[]> {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await state.list({ prefix, ...(cursor === undefined ? {} : { cursor }) });
      found.push(...page.keys.map((key) => key.name));
      cursor = page.list_complete ? undefined : page.cursor;
    } while (cursor !== undefined);
    return found;
  }

  async function values<T>(prefix: string): Promise<Map<string, T>> {
    const found = new Map<string, T>();
    for (const key of await keys(prefix)) {
      const value = await state.get(key);
      if (value !== null) found.set(key.slice(prefix.length), JSON.parse(value));
    }
    return found;
  }

  const send = (path: string, init: Asked = {}): Promise<Response> =>
    miniflare.dispatchFetch(host + path, { ...init, redirect: 'manual' }) as unknown as Promise<Response>;

  const harness = {
    /** All of cloudflare/migrations, as `wrangler d1 migrations apply` does. */
    async applyMigrations(): Promise<void> {
      for (const statement of migrationStatements()) await database.prepare(statement).run();
    },

    /** The index as it is after its database was made anew. */
    async dropIndex(): Promise<void> {
      const tables = [
        'raindrop_fts',
        'raindrop_tags',
        'raindrop_text_state',
        'rag_state',
        'tags',
        'raindrops',
      ];
      await database.batch(tables.map((table) => database.prepare(`DROP TABLE ${table}`)));
      await harness.applyMigrations();
    },

    /** Vectorize as it is after its index was made anew. */
    async dropVectors(): Promise<void> {
      for (const key of await keys('test:vector:')) await state.delete(key);
    },

    /** The daily call. What it begins goes on by itself: waitUntilIdle(). */
    async cron(): Promise<void> {
      const worker = await miniflare.getWorker();
      const { outcome } = await worker.scheduled({ cron: '15 5 * * *' });
      if (outcome !== 'ok') throw new Error(`the cron ended with: ${outcome}`);
    },

    /** Until every message that was sent has been taken, or given up. */
    async waitUntilIdle(withinMs = 60_000): Promise<void> {
      const isIdle = async () => (await keys('test:settled:')).length === (await keys('test:sent:')).length;
      await until('an empty queue', isIdle, withinMs);
    },

    /** Puts a message into the queue, as anybody might. */
    async send(message: unknown): Promise<void> {
      await send('/harness/send', { method: 'POST', body: JSON.stringify(message) });
    },

    /** What was sent so far, in the order in which it was due. */
    async sent(): Promise<SentMessage[]> {
      const found = await values<Omit<SentMessage, 'at'>>('test:sent:');
      return [...found].map(([key, one]) => ({ ...one, at: Number(key.split(':')[0]) }));
    },

    /** What a batch threw. */
    async errors(): Promise<string[]> {
      return Promise.all((await keys('test:error:')).map(async (key) => (await state.get(key)) ?? ''));
    },

    async now(): Promise<number> {
      return Number(await state.get('test:clock'));
    },

    /** Only while it is idle: a batch has the clock to itself. */
    async advance(ms: number): Promise<void> {
      await state.put('test:clock', String((await harness.now()) + ms));
    },

    state: (key: string): Promise<string | null> => state.get(key),

    setState: (key: string, value: string): Promise<void> => state.put(key, value),

    /** The whole bucket, by keys. */
    async objects(): Promise<Map<string, Uint8Array>> {
      const response = await send('/harness/objects');
      return objectsOf(new Uint8Array(await response.arrayBuffer()));
    },

    /** As somebody else would, who keeps no checksum. */
    async putObject(key: string, data: string | Uint8Array<ArrayBuffer>): Promise<void> {
      await bucket.put(key, data);
    },

    async query<T = Record<string, unknown>>(statement: string, ...parameters: unknown[]): Promise<T[]> {
      const { results } = await database
        .prepare(statement)
        .bind(...parameters)
        .all<T>();
      return results;
    },

    /** A method of what the Worker lends to the mirror. What is iterated, and a set, come as an array. */
    async call<T = unknown>(part: keyof MirrorHost, method: string, ...args: unknown[]): Promise<T> {
      // JSON has no undefined: what is left out at the end stays out.
      const given = args.slice(0, args.findLastIndex((one) => one !== undefined) + 1);
      const response = await send('/harness/call', {
        method: 'POST',
        body: withBytes.write({ part, method, args: given }),
      });
      if (!response.ok) throw new Error(`${method}: ${response.status} ${await response.text()}`);
      return (withBytes.read(await response.text()) as { value: T }).value;
    },

    /** What the fake Workers AI was asked for. */
    async embedded(): Promise<{ model: string; text: string[] }[]> {
      return [...(await values<{ model: string; text: string[] }>('test:embedded:')).values()];
    },

    /** What the fake Vectorize has, by id. */
    vectors: () => values<{ values: number[]; metadata: Record<string, unknown> }>('test:vector:'),

    /** With the token, unless the headers say otherwise. */
    ask: (
      path: string,
      { headers = { authorization: `Bearer ${accessToken}` }, ...init }: Asked = {},
    ): Promise<Response> => send(path, { ...init, headers }),

    /** The same of a Worker whose ACCESS_TOKEN has this value. */
    askWithSecret: (secret: string, path: string, method: string): Promise<Response> =>
      send(path, {
        method,
        headers: { authorization: `Bearer ${secret}`, 'harness-secret': `is ${secret}` },
      }),

    dispose: (): Promise<void> => miniflare.dispose(),
  };
  await harness.applyMigrations();
  return harness;
}

/** What the entry writes: for each object its key and length on a line, and its bytes. */
function objectsOf(all: Uint8Array): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  for (let at = 0; at < all.length; ) {
    const begin = all.indexOf(10, at) + 1;
    const [key, size]: [string, number] = JSON.parse(new TextDecoder().decode(all.subarray(at, begin)));
    at = begin + size;
    found.set(key, all.slice(begin, at));
  }
  return found;
}

/** Queue and date as wrangler.jsonc has them, but that what fails is tried again at once. */
async function miniflareOptions({ apiUrl, hasVectors = false, onClock }: HarnessOptions) {
  const config = wranglerConfig();
  const [consumer] = config.queues.consumers;
  if (!consumer) throw new Error('wrangler.jsonc has no consumer');
  const tellTime = ({ url }: { url: string }) => {
    onClock?.(Number(new URL(url).pathname.slice(1)));
    return new NodeResponse();
  };
  const text = (value: string) => ({ type: 'text' as const, value });
  const json = (value: number | boolean) => ({ type: 'json' as const, value });
  return {
    log: new Log(LogLevel.ERROR),
    telemetry: { enabled: false },
    enableDevRegistry: false,
    cf: false,
    workers: [
      {
        config: {
          name: 'lectern-mirror',
          compatibilityDate: config.compatibility_date,
          manifest: {
            mainModule: 'worker.js',
            modules: { 'worker.js': { type: 'esm' as const, contents: await bundleOfWorker() } },
          },
          env: {
            BUCKET: { type: 'r2' as const, name: 'lectern-mirror' },
            DB: { type: 'd1' as const, id: 'lectern-mirror' },
            STATE: { type: 'kv' as const, id: 'state' },
            INGEST: { type: 'queue' as const, name: consumer.queue },
            ASSETS: { type: 'fetcher' as const, handler: sendPage },
            RAINDROP_API_URL: text(apiUrl),
            RAINDROP_TOKEN: text('test-token'),
            ACCESS_TOKEN: text(accessToken),
            HARNESS_CLOCK: { type: 'fetcher' as const, handler: tellTime },
            HARNESS_MAX_RETRIES: json(maxRetries),
            HARNESS_HAS_VECTORS: json(hasVectors),
          },
          triggers: [
            {
              type: 'queue' as const,
              name: consumer.queue,
              maxBatchSize: consumer.max_batch_size,
              maxBatchTimeout: 0,
              maxRetries,
              retryDelay: 0,
            },
          ],
        },
      },
    ],
  };
}

const sendPage = ({ url }: { url: string }) => new NodeResponse(`page ${new URL(url).pathname}`);

interface WranglerConfig {
  readonly compatibility_date: string;
  readonly queues: { readonly consumers: readonly { queue: string; max_batch_size: number }[] };
}

/** Comments stand on lines of their own there. */
function wranglerConfig(): WranglerConfig {
  const source = readFileSync(new URL('wrangler.jsonc', cloudflare), 'utf8');
  return JSON.parse(source.replaceAll(/^\s*\/\/.*$/gm, ''));
}

function migrationStatements(): string[] {
  const folder = new URL('migrations/', cloudflare);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').split('--> statement-breakpoint'));
}

let bundle: Promise<string> | undefined;

function bundleOfWorker(): Promise<string> {
  bundle ??= build({
    entryPoints: [new URL('worker-entry.ts', import.meta.url).pathname],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'esnext',
    conditions: ['workerd', 'worker', 'browser'],
    mainFields: ['browser', 'module', 'main'],
  }).then(({ outputFiles }) => {
    const [file] = outputFiles;
    if (!file) throw new Error('esbuild has written nothing');
    return file.text;
  });
  return bundle;
}
