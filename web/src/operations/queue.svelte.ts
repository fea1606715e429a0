// The queue of background work as it is now: the stream says what runs and how much waits, and what it does not say in
// full is asked for when the numbers change.
import { get, messageOf, post } from '../lib/api.ts';
import type { Job, JobCounts } from '../lib/api-types.ts';
import { liveEvents } from '../lib/live-events.ts';
import { toast } from '../lib/toasts.svelte.ts';
import { words } from '../lib/words.ts';

const listed = 20;
/** The numbers may change many times a second; the lists are asked for at most this often. */
const listEveryMs = 2_000;

interface JobPage {
  data: Job[];
}

export class Queue {
  counts: JobCounts | undefined = $state.raw();
  running: Job[] = $state.raw([]);
  waiting: Job[] = $state.raw([]);
  dead: Job[] = $state.raw([]);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #listedAt = 0;

  watch(): () => void {
    const stop = liveEvents(
      '/api/v1/jobs/events',
      {
        counts: (counts: JobCounts) => {
          this.counts = counts;
          this.#listSoon();
        },
        job: (job: Job) => this.#take(job),
      },
      () => {
        this.running = [];
      },
    );
    return () => {
      stop();
      clearTimeout(this.#timer);
    };
  }

  async retry(job: Job): Promise<void> {
    await this.#change(() => post(`/api/v1/jobs/${job.id}/retry`), words().operations.jobs.retried(1), job);
  }

  async cancel(job: Job): Promise<void> {
    await this.#change(() => post(`/api/v1/jobs/${job.id}/cancel`), '', job);
  }

  async retryAll(): Promise<void> {
    try {
      const { data } = await post<{ data: { retried: number } }>('/api/v1/jobs/retry-dead');
      toast(words().operations.jobs.retried(data.retried));
    } catch (error) {
      toast(messageOf(error), { bad: true });
    }
    await this.#list();
  }

  async #change(run: () => Promise<unknown>, said: string, job: Job): Promise<void> {
    const before = { waiting: this.waiting, dead: this.dead };
    this.waiting = this.waiting.filter(({ id }) => id !== job.id);
    this.dead = this.dead.filter(({ id }) => id !== job.id);
    try {
      await run();
      if (said) toast(said);
    } catch (error) {
      Object.assign(this, before);
      toast(messageOf(error), { bad: true });
    }
    await this.#list();
  }

  #take(job: Job): void {
    const others = this.running.filter(({ id }) => id !== job.id);
    if (job.state === 'running') {
      this.running = [...others, job].sort((a, b) => Number(a.id) - Number(b.id));
      return;
    }
    this.running = others;
    this.#listSoon();
  }

  #listSoon(): void {
    clearTimeout(this.#timer);
    const wait = Math.max(0, this.#listedAt + listEveryMs - Date.now());
    this.#timer = setTimeout(() => this.#list(), wait);
  }

  async #list(): Promise<void> {
    this.#listedAt = Date.now();
    try {
      const [waiting, dead] = await Promise.all([
        get<JobPage>(`/api/v1/jobs?state=waiting&limit=${listed}`),
        get<JobPage>(`/api/v1/jobs?state=dead&limit=${listed}`),
      ]);
      this.waiting = waiting.data;
      this.dead = dead.data;
    } catch {
      // The numbers stay; the next change asks again.
    }
  }
}
