// For those who run Lectern: is it alive, is it ready, what is it doing, what can it do.
import { z } from '@hono/zod-openapi';
import { Unavailable } from '../../errors.ts';
import type { ApiDeps } from '../context.ts';
import { type ApiDescription, describeApi } from '../openapi.ts';
import { docsPage } from '../pages/docs-page.ts';
import { sendPage } from '../pages/page.ts';
import { showQueue } from '../queue-metrics.ts';
import type { Router } from '../router.ts';
import { ErrorBody, json } from '../schemas.ts';

const tags = ['operations'];
const text = (description: string) => ({ description, content: { 'text/plain': { schema: z.string() } } });

const JobCounts = z
  .object({ waiting: z.int(), running: z.int(), dead: z.int() })
  .openapi({ description: 'The queue of background work; counted up to 1000' });

export function operationRoutes(router: Router, deps: ApiDeps): void {
  let description: ApiDescription | undefined;
  const describe = () => {
    description ??= describeApi(router, deps.version);
    return description;
  };

  showQueue(deps.metrics.registry, () => deps.store.jobs);

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
        200: json(z.object({ status: z.literal('ready'), schema: z.int(), jobs: JobCounts }), 'Ready'),
        503: json(ErrorBody, 'Not ready'),
      },
    },
    async (c) => {
      try {
        const [schema, jobs] = [await deps.store.schemaVersion(), await deps.store.jobs.countRoughly()];
        return c.json({ status: 'ready' as const, schema, jobs }, 200);
      } catch (cause) {
        throw new Unavailable('the index does not answer', { cause });
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
