// What a caller sends, checked. A refusal names the field.
import type { Context } from 'hono';
import { ApiError } from './api-error.ts';

const maxBodyBytes = 4_096;

export function readId(c: Context): number {
  const text = c.req.param('id') ?? '';
  const id = Number(text);
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(id))
    throw new ApiError(400, 'id: expected a whole number above 0');
  return id;
}

/** An empty body is an empty object. A form of another site cannot send this type without asking first. */
export async function readJson(c: Context): Promise<Readonly<Record<string, unknown>>> {
  const text = await c.req.text();
  if (text === '') return {};
  if (text.length > maxBodyBytes) throw new ApiError(413, `the body: expected at most ${maxBodyBytes} bytes`);
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? ''))
    throw new ApiError(415, 'Content-Type: expected application/json');
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError(400, 'the body: expected a JSON object');
  return value as Record<string, unknown>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(400, 'the body: expected a JSON object');
  }
}

/** A parameter that may be left out; an empty one counts as that. */
export function readText(c: Context, name: string, maxCharacters: number): string | undefined {
  const value = c.req.query(name)?.trim() ?? '';
  if (value.length > maxCharacters)
    throw new ApiError(400, `${name}: expected at most ${maxCharacters} characters`);
  return value === '' ? undefined : value;
}

export function readLimit(c: Context, most: number): number {
  const text = c.req.query('limit') ?? String(most);
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > most) throw new ApiError(400, `limit: expected a number from 1 to ${most}`);
  return limit;
}
