// The mirror of Raindrop, for the owner: where it stands, and a batch out of turn.
import { z } from '@hono/zod-openapi';
import { Conflict } from '../../errors.ts';
import { notConfigured, scheduleMirror } from '../../mirror/node/mirror.ts';
import { mirrorStatus } from '../../mirror/node/mirror-status.ts';
import { phases } from '../../mirror/run-state.ts';
import type { ApiDeps } from '../context.ts';
import type { Router } from '../router.ts';
import { ErrorBodyV1, isoTime, json } from '../schemas.ts';

const MirrorBody = z
  .object({
    configured: z.boolean().openapi({ description: 'Whether a token of Raindrop is set' }),
    running: z.boolean(),
    phase: z.enum(phases),
    cursor: isoTime
      .nullable()
      .openapi({ description: 'Everything that was updated at Raindrop until then is stored' }),
    next_run_at: isoTime.nullable(),
    started_at: isoTime.nullable(),
    finished_at: isoTime.nullable(),
    problem: z.string().nullable().openapi({ description: 'Why the last batch had to stop' }),
    total: z
      .int()
      .nullable()
      .openapi({ description: 'How many there are at Raindrop, as far as it is known' }),
    raindrops: z.int(),
    removed: z.int().openapi({ description: 'Deleted at Raindrop, kept in the library' }),
    copies: z.object({
      stored: z.int(),
      none: z.int(),
      pending: z.int(),
      refused: z.int(),
      failed: z.int(),
    }),
    waiting_copies: z.int().openapi({ description: 'Copies that are asked for again later' }),
    estimate: z
      .object({ batches: z.int(), done_at: isoTime })
      .nullable()
      .openapi({ description: 'How many batches are left, one an hour, and when the last will be over' }),
  })
  .openapi('Mirror');

const path = '/api/v1/mirror';
const tags = ['mirror'];

export function mirrorRoutes(router: Router, { store, now, raindrop }: ApiDeps): void {
  router.owner(
    {
      method: 'get',
      path,
      tags,
      summary: 'Where the mirror of Raindrop stands',
      responses: { 200: json(z.object({ data: MirrorBody }), 'The mirror') },
    },
    async (c) => {
      const status = await mirrorStatus(store, { now, isConfigured: raindrop.token !== undefined });
      return c.json(
        {
          data: {
            configured: status.isConfigured,
            running: status.isRunning,
            phase: status.phase,
            cursor: status.cursor,
            next_run_at: status.nextRunAt,
            started_at: status.startedAt,
            finished_at: status.finishedAt,
            problem: status.problem,
            total: status.total,
            raindrops: status.counts.live,
            removed: status.counts.removed,
            copies: { ...status.counts.copies },
            waiting_copies: status.waitingCopies,
            estimate: status.estimate && {
              batches: status.estimate.batches,
              done_at: status.estimate.doneAt,
            },
          },
        },
        200,
      );
    },
  );

  router.owner(
    {
      method: 'post',
      path: `${path}/run`,
      tags,
      summary: 'Do the next batch now; a worker takes it',
      responses: {
        202: json(
          z.object({ data: z.object({ started: z.boolean() }) }),
          'Whether one was put into the queue; not when one is there already',
        ),
        409: json(ErrorBodyV1, 'No token of Raindrop is set'),
      },
    },
    async (c) => {
      if (!raindrop.token) throw new Conflict(notConfigured);
      const started = await scheduleMirror({ store, now, raindrop }, { evenEarly: true });
      return c.json({ data: { started } }, 202);
    },
  );
}
