// One chain of batches, however often it is called for. Both hosts take their messages through here.
import type { BatchMessage, BatchResult, MirrorHost } from './host.ts';
import { runBatch } from './run-batch.ts';
import { beginning, readRun, readSchedule, stateKeys, writeSchedule } from './run-state.ts';

/** Clocks differ by so much. */
const earlyMs = 1_000;

/** The daily call: the message that is to be sent now, or none while a chain of batches is under way. */
export async function startRun({
  state,
  now,
}: Pick<MirrorHost, 'state' | 'now'>): Promise<BatchMessage | undefined> {
  const { phase, page } = await readRun(state);
  const due = (await readSchedule(state, now())) ?? 0;
  // Its own next batch will come. One that has not come in time is lost, and the run goes on from here.
  if (phase !== 'idle' && due > now()) return undefined;
  await writeSchedule(state, { due: now(), now: now() });
  return { page: phase === 'idle' ? 0 : page, cursor: (await state.get(stateKeys.cursor)) ?? beginning };
}

/**
 * A batch, and what is due after it; undefined for a message that comes before its time or is of before. Whoever calls
 * sends `next` after `delay`, unless it is done: then the daily call begins anew.
 */
export async function takeMessage(host: MirrorHost, message: BatchMessage): Promise<BatchResult | undefined> {
  const { state, now } = host;
  const due = (await readSchedule(state, now())) ?? 0;
  const cursor = (await state.get(stateKeys.cursor)) ?? beginning;
  // A state that is read late knows less than the message; only what is older than it was sent twice.
  if (now() + earlyMs < due || message.cursor < cursor) return undefined;
  const result = await runBatch(host, message);
  await writeSchedule(state, { due: now() + result.delay, now: now() });
  return result;
}
