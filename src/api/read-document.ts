// A file that is the whole body of a request.
import type { Context } from 'hono';
import type { ApiEnv } from './context.ts';

export async function readDocument(
  c: Context<ApiEnv>,
): Promise<{ bytes: Uint8Array; contentType: string | undefined }> {
  return { bytes: new Uint8Array(await c.req.arrayBuffer()), contentType: c.req.header('content-type') };
}
