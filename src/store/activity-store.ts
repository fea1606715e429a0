// What has been going on, over all users: for the charts of the owner.
import { sql } from 'kysely';
import type { PullOutcome } from '../model/feed.ts';
import { dayOf, type Millis } from '../model/glossary.ts';
import type { Database } from './database.ts';

export type ActivityStore = ReturnType<typeof activityStore>;

export interface PullCount {
  readonly day: string;
  readonly outcome: PullOutcome;
  readonly n: number;
}

const dayMs = 86_400_000;
/** More than a chart shows. */
const keptDays = 400;
const linksAtMost = 10_000;

export function activityStore(db: Database) {
  return {
    async add(counts: readonly PullCount[]): Promise<void> {
      if (counts.length === 0) return;
      // In one order, so that two workers never wait for each other.
      const rows = counts.toSorted((a, b) => (`${a.day} ${a.outcome}` < `${b.day} ${b.outcome}` ? -1 : 1));
      await db.write((trx) =>
        trx
          .insertInto('pull_counts')
          .values(rows)
          .onConflict((conflict) =>
            conflict.columns(['day', 'outcome']).doUpdateSet({ n: sql<number>`pull_counts.n + excluded.n` }),
          )
          .execute(),
      );
    },

    async deleteOld(at: Millis): Promise<void> {
      const oldest = dayOf(at - keptDays * dayMs);
      await db.write((trx) => trx.deleteFrom('pull_counts').where('day', '<', oldest).execute());
    },

    async pullsSince(day: string): Promise<PullCount[]> {
      const rows = await db.read.selectFrom('pull_counts').selectAll().where('day', '>=', day).execute();
      return rows.map((row) => ({ ...row, outcome: row.outcome as PullOutcome }));
    },

    /** How many entries were published on each day, by a range of the index of each user's lists. */
    async entriesSince(since: Millis): Promise<{ day: string; n: number }[]> {
      const { rows } = await sql<{ day_number: number; n: number }>`
        SELECT e.pub_date / ${sql.lit(dayMs)} AS day_number, count(*) AS n
        FROM users u CROSS JOIN entries e WHERE e.user_id = u.id AND e.pub_date >= ${since}
        GROUP BY 1`.execute(db.heavyRead);
      return rows.map((row) => ({ day: dayOf(Number(row.day_number) * dayMs), n: Number(row.n) }));
    },

    /** At which hosts feeds of others fail, and how many: what they follow there is theirs to know. */
    async failingHosts(exceptUserId: number): Promise<{ host: string; feeds: number }[]> {
      const { rows } = await sql<{ link: string }>`
        SELECT f.link FROM feeds f JOIN feed_fetch_state s ON s.feed_id = f.id
        WHERE f.user_id <> ${exceptUserId} AND s.consecutive_failures > 0
          AND (f.suspended = 0 OR f.gone_at IS NOT NULL) LIMIT ${linksAtMost}`.execute(db.heavyRead);
      const byHost = Map.groupBy(rows, ({ link }) => (URL.canParse(link) ? new URL(link).host : ''));
      return [...byHost]
        .map(([host, links]) => ({ host, feeds: links.length }))
        .sort((a, b) => b.feeds - a.feeds || (a.host < b.host ? -1 : 1));
    },
  };
}
