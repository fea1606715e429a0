// What those see who watch the queue, or one job in it.
import type { Job } from '../../model/job.ts';
import type { JobQueue } from '../../store/job-queue/job-queue.ts';
import type { Look } from '../event-stream.ts';

const shownAtOnce = 100;

/** The counts, every job that runs, and how each of those ended that was seen running. */
export function queueEvents(jobs: JobQueue, toBody: (job: Job) => object): () => Promise<Look> {
  let seen = new Set<number>();
  return async () => {
    const counts = await jobs.countRoughly();
    const active = await jobs.listActive(shownAtOnce);
    const present = new Set(active.map(({ id }) => id));
    const ended = await Promise.all([...seen].filter((id) => !present.has(id)).map((id) => jobs.find(id)));
    seen = present;
    const shown = [...active, ...ended.filter((job) => job !== undefined)];
    return {
      events: [
        { event: 'counts', key: 'counts', data: counts },
        ...shown.map((job) => ({ event: 'job', key: String(job.id), data: toBody(job) })),
      ],
    };
  };
}

export function jobEvents(jobs: JobQueue, id: number, toBody: (job: Job) => object): () => Promise<Look> {
  return async () => {
    const job = await jobs.find(id);
    if (!job) return { events: [], isLast: true };
    return {
      events: [{ event: 'job', key: 'job', data: toBody(job) }],
      isLast: job.finishedAt !== null,
    };
  };
}
