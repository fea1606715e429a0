// How a server stops. Every step has a deadline, so that a step that hangs does not keep the journal from being flushed.
import { setTimeout as pause } from 'node:timers/promises';
import { TemporaryFailure } from '../errors.ts';
import type { Log } from '../log.ts';
import { lostIndexFlushMs, minStepMs, type StopDeadlines, serverDeadlines } from '../model/stop-limits.ts';
import type { Store } from '../store/store.ts';
import type { Opened, Serving } from './runtime.ts';
import type { StopRequest } from './stop-signals.ts';

const reportMs = 500;
const maxCounted = 1_000_000;
const maxTablesListed = 5;

interface Part {
  stop(): Promise<void>;
  /** Ends a process without waiting for it. */
  kill?(): void;
}

/** Filled while the server starts, which a stop may interrupt. */
export interface ServerParts {
  /** The API, the worker process, or what runs jobs: these stop at the same time. */
  readonly running: Part[];
  upkeep?: Part;
  /** Tells other processes that this one is running: stopped after the flush. */
  readonly presence: Part[];
}

/** The result of `opening`, or an error when it takes too long after a request to stop. */
export async function beforeStop<T>(
  opening: Promise<T>,
  { asked }: Pick<StopRequest, 'asked'>,
  { openMs } = serverDeadlines,
): Promise<T> {
  const tooLate = asked
    .then(() => pause(openMs, undefined, { ref: false }))
    .then(() => {
      throw new TemporaryFailure('Lectern was stopped while it opened the index. The next start continues.');
    });
  return Promise.race([opening, tooLate]);
}

export interface StopOptions {
  readonly stopRequest: Pick<StopRequest, 'askedAt'>;
  readonly deadlines: StopDeadlines;
  /** False for a worker whose API flushes after it. */
  readonly mustFlush: () => boolean;
  readonly isLibraryLost: boolean;
}

/** Returns a sentence about changes that could not be written to the library. */
export async function stopServer(
  { log, store, flusher, outbound }: Pick<Serving, 'log' | 'store' | 'flusher' | 'outbound'>,
  parts: ServerParts,
  { stopRequest, deadlines, mustFlush, isLibraryLost }: StopOptions,
): Promise<string | undefined> {
  const askedAt = stopRequest.askedAt() ?? performance.now();
  const msUntil = (deadlineMs: number) => Math.max(minStepMs, askedAt + deadlineMs - performance.now());
  const stopPart = (part: Part, deadlineMs: number) => runStep(log, msUntil(deadlineMs), () => part.stop());

  // Changes go on being written while requests and jobs end.
  const drained = await Promise.all(parts.running.map((part) => stopPart(part, deadlines.drainMs)));
  if (parts.upkeep) await stopPart(parts.upkeep, deadlines.upkeepMs);

  const isFlusher = mustFlush();
  // Without a request to stop, no supervisor kills the server after 10 s.
  const isLastChance = !store.index.isInPlace() && stopRequest.askedAt() === undefined;
  const flushMs = isLastChance ? lostIndexFlushMs : msUntil(deadlines.flushMs);
  const failure =
    isFlusher && !isLibraryLost ? await runStep(log, flushMs, () => flusher.flushAll()) : undefined;

  await Promise.all([
    ...parts.presence.map((part) => stopPart(part, deadlines.closeMs)),
    runStep(log, msUntil(deadlines.closeMs), () => outbound.close()),
  ]);
  // Requests that outlived the drain may have written after the flush.
  const late = drained.find((error) => error !== undefined);
  const mayBeIncomplete = isLibraryLost || failure !== undefined || late !== undefined;
  const sentence =
    isFlusher && mayBeIncomplete
      ? await describeUnwritten(
          store,
          { isLibraryLost, failure: failure ?? late },
          msUntil(deadlines.countMs),
        )
      : undefined;
  await runStep(log, msUntil(deadlines.storeMs), () => store.close());
  return sentence;
}

/** For an operator who asks again. */
export async function describeStop(store: Opened['store']): Promise<string> {
  const [jobs, changes] = await Promise.all([
    within(reportMs, async () => (await store.jobs.countRoughly()).running),
    within(reportMs, () => store.journal.pending(maxCounted)),
  ]);
  const details = [
    'value' in jobs ? `${amount(jobs.value, 'job is', 'jobs are')} running` : '',
    'value' in changes ? `${amount(changes.value, 'change is', 'changes are')} not in the library yet` : '',
  ].filter((text) => text !== '');
  const what = details.length > 0 ? `: ${details.join(', ')}` : '';
  return `Still stopping${what}. Stop again to end without waiting.`;
}

async function describeUnwritten(
  { index, journal }: Pick<Store, 'index' | 'journal'>,
  { isLibraryLost, failure }: { isLibraryLost: boolean; failure: Error | undefined },
  limitMs: number,
): Promise<string | undefined> {
  const counted = await within(limitMs, () => journal.pendingByTable(maxCounted));
  if ('value' in counted && counted.value.length === 0) return undefined;
  const changes = 'value' in counted ? countChanges(counted.value) : 'some changes are';
  if (!index.isInPlace())
    return `Lectern stopped, but ${changes} lost: the index was deleted before they were written to the library.`;
  if (isLibraryLost) return `Lectern stopped, but ${changes} in the index alone.`;
  return `Lectern stopped, but ${changes} not in the library yet and will be written at the next start: ${failure?.message}`;
}

/** For example "3 changes (groups: 2, feeds: 1) are". The largest counts come first. */
function countChanges(tables: readonly { table: string; changes: number }[]): string {
  const total = tables.reduce((sum, { changes }) => sum + changes, 0);
  const listed = tables.slice(0, maxTablesListed).map(({ table, changes }) => `${table}: ${changes}`);
  const others = tables.length - listed.length;
  const list = [...listed, ...(others > 0 ? [amount(others, 'other table', 'other tables')] : [])].join(', ');
  return total === 1 ? `1 change (${list}) is` : `${total} changes (${list}) are`;
}

function amount(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A step that fails does not keep the next ones from running. */
async function runStep(log: Log, limitMs: number, step: () => Promise<void>): Promise<Error | undefined> {
  const outcome = await within(limitMs, step);
  if (!('error' in outcome)) return undefined;
  log.error({ err: outcome.error }, 'stopping failed');
  return outcome.error;
}

type Outcome<T> = { readonly value: T } | { readonly error: Error };

async function within<T>(limitMs: number, step: () => Promise<T>): Promise<Outcome<T>> {
  const { promise: timeUp, resolve } = Promise.withResolvers<Outcome<T>>();
  const timer = setTimeout(
    () => resolve({ error: new Error(`it took longer than ${Math.round(limitMs / 100) / 10} s`) }),
    limitMs,
  );
  const done = Promise.try(step).then(
    (value) => ({ value }),
    (error: Error) => ({ error }),
  );
  const outcome = await Promise.race([done, timeUp]);
  clearTimeout(timer);
  return outcome;
}
