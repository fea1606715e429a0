// Saved items of all users, as the indexer of search reads them, and of one user, as hits are shown.
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { type ItemState, itemState, type Text, type Texts, texts } from './reader-texts.ts';

export interface ItemText extends Text, ItemState {
  readonly url: string;
  readonly title: string;
  readonly excerpt: string;
  readonly siteName: string;
  readonly isBookmarked: number | boolean;
  readonly snapshotKey: string | null;
  /** Of the raindrop of its page, the one with a copy if there are several; and what its text must hash to. */
  readonly raindropId: number | null;
  readonly raindropTextSha256: string | null;
  /** What its owner wrote about it at Raindrop. */
  readonly raindropNote: string | null;
  readonly publishedAt: number;
}

export type ItemTexts = Texts<ItemText>;

const ofRaindrop = (column: 'id' | 'text_sha256') => sql`(SELECT d.${sql.ref(column)} FROM raindrops d
  WHERE d.item_id = items.id AND d.removed_at IS NULL
  ORDER BY CASE WHEN d.cache_status = 'stored' THEN 0 ELSE 1 END, d.id LIMIT 1)`;

/** What is there by a star alone, and has no copy, says no more than the bookmark that is found anyway. */
export function itemTexts(db: Database): ItemTexts {
  return texts(
    db,
    'items',
    sql`id, user_id AS "userId", url, title, excerpt, site_name AS "siteName",
      ${itemState(sql.ref('items.id'))},
      EXISTS (SELECT 1 FROM bookmarks b
        WHERE b.user_id = items.user_id AND b.item_id = items.id AND b.deleted_at IS NULL) AS "isBookmarked",
      snapshot_key AS "snapshotKey",
      ${ofRaindrop('id')} AS "raindropId", ${ofRaindrop('text_sha256')} AS "raindropTextSha256",
      (SELECT string_agg(d.note, ' ' ORDER BY d.id) FROM raindrops d
        WHERE d.item_id = items.id AND d.removed_at IS NULL AND d.note <> '') AS "raindropNote",
      coalesce(published_at, created_at) AS "publishedAt"`,
    sql`deleted_at IS NULL AND (saved_at IS NOT NULL OR snapshot_key IS NOT NULL
      OR EXISTS (SELECT 1 FROM resources r WHERE r.item_id = items.id AND r.deleted_at IS NULL)
      OR EXISTS (SELECT 1 FROM raindrops d WHERE d.item_id = items.id AND d.removed_at IS NULL))`,
  );
}
