// Pieces of the contract that many routes share.
import { z } from '@hono/zod-openapi';
import { Invalid } from '../errors.ts';
import { cleanText } from '../store/clean-text.ts';
import type { Access } from './router.ts';

/** Unix seconds, as the reader's API gives times. */
export const seconds = z.int().openapi({ description: 'Unix time in seconds', example: 1_767_225_600 });

export function toSeconds(millis: number): number {
  return Math.floor(millis / 1000);
}

/** As everything under /api/v1 gives times. */
export const isoTime = z.string().openapi({ format: 'date-time', example: '2026-03-12T14:05:00.000Z' });

export function toIso(millis: number): string {
  return new Date(millis).toISOString();
}

export const idParam = z.object({
  id: z
    .string()
    .regex(/^\d{1,15}$/, 'expected a whole number')
    .transform(Number)
    .openapi({ type: 'integer', example: 1 }),
});

/** An id in a query. */
export const idQuery = z
  .string()
  .regex(/^\d{1,15}$/, 'expected a whole number')
  .transform(Number)
  .openapi({ type: 'integer' });

/** How many of a list: more than `most` is taken for `most`, as clients of this API are used to. */
export function pageLimit(usual: number, most: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, `expected a number from 1 to ${most}`)
    .transform((text) => Math.min(Number(text), most))
    .pipe(z.int().min(1))
    .default(usual)
    .openapi({ type: 'integer', example: usual });
}

/** Where a page of the reader's API ends: `<seconds>_<id>`. */
export function cursorOf(millis: number, id: number): string {
  return `${toSeconds(millis)}_${id}`;
}

export function parseCursor(text: string): { seconds: number; id: number } {
  const [, time, id] = /^(-?\d{1,12})_(\d{1,15})$/.exec(text) ?? [];
  if (time === undefined) throw new Invalid('before: expected the next_cursor of a page');
  return { seconds: Number(time), id: Number(id) };
}

/** A name that a person gives. Cleaned before it is measured, so that what is answered is what is kept. */
export function nameText(maxCharacters: number) {
  return z
    .string()
    .overwrite(cleanText)
    .trim()
    .min(1)
    .max(maxCharacters)
    .regex(/^\P{Cc}*$/u, 'expected text without control characters');
}

export const ErrorBody = z.object({ error: z.string() }).openapi('Error');
export const ErrorBodyV1 = z
  .object({ error: z.object({ code: z.string(), message: z.string() }) })
  .openapi('ErrorV1');

export function json<T extends z.ZodType>(schema: T, description: string) {
  return { description, content: { 'application/json': { schema } } };
}

/** Server-sent events: see event-stream.ts. */
export function eventStream(description: string) {
  return { description, content: { 'text/event-stream': { schema: z.string() } } };
}

/** An article as a document of its own: see pages/reading-page.ts. */
export const articleResponses = {
  200: {
    description: 'The sanitised content as an HTML document, under a policy that lets nothing run',
    content: { 'text/html': { schema: z.string() } },
  },
  304: { description: 'It is as the If-None-Match of the request says' },
};

export function jsonBody<T extends z.ZodType>(schema: T) {
  return { required: true, content: { 'application/json': { schema } } };
}

/** The failures that a route can answer with because of what it is, so that no route lists them by hand. */
export function errorResponses(route: {
  access: Access;
  path: string;
  takesBody: boolean;
  takesJson: boolean;
}) {
  const body = route.path.startsWith('/api/v1/') ? ErrorBodyV1 : ErrorBody;
  const when = (applies: boolean, status: number, description: string) =>
    applies ? { [status]: json(body, description) } : {};
  const hasInput = route.takesBody || route.path.includes('{');
  return {
    ...when(hasInput, 400, 'The input is not as expected; the message names the field'),
    ...when(route.access !== 'open', 401, 'Not logged in'),
    ...when(
      route.access !== 'open',
      403,
      'Not allowed: a read-only token, a foreign origin, or the owner only',
    ),
    ...when(route.path.includes('{'), 404, 'Not found, or not yours'),
    ...when(route.takesBody && route.access === 'open', 411, 'The body has no Content-Length'),
    ...when(route.takesBody, 413, 'The body is too large'),
    ...when(route.takesJson, 415, 'The body is not JSON in UTF-8'),
  };
}
