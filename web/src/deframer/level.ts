// How charged something is, as a person would say it. Pure.
export type Level = 'sober' | 'somewhat' | 'charged' | 'heavily';

/** `score` from 0 to 1. From the middle on, it takes care to read it rightly. */
export function levelOf(score: number): Level {
  if (score < 0.2) return 'sober';
  if (score < 0.5) return 'somewhat';
  return score < 0.75 ? 'charged' : 'heavily';
}

/** From 0 to 100, whatever a model has said. */
export const percentOf = (score: number): number => Math.round(Math.min(1, Math.max(0, score)) * 100);
