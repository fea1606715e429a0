// The vectors of questions that were asked lately: the next page, another filter or the same words again ask no model.
import { TemporaryFailure } from '../../errors.ts';
import type { Embedder } from './embedder.ts';

/** A person waits. */
const questionMs = 5_000;
const questionsKept = 256;

/** They are of no user: only whoever has the same words gets the vector, and would have got it anyway. */
export class AskedQuestions {
  readonly #embedder: Embedder;
  readonly #kept: number;
  /** Those asked last are the last. One that is under way is here too, so that others wait for it and not for their own. */
  readonly #vectors = new Map<string, Promise<Float32Array>>();

  constructor(embedder: Embedder, kept = questionsKept) {
    this.#embedder = embedder;
    this.#kept = kept;
  }

  vectorOf(text: string): Promise<Float32Array> {
    const vector = this.#vectors.get(text) ?? this.#ask(text);
    this.#vectors.delete(text);
    this.#vectors.set(text, vector);
    const [oldest] = this.#vectors.keys();
    if (this.#vectors.size > this.#kept && oldest !== undefined) this.#vectors.delete(oldest);
    return vector;
  }

  #ask(text: string): Promise<Float32Array> {
    const vector = this.#embed(text);
    vector.catch(() => {
      // It is asked again the next time.
      if (this.#vectors.get(text) === vector) this.#vectors.delete(text);
    });
    return vector;
  }

  async #embed(text: string): Promise<Float32Array> {
    const signal = AbortSignal.timeout(questionMs);
    const [vector] = await this.#embedder.embed([text], signal).catch((error: unknown) => {
      throw signal.aborted
        ? new TemporaryFailure('The model takes too long to read the question.', { cause: error })
        : error;
    });
    if (!vector) throw new TemporaryFailure('The model gave nothing for the question.');
    return vector;
  }
}
