// Which kinds of job this program can do: for each name the schema of its payload and the handler.
import type { JobFence } from '../model/job.ts';
import { type JobKind, jobKind } from '../store/job-queue/job-kind.ts';

export interface JobContext<P> {
  readonly payload: P;
  /** Aborted when the time is up, the job was cancelled, the lease was lost or the worker stops: end soon then. */
  readonly signal: AbortSignal;
  /** For people who watch. Cheap: only the latest report is kept, and written now and then. */
  progress(done: number, total?: number, note?: string): void;
  /** For store functions that write the effect of the job: see `requireJob` and `finishJob`. */
  readonly fence: JobFence;
  /** If this one fails, the job is a dead letter: for a handler that leaves word of that with what it was for. */
  readonly isLastAttempt: boolean;
}

export interface JobDefinition<P = unknown> extends JobKind<P> {
  /** May run more than once for one job, so its effect is idempotent or written through the fence. */
  handler(context: JobContext<P>): Promise<void>;
  /** Ends what the handler has started for itself, when the worker has stopped. */
  close?(): Promise<void>;
}

export function defineJob<P>(
  definition: Parameters<typeof jobKind<P>>[0] & Pick<JobDefinition<P>, 'handler' | 'close'>,
): JobDefinition<P> {
  const { handler, close } = definition;
  return { ...jobKind(definition), handler, ...(close && { close }) };
}

export type Registry = ReadonlyMap<string, JobDefinition>;

export function createRegistry(definitions: readonly JobDefinition[]): Registry {
  const registry = new Map(definitions.map((definition) => [definition.name, definition]));
  if (registry.size !== definitions.length) throw new Error('two kinds of job have the same name');
  return registry;
}
