// A file that is the whole body of a request.
import type { Context } from 'hono';
import type { JournalStore } from '../store/journal-store.ts';
import type { ApiEnv } from './context.ts';

/** A body up to this size is a small write, and is never refused because the library lags behind. */
const smallBodyBytes = 64 * 1024;

export async function readDocument(
  c: Context<ApiEnv>,
  journal: Pick<JournalStore, 'requireRoom'>,
): Promise<{ bytes: Uint8Array; contentType: string | undefined }> {
  const bytes = new Uint8Array(await c.req.arrayBuffer());
  if (bytes.length > smallBodyBytes) await journal.requireRoom();
  return { bytes, contentType: c.req.header('content-type') };
}
