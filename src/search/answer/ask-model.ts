// One question to a language model elsewhere, and its answer as it comes. Not tried again: a person waits, and can.
import { toFailure } from '../../outbound/failure.ts';
import type { Outbound } from '../../outbound/outbound.ts';
import type { BodyStream, StreamOutcome } from '../../outbound/outcome.ts';
import { anthropic } from './anthropic.ts';
import type { Dialect, ModelSettings, Prompt } from './dialect.ts';
import { gemini } from './gemini.ts';
import { openai } from './openai.ts';
import { readEvents } from './read-events.ts';

/** Its message is for the person who asked: it names neither address nor key. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure';
}

export interface Model {
  /** Throws a ModelFailure. The last piece says how it ended. */
  answer(prompt: Prompt, signal: AbortSignal): AsyncGenerator<string, 'whole' | 'limit'>;
}

export type AskSettings =
  | { readonly type: 'local' }
  | { readonly type: 'mock' }
  | ({ readonly type: 'openai' | 'anthropic' | 'gemini' } & ModelSettings);

const dialects = { openai, anthropic, gemini };
const maxBytes = 4 * 1024 * 1024;
const mostDetail = 1_000;

/** Undefined where no model is set up. */
export function createModel(outbound: Pick<Outbound, 'stream'>, settings: AskSettings): Model | undefined {
  if (settings.type === 'local' || settings.type === 'mock') return undefined;
  const asked = { dialect: dialects[settings.type], settings };
  return { answer: (prompt, signal) => answerOf(outbound, { ...asked, prompt }, signal) };
}

interface Question {
  readonly dialect: Dialect;
  readonly settings: ModelSettings;
  readonly prompt: Prompt;
}

async function* answerOf(
  outbound: Pick<Outbound, 'stream'>,
  question: Question,
  signal: AbortSignal,
): AsyncGenerator<string, 'whole' | 'limit'> {
  const { dialect } = question;
  const fail = (sentence: string, cause?: unknown) =>
    new ModelFailure(`${dialect.name}: ${sentence}`, { cause });
  const body = await bodyOf(question, await send(outbound, question, signal), fail);
  let isOdd = true;
  try {
    for await (const data of readEvents(body.stream)) {
      const piece = dialect.read(parsed(data));
      if (!piece) continue;
      isOdd = false;
      if (piece.text) yield piece.text;
      if (piece.end === 'refused') throw fail('declined to answer');
      if (piece.end === 'error') throw fail('broke off with an error of its own');
      if (piece.end !== undefined) return piece.end;
    }
  } catch (error) {
    if (error instanceof ModelFailure) throw error;
    const { reason } = toFailure(error);
    throw fail(reason.startsWith('timeout-') ? 'fell silent' : 'the answer broke off', error);
  } finally {
    // Whoever asked may have gone: nothing more is to be paid for.
    await body.stream.return();
  }
  throw fail(isOdd ? 'did not answer as its API does' : 'the answer broke off');
}

function send(
  outbound: Pick<Outbound, 'stream'>,
  { dialect, settings, prompt }: Question,
  signal: AbortSignal,
): Promise<StreamOutcome> {
  const { model, apiKey, baseUrl, timeoutMs } = settings;
  return outbound.stream({
    url: urlBelow(baseUrl.reveal(), dialect.path(model)),
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...dialect.headers },
    ...(apiKey && { credentials: { headers: dialect.keyHeaders(apiKey.reveal()) } }),
    body: JSON.stringify(dialect.body(model, prompt)),
    limits: { firstByteMs: timeoutMs, idleMs: timeoutMs, totalMs: timeoutMs, maxBytes },
    signal,
    unpaced: true,
    evenPaused: true,
    redirect: 'manual',
    acceptStatus: () => true,
  });
}

/** With the query that Azure wants, if there is one, and that of the path. */
function urlBelow(baseUrl: string, path: string): string {
  const url = new URL(baseUrl);
  const [below = '', query] = path.split('?');
  url.pathname = url.pathname.replace(/\/+$/, '') + below;
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  return url.href;
}

async function bodyOf(
  { settings }: Question,
  outcome: StreamOutcome,
  fail: (sentence: string, cause?: unknown) => ModelFailure,
): Promise<BodyStream> {
  if (outcome.kind === 'rate-limited') throw fail('asks to be left alone for a while');
  if (outcome.kind === 'failed') {
    const { reason, cause } = outcome;
    throw fail(reason.startsWith('timeout-') ? 'did not answer in time' : 'could not be reached', cause);
  }
  if (outcome.kind !== 'body') throw fail(unknownHere);
  const { status } = outcome;
  if (status >= 200 && status < 300) return outcome;
  throw fail(sentenceOf(status), new Error(`status ${status}: ${await detailOf(settings, outcome)}`));
}

const unknownHere = 'the model or address is not known';

function sentenceOf(status: number): string {
  if (status >= 300 && status < 400) return 'the address leads elsewhere';
  if (status === 401 || status === 403) return 'the key was refused';
  if (status === 402) return 'the account has no money left';
  if (status === 404 || status === 410) return unknownHere;
  if (status === 503 || status === 529) return 'asks to be left alone for a while';
  return status >= 500
    ? `has a problem of its own (status ${status})`
    : `the request was not accepted (status ${status})`;
}

/** For the log, where the key has no place even if the server repeats it. */
async function detailOf({ apiKey }: ModelSettings, { stream }: BodyStream): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > 4 * mostDetail) break;
    }
  } catch {
    // What there is will do.
  }
  return (apiKey ? text.replaceAll(apiKey.reveal(), '[secret]') : text).slice(0, mostDetail);
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}
