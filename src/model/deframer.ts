// The deframer: feeds whose headlines are weighed and set anew. Belongs to the operator, not to a user.
import type { Millis } from './glossary.ts';

/** What an article is weighed for, each from 0 to 1. */
export const scoreNames = ['framing', 'clickbait', 'persuasive', 'hyper_stimulus', 'speculative'] as const;
export type ScoreName = (typeof scoreNames)[number];

export const categories = [
  'politics',
  'world',
  'business',
  'sport',
  'culture',
  'technology',
  'health',
  'finance',
  'science',
  'environment',
  'travel',
  'lifestyle',
  'games',
  'history',
  'opinion',
  'other',
] as const;
export type Category = (typeof categories)[number];

type Scores = Readonly<Record<ScoreName | 'overall', number>>;
type ScoreReasons = Readonly<Record<`${ScoreName | 'overall'}_reason`, string>>;

/** What is stored and published of an analysis, under the names that clients know. All texts are plain, not HTML. */
export interface Analysis extends Scores, ScoreReasons {
  readonly llm_model: string;
  readonly title_original: string;
  readonly description_original: string;
  readonly title_corrected: string;
  readonly title_correction_reason: string;
  readonly description_corrected: string;
  readonly description_correction_reason: string;
  readonly category: Category;
}

/** What analyses took. */
export interface Usage {
  /** Requests to a model, failed ones too. */
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** In millionths of the currency that prices were given in; null where no price is known. */
  readonly costMicros: number | null;
}

/** A prompt is a page or two; more would be paid for with every article. */
export const longestPrompt = 20_000;

export interface DeframerFeed {
  readonly id: string;
  readonly url: string;
  readonly rootDomain: string | null;
  readonly enforceFeedDomain: boolean;
  readonly polling: boolean;
  readonly enabled: boolean;
  /** In place of the prompt of its language; null for that. */
  readonly prompt: string | null;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  readonly deletedAt: Millis | null;
}

/** A feed with what its operator wants to know of it. */
export interface DeframerFeedState extends DeframerFeed {
  /** Null: dead or paused. */
  readonly nextRunAt: Millis | null;
  readonly lastRunAt: Millis | null;
  readonly lastError: string | null;
  /** What the last run that succeeded had to say, if it is worth a look. */
  readonly lastNote: string | null;
  readonly isRunning: boolean;
  /** By the clock of the database, as the worker judges it. */
  readonly isDue: boolean;
  readonly items: number;
  /** When what `/rss` serves last changed; null while it has nothing to serve. */
  readonly builtAt: Millis | null;
  readonly usage: Usage;
}

/** An article that was analysed, as readers are shown it. */
export interface ShownArticle {
  readonly id: string;
  readonly feedId: string;
  /** SHA-256 of the URL. */
  readonly hash: string;
  readonly url: string;
  readonly analysis: Analysis;
  readonly author: string;
  readonly pubDate: Millis;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

export interface DeframedItem extends ShownArticle {
  /** As the feed has it, sanitised. */
  readonly content: string;
}
