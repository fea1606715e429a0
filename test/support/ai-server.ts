// A language model that says what the test wants it to say, in the words of whichever provider.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Analyzer, Article } from '../../src/deframer/analyzer.ts';
import { anthropic } from '../../src/deframer/llm/anthropic.ts';
import type { Price } from '../../src/deframer/llm/dialect.ts';
import { gemini } from '../../src/deframer/llm/gemini.ts';
import { createLlmAnalyzer } from '../../src/deframer/llm/llm-analyzer.ts';
import { openai } from '../../src/deframer/llm/openai.ts';
import { Secret } from '../../src/model/secret.ts';
import type { OutboundDeps } from '../../src/outbound/outbound.ts';
import { createWorld } from './outbound.ts';

export const dialectNames = ['openai', 'anthropic', 'gemini'] as const;
export type DialectName = (typeof dialectNames)[number];

/** What the model does with one request. The last of a script goes on for ever. */
export type Step =
  /** A string is what it says; anything else is what it says as JSON. */
  | { readonly says: unknown; readonly tokens?: readonly [number, number] }
  | { readonly refuses: 'by itself' | 'by a filter'; readonly tokens?: readonly [number, number] }
  | { readonly isCutOff: string; readonly tokens?: readonly [number, number] }
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | { readonly does: 'hang' | 'reset' };

export interface Question {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly system: string;
  /** Everything that is not of the system. */
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  readonly temperature: number | undefined;
}

export const article: Article = {
  url: 'https://news.example/bridge',
  title: 'You will NOT believe what happened to this bridge!!!',
  description: 'Experts are stunned.',
  text: 'The bridge over the Elbe was closed on Monday for repairs, the city said.',
  language: 'en',
};

export const goodAnswer = {
  title_corrected: 'Bridge over the Elbe closed for repairs',
  title_correction_reason: 'The title held back what happened.',
  description_corrected: 'The city says the bridge was closed on Monday for repairs.',
  description_correction_reason: 'Nobody was stunned.',
  framing: 0,
  framing_reason: 'Neutral.',
  clickbait: 1,
  clickbait_reason: 'Only curious.',
  persuasive: 0.1,
  persuasive_reason: 'It informs.',
  hyper_stimulus: 0.75,
  hyper_stimulus_reason: 'Capitals.',
  speculative: 0.25,
  speculative_reason: 'Hardly any.',
  overall: 0.6,
  overall_reason: 'A sober fact in a shrill title.',
  category: 'world',
};

export interface Options {
  readonly price?: Price;
  readonly apiKey?: string | undefined;
  readonly model?: string;
  readonly outbound?: Partial<OutboundDeps>;
  /** In place of one that is over at once. */
  readonly pause?: (millis: number, signal: AbortSignal) => Promise<void>;
  readonly random?: () => number;
}

export const secretKey = 'sk-hunter22';

/** An analyzer, the model that it asks, and what passes between the two. */
export async function startAi(
  dialect: DialectName,
  script: readonly [Step, ...Step[]],
  options: Options = {},
): Promise<{ analyzer: Analyzer; questions: Question[]; pauses: number[]; signal: AbortSignal }> {
  const world = createWorld(options.outbound);
  const questions: Question[] = [];
  const pauses: number[] = [];
  await world.site('ai.hidden.example', async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    questions.push(questionOf(dialect, request, Buffer.concat(chunks).toString()));
    const step = script[Math.min(questions.length, script.length) - 1] as Step;
    perform(dialect, step, response);
  });
  const apiKey = 'apiKey' in options ? options.apiKey : secretKey;
  const deps = {
    outbound: world.outbound,
    now: world.deps.now,
    pause: async (millis: number, signal: AbortSignal) => {
      pauses.push(millis);
      await options.pause?.(millis, signal);
    },
    random: options.random ?? (() => 0.5),
  };
  const analyzer = createLlmAnalyzer(deps, { openai, anthropic, gemini }[dialect], {
    model: options.model ?? 'm-1',
    apiKey: apiKey === undefined ? undefined : new Secret(apiKey),
    baseUrl: new Secret('http://ai.hidden.example/base'),
    timeoutMs: 120_000,
    price: options.price,
  });
  return { analyzer, questions, pauses, signal: new AbortController().signal };
}

