// The icons of a user's feeds, as reader apps ask for them: each once, however many feeds are of its site. It goes by the id
// of the first of those feeds.
import { sql } from 'kysely';
import type { SiteIcon } from '../../model/site-icon.ts';
import { idList } from '../id-list.ts';
import type { Owned } from './owned-rows.ts';

export type FeedIcons = ReturnType<typeof feedIcons>;

export interface FeedIcon extends SiteIcon {
  readonly id: number;
}

export function feedIcons({ db, userId }: Owned) {
  return {
    /** Of each feed that has one. */
    async idsByFeed(): Promise<Map<number, number>> {
      const { rows } = await sql<{ id: number; icon_id: number }>`
        SELECT f.id, min(f.id) OVER (PARTITION BY s.site_origin) AS icon_id
        FROM feeds f JOIN feed_fetch_state s ON s.feed_id = f.id
        JOIN site_icons i ON i.origin = s.site_origin AND i.type <> ''
        WHERE f.user_id = ${userId} AND f.deleted_at IS NULL`.execute(db.heavyRead);
      return new Map(rows.map((row) => [row.id, row.icon_id]));
    },

    /** Those that are there. */
    async getMany(ids: readonly number[]): Promise<FeedIcon[]> {
      const { rows } = await sql<FeedIcon>`
        SELECT f.id, i.type, i.etag, i.bytes FROM feeds f JOIN feed_fetch_state s ON s.feed_id = f.id
        JOIN site_icons i ON i.origin = s.site_origin AND i.type <> ''
        WHERE f.user_id = ${userId} AND f.deleted_at IS NULL AND f.id IN ${idList(db, ids)}
        ORDER BY f.id`.execute(db.read);
      return rows;
    },
  };
}
