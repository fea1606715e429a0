// For those who run Lectern: is it alive, is it ready, what is it doing, what can it do.
import { z } from '@hono/zod-openapi';
import { Unavailable } from '../../errors.ts';
import type { ApiDeps } from '../context.ts';
import { type ApiDescription, describeApi } from '../openapi.ts';
import { docsPage } from '../pages/docs-page.ts';
import { sendPage } from '../pages/page.ts';
import { showProcesses } from '../process-metrics.ts';
import { showJournal, showPools, showQueue } from '../queue-metrics.ts';
import type { Router } from '../router.ts';
import { ErrorBody, json } from '../schemas.ts';

const tags = ['operations'];
const text = (description: string) => ({ description, content: { 'text/plain': { schema: z.string() } } });

const JobCounts = z
  .object({ waiting: z.int(), running: z.int(), dead: z.int() })
  .openapi({ description: 'The queue of background work; counted up to 1000' });

const countedUpTo = 1_000;
/** After this the library is not just between two flushes: something keeps it from being written. */
const degradedAfterMs = 60_000;

/** Load balancers give up after a few seconds, and an index that takes longer serves nobody. */
const readyWithinMs = 1_500;

const JournalState = z.object({
  pending: z.int().openapi({ description: 'Changes that are not in the library yet; counted up to 1000' }),
  lag_seconds: z.number().openapi({ description: 'The age of the oldest of these changes' }),
});
const Ready = z.object({
  status: z.enum(['ready', 'degraded']).openapi({
    description: 'degraded: requests are served, but the library is away or more than a minute behind',
  }),
  schema: z.int(),
  jobs: JobCounts,
  journal: JournalState,
  library: z.enum(['up', 'away']).openapi({
    description: 'away: the storage of the library does not answer; changes wait in the index',
  }),
});

export function operationRoutes(router: Router, deps: ApiDeps): void {
  let description: ApiDescription | undefined;
  const describe = () => {
    description ??= describeApi(router, deps.version);
    return description;
  };

  showQueue(deps.metrics.registry, () => deps.store.jobs);
  showJournal(deps.metrics.registry, () => deps.store.journal);
  const { isStopping, isUp } = deps;
  showProcesses(deps.metrics.registry, { leases: () => deps.store.leases, isStopping, isUp });
  showPools(deps.metrics.registry, () => deps.store.index.pools());

  router.open(
    {
      method: 'get',
      path: '/healthz',
      tags,
      summary: 'The process is alive',
      responses: { 200: json(z.object({ status: z.literal('ok') }), 'Alive') },
    },
    (c) => c.json({ status: 'ok' as const }, 200),
  );

  router.open(
    {
      method: 'get',
      path: '/readyz',
      tags,
      summary: 'The index answers, so requests can be served',
      responses: {
        200: json(Ready, 'Ready, or degraded'),
        503: json(ErrorBody, 'Not ready'),
      },
    },
    async (c) => {
      // Not thrown: a load balancer asks every second, and an error would be logged each time.
      if (deps.isStopping()) return c.json({ error: 'stopping' }, 503);
      if (!deps.store.index.isInPlace())
        throw new Unavailable('index', 'the index file was deleted or replaced');
      try {
        return c.json(await within(readyWithinMs, readState(deps)), 200);
      } catch (cause) {
        throw new Unavailable('index', 'the index does not answer', { cause });
      }
    },
  );

  router.open(
    { method: 'get', path: '/ping', tags, summary: 'Answers "pong"', responses: { 200: text('pong') } },
    (c) => c.text('pong', 200),
  );

  router.owner(
    {
      method: 'get',
      path: '/metrics',
      tags,
      summary: 'Figures for Prometheus',
      responses: { 200: text('The text format of Prometheus') },
    },
    async (c) =>
      c.text(await deps.metrics.registry.metrics(), 200, {
        'Content-Type': deps.metrics.registry.contentType,
      }),
    // Monitoring holds this token, and needs nothing else.
    { scope: 'read' },
  );

  router.page('user', '/openapi.json', (c) => c.json(describe()));
  router.page('user', '/docs', (c) => sendPage(c, docsPage(describe())));
}

async function readState({ store, isUp }: Pick<ApiDeps, 'store' | 'isUp'>): Promise<z.infer<typeof Ready>> {
  const [schema, jobs] = [await store.schemaVersion(), await store.jobs.countRoughly()];
  const { pending, lagMs } = await store.journal.lag(countedUpTo);
  const library = isUp('library') ? 'up' : 'away';
  const status = library === 'away' || lagMs > degradedAfterMs ? 'degraded' : 'ready';
  return { status, schema, jobs, journal: { pending, lag_seconds: lagMs / 1000 }, library };
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
