// What differs between the providers: how a question is written, and how an answer reads.
import type { Secret } from '../../model/secret.ts';

export interface LlmSettings {
  readonly model: string;
  readonly apiKey: Secret | undefined;
  /** A secret too: it may have a login in it. */
  readonly baseUrl: Secret;
  /** Of one call. */
  readonly timeoutMs: number;
  readonly price: Price | undefined;
}

/** In millionths of whatever currency. */
export interface Price {
  readonly microsPerTokenIn: number;
  readonly microsPerTokenOut: number;
}

export interface Question {
  readonly model: string;
  readonly system: string;
  readonly user: string;
  /** Parameters that this model has refused before. */
  readonly without: ReadonlySet<string>;
}

export interface Tokens {
  readonly tokensIn: number;
  readonly tokensOut: number;
}

export type Reply =
  | { readonly kind: 'answer'; readonly content: unknown }
  | { readonly kind: 'cut-off' }
  | { readonly kind: 'refused'; readonly detail: unknown }
  /** Not what this API answers with. */
  | { readonly kind: 'odd' };

export interface Dialect {
  /** For people. */
  readonly name: string;
  /** What may be left out when a model does not accept it. */
  readonly optional: readonly string[];
  /** Below the base URL. */
  path(model: string): string;
  headers: Readonly<Record<string, string>>;
  keyHeaders(key: string): Readonly<Record<string, string>>;
  body(question: Question): unknown;
  read(answer: unknown): Reply;
  tokens(answer: unknown): Tokens;
  /** Among the answers that blame the request: those that mean the account, and so every other request too. */
  readonly blamesAccount?: RegExp;
}

/** Far more than an answer has; what a model thinks before it counts too. */
export const maxAnswerTokens = 8_000;

/** Follows names and places into what came from elsewhere; undefined where they lead to nothing. */
export function at(value: unknown, ...path: (string | number)[]): unknown {
  let here = value;
  for (const step of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as Record<string | number, unknown>)[step];
  }
  return here;
}

export function listAt(value: unknown, ...path: (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

const mostTokens = 1_000_000_000;

/** A number that a sum of many can be kept in, whatever the server says. */
export function countAt(value: unknown, ...path: (string | number)[]): number {
  const found = at(value, ...path);
  return typeof found === 'number' && found >= 0 && found <= mostTokens ? Math.trunc(found) : 0;
}

/** The texts of parts, as the providers have them, in one. */
export function textOf(parts: readonly unknown[]): string {
  return parts
    .map((part) => at(part, 'text'))
    .filter((text) => typeof text === 'string')
    .join('');
}
