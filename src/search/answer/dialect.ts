// What differs between the providers: how a question is written, and how the pieces of an answer read.
import type { Secret } from '../../model/secret.ts';

export interface ModelSettings {
  readonly model: string;
  readonly apiKey: Secret | undefined;
  /** A secret too: it may have a login in it. */
  readonly baseUrl: Secret;
  readonly timeoutMs: number;
}

export interface Prompt {
  readonly system: string;
  readonly user: string;
}

export interface Piece {
  readonly text?: string;
  /** `limit`: the model was made to stop. `error`: the server says that it cannot go on. */
  readonly end?: 'whole' | 'limit' | 'refused' | 'error';
}

export interface Dialect {
  /** For people. */
  readonly name: string;
  /** Below the base URL, with a query of its own where it needs one. */
  path(model: string): string;
  readonly headers: Readonly<Record<string, string>>;
  keyHeaders(key: string): Readonly<Record<string, string>>;
  body(model: string, prompt: Prompt): unknown;
  /** Undefined for what is not of this API. */
  read(event: unknown): Piece | undefined;
}

/** Of an answer; what a model thinks before it counts too. */
export const maxAnswerTokens = 4_000;

/** Follows names and places into what came from elsewhere; undefined where they lead to nothing. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let here = value;
  for (const step of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as Record<string | number, unknown>)[step];
  }
  return here;
}

export function textAt(value: unknown, ...path: (string | number)[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}
