// The tables of the index in D1. It may be dropped at any time: everything in it comes from the objects in R2. The full-text
// table raindrop_fts is virtual, which Drizzle has no words for: its migration is written by hand.
import { desc } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

export const raindrops = sqliteTable(
  'raindrops',
  {
    id: integer('id').primaryKey(),
    link: text('link').notNull(),
    title: text('title'),
    excerpt: text('excerpt'),
    domain: text('domain'),
    createdAt: text('created_at'),
    updatedAt: text('updated_at'),
  },
  (table) => [
    index('idx_raindrops_updated').on(desc(table.updatedAt)),
    index('idx_raindrops_domain').on(table.domain),
  ],
);

export const tags = sqliteTable('tags', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  name: text('name').notNull().unique(),
});

export const raindropTags = sqliteTable(
  'raindrop_tags',
  {
    raindropId: integer('raindrop_id').references(() => raindrops.id, { onDelete: 'cascade' }),
    tagId: integer('tag_id').references(() => tags.id, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.raindropId, table.tagId] })],
);

/** Which text the search knows of a raindrop. */
export const raindropTextState = sqliteTable('raindrop_text_state', {
  raindropId: integer('raindrop_id')
    .primaryKey()
    .references(() => raindrops.id, { onDelete: 'cascade' }),
  textSha256: text('text_sha256').notNull(),
  wordCount: integer('word_count'),
  indexedAt: text('indexed_at'),
});

/** Which chunks of text have a vector, and by which model: the others are still to be embedded. */
export const ragState = sqliteTable('rag_state', {
  chunkKey: text('chunk_key').primaryKey(),
  raindropId: integer('raindrop_id').references(() => raindrops.id, { onDelete: 'cascade' }),
  textSha256: text('text_sha256').notNull(),
  model: text('model').notNull(),
  embeddedAt: text('embedded_at'),
});
