// A server of embeddings that answers as a test says, and otherwise with vectors that have something to do with the words.
import type { ServerResponse } from 'node:http';
import { Secret } from '../../src/model/secret.ts';
import type { Embedder } from '../../src/search/meaning/embedder.ts';
import { createRemoteEmbedder } from '../../src/search/meaning/remote-embedder.ts';
import { createWorld } from './outbound.ts';
import { wordVector } from './word-embedder.ts';

/** What the server does with one request. After the last it answers as it should. */
export type Step =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | { readonly data: (inputs: readonly string[]) => unknown }
  | { readonly does: 'hang' | 'reset' };

export interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: { readonly model: string; readonly input: readonly string[] };
}

export async function startEmbeddings(
  script: readonly Step[] = [],
  { apiKey = 'sk-hunter22', dimensions = 32 }: { apiKey?: string; dimensions?: number } = {},
): Promise<{ embedder: Embedder; asked: Asked[]; pauses: number[] }> {
  const world = createWorld();
  const asked: Asked[] = [];
  const pauses: number[] = [];
  await world.site('ai.hidden.example', async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = JSON.parse(Buffer.concat(pieces).toString()) as Asked['body'];
    asked.push({ path: request.url ?? '', authorization: request.headers.authorization, body });
    const usual: Step = { data: (inputs) => usualData(inputs, dimensions) };
    perform(script[asked.length - 1] ?? usual, body.input, response);
  });
  const embedder = createRemoteEmbedder(
    {
      outbound: world.outbound,
      now: world.deps.now,
      random: () => 0,
      pause: async (millis) => {
        pauses.push(millis);
      },
    },
    {
      url: 'http://ai.hidden.example/v1',
      model: 'm-1',
      apiKey: apiKey === '' ? undefined : new Secret(apiKey),
    },
  );
  return { embedder, asked, pauses };
}

export function usualData(inputs: readonly string[], dimensions: number) {
  // Not of length 1, and in another order: both are allowed.
  return inputs
    .map((text, index) => ({
      object: 'embedding',
      index,
      embedding: [...wordVector(text, dimensions)].map((value) => value * 3),
    }))
    .reverse();
}

function perform(step: Step, inputs: readonly string[], response: ServerResponse): void {
  if ('does' in step) {
    if (step.does === 'reset') response.destroy();
    return;
  }
  const json = { 'content-type': 'application/json' };
  if ('status' in step) {
    response.writeHead(step.status, { ...json, ...step.headers });
    response.end(step.body ?? '{"error":{"message":"no"}}');
    return;
  }
  response.writeHead(200, json);
  response.end(JSON.stringify({ object: 'list', model: 'm-1', data: step.data(inputs) }));
}
