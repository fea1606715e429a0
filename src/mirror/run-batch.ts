import type { BatchMessage, BatchResult, MirrorHost } from './host.ts';

export async function runBatch(_host: MirrorHost, _message: BatchMessage): Promise<BatchResult> {
  throw new Error('under construction');
}
