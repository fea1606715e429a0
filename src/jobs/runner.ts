// Does the jobs of the queue, several at a time: claims them, keeps their leases, says how they ended.
import { Unavailable } from '../errors.ts';
import type { Log } from '../log.ts';
import type { JobFence } from '../model/job.ts';
import { interruptedJobsMs } from '../model/stop-limits.ts';
import type { ClaimedJob, ClaimRequest } from '../store/job-queue/claim.ts';
import { isFinished } from '../store/job-queue/fence.ts';
import type { JobQueue } from '../store/job-queue/job-queue.ts';
import type { Outcome, Settled } from '../store/job-queue/settle.ts';
import { internal } from './failure.ts';
import { failureLog } from './failure-log.ts';
import { nextClaim } from './lane-turns.ts';
import type { Registry } from './registry.ts';
import { Run } from './run.ts';
import type { RunnerSettings } from './settings.ts';
import { createTally } from './tally.ts';
import type { Watchdog } from './watchdog.ts';

export interface RunnerDeps {
  readonly queue: JobQueue;
  readonly registry: Registry;
  /** Unlike that of any other process, also of one that ran before. */
  readonly holder: string;
  readonly settings: RunnerSettings;
  readonly log: Log;
  readonly random: () => number;
  readonly watchdog?: Watchdog;
}

/** While jobs run: how often their progress is written, and whether they are to be cancelled is asked. */
const attendEveryMs = 250;
/** A call of the queue can be missed, as while the server restarts. */
const lookAtLeastEveryMs = 5_000;
/** What is due and not ours to take, such as a kind that we do not know, is no reason to look all the time. */
const lookAgainMs = 1_000;
const settleAtOnce = 200;
const tallyEveryMs = 5_000;

