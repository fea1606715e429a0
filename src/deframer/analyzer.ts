// What every analyzer does: an article in, an analysis out, and what that took.
import { createHash } from 'node:crypto';
import { LecternError } from '../errors.ts';
import type { Analysis, Usage } from '../model/deframer.ts';

/** All texts are plain: what strangers wrote, without its markup. */
export interface Article {
  readonly url: string;
  readonly title: string;
  readonly description: string;
  /** Of the page behind it; empty if that could not be read. */
  readonly text: string;
  /** Primary subtag such as `en`; empty if nobody says. */
  readonly language: string;
}

export interface AnalysisRequest {
  readonly article: Article;
  /** What the operator has written for this feed, in place of the prompt of its language. */
  readonly prompt: string | null;
}

export interface Analyzed {
  readonly analysis: Analysis;
  readonly usage: Usage;
}

export interface Analyzer {
  /** Stands in every analysis as `llm_model`. Another version of an analyzer has another name. */
  readonly model: string;
  /** All that the model is told besides the article. Empty for one that is told nothing. */
  instructions(request: AnalysisRequest): string;
  /**
   * Awaits `beforeCall` before each request that costs money. Throws AnalyzerFailure once a request was sent, even if the signal
   * is aborted or `beforeCall` fails; before that, the reason of the signal or the error of `beforeCall`.
   */
  analyze(request: AnalysisRequest, signal: AbortSignal, beforeCall?: () => Promise<void>): Promise<Analyzed>;
  close?(): Promise<void>;
}

export type FailureScope = 'article' | 'service' | 'interrupted';

/** No analysis, after all attempts. The message is for the operator, and says nothing of keys and addresses. */
export class AnalyzerFailure extends LecternError {
  /**
   * `article`: only this article failed. `service`: every other article would fail too. `interrupted`: neither is at fault, and
   * `cause` is the reason.
   */
  readonly scope: FailureScope;
  /** Paid for nothing. */
  readonly usage: Usage;

  constructor(message: string, options: ErrorOptions & { scope: FailureScope; usage: Usage }) {
    super(502, 'analyzer', message, options);
    this.scope = options.scope;
    this.usage = options.usage;
  }
}

export const noUsage: Usage = { calls: 0, tokensIn: 0, tokensOut: 0, costMicros: 0 };

/** Nothing is known of a sum of which a part is not known. */
export function addUsage(a: Usage, b: Usage): Usage {
  const isKnown = a.costMicros !== null && b.costMicros !== null;
  return {
    calls: a.calls + b.calls,
    tokensIn: a.tokensIn + b.tokensIn,
    tokensOut: a.tokensOut + b.tokensOut,
    costMicros: isKnown ? Number(a.costMicros) + Number(b.costMicros) : null,
  };
}

/** Two requests with one key have one answer: it is paid for once. */
export function analysisKey(analyzer: Analyzer, request: AnalysisRequest): string {
  const { title, description, text, language } = request.article;
  const parts = [analyzer.model, analyzer.instructions(request), language, title, description, text];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
