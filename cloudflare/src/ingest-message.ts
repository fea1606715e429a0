// What goes through the queue `raindrop-ingest`: batches of the mirror, and pieces of a reinflate.
import type { BatchMessage } from '../../src/mirror/host.ts';
import type { ReinflatePiece } from './reinflate-piece.ts';

export type IngestMessage = BatchMessage | { readonly reinflate: ReinflatePiece };

/** Anybody with the account can put anything into a queue. What is none of the two is undefined. */
export function parseIngestMessage(body: unknown): IngestMessage | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  if ('reinflate' in body) return isPiece(body.reinflate) ? { reinflate: body.reinflate } : undefined;
  if (!('page' in body && 'cursor' in body)) return undefined;
  const { page, cursor } = body;
  if (typeof page !== 'number' || !Number.isSafeInteger(page) || page < 0) return undefined;
  return typeof cursor === 'string' && !Number.isNaN(Date.parse(cursor)) ? { page, cursor } : undefined;
}

function isPiece(piece: unknown): piece is ReinflatePiece {
  if (typeof piece !== 'object' || piece === null) return false;
  if (!('after' in piece && 'rag' in piece)) return false;
  return (piece.after === null || Number.isSafeInteger(piece.after)) && typeof piece.rag === 'boolean';
}
