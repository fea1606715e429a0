// The mirror as a Worker: the cron begins a run, the queue carries it from batch to batch, and HTTP reads what is there.
import { startRun, takeMessage } from '../../src/mirror/chain.ts';
import { iso } from '../../src/mirror/raindrop.ts';
import { readSchedule, stateKeys } from '../../src/mirror/run-state.ts';
import type { Env } from './env.ts';
import { type IngestMessage, parseIngestMessage } from './ingest-message.ts';
import { createMirrorHost, type HostDeps } from './mirror-host.ts';
import { createReadApi } from './read-api/read-api.ts';
import type { MirrorControl } from './read-api/read-env.ts';
import { reinflateKey, reinflatePiece } from './reinflate-piece.ts';

export interface WorkerDeps extends HostDeps {
  readonly enqueue: (queue: Queue<IngestMessage>, message: IngestMessage, delayMs: number) => Promise<void>;
}

/** A queue keeps a message back for this long at most. What is due later than that begins with the cron. */
const maxDelaySeconds = 43_200;

export function createWorker(deps: WorkerDeps) {
  const hostOf = (env: Env) => createMirrorHost(env, deps);

  async function start(env: Env): Promise<boolean> {
    const message = await startRun(hostOf(env));
    if (message) await deps.enqueue(env.INGEST, message, 0);
    return message !== undefined;
  }

  async function take(env: Env, message: IngestMessage): Promise<void> {
    const host = hostOf(env);
    if ('reinflate' in message) {
      const next = await reinflatePiece(host, message.reinflate);
      if (next) await deps.enqueue(env.INGEST, { reinflate: next }, 0);
      return;
    }
    const result = await takeMessage(host, message);
    // Dropped, or done until the cron calls again.
    if (!result || result.isDone) return;
    await deps.enqueue(env.INGEST, result.next, result.delay);
  }

  async function status(env: Env): Promise<MirrorStatus> {
    const { state, index, now } = hostOf(env);
    const [cursor, due, run, reinflated, raindrops] = await Promise.all([
      state.get(stateKeys.cursor),
      readSchedule(state, now()),
      state.get(stateKeys.run),
      state.get(reinflateKey),
      index.count(),
    ]);
    const schedule = due === undefined ? null : iso(due);
    return { raindrops, cursor, schedule, run: parsed(run), reinflate: parsed(reinflated) };
  }

  const controlOf = (env: Env): MirrorControl => ({
    status: () => status(env),
    start: () => start(env),
    async reinflate({ rag }) {
      await deps.enqueue(env.INGEST, { reinflate: { rag, after: null } }, 0);
      return { queued: true };
    },
  });

  return {
    async scheduled(_controller, env) {
      await start(env);
    },

    /** What throws is not acknowledged, and comes again: see retry_delay in wrangler.jsonc. */
    async queue(batch, env) {
      for (const message of batch.messages) {
        const body = parseIngestMessage(message.body);
        if (body) await take(env, body);
        else deps.log?.('a message of the queue is none of the mirror', { id: message.id });
        message.ack();
      }
    },

    fetch: (request, env) => createReadApi(env, controlOf(env)).fetch(request),
  } satisfies ExportedHandler<Env, unknown>;
}

export interface MirrorStatus {
  readonly raindrops: number;
  /** Up to where everything is stored. */
  readonly cursor: string | null;
  /** When the next batch is due. */
  readonly schedule: string | null;
  /** What a run that is under way has left to do. */
  readonly run: unknown;
  /** What became of the last reinflate. */
  readonly reinflate: unknown;
}

function parsed(json: string | null): unknown {
  return json === null || json === '' ? null : JSON.parse(json);
}

export default createWorker({
  now: () => Date.now(),
  random: () => Math.random(),
  pause: (ms) => scheduler.wait(ms),
  fetch: (url, init) => fetch(url, init),
  enqueue: async (queue, message, delayMs) => {
    const delaySeconds = Math.min(Math.ceil(delayMs / 1_000), maxDelaySeconds);
    await queue.send(message, { delaySeconds });
  },
  // biome-ignore lint/suspicious/noConsole: it is where the log of a Worker goes
  log: (message, facts) => console.log(JSON.stringify({ message, ...facts })),
});
