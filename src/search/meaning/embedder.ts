// What turns texts into vectors: a model here, one behind an API, or none.

import { LecternError } from '../../errors.ts';
import type { CutSize } from '../../items/page/cut-text.ts';

export interface Embedder {
  /** Vectors of different models are never compared. */
  readonly model: string;
  /** Undefined until a model elsewhere has answered for the first time. */
  readonly dimensions: number | undefined;
  /** How much of a text goes into one vector. */
  readonly passage: PassageSize;
  /** How many texts one call is best given. */
  readonly atOnce: number;
  /** What is less alike than this has nothing to do with what was asked. */
  readonly leastScore: number;
  /** What is at least so much alike speaks of what was asked, whatever its words. Absent where nobody has measured it. */
  readonly sureScore?: number;
  /** Whether the model knows the script of the text: what it does not know would all be alike. */
  canRead(text: string): boolean;
  /** In their order, each of length 1. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
  close(): Promise<void>;
}

export interface PassageSize extends CutSize {
  /** The title stands before each passage, up to so many characters. */
  readonly titleCharacters: number;
}

/** Something is wrong with the text and not with the model: another try would end the same way. */
export class TextRefused extends LecternError {
  constructor(message: string, options?: ErrorOptions) {
    super(422, 'text_refused', message, options);
  }
}

/** To length 1; undefined for what has no direction. */
export function normalise(values: ArrayLike<number>): Float32Array | undefined {
  let squares = 0;
  for (let n = 0; n < values.length; n++) squares += (values[n] as number) ** 2;
  const length = Math.sqrt(squares);
  if (!(length > 0) || !Number.isFinite(length)) return undefined;
  return Float32Array.from(values, (value) => value / length);
}
