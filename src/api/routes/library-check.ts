// Is the library whole? Asked by the owner, answered by a worker.
import { z } from '@hono/zod-openapi';
import { checkLibraryKey, checkLibraryKind } from '../../library/check-job.ts';
import type { ApiDeps } from '../context.ts';
import type { Router } from '../router.ts';
import { isoTime, json, toIso } from '../schemas.ts';

const LibraryCheckBody = z
  .object({
    state: z.enum(['never', 'running', 'whole', 'broken']),
    at: isoTime.nullable().openapi({ description: 'When the last one ended' }),
    progress: z.object({ done: z.int(), total: z.int().nullable(), note: z.string().nullable() }).nullable(),
    objects: z.int().openapi({ description: 'What the last one looked at' }),
    problem_count: z.int(),
    problems: z
      .array(z.object({ key: z.string(), what: z.string() }))
      .openapi({ description: 'The first hundred that the last one found' }),
  })
  .openapi('LibraryCheck');

const path = '/api/v1/operations/library-check';
const tags = ['operations'];

export function libraryCheckRoutes(router: Router, { store }: ApiDeps): void {
  router.owner(
    {
      method: 'post',
      path,
      tags,
      summary: 'Check the library in the background; one that is under way is not begun again',
      responses: { 202: json(z.object({ data: z.object({ job_id: z.string() }) }), 'The job that does it') },
    },
    async (c) => {
      const { id } = await store.jobs.enqueue(checkLibraryKind, {}, { uniqueKey: checkLibraryKey });
      return c.json({ data: { job_id: String(id) } }, 202);
    },
  );

  router.owner(
    {
      method: 'get',
      path,
      tags,
      summary: 'How the last check of the library ended, and how far one is that is under way',
      responses: { 200: json(z.object({ data: LibraryCheckBody }), 'The check') },
    },
    async (c) => {
      const [job, last] = [
        await store.jobs.findUnfinished(checkLibraryKey),
        await store.libraryChecks.find(),
      ];
      const ended = last === undefined ? 'never' : last.problemCount === 0 ? 'whole' : 'broken';
      const data = {
        state: job ? ('running' as const) : (ended as 'never' | 'whole' | 'broken'),
        at: last ? toIso(last.at) : null,
        progress: job?.progress ?? null,
        objects: last?.objects ?? 0,
        problem_count: last?.problemCount ?? 0,
        problems: last ? [...last.problems] : [],
      };
      return c.json({ data }, 200);
    },
  );
}
