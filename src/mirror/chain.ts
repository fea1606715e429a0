// One chain of batches, however often it is called for. Both hosts take their messages through here.
import type { BatchMessage, BatchResult, MirrorHost } from './host.ts';
import { runBatch } from './run-batch.ts';

/** The names that the state is kept under. */
export const stateKeys = {
  /** Up to where everything is stored: the ISO time of an update. */
  cursor: 'kv:raindrop:last_cursor',
  /** When the next batch is due: an ISO time. */
  schedule: 'kv:raindrop:schedule',
  /** What a run has left to do, as JSON. */
  run: 'kv:raindrop:run',
} as const;

export const beginning = '1970-01-01T00:00:00.000Z';

/** The daily call: the message that is to be sent now, or none while a chain of batches is under way. */
export async function startRun(_host: Pick<MirrorHost, 'state' | 'now'>): Promise<BatchMessage | undefined> {
  throw new Error('under construction');
}

/**
 * A batch, and what is due after it; undefined for a message that comes before its time or is of before. Whoever calls
 * sends `next` after `delay`, unless it is done: then the daily call begins anew.
 */
export async function takeMessage(host: MirrorHost, message: BatchMessage): Promise<BatchResult | undefined> {
  return runBatch(host, message);
}
