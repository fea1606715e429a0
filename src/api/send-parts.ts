// Answers that are made while they are sent, so that a long one is never there as a whole.
import type { Context } from 'hono';
import type { ApiEnv } from './context.ts';

/** What is shorter goes out in one piece, with its length. */
const wholeCharacters = 64 * 1024;

/** The beginning is made before anything is sent: what goes wrong there is still answered as an error. */
export async function sendParts(
  c: Context<ApiEnv>,
  type: string,
  parts: AsyncGenerator<string>,
): Promise<Response> {
  let begun = '';
  for (;;) {
    const next = await parts.next();
    if (next.done) return c.body(begun, 200, { 'Content-Type': type });
    begun += next.value;
    if (begun.length >= wholeCharacters) break;
  }
  return c.body(ReadableStream.from(encoded(begun, parts)), 200, { 'Content-Type': type });
}

async function* encoded(begun: string, parts: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(begun);
  for await (const part of parts) yield Buffer.from(part);
}
