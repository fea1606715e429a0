// GET /api/search: the index says which, the bucket shows why.
import type { Context } from 'hono';
import { type Cursor, readDateCursor, readRankCursor, writeCursor } from './cursor.ts';
import { listRaindrops, type RaindropRow, searchRaindrops } from './index-queries.ts';
import { type Phrase, parseQuery } from './query.ts';
import type { ReadEnv } from './read-env.ts';
import { readLimit, readText } from './read-input.ts';
import { cutSnippet } from './snippet.ts';
import { findOpening } from './stored-objects.ts';

/** Each hit that is shown has its text read: with the query itself this stays far below the requests a Worker may make. */
const mostHits = 20;

export async function search(c: Context, env: Pick<ReadEnv, 'BUCKET' | 'DB'>): Promise<Response> {
  const query = parseQuery(readText(c, 'q', 300) ?? '');
  const options = {
    tag: readText(c, 'tag', 200),
    domain: readText(c, 'domain', 255),
    limit: readLimit(c, mostHits),
  };
  const cursor = readText(c, 'cursor', 400);
  if (query.all.length === 0) {
    const after = readDateCursor(cursor);
    const { rows, next } = await listRaindrops(env.DB, query, { ...options, after });
    return c.json({ items: rows.map((row) => ({ ...row, snippet: null })), next: write(next) });
  }
  const after = readRankCursor(cursor);
  const { rows, next } = await searchRaindrops(env.DB, query, { ...options, after });
  const items = await Promise.all(rows.map((row) => withSnippet(env.BUCKET, row, query.all)));
  return c.json({ items, next: write(next) });
}

async function withSnippet(bucket: R2Bucket, row: RaindropRow, phrases: readonly Phrase[]) {
  const text = await findOpening(bucket, row.id);
  return { ...row, snippet: (text !== undefined && cutSnippet(text, phrases)) || null };
}

const write = (cursor: Cursor | undefined) => (cursor ? writeCursor(cursor) : null);
