// An entry as its columns hold it.
import { type RawBuilder, sql } from 'kysely';
import type { Entry, EntryFilter } from '../../model/entry.ts';
import { shownContent } from '../reader/shown-content.ts';
import type { Row } from '../tables.ts';

/** Of `entries e` and `unread_entries u`. */
export function columnsOf({
  contentCharacters,
}: Pick<EntryFilter, 'contentCharacters'> = {}): RawBuilder<unknown> {
  const content =
    contentCharacters === undefined
      ? shownContent('e')
      : sql`substr(${shownContent('e')}, 1, ${sql.lit(contentCharacters)})`;
  return sql`e.id, e.feed_id, e.guid, e.title, e.link, e.author, ${content} AS content, e.enclosures, e.categories,
    e.pub_date, e.created_at, e.updated_at, CASE WHEN u.entry_id IS NULL THEN 0 ELSE 1 END AS unread,
    (SELECT max(b.id) FROM bookmarks b WHERE b.entry_id = e.id AND b.deleted_at IS NULL) AS bookmark_id`;
}

export type EntryRow = Omit<Row<'entries'>, 'user_id' | 'content_hash'> & {
  readonly unread: number;
  readonly bookmark_id: number | null;
};

export function toEntry(row: EntryRow): Entry {
  return {
    id: row.id,
    feedId: row.feed_id,
    guid: row.guid,
    title: row.title,
    link: row.link,
    author: row.author,
    content: row.content,
    enclosures: JSON.parse(row.enclosures),
    categories: JSON.parse(row.categories),
    pubDate: row.pub_date,
    unread: row.unread === 1,
    bookmarkId: row.bookmark_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
