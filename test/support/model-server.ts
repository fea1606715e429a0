// A language model that streams what the test wants it to, in the words of whichever provider.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Secret } from '../../src/model/secret.ts';
import type { OutboundDeps } from '../../src/outbound/outbound.ts';
import { createModel, type Model } from '../../src/search/answer/ask-model.ts';
import { createWorld } from './outbound.ts';

export const providers = ['openai', 'anthropic', 'gemini'] as const;
export type Provider = (typeof providers)[number];

export const secretKey = 'sk-hunter22';
export const hiddenHost = 'ai.hidden.example';

export type Script = (answer: Speaker) => unknown;

/** What a server can do with one question. */
export class Speaker {
  readonly response: ServerResponse;
  readonly #provider: Provider;

  constructor(response: ServerResponse, provider: Provider) {
    this.response = response;
    this.#provider = provider;
  }

  raw(text: string): this {
    if (!this.response.headersSent) this.response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.response.write(text);
    return this;
  }

  /** Without having said that it is the end. */
  closes(): void {
    this.response.end();
  }

  breaks(): void {
    setImmediate(() => this.response.destroy());
  }

  event(data: unknown): void {
    this.raw(`event: ${(data as { type?: string }).type ?? 'message'}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  says(...pieces: string[]): this {
    for (const text of pieces) this.event(pieceOf[this.#provider](text));
    return this;
  }

  ends(how: 'whole' | 'limit' | 'refused' | 'error' = 'whole'): void {
    for (const one of endingOf[this.#provider][how]) this.event(one);
    if (this.#provider === 'openai' && how === 'whole') this.raw('data: [DONE]\n\n');
    this.response.end();
  }

  status(status: number, headers: Record<string, string> = {}, body = `no, not with ${secretKey}`): void {
    this.response.writeHead(status, { 'content-type': 'application/json', ...headers });
    this.response.end(body);
  }
}

const pieceOf: Record<Provider, (text: string) => unknown> = {
  openai: (content) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
  anthropic: (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  gemini: (text) => ({ candidates: [{ content: { parts: [{ text: 'Hm.', thought: true }, { text }] } }] }),
};

const choice = (finish_reason: string, delta = {}) => ({ choices: [{ index: 0, delta, finish_reason }] });
const stopped = (stop_reason: string) => ({ type: 'message_delta', delta: { stop_reason } });
const finished = (finishReason: string) => ({ candidates: [{ finishReason }], usageMetadata: {} });

const endingOf: Record<Provider, Record<'whole' | 'limit' | 'refused' | 'error', unknown[]>> = {
  openai: {
    whole: [choice('stop')],
    limit: [choice('length')],
    refused: [choice('content_filter')],
    error: [{ error: { message: secretKey } }],
  },
  anthropic: {
    whole: [stopped('end_turn'), { type: 'message_stop' }],
    limit: [stopped('max_tokens')],
    refused: [stopped('refusal')],
    error: [{ type: 'error', error: { type: 'overloaded_error', message: secretKey } }],
  },
  gemini: {
    whole: [finished('STOP')],
    limit: [finished('MAX_TOKENS')],
    refused: [{ promptFeedback: { blockReason: 'SAFETY' } }],
    error: [{ error: { message: secretKey } }],
  },
};

export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A model that is asked through the real outbound, and what it was asked. */
export async function startModel(
  provider: Provider,
  script: Script,
  outbound: Partial<OutboundDeps> = {},
): Promise<{ model: Model; asked: Asked[]; gone: Promise<void> }> {
  const world = createWorld(outbound);
  const asked: Asked[] = [];
  const { promise: gone, resolve } = Promise.withResolvers<void>();
  await world.site(hiddenHost, async (request, response) => {
    response.on('close', () => resolve());
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    asked.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() });
    await script(new Speaker(response, provider));
  });
  const model = createModel(world.outbound, {
    type: provider,
    model: 'm-1',
    apiKey: new Secret(secretKey),
    baseUrl: new Secret(`http://${hiddenHost}/base?api-version=1`),
    timeoutMs: 120_000,
  });
  return { model: model as Model, asked, gone };
}
