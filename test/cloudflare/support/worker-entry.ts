// The Worker as the tests run it: everything real but the time, chance, and search by meaning. What the harness has to know
// (miniflare.ts) goes into KV, beside what the mirror keeps there: `test:clock`, `test:sent:…` and `test:settled:…`.
import type { Env } from '../../../cloudflare/src/env.ts';
import type { IngestMessage } from '../../../cloudflare/src/ingest-message.ts';
import { createMirrorHost } from '../../../cloudflare/src/mirror-host.ts';
import { createR2Objects } from '../../../cloudflare/src/r2-objects.ts';
import { createWorker, type WorkerDeps } from '../../../cloudflare/src/worker.ts';
import { FakeEmbeddingModels, FakeVectorStore } from './worker-fakes.ts';
import { withBytes } from './worker-json.ts';

interface HarnessEnv extends Env {
  readonly HARNESS_MAX_RETRIES: number;
  readonly HARNESS_HAS_VECTORS: boolean;
  /** Tells the test what time it is here. */
  readonly HARNESS_CLOCK: Fetcher;
}

interface Call {
  readonly part: 'objects' | 'index' | 'state' | 'embeddings';
  readonly method: string;
  readonly args: readonly unknown[];
}

export default {
  scheduled: (controller, env) =>
    atClock(env, (deps) => createWorker(deps).scheduled(controller, withFakes(env))),

  async queue(batch, env) {
    try {
      await atClock(env, (deps) => createWorker(deps).queue(batch, withFakes(env)));
    } catch (error) {
      await env.STATE.put(`test:error:${crypto.randomUUID()}`, String(error));
      // Else it comes again.
      if (batch.messages.some((message) => message.attempts <= env.HARNESS_MAX_RETRIES)) throw error;
    }
    for (const { id } of batch.messages) await env.STATE.put(`test:settled:${id}`, '');
  },

  fetch: (request, env) =>
    atClock(env, async (deps) => {
      const { pathname } = new URL(request.url);
      if (pathname === '/harness/call') {
        const call = withBytes.read(await request.text()) as Call;
        return new Response(withBytes.write(await answer(env, deps, call)));
      }
      if (pathname === '/harness/objects') return new Response(everyObject(env.BUCKET));
      if (pathname === '/harness/send') {
        await deps.enqueue(env.INGEST, await request.json(), 0);
        return new Response();
      }
      const secret = request.headers.get('harness-secret')?.replace(/^is ?/, '');
      return createWorker(deps).fetch(request, {
        ...withFakes(env),
        ...(secret !== undefined && { ACCESS_TOKEN: secret }),
      });
    }),
} satisfies ExportedHandler<HarnessEnv>;

/** The clock moves by pauses and by the delays of messages alone, and goes on from one invocation to the next. */
async function atClock<T>(env: HarnessEnv, run: (deps: WorkerDeps) => Promise<T>): Promise<T> {
  const begin = Number(await env.STATE.get('test:clock'));
  let clock = begin;
  const save = () => env.STATE.put('test:clock', String(clock));
  try {
    return await run({
      now: () => clock,
      random: () => 0.5,
      pause: async (ms) => {
        clock += ms;
      },
      fetch: async (url, init) => {
        await env.HARNESS_CLOCK.fetch(`http://clock.test/${clock}`);
        return fetch(url, init);
      },
      enqueue: async (queue, message, delayMs) => {
        clock += delayMs;
        await save();
        await noteSent(env, clock, message, delayMs);
        await queue.send(message, { delaySeconds: 0 });
      },
    });
  } finally {
    if (clock !== begin) await save();
  }
}

let messages = 0;

async function noteSent(env: HarnessEnv, at: number, message: IngestMessage, delayMs: number): Promise<void> {
  messages += 1;
  const [time, turn] = [at, messages].map((number) => String(number).padStart(16, '0'));
  const key = `test:sent:${time}:${turn}:${crypto.randomUUID()}`;
  await env.STATE.put(key, JSON.stringify({ message, delayMs }));
}

/** One after the other: its key and length on a line, and its bytes. */
function everyObject(bucket: R2Bucket): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const write = async () => {
    const writer = writable.getWriter();
    for await (const key of createR2Objects(bucket).list('')) {
      const object = await bucket.get(key);
      if (!object) continue;
      await writer.write(new TextEncoder().encode(`${JSON.stringify([key, object.size])}\n`));
      await writer.write(new Uint8Array(await object.arrayBuffer()));
    }
    await writer.close();
  };
  write().catch((error) => writable.abort(error));
  return readable;
}

function withFakes(env: HarnessEnv): Env {
  if (!env.HARNESS_HAS_VECTORS) return env;
  return {
    ...env,
    AI: new FakeEmbeddingModels(env.STATE) as unknown as Ai,
    VECTORIZE: new FakeVectorStore(env.STATE) as unknown as Vectorize,
  };
}

/** One method of what is lent to the mirror, by itself. */
async function answer(env: HarnessEnv, deps: WorkerDeps, { part, method, args }: Call): Promise<unknown> {
  const host = createMirrorHost(withFakes(env), deps);
  const methods = host[part] as unknown as Record<string, (...args: readonly unknown[]) => unknown>;
  const value = await methods[method]?.(...args);
  return { value: await plain(value) };
}

async function plain(value: unknown): Promise<unknown> {
  if (value instanceof Set) return [...value];
  const isIterated = typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
  return isIterated ? Array.fromAsync(value as AsyncIterable<unknown>) : value;
}
