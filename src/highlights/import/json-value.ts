// JSON of others, in which a field may be anything.
import { Invalid } from '../../errors.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (error) {
    throw new Invalid(`the file is not JSON: it goes wrong ${placeIn((error as Error).message)}`, {
      cause: error,
    });
  }
}

/** The parser says the position, or some of the text around it. */
function placeIn(message: string): string {
  const position = /at position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0];
  if (position !== undefined) return position;
  const around = /"(.{1,100})"(?:\.{3})? is not valid JSON$/s.exec(message)?.[1];
  return around === undefined ? 'at its end' : `near ${JSON.stringify(around)}`;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Lua knows no empty list, and writes an empty object for it. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
