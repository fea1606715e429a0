// A question, from the words of a person to an answer that names its passages. Changes nothing.
import type { RandomText } from '../../model/glossary.ts';
import type { FindDeps } from '../find-in-library.ts';
import { AnswerText } from './answer-text.ts';
import { type Model, ModelFailure } from './ask-model.ts';
import { findPassages, type Passage, type PassageInput } from './find-passages.ts';
import { promptFor } from './prompt.ts';

export interface AskDeps extends FindDeps {
  readonly randomText: RandomText;
  /** Undefined where none is set up: then the passages are all there is. */
  readonly model: Model | undefined;
  /** For the log: the person is told less. */
  readonly onFailure: (error: ModelFailure) => void;
}

export interface Done {
  /** The numbers of the passages that the answer names. */
  readonly citations: readonly number[];
  /** Whether it rests on the library. */
  readonly answered: boolean;
  readonly notice: string | null;
}

/** In this order: once `sources`, any number of `delta`, and at the end `done` or `error`. */
export type AskEvent =
  | { readonly event: 'sources'; readonly data: { readonly sources: readonly Passage[] } }
  | { readonly event: 'delta'; readonly data: { readonly text: string } }
  | { readonly event: 'done'; readonly data: Done }
  | { readonly event: 'error'; readonly data: { readonly code: 'model'; readonly message: string } };

export const askLimits = { question: 1_000, usual: 8, most: 20 } as const;

const markBytes = 18;
const longestAnswer = 20_000;
const notHeld = 'Your library does not hold an answer to this.';
const notices = {
  noModel:
    'No language model is set up (AI_TYPE), so these are the passages that were found, without an answer.',
  uncited: 'The answer names no passage, so nothing in your library bears it out.',
  cutOff: 'The answer became too long and was cut off.',
};

export async function* askLibrary(
  deps: AskDeps,
  input: PassageInput,
  signal: AbortSignal,
): AsyncGenerator<AskEvent> {
  const { passages, notice } = await findPassages(deps, input);
  yield { event: 'sources', data: { sources: passages } };
  const done = (citations: readonly number[], ...more: (string | undefined)[]): AskEvent => ({
    event: 'done',
    data: {
      citations,
      answered: citations.length > 0,
      notice: [notice, ...more].filter((one) => one !== undefined).join(' ') || null,
    },
  });

  if (passages.length === 0) {
    yield { event: 'delta', data: { text: notHeld } };
    yield done([]);
    return;
  }
  if (!deps.model) {
    yield done([], notices.noModel);
    return;
  }
  const text = new AnswerText(passages.map(({ n }) => n));
  try {
    const answer = deps.model.answer(promptFor(input.q, passages, deps.randomText(markBytes)), signal);
    const ending = yield* shown(answer, text);
    const { citations } = text;
    yield done(
      citations,
      citations.length === 0 ? notices.uncited : undefined,
      ending === 'limit' ? notices.cutOff : undefined,
    );
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error;
    if (signal.aborted) return;
    deps.onFailure(error);
    yield { event: 'error', data: { code: 'model', message: error.message } };
  }
}

async function* shown(
  answer: ReturnType<Model['answer']>,
  text: AnswerText,
): AsyncGenerator<AskEvent, 'whole' | 'limit'> {
  let length = 0;
  try {
    for (;;) {
      const next = await answer.next();
      const piece = next.done ? text.end() : text.push(next.value);
      length += piece.length;
      if (piece !== '') yield { event: 'delta', data: { text: piece } };
      if (next.done) return next.value;
      if (length > longestAnswer) return 'limit';
    }
  } finally {
    await answer.return('whole');
  }
}
