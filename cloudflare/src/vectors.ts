// Search by meaning: chunks become vectors by Workers AI and lie in Vectorize; rag_state says which of them do.
import { and, eq, gte, inArray, lt } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { Embeddings, TextChunk } from '../../src/mirror/host.ts';
import { groupsOf } from './groups.ts';
import { ragState } from './schema.ts';

/**
 * It takes a chunk whole, of 800 tokens, where those that take 512 would leave its end out, and knows most languages. 1,024
 * numbers a vector: the Vectorize index is made for as many.
 */
const defaultModel = '@cf/baai/bge-m3';
/** Workers AI takes 60,000 tokens for this model at once; a chunk may have twice as many as its estimate says. */
const textsPerCall = 25;
/** Vectorize and D1 (in bound parameters) take a hundred at least. */
const idsPerCall = 90;

/** The part of Workers AI that is used here. */
export interface EmbeddingModels {
  run(model: string, input: { text: string[] }): Promise<unknown>;
}

/** The part of Vectorize that is used here. */
export type VectorStore = Pick<Vectorize, 'upsert' | 'deleteByIds'>;

export interface VectorDeps {
  readonly db: DrizzleD1Database;
  readonly ai: EmbeddingModels;
  readonly vectors: VectorStore;
  readonly model: string | undefined;
  readonly now: () => number;
}

export function createVectors({ db, ai, vectors, model = defaultModel, now }: VectorDeps): Embeddings {
  async function embed(raindropId: number, chunks: readonly TextChunk[]): Promise<void> {
    const values = await embedTexts(chunks.map((chunk) => chunk.t));
    await vectors.upsert(
      chunks.map((chunk, at) => ({
        id: chunk.k,
        values: values[at] ?? [],
        metadata: { raindrop_id: raindropId, model, sha256: chunk.s },
      })),
    );
    // After the vectors: what is not noted is embedded once more, what is noted wrongly would never be.
    const embeddedAt = new Date(now()).toISOString();
    const [first, ...others] = chunks.map((chunk) => {
      const row = { raindropId, textSha256: chunk.s, model, embeddedAt };
      return db
        .insert(ragState)
        .values({ chunkKey: chunk.k, ...row })
        .onConflictDoUpdate({ target: ragState.chunkKey, set: row });
    });
    if (first) await db.batch([first, ...others]);
  }

  async function embedTexts(texts: string[]): Promise<number[][]> {
    const answer = await ai.run(model, { text: texts });
    const data = (answer as { data?: unknown }).data;
    if (!Array.isArray(data) || data.length !== texts.length)
      throw new Error(`${model} was given ${texts.length} texts and answered with something else`);
    return data;
  }

  async function forget(keys: readonly string[]): Promise<void> {
    // The vectors first: a row without its vector can be taken away later, a vector without its row is never found again.
    await vectors.deleteByIds([...keys]);
    await db.delete(ragState).where(inArray(ragState.chunkKey, [...keys]));
  }

  return {
    async update(raindropId, chunks) {
      const rows = await db.select().from(ragState).where(chunksOf(raindropId));
      const known = new Map(rows.map((row) => [row.chunkKey, row]));
      const fresh = chunks.filter(({ k, s }) => {
        const row = known.get(k);
        return row?.textSha256 !== s || row.model !== model;
      });
      for (const group of groupsOf(fresh, textsPerCall)) await embed(raindropId, group);

      const present = new Set(chunks.map((chunk) => chunk.k));
      const gone = rows.map((row) => row.chunkKey).filter((key) => !present.has(key));
      for (const group of groupsOf(gone, idsPerCall)) await forget(group);
    },
  };
}

/** By the key, which begins with the id: raindrop_id has no index. */
function chunksOf(raindropId: number) {
  return and(
    gte(ragState.chunkKey, `rd-${raindropId}-`),
    // The character after the hyphen.
    lt(ragState.chunkKey, `rd-${raindropId}.`),
    eq(ragState.raindropId, raindropId),
  );
}
