// Search by meaning, put together: the model that is set, what follows the documents, and what answers.
import { setTimeout as wait } from 'node:timers/promises';
import { every } from '../jobs/every.ts';
import { failureLog } from '../jobs/failure-log.ts';
import type { RunningWorker } from '../jobs/worker.ts';
import { memoryOfPauses } from '../outbound/pace.ts';
import { createEmbedFollower, type EmbedFollower } from '../search/meaning/embed-pending.ts';
import type { Embedder } from '../search/meaning/embedder.ts';
import { createLocalEmbedder } from '../search/meaning/local-embedder.ts';
import { createMeaning, type Meaning } from '../search/meaning/meaning.ts';
import { createRemoteEmbedder } from '../search/meaning/remote-embedder.ts';
import { type Opened, openOutbound, type Runtime, type Serving } from './runtime.ts';
import { searchSources } from './search-sources.ts';

const lookEveryMs = 3_000;

/** Undefined where embeddings are off. Nothing is loaded or asked before there is a text. */
export function openEmbedder(runtime: Runtime, opened: Opened): Embedder | undefined {
  const { embeddings } = opened.config;
  if (embeddings.kind !== 'openai') return embeddings.kind === 'local' ? createLocalEmbedder() : undefined;
  const { now, random } = runtime;
  // The model may well run on the operator's own machine, which nothing that a feed names may reach.
  const outbound = openOutbound(runtime, opened, { allowPrivateNetworks: true, pauses: memoryOfPauses(now) });
  const pause = (ms: number, signal: AbortSignal) => wait(ms, undefined, { signal });
  return createRemoteEmbedder({ outbound, now, random, pause }, embeddings);
}

/** For an API. */
export function openMeaning(runtime: Runtime, opened: Opened): Meaning | undefined {
  const embedder = openEmbedder(runtime, opened);
  return embedder && createMeaning({ store: opened.store, embedder });
}

/** For a command. */
export async function withMeaning<T>(
  runtime: Runtime,
  opened: Opened,
  work: (meaning: Meaning | undefined) => Promise<T>,
): Promise<T> {
  const meaning = openMeaning(runtime, opened);
  try {
    return await work(meaning);
  } finally {
    await meaning?.close();
  }
}

export function openFollower(
  runtime: Runtime,
  opened: Opened,
  embedder: Embedder,
  {
    holder = runtime.randomText(12),
    ...more
  }: { readonly holder?: string; readonly isBusy?: () => boolean; readonly alone?: boolean } = {},
): EmbedFollower {
  const { store, library, log } = opened;
  const { chunkIndex, searchIndex, leases } = store;
  return createEmbedFollower(
    {
      ...{ chunkIndex, searchIndex, leases, embedder },
      sources: Object.values(searchSources(store, library.files)),
      onRefused: ({ kind, refId }, err) =>
        log.warn({ err, kind, id: refId }, 'the model does not take a text; it is found by its words alone'),
      ...more,
    },
    holder,
  );
}

/** For a worker. */
export function startEmbedding(runtime: Runtime, opened: Serving, holder: string): RunningWorker {
  const embedder = openEmbedder(runtime, opened);
  if (!embedder) return { stop: async () => {} };
  const follower = openFollower(runtime, opened, embedder, {
    holder,
    isBusy: () => opened.pullsInHand.size > 0,
  });
  const stopping = new AbortController();
  const failures = failureLog(opened.log, 'embed texts');
  const task = every(
    lookEveryMs,
    async () => {
      while (await follower.look(stopping.signal));
      failures.succeeded();
    },
    failures.failed,
  );
  return {
    stop: async () => {
      stopping.abort(new Error('the worker stops'));
      await task.stop();
      await embedder.close();
    },
  };
}
