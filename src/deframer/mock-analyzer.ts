// An analyzer that only seems to think: for development, and for tests of what is around it.
import { createHash } from 'node:crypto';
import { categories, type ScoreName, scoreNames } from '../model/deframer.ts';
import { race } from '../outbound/limits.ts';
import type { Analyzer, Article } from './analyzer.ts';

export interface MockDeps {
  pause(millis: number, signal: AbortSignal): Promise<unknown>;
}

const charactersPerToken = 4;
const answerTokens = 150;

export function createMockAnalyzer(
  { pause }: MockDeps,
  { latencyMs }: { readonly latencyMs: number },
): Analyzer {
  return {
    model: 'mock',
    instructions: () => '',
    async analyze({ article }, signal, beforeCall) {
      await beforeCall?.();
      await race(signal, () => pause(latencyMs, signal));
      const { title, description, text } = article;
      const characters = title.length + description.length + text.length;
      const tokensIn = Math.ceil(characters / charactersPerToken);
      return {
        analysis: analysisOf(article),
        usage: { calls: 1, tokensIn, tokensOut: answerTokens, costMicros: 0 },
      };
    },
  };
}

/** One title has one analysis, here and on every other machine. */
function analysisOf({ title, description }: Article) {
  const hash = createHash('sha256').update(title).digest();
  const scores = Object.fromEntries(
    // In eleven steps, so that the ends of the scale come up often.
    scoreNames.map((name, index) => [name, ((hash[index] ?? 0) % 11) / 10]),
  ) as Record<ScoreName, number>;
  return {
    ...scores,
    overall: Math.max(...Object.values(scores)),
    framing_reason: 'Mock: framing.',
    clickbait_reason: 'Mock: clickbait.',
    persuasive_reason: 'Mock: persuasive.',
    hyper_stimulus_reason: 'Mock: hyper stimulus.',
    speculative_reason: 'Mock: speculative.',
    overall_reason: 'Mock: the highest of the five.',
    llm_model: 'mock',
    title_original: title,
    description_original: description,
    title_corrected: `Mock: ${title}`,
    title_correction_reason: 'Mock: every title is changed.',
    description_corrected: description,
    description_correction_reason: 'Mock: no description is changed.',
    category: categories[(hash[scoreNames.length] ?? 0) % categories.length] ?? 'other',
  };
}
