// One attempt at one job, from its claim to how it ended.
import { Later, LeaseLost, TemporaryFailure, Unavailable } from '../errors.ts';
import type { JobFence, JobProgress } from '../model/job.ts';
import type { ClaimedJob } from '../store/job-queue/claim.ts';
import type { Outcome } from '../store/job-queue/settle.ts';
import { outcomeOfFailure, outcomeOfOutage, payloadProblem } from './failure.ts';
import type { JobDefinition } from './registry.ts';

const longestNote = 300;

/**
 * Why the signal of a job was aborted. The lease of a job that ran out may still be ours: the job goes back to the queue unless
 * another worker has taken it.
 */
type Interruption = 'time is up' | 'cancelled' | 'lost' | 'ran out' | 'stopping';

/** Null for what the index could not take, such as a share of nothing. */
function wholeNumber(number: number | undefined): number | null {
  const whole = Math.round(number ?? Number.NaN);
  return Number.isSafeInteger(whole) ? whole : null;
}

export class Run {
  readonly job: ClaimedJob;
  readonly fence: JobFence;
  readonly #definition: JobDefinition;
  readonly #controller = new AbortController();
  #interruption: Interruption | undefined;
  #progress: JobProgress | undefined;

  constructor(job: ClaimedJob, definition: JobDefinition) {
    this.job = job;
    this.fence = { id: job.id, epoch: job.epoch };
    this.#definition = definition;
  }

  get isLost(): boolean {
    return this.#interruption === 'lost';
  }

  get isInterrupted(): boolean {
    return this.#interruption !== undefined;
  }

  interrupt(why: Interruption): void {
    // A lease that is lost stays lost, whatever else comes.
    if (this.#interruption === undefined || why === 'lost') this.#interruption = why;
    this.#controller.abort(
      why === 'lost' || why === 'ran out'
        ? new LeaseLost(`job ${this.job.id}`)
        : new TemporaryFailure(`the job was interrupted: ${why}`),
    );
  }

  /** The latest report that has not been written yet. */
  takeProgress(): JobProgress | undefined {
    const progress = this.#progress;
    this.#progress = undefined;
    return progress;
  }

  /** Undefined when there is nothing to say, since the job is not ours any more. */
  async do(random: () => number, onError: (error: unknown) => void): Promise<Outcome | undefined> {
    const { job } = this;
    let payload: unknown;
    try {
      payload = this.#definition.schema.parse(JSON.parse(job.payload));
    } catch (error) {
      return { kind: 'dead', error: payloadProblem(error) };
    }
    const timeUp = setTimeout(() => this.interrupt('time is up'), this.#definition.timeoutMs);
    try {
      await this.#definition.handler({
        payload,
        signal: this.#controller.signal,
        progress: (done, total, note) => {
          const whole = wholeNumber(done);
          if (whole === null) return;
          this.#progress = {
            done: whole,
            total: wholeNumber(total),
            note: note?.slice(0, longestNote) ?? null,
          };
        },
        fence: this.fence,
        isLastAttempt: job.attempts + 1 >= job.maxAttempts,
      });
      if (this.isLost) return undefined;
      return { kind: this.#interruption === 'ran out' ? 'returned' : 'done' };
    } catch (error) {
      if (this.isLost) return undefined;
      if (this.#interruption === 'ran out') return { kind: 'returned' };
      if (error instanceof LeaseLost) return undefined;
      // The queue makes a cancelled job of one that was to be cancelled and is given back.
      if (this.#interruption === 'cancelled' || this.#interruption === 'stopping')
        return { kind: 'returned' };
      if (error instanceof Later) return { kind: 'returned', delayMs: error.delayMs };
      onError(error);
      if (error instanceof Unavailable) return outcomeOfOutage(job, random);
      return this.#failed(this.#interruption === 'time is up' ? this.#tooSlow(error) : error, random);
    } finally {
      clearTimeout(timeUp);
    }
  }

  #failed(error: unknown, random: () => number): Outcome {
    const { attempts, maxAttempts } = this.job;
    return outcomeOfFailure({ error, attempts, maxAttempts, backoff: this.#definition.backoff }, random);
  }

  #tooSlow(cause: unknown): TemporaryFailure {
    return new TemporaryFailure(
      `It took longer than ${this.#definition.timeoutMs / 1000} s and was stopped.`,
      {
        cause,
      },
    );
  }
}
