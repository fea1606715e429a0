// The vectors of one user's passages, and the documents that they are of.
import { type RawBuilder, sql } from 'kysely';
import { chunkVersion } from '../search/chunk-counts.ts';
import type { Owned } from './owned-rows.ts';

export type ChunkStore = ReturnType<typeof chunkStore>;

export interface ChunkRow {
  readonly seq: number;
  readonly kind: string;
  readonly refId: number;
  readonly publishedAt: number;
  readonly vector: Uint8Array;
}

export interface FoundChunk {
  readonly seq: number;
  readonly chunkKey: string;
  readonly kind: string;
  readonly refId: number;
  readonly title: string;
  readonly site: string | null;
  readonly urlKey: string | null;
  readonly publishedAt: number;
  /** Documents that have the same one are the same page, and of those the one with the lowest place is shown. */
  readonly page: number | null;
  readonly place: number | null;
}

/** A page as one row: a value costs the same to hand over, whether it is one vector or all of them. The lists are JSON. */
interface PackedPage {
  readonly seqs: string;
  readonly kinds: string;
  readonly refIds: string;
  readonly publishedAts: string;
  readonly sizes: string;
  /** Null when there are none. */
  readonly vectors: Uint8Array | null;
}

const listed = {
  sqlite: (column: RawBuilder<unknown>) => sql`json_group_array(${column})`,
  postgres: (column: RawBuilder<unknown>) => sql`json_agg(${column} ORDER BY seq)::text`,
};

const joined = {
  // SQLite joins texts only, but takes the bytes of a blob for one as they are, and gives them back so.
  sqlite: sql`CAST(group_concat(vector, '') AS BLOB)`,
  postgres: sql`string_agg(vector, ''::bytea ORDER BY seq)`,
};

function unpack({ vectors, ...lists }: PackedPage): ChunkRow[] {
  if (vectors === null) return [];
  const list = <T>(json: string) => JSON.parse(json) as T[];
  const [refIds, publishedAts] = [list<number>(lists.refIds), list<number>(lists.publishedAts)];
  const [kinds, sizes] = [list<string>(lists.kinds), list<number>(lists.sizes)];
  let end = 0;
  return list<number>(lists.seqs).map((seq, n) => {
    const begin = end;
    end += sizes[n] as number;
    return {
      seq,
      kind: kinds[n] as string,
      refId: refIds[n] as number,
      publishedAt: publishedAts[n] as number,
      vector: vectors.subarray(begin, end),
    };
  });
}

export function chunkStore({ db, userId, read }: Owned) {
  return {
    version: () => chunkVersion(db.read, userId),

    /** Those of a model above `after`, in rising order. */
    async page(model: string, after: number, limit: number): Promise<readonly ChunkRow[]> {
      const page = sql`
        SELECT c.seq, c.kind, c.ref_id, d.published_at, c.vector
        FROM chunks AS c
        JOIN search_docs AS d ON d.kind = c.kind AND d.ref_id = c.ref_id AND d.user_id = c.user_id
        WHERE c.user_id = ${userId} AND c.seq > ${after} AND c.model = ${model}
        ORDER BY c.seq LIMIT ${limit}`;
      const list = listed[db.engine];
      const { rows } = await sql<PackedPage>`
        SELECT ${list(sql`seq`)} AS seqs, ${list(sql`kind`)} AS kinds, ${list(sql`ref_id`)} AS "refIds",
          ${list(sql`published_at`)} AS "publishedAts", ${list(sql`length(vector)`)} AS sizes, ${joined[db.engine]} AS vectors
        FROM (${page}) AS page`.execute(db.heavyRead);
      return rows.flatMap(unpack);
    },

    /** What the numbers stand for now. Those that were taken out or written anew are missing. */
    async findMany(seqs: readonly number[]): Promise<readonly FoundChunk[]> {
      if (seqs.length === 0) return [];
      const { rows } = await sql<FoundChunk>`
        SELECT c.seq, c.chunk_key AS "chunkKey", d.kind, d.ref_id AS "refId", d.title, d.site,
          d.url_key AS "urlKey", d.published_at AS "publishedAt", t.page, t.place
        FROM chunks AS c
        JOIN search_docs AS d ON d.kind = c.kind AND d.ref_id = c.ref_id AND d.user_id = c.user_id
        LEFT JOIN search_twins AS t ON t.doc_id = d.id
        WHERE c.user_id = ${userId} AND c.seq IN (${sql.join(seqs)})`.execute(db.heavyRead);
      return rows;
    },

    /** Of one document. */
    vectorsOf: async (kind: string, refId: number, model: string): Promise<Uint8Array[]> => {
      const rows = await read
        .select('chunks')
        .select('vector')
        .where('kind', '=', kind)
        .where('ref_id', '=', refId)
        .where('model', '=', model)
        .orderBy('part')
        .execute();
      return rows.map(({ vector }) => vector);
    },

    async findDoc(
      kind: string,
      refId: number,
    ): Promise<{ title: string; urlKey: string | null } | undefined> {
      return read
        .select('search_docs')
        .select(['title', 'url_key as urlKey'])
        .where('kind', '=', kind)
        .where('ref_id', '=', refId)
        .executeTakeFirst();
    },
  };
}
