// One row of items for an address and a user, whatever the route by which it was saved. The address comes from
// items/save-url.ts, which alone says what is the same page.
import { type RawBuilder, sql } from 'kysely';
import type { SavedUrl } from '../../model/bookmark.ts';
import type { Writer } from '../database.ts';

export interface ItemFields {
  readonly title: string;
  readonly titleFrom: 'entry' | 'page' | 'raindrop' | 'person';
  /** A route that brings its content along needs no job to fetch it. */
  readonly enrichment: 'pending' | 'succeeded';
}

/** Inserts or finds, and fills only what is empty. */
export async function upsertItem(
  trx: Writer,
  userId: number,
  { url, key }: SavedUrl,
  { title, titleFrom, enrichment }: ItemFields,
  at: number,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    INSERT INTO items (user_id, url, url_key, title, title_from, enrichment_status, created_at, updated_at)
    VALUES (${userId}, ${url}, ${key}, ${title}, ${title === '' ? '' : titleFrom}, ${enrichment}, ${at}, ${at})
    ON CONFLICT (user_id, url_key) DO UPDATE SET
      title = ${better('title')}, title_from = ${better('title_from')},
      -- A person's save brings back what was deleted.
      deleted_at = NULL, updated_at = excluded.updated_at
    RETURNING id`.execute(trx);
  return (rows[0] as { id: number }).id;
}

/** Of the two titles the one whose origin comes first: person, raindrop, page, entry. */
function better(column: 'title' | 'title_from'): RawBuilder<string> {
  const rank = (table: string) => {
    const from = sql.ref(`${table}.title_from`);
    return sql`CASE ${from} WHEN 'person' THEN 4 WHEN 'raindrop' THEN 3 WHEN 'page' THEN 2 WHEN 'entry' THEN 1 ELSE 0 END`;
  };
  return sql<string>`CASE WHEN ${rank('excluded')} > ${rank('items')} THEN ${sql.ref(`excluded.${column}`)} ELSE ${sql.ref(`items.${column}`)} END`;
}
