// An analyzer that asks a language model elsewhere: again when it answers badly or not at all, and not for ever.
import type { Analysis, Usage } from '../../model/deframer.ts';
import { race } from '../../outbound/limits.ts';
import {
  type AnalysisRequest,
  type Analyzed,
  type Analyzer,
  AnalyzerFailure,
  type FailureScope,
} from '../analyzer.ts';
import { type CallDeps, type Called, callModel } from './call-model.ts';
import type { Dialect, LlmSettings, Price } from './dialect.ts';
import { Malformed, type Problem, parseAnswer } from './parse-answer.ts';
import { readPrompts, systemPrompt, userMessage } from './prompt.ts';

export interface LlmDeps extends CallDeps {
  pause(millis: number, signal: AbortSignal): Promise<unknown>;
  readonly random: () => number;
}

const maxAttempts = 3;
const pausesMs = [2_000, 8_000];
const longestPauseMs = 60_000;

export function createLlmAnalyzer(deps: LlmDeps, dialect: Dialect, settings: LlmSettings): Analyzer {
  const prompts = readPrompts();
  /** Parameters without which the model has answered, after it would not with them. */
  const refused = new Set<string>();
  const instructions = (request: AnalysisRequest) => systemPrompt(prompts, request);
  return {
    model: settings.model,
    instructions,
    analyze(request, signal, beforeCall = async () => {}) {
      const system = instructions(request);
      return new Attempts(deps, { dialect, settings, refused, system, request, beforeCall }, signal).run();
    },
  };
}

interface Task {
  readonly dialect: Dialect;
  readonly settings: LlmSettings;
  readonly refused: Set<string>;
  readonly system: string;
  readonly request: AnalysisRequest;
  readonly beforeCall: () => Promise<void>;
}

class Attempts {
  readonly #deps: LlmDeps;
  readonly #task: Task;
  readonly #signal: AbortSignal;
  readonly #without: Set<string>;
  #usage: Usage = { calls: 0, tokensIn: 0, tokensOut: 0, costMicros: null };

  constructor(deps: LlmDeps, task: Task, signal: AbortSignal) {
    this.#deps = deps;
    this.#task = task;
    this.#signal = signal;
    this.#without = new Set(task.refused);
  }

  async run(): Promise<Analyzed> {
    try {
      return await this.#run();
    } catch (error) {
      if (error instanceof AnalyzerFailure || this.#usage.calls === 0) throw error;
      throw this.#failure('interrupted', 'was interrupted', error);
    }
  }

  async #run(): Promise<Analyzed> {
    let problem: Problem | undefined;
    for (let attempt = 1; ; attempt++) {
      const called = await this.#call(problem);
      const isLast = attempt === maxAttempts;
      switch (called.kind) {
        case 'analysed':
          return { analysis: called.analysis, usage: this.#usage };
        case 'malformed':
          if (isLast) throw this.#failure('article', 'gave no answer that can be used', called.cause);
          problem = called.problem;
          break;
        case 'not-now':
          if (isLast) throw this.#failure('service', called.sentence, called.cause);
          await this.#wait(attempt, called.afterMs);
          break;
        case 'over':
          throw this.#failure(called.scope, called.sentence, called.cause);
      }
    }
  }

  /** What a model does not accept is left out at once: nobody has looked at the article yet. */
  async #call(problem: Problem | undefined): Promise<Answered | Exclude<Called, { kind: Handled }>> {
    const { dialect, settings, system, request, refused, beforeCall } = this.#task;
    for (;;) {
      const user = userMessage(request.article, this.#deps.random, problem);
      const question = { model: settings.model, system, user, without: this.#without };
      await beforeCall();
      this.#signal.throwIfAborted();
      // Sent is counted: what becomes of it is the server's to say, and to charge for.
      this.#usage = { ...this.#usage, calls: this.#usage.calls + 1 };
      const called = await callModel(this.#deps, { dialect, settings, question }, this.#signal);
      this.#count(called);
      if (called.kind === 'parameter-refused') {
        this.#without.add(called.parameter);
        continue;
      }
      if (called.kind !== 'answered') return called;
      // Only now is it known that it was the parameter.
      for (const name of this.#without) refused.add(name);
      return answeredWith(called.content, this.#task);
    }
  }

  #count({ tokensIn = 0, tokensOut = 0 }: Called): void {
    const usage = this.#usage;
    const tokens = { tokensIn: usage.tokensIn + tokensIn, tokensOut: usage.tokensOut + tokensOut };
    const costMicros = costOf(this.#task.settings.price, tokens);
    this.#usage = { calls: usage.calls, ...tokens, costMicros };
  }

  async #wait(attempt: number, afterMs: number | undefined): Promise<void> {
    const { pause, random } = this.#deps;
    const usualMs = Math.round((pausesMs[attempt - 1] ?? longestPauseMs) * (1 + random() / 2));
    const millis = Math.min(afterMs ?? usualMs, longestPauseMs);
    await race(this.#signal, () => pause(millis, this.#signal));
  }

  #failure(scope: FailureScope, sentence: string, cause: unknown): AnalyzerFailure {
    const message = `${this.#task.dialect.name}: ${sentence}`;
    return new AnalyzerFailure(message, { scope, usage: this.#usage, cause });
  }
}

type Handled = 'answered' | 'parameter-refused';
type Answered =
  | { readonly kind: 'analysed'; readonly analysis: Analysis }
  | { readonly kind: 'malformed'; readonly problem: Problem; readonly cause?: unknown };

function answeredWith(content: unknown, { request, settings }: Task): Answered {
  try {
    return { kind: 'analysed', analysis: parseAnswer(content, request.article, settings.model) };
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return { kind: 'malformed', problem: error.problem, cause: error };
  }
}

function costOf(price: Price | undefined, tokens: { tokensIn: number; tokensOut: number }): number | null {
  if (!price) return null;
  return Math.round(tokens.tokensIn * price.microsPerTokenIn + tokens.tokensOut * price.microsPerTokenOut);
}
