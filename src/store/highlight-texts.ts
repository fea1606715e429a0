// Highlights and notes of all users, as the indexer of search reads them, and of one user, as hits are shown.
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';
import { type Text, type Texts, texts } from './reader-texts.ts';

export interface HighlightText extends Text {
  readonly text: string;
  /** What was said about it. */
  readonly comments: string | null;
  readonly title: string;
  readonly url: string;
  readonly author: string | null;
  readonly madeAt: number;
}

export interface HighlightTexts {
  readonly annotations: Texts<HighlightText>;
  readonly notes: Texts<HighlightText>;
}

export function highlightTexts(db: Database): HighlightTexts {
  return {
    annotations: texts(
      db,
      'annotations',
      sql`id, user_id AS "userId", text, made_at AS "madeAt",
        (SELECT string_agg(c.content, ' ' ORDER BY c.id) FROM comments c
          WHERE c.annotation_id = annotations.id AND c.deleted_at IS NULL) AS comments,
        ${ofResource(sql.ref('annotations.resource_id'))}`,
      sql`deleted_at IS NULL`,
    ),
    notes: texts(
      db,
      'notes',
      sql`id, user_id AS "userId", content AS text, made_at AS "madeAt", NULL AS comments,
        ${ofResource(sql.ref('notes.resource_id'))}`,
      sql`deleted_at IS NULL`,
    ),
  };
}

/** Of what it stands in. */
function ofResource(id: RawBuilder<unknown>): RawBuilder<unknown> {
  const column = (name: string) =>
    sql`(SELECT r.${sql.ref(name)} FROM resources r WHERE r.id = ${id} AND r.deleted_at IS NULL) AS ${sql.ref(name)}`;
  return sql`
    (SELECT coalesce(nullif(r.title, ''), nullif(i.title, ''), r.url) FROM resources r LEFT JOIN items i ON i.id = r.item_id
      WHERE r.id = ${id} AND r.deleted_at IS NULL) AS title,
    ${column('url')}, ${column('author')}`;
}
