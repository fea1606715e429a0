// The writing side of search by meaning: which documents have to be embedded, and the vectors of their passages, of all
// users. What a user finds by them is in owned/chunk-store.ts.
import { sql } from 'kysely';
import type { Clock } from '../../model/glossary.ts';
import type { Database, Writer } from '../database.ts';
import { type Lease, requireLease } from '../lease-store.ts';
import type { NewRow } from '../tables.ts';
import { type ChunkCounts, countChunks } from './chunk-counts.ts';

export type ChunkIndex = ReturnType<typeof chunkIndex>;

/** A document whose passages are not those of the present model and rules. */
export interface UnembeddedDoc {
  readonly id: number;
  readonly userId: number;
  readonly kind: string;
  readonly refId: number;
  readonly title: string;
  readonly textSha256: string;
}

export interface StoredChunk {
  readonly key: string;
  readonly sha256: string;
  readonly model: string;
}

export interface NewChunk {
  readonly key: string;
  readonly part: number;
  readonly sha256: string;
  /** As quantise.ts writes it. */
  readonly vector: Uint8Array;
}

export interface EmbeddedDoc {
  readonly doc: UnembeddedDoc;
  readonly model: string;
  /** The keys of all its passages, in order; those that are not among `written` are in the index already. */
  readonly keys: readonly string[];
  readonly written: readonly NewChunk[];
}

export interface MeaningStatus {
  readonly documents: number;
  readonly chunks: number;
  readonly pending: number;
}

/** Docs in one transaction: with eight passages each, within the 200 rows that others wait for. */
const docsPerWrite = 20;
const orphansAtOnce = 200;
const orphansKey = 'chunks_orphaned';

/** There may be vectors of documents that are not there any more. */
export async function noteOrphans(trx: Writer): Promise<void> {
  await trx
    .insertInto('meta')
    .values({ key: orphansKey, value: '1' })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
}

