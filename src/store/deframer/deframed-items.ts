// A row of an article that was analysed, as the rest of the program sees it.
import type { Analysis, DeframedItem } from '../../model/deframer.ts';
import type { Row } from '../tables.ts';

export const itemColumns = [
  'id',
  'feed_id',
  'hash',
  'url',
  'analyzer_result',
  'content',
  'author',
  'pub_date',
  'created_at',
  'updated_at',
] as const;

export type ItemRow = Pick<Row<'deframed_items'>, (typeof itemColumns)[number]>;

export function toItem(row: ItemRow): DeframedItem {
  return {
    id: row.id,
    feedId: row.feed_id,
    hash: row.hash,
    url: row.url,
    analysis: JSON.parse(row.analyzer_result) as Analysis,
    content: row.content,
    author: row.author,
    pubDate: row.pub_date,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
