// Highlights of all users, as the indexer of search reads them, and of one user, as hits are shown.
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { type Text, type Texts, texts } from './reader-texts.ts';

export interface HighlightText extends Text {
  readonly text: string;
  /** What was said about it. */
  readonly comments: string | null;
  readonly title: string;
  readonly url: string;
  readonly madeAt: number;
}

export type HighlightTexts = Texts<HighlightText>;

export function highlightTexts(db: Database): HighlightTexts {
  return texts(
    db,
    'annotations',
    sql`id, user_id AS "userId", text, made_at AS "madeAt",
      (SELECT string_agg(c.content, ' ' ORDER BY c.id) FROM comments c
        WHERE c.annotation_id = annotations.id AND c.deleted_at IS NULL) AS comments,
      (SELECT coalesce(nullif(r.title, ''), nullif(i.title, ''), r.url) FROM resources r LEFT JOIN items i ON i.id = r.item_id
        WHERE r.id = annotations.resource_id AND r.deleted_at IS NULL) AS title,
      (SELECT r.url FROM resources r WHERE r.id = annotations.resource_id AND r.deleted_at IS NULL) AS url`,
    sql`deleted_at IS NULL`,
  );
}