export function chunkIndex(db: Database, now: Clock) {
  const unembedded = (mark: string, how: 'is' | '<' | '>', limit: number) =>
    db.read
      .selectFrom('search_docs')
      .select(['id', 'user_id as userId', 'kind', 'ref_id as refId', 'title', 'text_sha256 as textSha256'])
      .where('embedded_with', how, how === 'is' ? null : mark)
      .orderBy('embedded_with', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();

  return {
    /** The newest first. Those that were never embedded come before those that another model did. */
    async pending(mark: string, limit: number): Promise<UnembeddedDoc[]> {
      const docs: UnembeddedDoc[] = [];
      for (const how of ['is', '<', '>'] as const)
        if (docs.length < limit) docs.push(...(await unembedded(mark, how, limit - docs.length)));
      return docs;
    },

    async chunksOf(keys: readonly string[]): Promise<Map<string, StoredChunk>> {
      if (keys.length === 0) return new Map();
      const rows = await db.read
        .selectFrom('chunks')
        .select(['chunk_key as key', 'text_sha256 as sha256', 'model'])
        .where('chunk_key', 'in', keys)
        .execute();
      return new Map(rows.map((row) => [row.key, row]));
    },

    /** Under the lease, in short transactions: the vectors of some documents, and that they are done. */
    async put(lease: Lease, mark: string, docs: readonly EmbeddedDoc[]): Promise<void> {
      for (let at = 0; at < docs.length; at += docsPerWrite)
        await db.write(async (trx) => {
          await requireLease(db, trx, lease);
          const here = docs.slice(at, at + docsPerWrite);
          for (const [userId, ofUser] of inOrder(here)) await putOfUser(trx, userId, mark, ofUser, now());
        });
    },

    async status(mark: string): Promise<MeaningStatus> {
      const { rows } = await sql<Record<keyof MeaningStatus, number>>`
        SELECT (SELECT count(*) FROM search_docs) AS documents, (SELECT count(*) FROM chunks) AS chunks,
          (SELECT count(*) FROM search_docs WHERE embedded_with IS NULL OR embedded_with <> ${mark}) AS pending`.execute(
        db.heavyRead,
      );
      const { documents = 0, chunks = 0, pending = 0 } = rows[0] ?? {};
      return { documents: Number(documents), chunks: Number(chunks), pending: Number(pending) };
    },

    /** Whether a rebuild of search has left chunks whose documents may not come back. */
    async hasOrphans(): Promise<boolean> {
      const row = await db.read
        .selectFrom('meta')
        .select('key')
        .where('key', '=', orphansKey)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Takes out some of those without a document. Only when every document has been indexed again. */
    async dropOrphans(lease: Lease): Promise<void> {
      const { rows } = await sql<{ chunk_key: string; user_id: number }>`
        SELECT c.chunk_key, c.user_id FROM chunks AS c WHERE NOT EXISTS (
          SELECT 1 FROM search_docs AS d WHERE d.kind = c.kind AND d.ref_id = c.ref_id AND d.user_id = c.user_id
        ) LIMIT ${orphansAtOnce}`.execute(db.heavyRead);
      await db.write(async (trx) => {
        await requireLease(db, trx, lease);
        for (const [userId, ofUser] of inOrder(rows.map((row) => ({ ...row, doc: { userId: row.user_id } }))))
          await dropKeys(
            trx,
            userId,
            ofUser.map((row) => row.chunk_key),
          );
        if (rows.length < orphansAtOnce) await trx.deleteFrom('meta').where('key', '=', orphansKey).execute();
      });
    },
  };
}

/** One order of users for all transactions, so that two of them cannot wait for each other. */
function inOrder<T extends { readonly doc: { readonly userId: number } }>(docs: readonly T[]) {
  return [...Map.groupBy(docs, ({ doc }) => doc.userId)].sort(([a], [b]) => a - b);
}

async function putOfUser(
  trx: Writer,
  userId: number,
  mark: string,
  docs: readonly EmbeddedDoc[],
  at: number,
): Promise<void> {
  const rows: NewRow<'chunks'>[] = [];
  const counts: ChunkCounts = { written: 0, gone: 0 };
  for (const { doc, model, keys, written } of docs) {
    // Nothing if it has gone meanwhile, or is another text: then it is pending, or will be.
    const { numUpdatedRows } = await trx
      .updateTable('search_docs')
      .set({ embedded_with: mark })
      .where('id', '=', doc.id)
      .where('user_id', '=', userId)
      .where('kind', '=', doc.kind)
      .where('ref_id', '=', doc.refId)
      .where('text_sha256', '=', doc.textSha256)
      .where('title', '=', doc.title)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) continue;
    const { numDeletedRows } = await trx
      .deleteFrom('chunks')
      .where('kind', '=', doc.kind)
      .where('ref_id', '=', doc.refId)
      .where((e) =>
        e.or([
          e('user_id', '!=', userId),
          keys.length === 0 ? e.lit(true) : e('chunk_key', 'not in', keys),
          ...(written.length === 0
            ? []
            : [
                e(
                  'chunk_key',
                  'in',
                  written.map(({ key }) => key),
                ),
              ]),
        ]),
      )
      .executeTakeFirst();
    counts.gone += Number(numDeletedRows);
    for (const { key, part, sha256, vector } of written)
      rows.push({
        chunk_key: key,
        user_id: userId,
        kind: doc.kind,
        ref_id: doc.refId,
        part,
        text_sha256: sha256,
        model,
        vector,
        seq: rows.length,
        embedded_at: at,
      });
  }
  counts.written = rows.length;
  const { seq } = await countChunks(trx, userId, counts);
  if (rows.length === 0) return;
  const first = seq - rows.length + 1;
  await trx
    .insertInto('chunks')
    .values(rows.map((row) => ({ ...row, seq: first + row.seq })))
    .execute();
}

/** With the transaction that takes the documents out of search. */
export async function dropChunksOf(
  trx: Writer,
  docs: readonly { readonly userId: number; readonly kind: string; readonly refId: number }[],
): Promise<void> {
  for (const [userId, ofUser] of inOrder(docs.map((doc) => ({ doc })))) {
    let gone = 0;
    for (const [kind, ofKind] of Map.groupBy(ofUser, ({ doc }) => doc.kind)) {
      const { numDeletedRows } = await trx
        .deleteFrom('chunks')
        .where('user_id', '=', userId)
        .where('kind', '=', kind)
        .where(
          'ref_id',
          'in',
          ofKind.map(({ doc }) => doc.refId),
        )
        .executeTakeFirst();
      gone += Number(numDeletedRows);
    }
    await countChunks(trx, userId, { written: 0, gone });
  }
}

async function dropKeys(trx: Writer, userId: number, keys: readonly string[]): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('chunks')
    .where('user_id', '=', userId)
    .where('chunk_key', 'in', keys)
    // It may have come back since it was looked for.
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('search_docs as d')
            .select('d.id')
            .whereRef('d.kind', '=', 'chunks.kind')
            .whereRef('d.ref_id', '=', 'chunks.ref_id')
            .whereRef('d.user_id', '=', 'chunks.user_id'),
        ),
      ),
    )
    .executeTakeFirst();
  await countChunks(trx, userId, { written: 0, gone: Number(numDeletedRows) });
}
