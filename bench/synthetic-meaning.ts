// Vectors and a model for benchmarks: around a few hundred topics, as real ones are, the same in every run, and cheap to make.
//
//   const path = join(folder, 'index.db');                 // filled with documents, and closed or idle
//   await fillChunks(path, { userId });                    // a vector or more for each document of the user
//   const meaning = createMeaning({ store, embedder: createSyntheticEmbedder() });
//   const hits = await meaning.find({ userId, text: 'any words', limit: 20 });
import type { DatabaseSync } from 'node:sqlite';
import { markOf } from '../src/search/meaning/embed-pending.ts';
import { type Embedder, normalise } from '../src/search/meaning/embedder.ts';
import { quantise } from '../src/search/meaning/quantise.ts';
import { openSqlite } from '../src/store/dialect/sqlite/connection.ts';
import { idsOfUser } from '../src/store/search/doc-id.ts';

export interface SyntheticOptions {
  readonly model?: string;
  readonly dimensions?: number;
}

const usual = { model: 'synthetic/1', dimensions: 512 };
const topicCount = 300;
/** How much of a vector is its topic: neighbours within one have a cosine of about 0.6. */
const topicShare = 1.2;
const noiseSize = 2 ** 20;

export class SyntheticVectors {
  readonly dimensions: number;
  readonly #noise = new Float32Array(noiseSize);
  readonly #topics: readonly Float32Array[];

  constructor(dimensions = usual.dimensions) {
    this.dimensions = dimensions;
    let state = 1;
    const uniform = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      return (state >>> 0) / 2 ** 32;
    };
    for (let n = 0; n < noiseSize; n++)
      this.#noise[n] = Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
    this.#topics = Array.from({ length: topicCount }, (_, n) => this.#near(undefined, mixed(~n)));
  }

  /** The vector of a number: those that are the same modulo 300 are of one topic. */
  of(n: number): Float32Array {
    return this.#near(this.#topics[Math.abs(n) % topicCount], mixed(n));
  }

  #near(topic: Float32Array | undefined, from: number): Float32Array {
    const values = new Float32Array(this.dimensions);
    const size = 1 / Math.sqrt(this.dimensions);
    for (let n = 0; n < this.dimensions; n++) {
      const noise = this.#noise[(from + n) & (noiseSize - 1)] as number;
      values[n] = (topic ? (topic[n] as number) * topicShare : 0) + noise * size;
    }
    return normalise(values) as Float32Array;
  }
}

/** Neighbours get numbers far apart. */
function mixed(n: number): number {
  const a = Math.imul(n ^ (n >>> 16), 0x45d9f3b);
  const b = Math.imul(a ^ (a >>> 16), 0x45d9f3b);
  return (b ^ (b >>> 16)) >>> 0;
}

/** Knows words as little as it knows meaning: a text is near the documents of some topic, always of the same one. */
export function createSyntheticEmbedder({ model, dimensions }: SyntheticOptions = {}): Embedder {
  const vectors = new SyntheticVectors(dimensions);
  return {
    model: model ?? usual.model,
    dimensions: vectors.dimensions,
    passage: { tokens: 90, overlap: 15, titleCharacters: 120 },
    atOnce: 64,
    leastScore: 0.25,
    canRead: () => true,
    embed: async (texts) => texts.map((text) => vectors.of(numberOf(text))),
    close: async () => {},
  };
}

function numberOf(text: string): number {
  let sum = 0;
  for (let n = 0; n < text.length; n++) sum = (Math.imul(sum, 31) + text.charCodeAt(n)) | 0;
  return Math.abs(sum);
}

export interface FillOptions extends SyntheticOptions {
  readonly userId: number;
  readonly passagesPerDoc?: number;
  /** Called with each vector, numbered from 0 in the order that they are written in. */
  readonly onVector?: (vector: Float32Array, bytes: Uint8Array, n: number) => void;
}

/** Vectors for all documents that search has of the user, and had none. Returns how many. */
export async function fillChunks(
  path: string,
  { userId, passagesPerDoc = 1, onVector, ...options }: FillOptions,
): Promise<number> {
  const { from, to } = idsOfUser(userId);
  return inOneWrite(path, (db) => {
    const embedder = createSyntheticEmbedder(options);
    const vectors = new SyntheticVectors(options.dimensions);
    const insert = db.prepare(
      `INSERT INTO chunks (chunk_key, user_id, kind, ref_id, part, text_sha256, model, vector, seq, embedded_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
    );
    const docs = db
      .prepare(
        'SELECT kind, ref_id AS refId FROM search_docs WHERE id BETWEEN ? AND ? AND embedded_with IS NULL ORDER BY id',
      )
      .all(from, to) as { kind: string; refId: number }[];
    const before = db.prepare('SELECT value FROM meta WHERE key = ?').get(`chunks:${userId}`);
    const version = before ? (JSON.parse(String(before.value)) as { seq: number }) : { seq: 0, gone: 0 };
    let count = 0;
    for (const { kind, refId } of docs)
      for (let part = 0; part < passagesPerDoc; part++) {
        const vector = vectors.of(refId + part * topicCount * 7_919);
        const bytes = quantise(vector);
        onVector?.(vector, bytes, count);
        count += 1;
        const key = `${kind.slice(0, 2)}-${refId}-c${String(part).padStart(2, '0')}`;
        const hash = 'f'.repeat(64);
        insert.run(key, userId, kind, refId, part, hash, embedder.model, bytes, version.seq + count);
      }
    db.prepare('UPDATE search_docs SET embedded_with = ? WHERE id BETWEEN ? AND ?').run(
      markOf(embedder),
      from,
      to,
    );
    db.prepare(
      'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    ).run(`chunks:${userId}`, JSON.stringify({ ...version, seq: version.seq + count }));
    return count;
  });
}

/** Documents that have nothing but a title, for whoever does not look for words. */
export async function fillDocs(path: string, userId: number, count: number): Promise<void> {
  await inOneWrite(path, (db) => {
    const insert = db.prepare(
      `INSERT INTO search_docs (id, user_id, kind, ref_id, title, published_at, text_sha256)
       VALUES (?, ?, 'entry', ?, 'A title', ?, '')`,
    );
    const { from } = idsOfUser(userId);
    for (let n = 0; n < count; n++) insert.run(from + n, userId, n, n * 60_000);
  });
}

async function inOneWrite<T>(path: string, work: (db: DatabaseSync) => T): Promise<T> {
  const db = await openSqlite(path, 'write');
  try {
    db.exec('BEGIN IMMEDIATE');
    const result = work(db);
    db.exec('COMMIT');
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return result;
  } finally {
    db.close();
  }
}
