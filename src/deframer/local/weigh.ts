// The five scores of an article and what they rest on. A score is what is left of 1 when each sign takes its share away: one
// strong sign is enough, several weak ones add up, and none goes beyond 1.
import type { ScoreName } from '../../model/deframer.ts';
import type { Article } from '../analyzer.ts';
import { type Contribution, scoreHeadline } from './headline-model.ts';
import { quotedRanges } from './keep-facts.ts';
import { imperatives, type LoadedScore, signsOf } from './loaded-language.ts';
import { slamWords } from './neutral-tables.ts';
import { isAllCapitals, tidy, wordsIn } from './words.ts';

export interface Weighed {
  /** From 0 to 1, to two decimals. */
  readonly score: number;
  readonly reason: string;
}

interface Evidence {
  readonly label: string;
  readonly weight: number;
}

/** What a teaser below the headline says counts less: it was opened for the headline. */
const descriptionShare = 0.4;
const longestTitle = 500;
const longestDescription = 1500;

export function weigh(article: Article, language: string): Record<ScoreName, Weighed> {
  const title = tidy(article.title.slice(0, longestTitle));
  const description = tidy(article.description.slice(0, longestDescription));
  const both = (score: LoadedScore) => [
    ...found(title, language, score),
    ...found(description, language, score).map(({ label, weight }) => ({
      label,
      weight: weight * descriptionShare,
    })),
  ];
  return {
    framing: fromEvidence(both('framing')),
    clickbait: clickbait(title, language),
    persuasive: fromEvidence([...both('persuasive'), ...orders(title, language)]),
    hyper_stimulus: fromEvidence([...both('hyper_stimulus'), ...noise(title)]),
    speculative: fromEvidence([...both('speculative'), ...questions(title)]),
  };
}

/**
 * The strongest counts for most, and each further one adds to it: a headline that both frames and speculates is worse than one
 * that does either. 1 - (1 - .85 a)(1 - .3 b)(1 - .2 c)(1 - .1 d)(1 - .1 e), from the highest to the lowest.
 */
export function overallOf(scores: readonly number[]): number {
  const shares = [0.85, 0.3, 0.2, 0.1, 0.1];
  const sorted = scores.toSorted((a, b) => b - a);
  return rounded(1 - sorted.reduce((left, score, index) => left * (1 - score * (shares[index] ?? 0)), 1));
}

export function rounded(score: number): number {
  return Math.round(Math.min(1, Math.max(0, score)) * 100) / 100;
}

function found(text: string, language: string, score: LoadedScore): Evidence[] {
  const plain = unquoted(text).toLowerCase().replace(/[’‘]/g, "'");
  const isStorm = wordsIn(plain).some(({ key }) => slamWords.has(key));
  return signsOf(language, score).flatMap(({ find, weight, reason }) =>
    [...plain.matchAll(find)]
      .filter(([words]) => !(isStorm && words.startsWith('slam')))
      .map(([words]) => ({ label: reason ?? `“${words}”`, weight })),
  );
}

/** Who is quoted answers for that. */
function unquoted(text: string): string {
  return quotedRanges(text).reduceRight(
    (rest, [start, end]) => `${rest.slice(0, start)}“”${rest.slice(end)}`,
    text,
  );
}

function fromEvidence(evidence: readonly Evidence[]): Weighed {
  const strongest = new Map<string, number>();
  for (const { label, weight } of evidence) strongest.set(label, Math.max(weight, strongest.get(label) ?? 0));
  const sorted = [...strongest].sort(([, a], [, b]) => b - a);
  return {
    score: rounded(1 - sorted.reduce((left, [, weight]) => left * (1 - weight), 1)),
    reason: reasonOf(sorted.map(([label]) => label)),
  };
}

/** About a dozen words, whatever was found. */
function reasonOf(labels: readonly string[]): string {
  const chosen: string[] = [];
  let words = 0;
  for (const label of labels) {
    const more = label.split(' ').length;
    if (chosen.length === 4) break;
    if (chosen.length > 0 && words + more > 13) continue;
    words += more;
    chosen.push(label);
  }
  return chosen.join(', ') || 'nothing found';
}

/** The model, and the turns that it has seen too seldom. It knows no language but English. */
function clickbait(title: string, language: string): Weighed {
  const turns = [...found(title, language, 'clickbait'), ...baitPatterns(title, language)];
  const model = language === 'en' ? scoreHeadline(unquoted(title)) : { score: 0, signs: [] };
  const signs = model.signs.filter(({ weight }) => weight >= 0.2);
  // Without any sign, what the model gives is only how common bait was where it learned.
  const learned = signs.length > 0 ? model.score : 0;
  // A turn alone, in a headline that is otherwise sober, may be no bait: it counts half then.
  const share = language === 'en' ? 0.5 + learned / 2 : 1;
  const score = turns.reduce((left, { weight }) => left * (1 - weight * share), 1 - learned);
  const labels = [...turns.map(({ label }) => label), ...signs.map(labelOf)];
  return { score: rounded(1 - score), reason: reasonOf(withoutRepeats(labels)) };
}

function labelOf({ key, seen }: Contribution): string {
  return key.startsWith('*') ? seen : `“${seen.toLowerCase()}”`;
}

/** “this” says nothing beside “this is why”. */
function withoutRepeats(labels: readonly string[]): string[] {
  const bare = (label: string) => label.replace(/[“”]/g, ' ');
  return labels.filter(
    (label, index) => !labels.some((other, at) => at < index && bare(other).includes(bare(label))),
  );
}

function baitPatterns(title: string, language: string): Evidence[] {
  const patterns: Evidence[] = [];
  if (/(?:\.{3}|…)$/.test(title)) patterns.push({ label: 'breaks off with dots', weight: 0.35 });
  if (title.endsWith('?')) patterns.push({ label: 'asks a question it does not answer', weight: 0.2 });
  if (language !== 'en' && /^\d{1,2} \p{L}/u.test(title))
    patterns.push({ label: 'starts with a number', weight: 0.3 });
  if (language !== 'en' && title.includes('!')) patterns.push({ label: 'exclamation mark', weight: 0.2 });
  return patterns;
}

function orders(title: string, language: string): Evidence[] {
  const first = wordsIn(title)[0]?.key ?? '';
  if (language !== 'en' || !imperatives.has(first)) return [];
  return [{ label: `begins with an order: “${first}”`, weight: 0.4 }];
}

function questions(title: string): Evidence[] {
  return /[?？؟]\s*$/u.test(title) ? [{ label: 'asks a question', weight: 0.4 }] : [];
}

function noise(title: string): Evidence[] {
  const words = wordsIn(title);
  const capitals = words.filter(({ text }) => text.length > 4 && isAllCapitals(text) && !/[\d.]/.test(text));
  const marks = title.match(/[!！]/gu)?.length ?? 0;
  const evidence: Evidence[] = [];
  if (capitals.length > 0)
    evidence.push({ label: 'words in capitals', weight: Math.min(0.6, 0.2 + 0.1 * capitals.length) });
  if (marks > 0)
    evidence.push({
      label: marks > 1 ? 'exclamation marks' : 'exclamation mark',
      weight: Math.min(0.7, 0.15 + 0.15 * marks),
    });
  if (/[?!]{2,}/.test(title)) evidence.push({ label: 'marks in a row', weight: 0.3 });
  if (/[🚨🔥😱🤯💥‼❗]/u.test(title)) evidence.push({ label: 'pictures that shout', weight: 0.3 });
  return evidence;
}
