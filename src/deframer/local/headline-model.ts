// How likely a headline is bait: a logistic regression over headline-features.ts, with weights that
// scripts/train-headlines.ts has written.
import { readFileSync } from 'node:fs';
import { type Feature, featuresOf } from './headline-features.ts';

export interface HeadlineWeights {
  readonly bias: number;
  readonly weights: Readonly<Record<string, number>>;
}

export interface Contribution extends Feature {
  readonly weight: number;
}

export interface HeadlineScore {
  /** From 0 to 1. */
  readonly score: number;
  /** Those that speak for bait, the strongest first. */
  readonly signs: readonly Contribution[];
}

const file = new URL('./headline-weights.json', import.meta.url);
let loaded: { bias: number; weights: ReadonlyMap<string, number> } | undefined;

function model() {
  if (!loaded) {
    const { bias, weights } = JSON.parse(readFileSync(file, 'utf8')) as HeadlineWeights;
    loaded = { bias, weights: new Map(Object.entries(weights)) };
  }
  return loaded;
}

export function scoreHeadline(headline: string): HeadlineScore {
  const { bias, weights } = model();
  const known = featuresOf(headline)
    .map((feature) => ({ ...feature, weight: weights.get(feature.key) ?? 0 }))
    .filter(({ weight }) => weight !== 0);
  const sum = known.reduce((total, { weight }) => total + weight, bias);
  const signs = known.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  return { score: 1 / (1 + Math.exp(-sum)), signs };
}

/** Whether the model has seen it as an ordinary word: no name is among its weights. */
export function isKnownWord(key: string): boolean {
  return model().weights.has(key);
}
