// How a server stops. Every step has a time limit, so that a step that hangs does not keep the journal from being flushed.
// A container is killed 10 s after it is asked to stop: the limits add up to less.
import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';
import type { Opened, Serving } from './runtime.ts';
import type { StopRequest } from './stop-signals.ts';

const openMs = 3_000;
const drainMs = 4_500;
const upkeepMs = 500;
const flushMs = 2_500;
const countMs = 500;
const closeMs = 500;

const maxCounted = 1_000_000;

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

/** The result of `opening`. Opening may migrate for minutes, so it has only a moment left once a stop is requested. */
export async function beforeStop<T>(opening: Promise<T>, { asked }: StopRequest): Promise<T> {
  const tooLate = asked
    .then(() => pause(openMs, undefined, { ref: false }))
    .then(() => {
      throw new Unavailable('Lectern was stopped while it opened the index. The next start continues.');
    });
  return Promise.race([opening, tooLate]);
}

/** Returns a sentence about changes that could not be written to the library. */
export async function stopServer(
  opened: Serving,
  parts: ServerParts,
  { mustFlush, isLost }: { readonly mustFlush: () => boolean; readonly isLost: boolean },
): Promise<string | undefined> {
  const { log, store, flusher } = opened;
  // Changes go on being written while requests and jobs end.
  await Promise.all(parts.running.map((part) => runStep(log, drainMs, () => part.stop())));
  await runStep(log, upkeepMs, async () => parts.upkeep?.stop());
  const failure = mustFlush() && !isLost ? await runStep(log, flushMs, () => flusher.flushAll()) : undefined;
  const sentence = failure || isLost ? await describeUnwritten(store, failure) : undefined;
  await Promise.all([
    ...parts.presence.map((part) => runStep(log, closeMs, () => part.stop())),
    runStep(log, closeMs, () => opened.outbound.close()),
  ]);
  await runStep(log, closeMs, () => store.close());
  return sentence;
}

/** For an operator who asks again. */
export async function describeStop(store: Opened['store']): Promise<string> {
  const [jobs, changes] = await Promise.all([
    within(countMs, async () => (await store.jobs.countRoughly()).running),
    within(countMs, () => store.journal.pending(maxCounted)),
  ]);
  const details = [
    'value' in jobs ? `${amount(jobs.value, 'job is', 'jobs are')} running` : '',
    'value' in changes ? `${amount(changes.value, 'change is', 'changes are')} not in the library yet` : '',
  ].filter((text) => text !== '');
  const what = details.length > 0 ? `: ${details.join(', ')}` : '';
  return `Still stopping${what}. Stop again to end without waiting.`;
}

async function describeUnwritten(store: Store, failure: Error | undefined): Promise<string | undefined> {
  const counted = await within(countMs, () => store.journal.pending(maxCounted));
  if ('value' in counted && counted.value === 0) return undefined;
  const changes = 'value' in counted ? amount(counted.value, 'change is', 'changes are') : 'some changes are';
  return failure
    ? `Lectern stopped, but ${changes} not in the library yet and will be written at the next start: ${failure.message}`
    : `Lectern stopped, but ${changes} in the index alone.`;
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
    () => resolve({ error: new Error(`it took longer than ${limitMs / 1000} s`) }),
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
