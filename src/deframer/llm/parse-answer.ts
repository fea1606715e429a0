// A model's answer as an analysis, or what is wrong with it.
import { z } from 'zod';
import { type Analysis, categories, scoreNames } from '../../model/deframer.ts';
import type { Article } from '../analyzer.ts';
import { cleanText } from './clean-text.ts';

/** What the model is told when it is asked again. Fixed: nothing that it wrote itself comes back to it. */
export const problems = {
  json: 'Your last answer was not one JSON object.',
  fields: 'Your last answer did not have every field, each with a value of its type.',
  scores: 'In your last answer a score was not a number from 0 to 1.',
  category: 'In your last answer the category was none of those that are allowed.',
  length: 'Your last answer was too long and was cut off.',
} as const;

export type Problem = keyof typeof problems;

export class Malformed extends Error {
  override readonly name = 'Malformed';
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problems[problem], options);
    this.problem = problem;
  }
}

const maxTitle = 300;
const maxDescription = 600;
const maxReason = 200;

const score = z.number().min(0).max(1);
const reason = z.string();

const answerShape = z.object({
  title_corrected: z.string(),
  title_correction_reason: reason,
  description_corrected: z.string(),
  description_correction_reason: reason,
  framing: score,
  framing_reason: reason,
  clickbait: score,
  clickbait_reason: reason,
  persuasive: score,
  persuasive_reason: reason,
  hyper_stimulus: score,
  hyper_stimulus_reason: reason,
  speculative: score,
  speculative_reason: reason,
  overall: score,
  overall_reason: reason,
  category: z.string().trim().toLowerCase().pipe(z.enum(categories)),
});
type Answer = z.output<typeof answerShape>;

/** `content` is text, or what was text and is parsed already. Throws Malformed. */
export function parseAnswer(content: unknown, article: Article, model: string): Analysis {
  const value = typeof content === 'string' ? parseJson(content) : content;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Malformed('json');
  const result = answerShape.safeParse(completed(value as Record<string, unknown>));
  if (!result.success) throw new Malformed(problemOf(result.error), { cause: result.error });
  return analysisOf(result.data, article, model);
}

function parseJson(text: string): unknown {
  const trimmed = text.trim();
  const isFenced = trimmed.length > 6 && trimmed.startsWith('```') && trimmed.endsWith('```');
  const json = isFenced ? trimmed.slice(3, -3).replace(/^json\b/i, '') : trimmed;
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new Malformed('json', { cause });
  }
}

/** With the names of today, and with what was not asked for in older days. A `null` is no omission. */
function completed(given: Record<string, unknown>): Record<string, unknown> {
  const { persuasive = given.persuasive_intent, speculative = given.speculative_content } = given;
  const answer = { ...given, persuasive, speculative };
  const { overall, category = 'other' } = given;
  if (overall !== undefined) return { ...answer, category };
  const scores: Record<string, unknown> = answer;
  const highest = Math.max(
    ...scoreNames.map((name) => (typeof scores[name] === 'number' ? scores[name] : 0)),
  );
  return { ...answer, category, overall: highest, overall_reason: 'The highest of the five scores.' };
}

function problemOf({ issues }: z.ZodError): Problem {
  const names = issues.map(({ path }) => String(path[0]));
  if (names.some((name) => name === 'overall' || scoreNames.some((known) => known === name))) return 'scores';
  return names.includes('category') ? 'category' : 'fields';
}

function analysisOf(answer: Answer, article: Article, model: string): Analysis {
  const known = `${article.title} ${article.description}`;
  const clean = (text: string, maxCharacters: number) => cleanText(text, maxCharacters, known);
  const title = clean(answer.title_corrected, maxTitle);
  return {
    ...answer,
    ...Object.fromEntries(
      [...scoreNames, 'overall' as const].flatMap((name) => [
        // Minus zero is a number from 0 to 1 too, and reads badly.
        [name, answer[name] + 0],
        [`${name}_reason`, clean(answer[`${name}_reason`], maxReason)],
      ]),
    ),
    llm_model: model,
    title_original: article.title,
    description_original: article.description,
    title_corrected: title === '' ? article.title : title,
    title_correction_reason:
      title === ''
        ? 'The model gave no title, so the original is kept.'
        : clean(answer.title_correction_reason, maxReason),
    description_corrected: clean(answer.description_corrected, maxDescription),
    description_correction_reason: clean(answer.description_correction_reason, maxReason),
  };
}
