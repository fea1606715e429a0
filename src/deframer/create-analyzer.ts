// The analyzer that the operator has chosen.
import type { Analyzer } from './analyzer.ts';
import { anthropic } from './llm/anthropic.ts';
import type { LlmSettings } from './llm/dialect.ts';
import { gemini } from './llm/gemini.ts';
import { createLlmAnalyzer, type LlmDeps } from './llm/llm-analyzer.ts';
import { openai } from './llm/openai.ts';
import { createLocalAnalyzer } from './local/local-analyzer.ts';
import { createMockAnalyzer } from './mock-analyzer.ts';

export type AnalyzerSettings =
  | { readonly type: 'local' }
  | { readonly type: 'mock'; readonly latencyMs: number }
  | ({ readonly type: 'openai' | 'anthropic' | 'gemini' } & LlmSettings);

const dialects = { openai, anthropic, gemini };

export function createAnalyzer(settings: AnalyzerSettings, deps: LlmDeps): Analyzer {
  switch (settings.type) {
    case 'local':
      return createLocalAnalyzer();
    case 'mock':
      return createMockAnalyzer(deps, settings);
    default:
      return createLlmAnalyzer(deps, dialects[settings.type], settings);
  }
}