function perform(dialect: DialectName, step: Step, response: ServerResponse): void {
  if ('does' in step) {
    if (step.does === 'reset') response.destroy();
    return;
  }
  if ('status' in step) {
    response.writeHead(step.status, { 'content-type': 'application/json', ...step.headers });
    response.end(step.body ?? '{"error":{"message":"no"}}');
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(envelopes[dialect](step, step.tokens ?? [0, 0])));
}

type Said = Extract<Step, { tokens?: unknown }>;

const envelopes: Record<DialectName, (step: Said, tokens: readonly [number, number]) => unknown> = {
  openai(step, [prompt_tokens, completion_tokens]) {
    const message =
      'says' in step
        ? { role: 'assistant', content: asText(step.says), refusal: null }
        : 'isCutOff' in step
          ? { role: 'assistant', content: step.isCutOff }
          : { role: 'assistant', content: null, refusal: step.refuses === 'by itself' ? 'I cannot.' : null };
    const isFiltered = 'refuses' in step && step.refuses === 'by a filter';
    const finish_reason = isFiltered ? 'content_filter' : 'isCutOff' in step ? 'length' : 'stop';
    return { choices: [{ index: 0, message, finish_reason }], usage: { prompt_tokens, completion_tokens } };
  },

  anthropic(step, [input_tokens, output_tokens]) {
    const usage = { input_tokens, output_tokens };
    if ('refuses' in step) return { type: 'message', content: [], stop_reason: 'refusal', usage };
    if ('isCutOff' in step) {
      const content = [{ type: 'tool_use', id: 't', name: 'give_analysis', input: {} }];
      return { type: 'message', content, stop_reason: 'max_tokens', usage };
    }
    const content =
      typeof step.says === 'string'
        ? [{ type: 'text', text: step.says }]
        : [
            { type: 'text', text: 'Here it is.' },
            { type: 'tool_use', id: 't', name: 'give_analysis', input: step.says },
          ];
    return { type: 'message', content, stop_reason: 'tool_use', usage };
  },

  gemini(step, [promptTokenCount, all]) {
    const thoughtsTokenCount = Math.floor(all / 2);
    const candidatesTokenCount = all - thoughtsTokenCount;
    const usageMetadata = { promptTokenCount, candidatesTokenCount, thoughtsTokenCount };
    if ('refuses' in step) {
      if (step.refuses === 'by itself')
        return { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata };
      return { candidates: [{ finishReason: 'SAFETY' }], usageMetadata };
    }
    const text = 'says' in step ? asText(step.says) : step.isCutOff;
    const parts = [{ text: 'Let me think.', thought: true }, { text }];
    const finishReason = 'says' in step ? 'STOP' : 'MAX_TOKENS';
    return { candidates: [{ content: { role: 'model', parts }, finishReason }], usageMetadata };
  },
};

function asText(said: unknown): string {
  return typeof said === 'string' ? said : JSON.stringify(said);
}

interface RawBody {
  readonly messages: { role: string; content: string }[];
  readonly system: string;
  readonly temperature?: number;
  readonly systemInstruction: { parts: { text: string }[] };
  readonly contents: { role: string; parts: { text: string }[] }[];
  readonly generationConfig: { temperature?: number };
}

function questionOf(dialect: DialectName, { url = '', headers }: IncomingMessage, body: string): Question {
  const raw = JSON.parse(body) as RawBody;
  const common = { path: url, headers, body };
  if (dialect === 'gemini') {
    const joined = (parts: { text: string }[]) => parts.map(({ text }) => text).join('|');
    return {
      ...common,
      system: joined(raw.systemInstruction.parts),
      messages: raw.contents.map(({ role, parts }) => ({ role, text: joined(parts) })),
      temperature: raw.generationConfig.temperature,
    };
  }
  const isOfSystem = ({ role }: { role: string }) => role === 'system';
  const ofSystem = raw.messages.filter(isOfSystem).map(({ content }) => content);
  return {
    ...common,
    system: dialect === 'anthropic' ? raw.system : ofSystem.join('|'),
    messages: raw.messages
      .filter((message) => !isOfSystem(message))
      .map(({ role, content }) => ({ role, text: content })),
    temperature: raw.temperature,
  };
}
