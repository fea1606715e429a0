// raindrop_fts as the statements need it. It is not in schema.ts, from which migrations are made: its own is
// migrations/0001_search.sql.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const raindropFts = sqliteTable('raindrop_fts', {
  rowid: integer('rowid').primaryKey(),
  title: text('title'),
  excerpt: text('excerpt'),
  body: text('body'),
  tagsTxt: text('tags_txt'),
  domain: text('domain'),
});
