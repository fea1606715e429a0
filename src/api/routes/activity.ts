// What has been going on: the charts of the owner.
import { z } from '@hono/zod-openapi';
import type { Feed } from '../../model/feed.ts';
import { pullOutcomes } from '../../model/feed.ts';
import { dayOf } from '../../model/glossary.ts';
import type { ApiDeps } from '../context.ts';
import type { Router } from '../router.ts';
import { ErrorBodyV1, isoTime, json, toIso } from '../schemas.ts';

const DayBody = z.object({
  day: z.string().openapi({ format: 'date', example: '2026-03-12', description: 'In UTC' }),
  entries: z.int().openapi({ description: 'Published on that day, over all users' }),
  pulls: z.object({ new: z.int(), unchanged: z.int(), failed: z.int(), put_off: z.int() }),
});

const FailingFeedBody = z.object({
  id: z.int(),
  name: z.string(),
  reason: z.string(),
  since: isoTime.openapi({ description: 'When it last worked, or was added' }),
  consecutive_failures: z.int(),
  next_check_at: isoTime.nullable().openapi({ description: 'Null for one that is not fetched any more' }),
});

const ActivityBody = z
  .object({
    days: z.array(DayBody).openapi({ description: 'The oldest first, without gaps' }),
    failing: z.object({
      own: z.array(FailingFeedBody).openapi({ description: 'Your feeds that fail now' }),
      others: z
        .array(z.object({ host: z.string(), feeds: z.int() }))
        .openapi({ description: 'At which hosts feeds of other users fail, and how many' }),
    }),
  })
  .openapi('Activity');

const daysQuery = z
  .string()
  .regex(/^\d{1,3}$/, 'expected a number from 1 to 366')
  .transform(Number)
  .pipe(z.int().min(1).max(366))
  .default(30)
  .openapi({ type: 'integer', example: 30 });

const dayMs = 86_400_000;
const failingShown = 200;

export function activityRoutes(router: Router, { store, now }: ApiDeps): void {
  router.owner(
    {
      method: 'get',
      path: '/api/v1/operations/activity',
      tags: ['operations'],
      summary: 'Entries and pulls of each day, and the feeds that fail now',
      request: { query: z.object({ days: daysQuery }) },
      responses: {
        200: json(z.object({ data: ActivityBody }), 'The days, to the minute'),
        400: json(ErrorBodyV1, 'The input is not as expected; the message names the field'),
      },
    },
    async (c) => {
      const { days } = c.req.valid('query');
      const { user, rows } = c.get('actor');
      const names = Array.from({ length: days }, (_, ago) => dayOf(now() - (days - 1 - ago) * dayMs));
      const [first = ''] = names;
      const [entries, pulls, own, others] = await Promise.all([
        store.activity.entriesSince(Date.parse(first)),
        store.activity.pullsSince(first),
        rows.feeds.listFailing(failingShown),
        store.activity.failingHosts(user.id),
      ]);
      const published = new Map(entries.map(({ day, n }) => [day, n]));
      const counted = new Map(pulls.map(({ day, outcome, n }) => [`${day} ${outcome}`, n]));
      const data = {
        days: names.map((day) => ({
          day,
          entries: published.get(day) ?? 0,
          pulls: Object.fromEntries(
            pullOutcomes.map((outcome) => [outcome, counted.get(`${day} ${outcome}`) ?? 0]),
          ) as z.infer<typeof DayBody>['pulls'],
        })),
        failing: { own: own.map(toFailing), others: others.slice(0, failingShown) },
      };
      return c.json({ data }, 200);
    },
  );
}

function toFailing({ id, name, suspended, createdAt, fetchState }: Feed): z.infer<typeof FailingFeedBody> {
  return {
    id,
    name,
    reason: fetchState.lastError,
    since: toIso(fetchState.lastSuccessAt || createdAt),
    consecutive_failures: fetchState.consecutiveFailures,
    next_check_at: suspended ? null : toIso(fetchState.nextCheckAt),
  };
}
