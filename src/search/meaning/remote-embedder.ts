// Any server that speaks OpenAI's API of embeddings: OpenAI itself, Ollama, llama.cpp, vLLM and many others.
import { Upstream } from '../../errors.ts';
import type { Clock } from '../../model/glossary.ts';
import type { Secret } from '../../model/secret.ts';
import type { Outbound } from '../../outbound/outbound.ts';
import type { Body, Outcome } from '../../outbound/outcome.ts';
import { namedRetryAfter } from '../../outbound/retry-after.ts';
import { type Embedder, normalise, TextRefused } from './embedder.ts';

export interface RemoteDeps {
  /** Its own: closed with it. */
  readonly outbound: Pick<Outbound, 'request' | 'close'>;
  readonly now: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly pause: (millis: number, signal: AbortSignal) => Promise<void>;
}

export interface RemoteSettings {
  /** What stands before /embeddings. */
  readonly url: string;
  readonly model: string;
  readonly apiKey: Secret | undefined;
}

const timeoutMs = 60_000;
const maxBytes = 16 * 1024 * 1024;
const mostTries = 5;
const firstPauseMs = 1_000;
/** Who wants to be left alone for longer is asked again by the next look. */
const longestPauseMs = 60_000;
const maxDetail = 500;

type Asked =
  | { readonly kind: 'answered'; readonly vectors: Float32Array[] }
  | { readonly kind: 'not-now'; readonly error: Upstream };

export function createRemoteEmbedder(deps: RemoteDeps, settings: RemoteSettings): Embedder {
  let dimensions: number | undefined;

  const ask = async (texts: readonly string[], signal: AbortSignal): Promise<Asked> => {
    const { url, model, apiKey } = settings;
    const outcome = await deps.outbound.request({
      url: embeddingsUrl(url),
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      ...(apiKey && { credentials: { headers: { authorization: `Bearer ${apiKey.reveal()}` } } }),
      body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
      limits: { firstByteMs: timeoutMs, idleMs: timeoutMs, totalMs: timeoutMs, maxBytes },
      signal,
      unpaced: true,
      evenPaused: true,
      redirect: 'manual',
      acceptStatus: () => true,
    });
    signal.throwIfAborted();
    const body = bodyOf(outcome, deps.now, apiKey);
    if (body instanceof Upstream) return { kind: 'not-now', error: body };
    const vectors = parseVectors(body, texts.length);
    for (const vector of vectors) {
      dimensions ??= vector.length;
      if (vector.length !== dimensions)
        throw new Upstream(`The model gave ${vector.length} numbers for a text, and ${dimensions} before.`);
    }
    return { kind: 'answered', vectors };
  };

  return {
    model: `openai/${settings.model}`,
    get dimensions() {
      return dimensions;
    },
    passage: { tokens: 400, overlap: 50, titleCharacters: 200 },
    atOnce: 32,
    leastScore: 0.2,
    canRead: () => true,

    async embed(texts, signal) {
      signal.throwIfAborted();
      if (texts.length === 0) return [];
      for (let tries = 1; ; tries++) {
        const asked = await ask(texts, signal);
        if (asked.kind === 'answered') return asked.vectors;
        const backoff = firstPauseMs * 2 ** (tries - 1) * (1 + deps.random() / 2);
        const pauseMs = asked.error.retryAfterMs ?? backoff;
        if (tries === mostTries || pauseMs > longestPauseMs) throw asked.error;
        await deps.pause(pauseMs, signal);
      }
    },

    close: () => deps.outbound.close(),
  };
}

/** With the query that Azure wants, if there is one. */
function embeddingsUrl(base: string): string {
  const url = new URL(base);
  url.hash = '';
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/embeddings`;
  return url.href;
}

const who = 'The server of the embeddings';

/** The body of a good answer. What may be better the next time is returned, what will not is thrown. */
function bodyOf(outcome: Outcome, now: Clock, apiKey: Secret | undefined): Body | Upstream {
  switch (outcome.kind) {
    case 'body':
      return ofStatus(outcome, now, apiKey);
    case 'rate-limited': {
      const retryAfterMs = outcome.named === undefined ? {} : { retryAfterMs: outcome.named - now() };
      return new Upstream(`${who} asks to be left alone for a while.`, retryAfterMs);
    }
    case 'failed': {
      const { cause, reason, sentence } = outcome;
      const error = new Upstream(`${who} did not answer: ${sentence}`, { cause });
      if (['bad-url', 'blocked-address', 'cancelled', 'too-large'].includes(reason)) throw error;
      return error;
    }
    case 'gone':
    case 'not-modified':
      throw new Upstream(`${who} does not know the model or the address.`);
  }
}

function ofStatus(outcome: Body, now: Clock, apiKey: Secret | undefined): Body | Upstream {
  const { status, bytes, headers } = outcome;
  if (status >= 200 && status < 300) return outcome;
  // For the log, where the key has no place even if the server repeats it.
  const text = new TextDecoder().decode(bytes);
  const cause = new Error(`status ${status}: ${(apiKey?.maskedIn(text) ?? text).slice(0, maxDetail)}`);
  if (status === 401 || status === 403) throw new Upstream(`${who} refused the key.`, { cause });
  if (status === 402) throw new Upstream(`${who} says that the account has no money left.`, { cause });
  if (status === 404 || status === 410)
    throw new Upstream(`${who} does not know the model or the address.`, { cause });
  if (status === 400 || status === 413 || status === 422)
    throw new TextRefused(`${who} did not accept the text (status ${status}).`, { cause });
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500) {
    const at = namedRetryAfter(headers['retry-after'], now());
    return new Upstream(`${who} has a problem of its own (status ${status}).`, {
      cause,
      ...(at !== undefined && { retryAfterMs: at - now() }),
    });
  }
  throw new Upstream(`${who} did not accept the request (status ${status}).`, { cause });
}

function parseVectors({ bytes }: Body, count: number): Float32Array[] {
  const odd = (what: string) => new Upstream(`${who} did not answer as its API does: ${what}.`);
  let answer: { data?: unknown };
  try {
    answer = JSON.parse(new TextDecoder().decode(bytes)) as typeof answer;
  } catch {
    throw odd('no JSON');
  }
  const { data } = answer ?? {};
  if (!Array.isArray(data) || data.length !== count)
    throw odd(`${Array.isArray(data) ? data.length : 'no'} vectors for ${count} texts`);
  const vectors: Float32Array[] = [];
  for (const [n, row] of data.entries()) {
    const { embedding, index = n } = (row ?? {}) as { embedding?: unknown; index?: number };
    const isList = Array.isArray(embedding) && embedding.every((value) => Number.isFinite(value));
    const vector = isList ? normalise(embedding as number[]) : undefined;
    if (!vector) throw odd('a vector that is none');
    if (!Number.isInteger(index) || index < 0 || index >= count || vectors[index])
      throw odd('vectors out of order');
    vectors[index] = vector;
  }
  return vectors;
}
