// The analyzer that is there without any other: a small model, tables and patterns. It asks nobody, costs nothing and is
// done at once; it understands nothing either, so it weighs words and never claims.
import type { ScoreName } from '../../model/deframer.ts';
import { type AnalysisRequest, type Analyzed, type Analyzer, noUsage } from '../analyzer.ts';
import { categorise } from './categorise.ts';
import { guessLanguage } from './language.ts';
import { neutralDescription } from './neutral-description.ts';
import { neutralTitle } from './neutral-title.ts';
import { overallOf, type Weighed, weigh } from './weigh.ts';
import { wordsIn } from './words.ts';

/** Rises with every change of what it answers: tables, weights, rules. */
const version = 1;

export function createLocalAnalyzer(): Analyzer {
  return {
    model: `local/${version}`,
    instructions: () => '',
    analyze: async (request, signal) => {
      signal.throwIfAborted();
      return { analysis: analyze(request), usage: noUsage };
    },
  };
}

function analyze({ article }: AnalysisRequest): Analyzed['analysis'] {
  const language = languageOf(article);
  const scores = weigh(article, language);
  const title = neutralTitle(article.title, language);
  const description = neutralDescription(article.description, language);
  return {
    llm_model: `local/${version}`,
    title_original: article.title,
    description_original: article.description,
    title_corrected: title.text,
    title_correction_reason: reasonOf(title.notes),
    description_corrected: description.text,
    description_correction_reason: reasonOf(description.notes),
    framing: scores.framing.score,
    framing_reason: scores.framing.reason,
    clickbait: scores.clickbait.score,
    clickbait_reason: scores.clickbait.reason,
    persuasive: scores.persuasive.score,
    persuasive_reason: scores.persuasive.reason,
    hyper_stimulus: scores.hyper_stimulus.score,
    hyper_stimulus_reason: scores.hyper_stimulus.reason,
    speculative: scores.speculative.score,
    speculative_reason: scores.speculative.reason,
    overall: overallOf(Object.values(scores).map(({ score }) => score)),
    overall_reason: overallReason(scores, language),
    category: categorise(article),
  };
}

function languageOf({ language, title, description }: AnalysisRequest['article']): string {
  if (language) return language.toLowerCase().split('-')[0] ?? '';
  const words = wordsIn(`${title.slice(0, 500)} ${description.slice(0, 1000)}`);
  const guess = guessLanguage(words.map(({ key }) => key));
  if (guess) return guess;
  // A headline of a few names in Latin letters tells nothing; English is the likeliest, and its rules do it no harm.
  return words.length > 0 && words.every(({ text }) => /^[\p{ASCII}’‑]*$/u.test(text)) ? 'en' : '';
}

const known = ['de', 'fr', 'es', 'nl', 'da'];

function overallReason(scores: Readonly<Record<ScoreName, Weighed>>, language: string): string {
  const found = Object.entries(scores)
    .filter(([, { score }]) => score >= 0.2)
    .sort(([, a], [, b]) => b.score - a.score)
    .map(([name, { score }]) => `${name.replace('_', '-')} ${score.toFixed(2)}`);
  const said = found.length > 0 ? `mostly ${found.slice(0, 3).join(', ')}` : 'little found';
  if (language === 'en') return said;
  if (known.includes(language)) return `${said} (patterns and a few words: the model knows English alone)`;
  return `${said} (only patterns: the words of this language are not known)`;
}

function reasonOf(notes: readonly string[]): string {
  const all = [...new Set(notes)];
  const shown = all.slice(0, 3).join('; ');
  return all.length > 3 ? `${shown}; …` : shown || 'kept as it is';
}
