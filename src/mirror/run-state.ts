// What a run has left to do, between two batches.
import { isFromFuture } from '../model/clock-jump.ts';
import type { MirrorState } from './host.ts';
import { isObject, iso, list } from './raindrop.ts';

/** The names that the state is kept under. */
export const stateKeys = {
  /** Up to where everything is stored: the ISO time of an update. */
  cursor: 'kv:raindrop:last_cursor',
  /** When the next batch is due and when that was written, as JSON. */
  schedule: 'kv:raindrop:schedule',
  /** What a run has left to do, as JSON. */
  run: 'kv:raindrop:run',
  /** Raindrops whose objects may be ahead of the index, as JSON. */
  unsettled: 'kv:raindrop:unsettled',
  /** Copies that are to be tried again, as JSON. */
  copies: 'kv:raindrop:copies',
} as const;

export const beginning = '1970-01-01T00:00:00.000Z';

/**
 * When the next batch is due, in milliseconds; undefined before the first. A schedule that was written by a clock far ahead is void:
 * the batch is due.
 */
export async function readSchedule(
  state: Pick<MirrorState, 'get'>,
  now: number,
): Promise<number | undefined> {
  const text = await state.get(stateKeys.schedule);
  const value = parse(text);
  // Earlier versions wrote only the time at which the batch is due.
  const [due, writtenAt] = isObject(value) ? [value.due, value.writtenAt] : [text, beginning];
  if (isFromFuture(Date.parse(String(writtenAt)), now)) return now;
  const dueMs = Date.parse(String(due));
  return Number.isNaN(dueMs) ? undefined : dueMs;
}

export async function writeSchedule(
  state: Pick<MirrorState, 'set'>,
  { due, now }: { due: number; now: number },
): Promise<void> {
  await state.set(stateKeys.schedule, JSON.stringify({ due: iso(due), writtenAt: iso(now) }));
}

/**
 * `updates`: what changed since the cursor. `trash`, `count`: what is gone. `sweep`: all there is. `removals`: those that a
 * sweep did not see, asked for by name. `copies`: tried again.
 */
export const phases = ['idle', 'updates', 'trash', 'count', 'sweep', 'removals', 'copies'] as const;
export type Phase = (typeof phases)[number];

export interface Sweep {
  /** The next page. */
  readonly page: number;
  /** How many there were when it began. */
  readonly count: number;
  /** Ids so far, packed. */
  readonly seen: string;
  /** The latest update among them. */
  readonly latest: string;
  readonly tries: number;
}

export interface Run {
  readonly phase: Phase;
  /** Of the message that comes next. */
  readonly page: number;
  /** Where the cursor was found in the list the last time, and whether that page was full. */
  readonly place: number;
  readonly isPlaceFull: boolean;
  /** The API did not sort by update: everything has to be looked at. */
  readonly isUnsorted: boolean;
  /** The count was not ours even after a second look. */
  readonly recounted: boolean;
  readonly sweep: Sweep | null;
  /** Those that the sweep did not see and nobody has asked for yet, packed. */
  readonly unseen: string;
  readonly sweptAt: string | null;
  /** How many the API counts and does not show, as the last sweep found. */
  readonly hidden: number;
  /** When anything changed last at Raindrop, as it said in the last run. */
  readonly changedAt: string | null;
  /** How many there are at Raindrop, as far as it is known. */
  readonly total: number | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** For people; null when the last batch went well. */
  readonly problem: string | null;
}

export const newRun: Run = {
  phase: 'idle',
  page: 0,
  place: 0,
  isPlaceFull: false,
  isUnsorted: false,
  recounted: false,
  sweep: null,
  unseen: '',
  sweptAt: null,
  hidden: 0,
  changedAt: null,
  total: null,
  startedAt: null,
  finishedAt: null,
  problem: null,
};

export interface WaitingCopy {
  readonly id: number;
  readonly tries: number;
  /** Not before. */
  readonly after: string;
  /** When `after` was written. Earlier versions did not say. */
  readonly writtenAt?: string;
}

export async function readRun(state: Pick<MirrorState, 'get'>): Promise<Run> {
  const value = parse(await state.get(stateKeys.run));
  return isObject(value) && phases.includes(value.phase as Phase)
    ? { ...newRun, ...(value as object) }
    : newRun;
}

export async function writeRun(state: Pick<MirrorState, 'set'>, run: Run): Promise<void> {
  await state.set(stateKeys.run, JSON.stringify(run));
}

export async function readCopies(state: Pick<MirrorState, 'get'>): Promise<WaitingCopy[]> {
  return list(parse(await state.get(stateKeys.copies))) as WaitingCopy[];
}

export async function writeCopies(
  state: Pick<MirrorState, 'set'>,
  copies: readonly WaitingCopy[],
): Promise<void> {
  await state.set(stateKeys.copies, JSON.stringify(copies));
}

export async function readUnsettled(state: Pick<MirrorState, 'get'>): Promise<number[]> {
  return list(parse(await state.get(stateKeys.unsettled))) as number[];
}

export async function writeUnsettled(state: Pick<MirrorState, 'set'>, ids: readonly number[]): Promise<void> {
  await state.set(stateKeys.unsettled, JSON.stringify(ids));
}

/** Rising ids as the steps between them: a hundred thousand are a few hundred kilobytes. */
export function packIds(ids: Iterable<number>): string {
  let last = 0;
  return [...ids]
    .sort((a, b) => a - b)
    .map((id) => {
      const step = id - last;
      last = id;
      return step.toString(36);
    })
    .join(' ');
}

export function unpackIds(packed: string): Set<number> {
  let last = 0;
  const steps = packed === '' ? [] : packed.split(' ');
  return new Set(
    steps.map((step) => {
      last += Number.parseInt(step, 36);
      return last;
    }),
  );
}

function parse(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
