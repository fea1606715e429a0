// Reads the body of a request into one buffer, before anything else asks for it. An array of small chunks would take many times
// the size of the body.
import type { Context, MiddlewareHandler } from 'hono';
import { Invalid, LecternError } from '../errors.ts';
import { type After, afterTimeout } from '../outbound/limits.ts';
import type { ApiEnv } from './context.ts';

/** What a request may send before it is known who sends it. */
export const anonymousBodyBytes = 16 * 1024;

const anonymousBodyMs = 10_000;

const firstBytes = 4 * 1024;
/** Above this size, allocate the maximum at once: another copy would block the event loop. */
const doublesUpToBytes = 4 * 1024 * 1024;

/** After this, `c.req.arrayBuffer()`, `text()`, `json()` and `formData()` read the buffer. */
export async function holdBody(c: Context, maxBytes: number): Promise<void> {
  const { raw } = c.req;
  if (c.req.bodyCache.arrayBuffer !== undefined || !raw.body) return;
  const declared = declaredBytes(raw.headers);
  if (declared !== undefined && declared > maxBytes) throw tooLarge(maxBytes);
  const held = readWhole(raw.body, Math.min(declared ?? maxBytes, maxBytes));
  // Hono reads promises from this cache, whatever its type says.
  c.req.bodyCache.arrayBuffer = held as never;
  try {
    await held;
  } catch (error) {
    if (error instanceof LecternError) throw error;
    throw new Invalid('the body was not sent in full', { cause: error });
  }
}

/** The same before the sender is known: little, of declared length, and soon. */
export async function holdAnonymousBody(c: Context<ApiEnv>, after: After = afterTimeout): Promise<void> {
  if (c.req.raw.body && declaredBytes(c.req.raw.headers) === undefined)
    throw new LecternError(411, 'length_required', 'the request needs a Content-Length');
  let cancel = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    cancel = after(anonymousBodyMs, () => {
      // Closes the connection after the answer: the rest of the body is not waited for.
      if (c.env?.outgoing) c.env.outgoing.shouldKeepAlive = false;
      reject(new LecternError(408, 'timeout', 'the body did not arrive within 10 seconds'));
    });
  });
  try {
    await Promise.race([holdBody(c, anonymousBodyBytes), late]);
  } finally {
    cancel();
  }
}

export const holdBodyOf =
  (maxBytes: number): MiddlewareHandler =>
  async (c, next) => {
    await holdBody(c, maxBytes);
    await next();
  };

export const holdAnonymous: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await holdAnonymousBody(c);
  await next();
};

async function readWhole(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<ArrayBuffer> {
  let bytes = new Uint8Array(Math.min(firstBytes, maxBytes));
  let size = 0;
  for await (const chunk of body) {
    if (size + chunk.length > maxBytes) throw tooLarge(maxBytes);
    if (size + chunk.length > bytes.length) {
      const room = bytes.length < doublesUpToBytes ? 2 * bytes.length : maxBytes;
      const larger = new Uint8Array(Math.min(maxBytes, Math.max(room, size + chunk.length)));
      larger.set(bytes.subarray(0, size));
      bytes = larger;
    }
    bytes.set(chunk, size);
    size += chunk.length;
  }
  return bytes.length === size ? bytes.buffer : bytes.buffer.slice(0, size);
}

function declaredBytes(headers: Headers): number | undefined {
  const length = headers.get('content-length');
  return length === null || headers.has('transfer-encoding') ? undefined : Number(length);
}

function tooLarge(maxBytes: number): LecternError {
  return new LecternError(413, 'too_large', `the body is too large: the limit is ${maxBytes} bytes`);
}
