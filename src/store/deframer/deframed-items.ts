// A row of an article that was analysed, as the rest of the program sees it.
import type { Analysis, DeframedItem, ShownArticle } from '../../model/deframer.ts';
import type { Row } from '../tables.ts';

/** What readers are shown of an article: all but its text, which only a feed has a use for. */
export const shownColumns = [
  'id',
  'feed_id',
  'hash',
  'url',
  'analyzer_result',
  'author',
  'pub_date',
  'created_at',
  'updated_at',
] as const;
export const itemColumns = [...shownColumns, 'content'] as const;

export type ShownRow = Pick<Row<'deframed_items'>, (typeof shownColumns)[number]>;
export type ItemRow = Pick<Row<'deframed_items'>, (typeof itemColumns)[number]>;

export function toItem(row: ItemRow): DeframedItem {
  return { ...toShown(row), content: row.content };
}

export function toShown(row: ShownRow): ShownArticle {
  return {
    id: row.id,
    feedId: row.feed_id,
    hash: row.hash,
    url: row.url,
    analysis: JSON.parse(row.analyzer_result) as Analysis,
    author: row.author,
    pubDate: row.pub_date,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
