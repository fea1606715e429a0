// What the index in D1 knows, as one hash: every table, but for what tells how it came to be so. Tags are told by their names,
// since their numbers are given in the order in which they were met, and times of writing are left out.
import { createHash } from 'node:crypto';
import type { CloudflareHarness } from './miniflare.ts';

const tables = {
  raindrops: 'SELECT * FROM raindrops ORDER BY id',
  tags: 'SELECT name FROM tags ORDER BY name',
  raindrop_tags:
    'SELECT raindrop_id, name FROM raindrop_tags JOIN tags ON tags.id = tag_id ORDER BY raindrop_id, name',
  raindrop_text_state:
    'SELECT raindrop_id, text_sha256, word_count FROM raindrop_text_state ORDER BY raindrop_id',
  rag_state: 'SELECT chunk_key, raindrop_id, text_sha256, model FROM rag_state ORDER BY chunk_key',
  // A contentless table gives nothing back of itself: which word stands where is told by its vocabulary.
  raindrop_fts: 'SELECT term, doc, col, offset FROM temp_vocabulary ORDER BY term, doc, col, offset',
};

export async function hashOfIndex({ query }: Pick<CloudflareHarness, 'query'>): Promise<string> {
  await query("CREATE VIRTUAL TABLE temp_vocabulary USING fts5vocab('raindrop_fts', 'instance')");
  const hash = createHash('sha256');
  for (const [name, statement] of Object.entries(tables))
    hash.update(`${name} ${JSON.stringify(await query(statement))}\n`);
  await query('DROP TABLE temp_vocabulary');
  return hash.digest('hex');
}

/** A new table of which nothing is told above would be left out without a word. */
export async function tablesOfIndex({ query }: Pick<CloudflareHarness, 'query'>): Promise<string[]> {
  const rows = await query<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
  );
  return rows.map(({ name }) => name).filter((name) => !/^(sqlite_|_cf_|raindrop_fts_)/.test(name));
}

export const hashedTables = Object.keys(tables).sort();
