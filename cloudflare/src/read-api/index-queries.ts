// All SQL of the read API. The index is searched first and cut to a page, and only then are the rows looked at.
import { type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { Cursor, DateCursor, RankCursor } from './cursor.ts';
import { ftsAll, ftsAny, type Query } from './query.ts';

export interface RaindropRow {
  readonly id: number;
  readonly link: string;
  readonly title: string | null;
  readonly excerpt: string | null;
  readonly domain: string | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly tags: readonly string[];
}

export interface TextState {
  readonly text_sha256: string;
  readonly word_count: number | null;
  readonly indexed_at: string | null;
}

export interface Filter {
  readonly tag?: string | undefined;
  readonly domain?: string | undefined;
}

export interface Page {
  readonly rows: readonly RaindropRow[];
  readonly next: Cursor | undefined;
}

/**
 * How much it counts that all the words stand there; in the text alone it counts nothing. Not by bm25: it goes by averages from
 * which FTS5 takes nothing away when a row of a contentless table is deleted. The order would depend on how often raindrops
 * were changed, and be another one after the index was rebuilt.
 */
const places = [
  { columns: 'title', weight: 10 },
  { columns: 'tags_txt', weight: 6 },
  { columns: 'excerpt', weight: 4 },
  { columns: 'domain', weight: 3 },
  { columns: 'title tags_txt excerpt domain', weight: 2 },
];

const columns = sql`r.id, r.link, r.title, r.excerpt, r.domain, r.created_at, r.updated_at, (
  SELECT json_group_array(name) FROM (
    SELECT t.name FROM raindrop_tags rt JOIN tags t ON t.id = rt.tag_id WHERE rt.raindrop_id = r.id ORDER BY t.name
  )
) AS tags`;

type Row = Omit<RaindropRow, 'tags'> & { readonly tags: string };
type Hit = Partial<Row> & { readonly hit_id: number; readonly score: number };

/** By where the words stand, the best first; among equals the newest raindrop. */
export async function searchRaindrops(
  db: D1Database,
  query: Query,
  { tag, domain, limit, after }: Filter & { limit: number; after: RankCursor | undefined },
): Promise<Page> {
  // The + keeps SQLite from running the search once for each raindrop of the tag.
  const conditions = [
    sql`raindrop_fts MATCH ${ftsAll(query)}`,
    ...filterBy(sql`+raindrop_fts.rowid`, { tag, domain }),
  ];
  const wanted = ftsAll({ all: query.all, none: [] });
  const ranks = places.map(({ columns, weight }) => {
    const here = sql`SELECT rowid FROM raindrop_fts WHERE raindrop_fts MATCH ${`{${columns}} : (${wanted})`}`;
    return sql`${sql.raw(String(weight))} * (hit_id IN (${here}))`;
  });
  const rest = after ? sql`WHERE (score, -hit_id) > (${after.score}, ${-after.id})` : sql``;
  const hits = await drizzle(db).all<Hit>(sql`
    WITH found AS MATERIALIZED (
      SELECT raindrop_fts.rowid AS hit_id FROM raindrop_fts WHERE ${sql.join(conditions, sql` AND `)}
    ), matches AS MATERIALIZED (
      SELECT hit_id, -(${sql.join(ranks, sql` + `)}) AS score FROM found
    ), hits AS MATERIALIZED (
      SELECT hit_id, score FROM matches ${rest} ORDER BY score, hit_id DESC LIMIT ${limit + 1}
    )
    SELECT hits.hit_id, hits.score, ${columns}
    FROM hits LEFT JOIN raindrops r ON r.id = hits.hit_id ORDER BY hits.score, hits.hit_id DESC`);
  const shown = hits.slice(0, limit);
  const last = shown.at(-1);
  return {
    // A row may be gone while its words are still in the index; the page is shorter then, and goes on after it.
    rows: shown.filter(isWhole).map(toRaindrop),
    next: hits.length > limit && last ? { by: 'rank', score: last.score, id: last.hit_id } : undefined,
  };
}

const isWhole = (hit: Hit): hit is Hit & Row => hit.id !== undefined && hit.id !== null;

/** The newest first. Words that are only left out have no rank to go by, so they are left out of this list. */
export async function listRaindrops(
  db: D1Database,
  { none }: Pick<Query, 'none'>,
  { tag, domain, limit, after }: Filter & { limit: number; after: DateCursor | undefined },
): Promise<Page> {
  const conditions = [
    ...filterBy(sql`r.id`, { tag, domain }),
    ...(after ? [olderThan(after)] : []),
    ...(none.length > 0
      ? [sql`r.id NOT IN (SELECT rowid FROM raindrop_fts WHERE raindrop_fts MATCH ${ftsAny(none)})`]
      : []),
  ];
  const where = conditions.length > 0 ? sql`WHERE ${sql.join(conditions, sql` AND `)}` : sql``;
  const rows = await drizzle(db).all<Row>(sql`
    SELECT ${columns} FROM raindrops r ${where} ORDER BY r.updated_at DESC, r.id DESC LIMIT ${limit + 1}`);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    rows: shown.map(toRaindrop),
    next: rows.length > limit && last ? { by: 'date', updatedAt: last.updated_at, id: last.id } : undefined,
  };
}

/** In falling order, SQLite puts what has no date at the end. */
function olderThan({ updatedAt, id }: DateCursor): SQL {
  if (updatedAt === null) return sql`(r.updated_at IS NULL AND r.id < ${id})`;
  return sql`((r.updated_at, r.id) < (${updatedAt}, ${id}) OR r.updated_at IS NULL)`;
}

function filterBy(id: SQL, { tag, domain }: Filter): SQL[] {
  const byTag = sql`${id} IN (
    SELECT rt.raindrop_id FROM raindrop_tags rt JOIN tags t ON t.id = rt.tag_id WHERE t.name = ${tag})`;
  const byDomain = sql`${id} IN (SELECT d.id FROM raindrops d WHERE d.domain = ${domain})`;
  return [...(tag === undefined ? [] : [byTag]), ...(domain === undefined ? [] : [byDomain])];
}

export async function findRaindrop(db: D1Database, id: number): Promise<RaindropRow | undefined> {
  const [row] = await drizzle(db).all<Row>(sql`SELECT ${columns} FROM raindrops r WHERE r.id = ${id}`);
  return row && toRaindrop(row);
}

export async function findTextState(db: D1Database, id: number): Promise<TextState | undefined> {
  const [row] = await drizzle(db).all<TextState>(
    sql`SELECT text_sha256, word_count, indexed_at FROM raindrop_text_state WHERE raindrop_id = ${id}`,
  );
  return row;
}

export async function listTags(db: D1Database): Promise<{ name: string; count: number }[]> {
  return drizzle(db).all(sql`
    SELECT t.name, count(*) AS count FROM tags t JOIN raindrop_tags rt ON rt.tag_id = t.id
    GROUP BY t.id ORDER BY t.name COLLATE NOCASE, t.name`);
}

function toRaindrop({ id, link, title, excerpt, domain, created_at, updated_at, tags }: Row): RaindropRow {
  return { id, link, title, excerpt, domain, created_at, updated_at, tags: JSON.parse(tags) as string[] };
}
