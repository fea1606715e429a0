// What the routes of Miniflux have in common.
import type { Context } from 'hono';
import type { z } from 'zod';
import { Invalid, NotFound } from '../../../errors.ts';
import type { ApiEnv } from '../../context.ts';
import { invalidInput } from '../../error-response.ts';
import type { AppRoute } from '../../router.ts';
import { readJson } from '../parameters.ts';

export type AppContext = Context<ApiEnv>;

/** Everything but a GET changes something. */
export type AddRoute = (
  method: AppRoute['method'],
  path: string,
  handler: (c: AppContext) => Promise<Response> | Response,
  options?: Pick<AppRoute, 'maxBodyBytes'>,
) => void;

export function pathId(c: AppContext, name = 'id'): number {
  const text = c.req.param(name) ?? '';
  if (!/^\d{1,15}$/.test(text) || Number(text) === 0) throw new Invalid(`${name}: expected a whole number`);
  return Number(text);
}

/** The body, whatever it is called. What is null counts as not given: some clients send all that they know. */
export async function readBody<T extends z.ZodType>(c: AppContext, schema: T): Promise<z.infer<T>> {
  const result = schema.safeParse(withoutNulls(await readJson(c)));
  if (!result.success) throw invalidInput(result.error);
  return result.data;
}

function withoutNulls(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

/** A category that an input names is not what the address names: that it is missing is the input's fault. */
export function invalidCategory(error: unknown): never {
  if (error instanceof NotFound)
    throw new Invalid('category_id: there is no such category', { cause: error });
  throw error;
}