export class Runner {
  readonly #deps: RunnerDeps;
  readonly #names: readonly string[];
  readonly #running = new Set<Run>();
  readonly #settled: Settled[] = [];
  /** Those of them that are being written. */
  #writing: readonly Settled[] = [];
  readonly #tally = createTally();
  readonly #watching: { stop(): Promise<void> };
  readonly #timers: NodeJS.Timeout[];
  #nextLook: NodeJS.Timeout | undefined;
  #cycle: Promise<void> | undefined;
  #attending: Promise<void> | undefined;
  #keeping: Promise<void> | undefined;
  #again = false;
  #mayBeReady = true;
  #stopping = false;
  #turn = 0;
  #keptAt = performance.now();
  #hasKeepFailed = false;
  #recoversFrom = this.#keptAt;
  #onEnded: (() => void) | undefined;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
    this.#names = [...deps.registry.keys()];
    const { queue, settings, log } = deps;
    const every = (ms: number, what: string, task: () => Promise<void>) => {
      const failures = failureLog(log, `jobs: ${what}`);
      return setInterval(() => {
        task().then(failures.succeeded, failures.failed);
      }, ms);
    };
    this.#timers = [
      every(settings.leaseMs / 3, 'the heartbeat', () => this.#keep()),
      every(attendEveryMs, 'attending to the running ones', () => this.#attend()),
      every(tallyEveryMs, 'counting', () => this.#writeTally()),
    ];
    this.#watching = queue.watch(() => this.#look());
    // What a worker before us has left behind comes first.
    this.#keep()
      .catch((err) => log.error({ err }, 'jobs: the heartbeat failed'))
      .then(() => this.#go());
  }

  /** Takes no more jobs, waits for those under way, and gives back what has not ended in time. */
  async stop(): Promise<void> {
    const { settings } = this.#deps;
    this.#stopping = true;
    clearTimeout(this.#nextLook);
    await this.#watching.stop();
    await this.#cycle;
    await this.#untilNoneRuns(settings.drainMs);
    for (const run of this.#running) run.interrupt('stopping');
    await this.#untilNoneRuns(interruptedJobsMs);
    // Whatever these still write is fenced off from here on.
    for (const run of this.#running) {
      this.#settled.push({ fence: run.fence, outcome: { kind: 'returned' } });
      run.interrupt('lost');
    }
    await this.#settleAll();
    for (const timer of this.#timers) clearInterval(timer);
    await this.#attending;
    await this.#keeping?.catch(() => {});
    await this.#writeTally();
  }

  /** One cycle at a time; who comes meanwhile is served by its next turn. */
  #go(): void {
    this.#again = true;
    this.#cycle ??= this.#turns().finally(() => {
      this.#cycle = undefined;
      if (this.#again) this.#go();
    });
  }

  async #turns(): Promise<void> {
    const { queue, log } = this.#deps;
    for (;;) {
      this.#again = false;
      const request = this.#request();
      const settled = this.#settled.splice(0, settleAtOnce);
      if (!request && settled.length === 0) return this.#planLook();
      // Whoever ends or calls while we ask makes it true again.
      if (request) this.#mayBeReady = false;
      try {
        this.#writing = settled;
        const claimed = await queue.settleAndClaim(settled, request);
        if (request && mayBeMore(request, claimed.length)) this.#mayBeReady = true;
        for (const job of claimed) this.#startOrLeave(job);
      } catch (err) {
        this.#mayBeReady = true;
        log.error({ err }, 'jobs: the queue could not be reached and is tried again');
        // The leases are kept meanwhile; what ended is said again until it is heard.
        if (err instanceof Unavailable) this.#settled.unshift(...settled);
        else await this.#settleOneByOne(settled);
        return this.#lookIn(lookAgainMs);
      } finally {
        this.#writing = [];
      }
    }
  }

  /** One that the index refuses, and not only now, must not keep the others from being written. */
  async #settleOneByOne(settled: readonly Settled[]): Promise<void> {
    for (const one of settled) {
      await this.#settleOne(one).catch((err) => {
        this.#settled.push(one);
        this.#deps.log.error({ err, job: one.fence.id }, 'jobs: how a job ended could not be written');
      });
    }
  }

  async #settleOne({ fence, outcome }: Settled): Promise<void> {
    const { queue, log } = this.#deps;
    try {
      await queue.settleAndClaim([{ fence, outcome }]);
    } catch (err) {
      // Only what says why it failed can be at fault itself.
      if (err instanceof Unavailable || !('error' in outcome)) throw err;
      log.error({ err, job: fence.id, outcome }, 'jobs: the index refuses how a job ended; it is given up');
      await queue.settleAndClaim([{ fence, outcome: { kind: 'dead', error: internal } }]);
    }
  }

  #request(): ClaimRequest | undefined {
    const { settings, holder } = this.#deps;
    if (this.#stopping || !this.#mayBeReady || this.#names.length === 0) return undefined;
    const jobs = [...this.#running].map(({ job }) => job);
    if (jobs.length >= settings.concurrency) return undefined;
    return {
      ...nextClaim(this.#turn++, settings.concurrency, jobs),
      holder,
      leaseMs: settings.leaseMs,
      names: this.#names,
      // One at a time: if it is what ends workers, its neighbours are not to be blamed again and again.
      suspect: !jobs.some(({ crashes }) => crashes > 0),
    };
  }

  /** One that cannot be started is left to run out; those that were claimed with it are not. */
  #startOrLeave(job: ClaimedJob): void {
    try {
      this.#start(job);
    } catch (err) {
      this.#deps.log.error({ err, job: job.id, name: job.name }, 'a job could not be started');
    }
  }

  #start(job: ClaimedJob): void {
    const { registry, watchdog, settings, random, log } = this.#deps;
    const definition = registry.get(job.name);
    if (!definition) throw new Error(`a job of the unknown kind ${job.name} was claimed`);
    const run = new Run(job, definition);
    const place = watchdog?.begin(job, definition.timeoutMs + settings.graceMs);
    this.#running.add(run);
    const started = performance.now();
    run
      .do(random, (err) => log.warn({ err, job: job.id, name: job.name }, 'a job failed'))
      .then((outcome) => {
        if (place !== undefined) watchdog?.end(place);
        this.#tally.took(job.name, performance.now() - started);
        this.#end(run, outcome);
      });
  }

  #end(run: Run, outcome: Outcome | undefined): void {
    this.#running.delete(run);
    this.#onEnded?.();
    const isOurs = outcome !== undefined && !run.isLost;
    this.#tally.count(run.job.name, isOurs ? outcome.kind : 'lost');
    const isWritten = outcome?.kind === 'done' && isFinished(run.fence);
    if (isOurs && !isWritten) this.#settled.push({ fence: run.fence, outcome });
    // A place is free, whatever was found when there was none.
    this.#mayBeReady = true;
    this.#go();
  }

  #look(): void {
    if (this.#settled.length > 0 || this.#mayBeReady) this.#go();
    if (this.#stopping || this.#running.size >= this.#deps.settings.concurrency) return;
    this.#deps.queue.nextDueInMs().then(
      (dueInMs) => {
        if (dueInMs === undefined || dueInMs > 0) return this.#lookIn(dueInMs ?? lookAtLeastEveryMs);
        this.#mayBeReady = true;
        this.#go();
      },
      (err) => {
        this.#deps.log.warn({ err }, 'jobs: could not look at the queue');
        this.#lookIn(lookAgainMs);
      },
    );
  }

  /** After the queue was found empty: when to look again, unless it calls. */
  #planLook(): void {
    if (this.#stopping || this.#mayBeReady) return;
    this.#deps.queue.nextDueInMs().then(
      (dueInMs) =>
        this.#lookIn(dueInMs === undefined ? lookAtLeastEveryMs : dueInMs > 0 ? dueInMs : lookAgainMs),
      () => this.#lookIn(lookAgainMs),
    );
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#nextLook);
    if (this.#stopping) return;
    this.#nextLook = setTimeout(() => this.#look(), Math.min(ms, lookAtLeastEveryMs));
  }

  /** The heartbeat, one at a time: those that wait for the index would wait for each other too. */
  async #keep(): Promise<void> {
    if (this.#keeping) return this.#loseWhatRanOut(this.#running);
    this.#keeping = this.#keepNow().finally(() => {
      this.#keeping = undefined;
    });
    await this.#keeping;
  }

  /** A job that is not among those we still hold is somebody else's by now. */
  async #keepNow(): Promise<void> {
    const { queue, settings, log } = this.#deps;
    const before = [...this.#running];
    // What has ended is ours until that is written.
    const known = [...before, ...this.#writing, ...this.#settled].map(({ fence }) => fence);
    try {
      const { held, recovered } = await queue.keep(known, settings, this.#mayRecover());
      this.#keptAt = performance.now();
      for (const run of without(before, held)) this.#lose(run);
      for (const { id, name, state, crashes } of recovered) {
        this.#tally.count(name, 'crashed');
        if (state === 'dead') this.#tally.count(name, 'dead');
        log.warn({ job: id, name, crashes, state }, 'a job was left behind by a worker that ended');
      }
      if (recovered.length > 0) this.#look();
    } catch (error) {
      this.#hasKeepFailed = true;
      this.#loseWhatRanOut(before);
      throw error;
    }
  }

  /** In an outage no worker can renew its leases. After it, each gets the time of a lease to do so before its jobs are recovered. */
  #mayRecover(): boolean {
    const { leaseMs } = this.#deps.settings;
    const now = performance.now();
    if (this.#hasKeepFailed) this.#recoversFrom = now + leaseMs;
    this.#hasKeepFailed = false;
    return now >= this.#recoversFrom;
  }

  /** Another worker may have taken these jobs: we cannot know while the index is away. */
  #loseWhatRanOut(runs: Iterable<Run>): void {
    if (performance.now() - this.#keptAt <= this.#deps.settings.leaseMs) return;
    for (const run of runs) {
      if (this.#running.has(run) && !run.isInterrupted && !isFinished(run.fence)) run.interrupt('ran out');
    }
  }

  #lose(run: Run): void {
    if (!this.#running.has(run) || run.isLost || isFinished(run.fence)) return;
    this.#deps.log.warn({ job: run.job.id, name: run.job.name }, 'the lease on a job was lost');
    run.interrupt('lost');
  }

  async #attend(): Promise<void> {
    if (this.#running.size === 0 || this.#attending) return;
    this.#attending = this.#attendNow().finally(() => {
      this.#attending = undefined;
    });
    await this.#attending;
    await this.#keeping?.catch(() => {});
  }

  async #attendNow(): Promise<void> {
    const { queue, holder } = this.#deps;
    // Before what may fail or wait: nobody wants to cancel a job in vain because its progress cannot be written.
    for (const asked of await queue.findCancelRequests(holder)) {
      for (const run of this.#running) {
        if (isSame(run.fence, asked) && !run.isInterrupted) run.interrupt('cancelled');
      }
    }
    const reports = [...this.#running].flatMap((run) => {
      const progress = run.takeProgress();
      return progress && !run.isLost ? [{ fence: run.fence, progress }] : [];
    });
    if (reports.length > 0) await queue.writeProgress(reports);
  }

  async #settleAll(): Promise<void> {
    this.#go();
    while (this.#cycle) await this.#cycle;
  }

  async #writeTally(): Promise<void> {
    await this.#deps.queue.counters.add(this.#tally.take());
  }

  async #untilNoneRuns(withinMs: number): Promise<void> {
    if (this.#running.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    this.#onEnded = () => this.#running.size === 0 && resolve();
    await promise;
    clearTimeout(timer);
    this.#onEnded = undefined;
  }
}

/** A claim that begins with another lane leaves the rest of that lane to the next one. */
function mayBeMore({ first, total }: ClaimRequest, claimed: number): boolean {
  return claimed > 0 && (claimed === total || first !== 'interactive');
}

function isSame(a: JobFence, b: JobFence): boolean {
  return a.id === b.id && a.epoch === b.epoch;
}

function without(runs: readonly Run[], held: readonly JobFence[]): Run[] {
  const epochs = new Map(held.map(({ id, epoch }) => [id, epoch]));
  return runs.filter(({ fence }) => epochs.get(fence.id) !== fence.epoch);
}
