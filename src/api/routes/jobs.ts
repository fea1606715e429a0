// The queue of background work, for the owner: look, try again, cancel, watch.
import { z } from '@hono/zod-openapi';
import { type Job, jobStates, lanes } from '../../model/job.ts';
import type { ApiDeps } from '../context.ts';
import type { EventStreams } from '../event-stream.ts';
import type { Router } from '../router.ts';
import { ErrorBodyV1, eventStream, isoTime, json, toIso } from '../schemas.ts';
import { jobEvents, queueEvents } from './job-events.ts';

const JobBody = z
  .object({
    id: z.string().openapi({ example: '7' }),
    name: z.string(),
    lane: z.enum(lanes),
    state: z.enum(jobStates),
    run_at: isoTime,
    attempts: z.int(),
    max_attempts: z.int(),
    crashes: z.int().openapi({ description: 'How often the worker ended while doing it' }),
    progress: z.object({ done: z.int(), total: z.int().nullable(), note: z.string().nullable() }).nullable(),
    cancel_requested: z.boolean(),
    last_error: z.string().nullable(),
    created_at: isoTime,
    started_at: isoTime.nullable(),
    finished_at: isoTime.nullable(),
  })
  .openapi('Job');

const JobDetails = JobBody.extend({ payload: z.unknown(), unique_key: z.string().nullable() }).openapi(
  'JobDetails',
);

const digits = z.string().regex(/^\d{1,15}$/, 'expected the id of a job');
const idParam = z.object({ id: digits.openapi({ example: '7' }) });

const ListQuery = z.object({
  state: z.enum(jobStates).optional(),
  name: z.string().max(200).optional(),
  cursor: digits.optional().openapi({ description: 'The next_cursor of the page before' }),
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'expected a number from 1 to 200')
    .transform(Number)
    .pipe(z.int().min(1).max(200))
    .optional()
    .openapi({ type: 'integer', example: 50 }),
});

const path = '/api/v1/jobs';
const tags = ['jobs'];
const one = json(JobDetails, 'The job');

export function jobRoutes(router: Router, { store }: ApiDeps, streams: EventStreams): void {
  router.owner(
    {
      method: 'get',
      path,
      tags,
      summary: 'List jobs, the newest first',
      request: { query: ListQuery },
      responses: {
        200: json(z.object({ data: z.array(JobBody), next_cursor: z.string().nullable() }), 'A page of jobs'),
        400: json(ErrorBodyV1, 'The input is not as expected; the message names the field'),
      },
    },
    async (c) => {
      const { state, name, cursor, limit = 50 } = c.req.valid('query');
      const before = cursor === undefined ? undefined : Number(cursor);
      // One more than asked for says whether there is another page.
      const jobs = await store.jobs.list({ state, name, before, limit: limit + 1 });
      const page = jobs.slice(0, limit);
      const last = jobs.length > limit ? page.at(-1) : undefined;
      return c.json({ data: page.map(toBody), next_cursor: last ? String(last.id) : null }, 200);
    },
  );

  router.owner(
    {
      method: 'post',
      path: `${path}/retry-dead`,
      tags,
      summary: 'Try all dead jobs again, or those of one name; not those that another has taken the place of',
      request: { query: z.object({ name: z.string().max(200).optional() }) },
      responses: {
        200: json(z.object({ data: z.object({ retried: z.int() }) }), 'How many are tried again'),
      },
    },
    async (c) => c.json({ data: { retried: await store.jobs.retryAllDead(c.req.valid('query')) } }, 200),
  );

  // Before the route with an id, which would take "events" for one.
  router.owner(
    {
      method: 'get',
      path: `${path}/events`,
      tags,
      summary: 'Watch the queue: counts, and the jobs that run, first as they are and then as they change',
      responses: {
        200: eventStream('Events "counts" and "job"'),
        429: json(ErrorBodyV1, 'Too many streams'),
      },
    },
    (c) => streams.open(c, queueEvents(store.jobs, toBody)) as never,
  );

  router.owner(
    {
      method: 'get',
      path: `${path}/{id}`,
      tags,
      summary: 'Get a job',
      request: { params: idParam },
      responses: { 200: one },
    },
    async (c) => c.json(toDetails(await store.jobs.get(Number(c.req.valid('param').id))), 200),
  );

  router.owner(
    {
      method: 'get',
      path: `${path}/{id}/events`,
      tags,
      summary: 'Watch a job, first as it is and then as it changes, until it has ended',
      request: { params: idParam },
      responses: { 200: eventStream('Events "job"'), 429: json(ErrorBodyV1, 'Too many streams') },
    },
    async (c) => {
      const { id } = await store.jobs.get(Number(c.req.valid('param').id));
      return streams.open(c, jobEvents(store.jobs, id, toBody)) as never;
    },
  );

  router.owner(
    {
      method: 'post',
      path: `${path}/{id}/retry`,
      tags,
      summary: 'Try a dead or cancelled job again',
      request: { params: idParam },
      responses: {
        200: one,
        409: json(ErrorBodyV1, 'It is neither dead nor cancelled, or not needed any more'),
      },
    },
    async (c) => c.json(toDetails(await store.jobs.retry(Number(c.req.valid('param').id))), 200),
  );

  router.owner(
    {
      method: 'post',
      path: `${path}/{id}/cancel`,
      tags,
      summary: 'Cancel a job: at once if it waits, else as soon as it heeds it',
      request: { params: idParam },
      responses: { 200: one, 409: json(ErrorBodyV1, 'It has ended already') },
    },
    async (c) => c.json(toDetails(await store.jobs.cancel(Number(c.req.valid('param').id))), 200),
  );
}

function toBody(job: Job) {
  return {
    id: String(job.id),
    name: job.name,
    lane: job.lane,
    state: job.state,
    run_at: toIso(job.runAt),
    attempts: job.attempts,
    max_attempts: job.maxAttempts,
    crashes: job.crashes,
    progress: job.progress ?? null,
    cancel_requested: job.cancelRequested,
    last_error: job.lastError,
    created_at: toIso(job.createdAt),
    started_at: job.startedAt === null ? null : toIso(job.startedAt),
    finished_at: job.finishedAt === null ? null : toIso(job.finishedAt),
  };
}

function toDetails(job: Job) {
  return { ...toBody(job), payload: job.payload, unique_key: job.uniqueKey };
}
