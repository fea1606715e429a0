// What documents mean, for those who look for some: by a question, or by another document.
import type { FoundChunk } from '../../store/owned/chunk-store.ts';
import type { MeaningStatus } from '../../store/search/chunk-index.ts';
import type { Store } from '../../store/store.ts';
import { AskedQuestions } from './asked-questions.ts';
import { markOf } from './embed-pending.ts';
import { type Embedder, normalise } from './embedder.ts';
import { placeOfPassage } from './passages.ts';
import { dequantise } from './quantise.ts';
import { VectorScan } from './vector-scan.ts';

export interface MeaningQuery {
  readonly userId: number;
  readonly text: string;
  /** All when absent; then a page that is there as several documents is found once. */
  readonly kinds?: readonly string[];
  readonly limit: number;
}

export interface MeaningHit {
  readonly kind: string;
  readonly refId: number;
  /** The cosine of the best passage. */
  readonly score: number;
  readonly chunkKey: string;
  readonly title: string;
  readonly site: string | null;
  readonly urlKey: string | null;
  readonly publishedAt: number;
}

export interface Meaning {
  readonly model: string;
  /** As the embedder has it. */
  readonly sureScore?: number;
  /** Whether the model knows the script of a question. */
  canRead(text: string): boolean;
  /** The best first. Fails with a LecternError when the model cannot be asked. */
  find(query: MeaningQuery): Promise<readonly MeaningHit[]>;
  /** Documents like one, without it, other copies of its page, and feeds; undefined while it has no vectors. */
  findLike(query: {
    userId: number;
    kind: string;
    refId: number;
    limit: number;
  }): Promise<readonly MeaningHit[] | undefined>;
  /** Where a passage begins in the text of its document; undefined when the document is another by now. */
  placeOf(
    document: {
      readonly kind: string;
      readonly refId: number;
      readonly title: string;
      readonly text: string;
    },
    chunkKey: string,
  ): number | undefined;
  status(): Promise<MeaningStatus>;
  close(): Promise<void>;
}

export interface MeaningDeps {
  readonly store: Pick<Store, 'forUser' | 'chunkIndex'>;
  readonly embedder: Embedder;
  readonly scan?: VectorScan;
}

const mostCharacters = 2_000;
/** More than are shown: some have gone since, and some are the same page. */
const spare = 20;
/** So often a scan is made again for what has gone: a block is read anew before much of it has. */
const mostTries = 5;

export function createMeaning({ store, embedder, scan = new VectorScan() }: MeaningDeps): Meaning {
  const asked = new AskedQuestions(embedder);

  /** The block is read while the model reads the question: after a rest, both take their time. */
  const vectorOf = async (userId: number, question: string): Promise<Float32Array> => {
    const { model, dimensions } = embedder;
    const { chunks } = store.forUser(userId);
    // Whatever fails here fails the scan, too, which says so.
    const warming = dimensions && scan.warm({ userId, model, dimensions, chunks }).catch(() => {});
    const [vector] = await Promise.all([asked.vectorOf(question), warming]);
    return vector;
  };

  const nearest = async (
    userId: number,
    query: Float32Array,
    { kinds, limit, leaveOut = () => false }: Nearest,
  ): Promise<MeaningHit[]> => {
    const { chunks } = store.forUser(userId);
    const { model, leastScore } = embedder;
    // What a document said before may be nearer than what it says now, and would stand in its place.
    const gone = new Set<number>();
    for (let wanted = limit * 2 + spare, tries = 1; ; tries++) {
      const without = [...gone];
      const scored = await scan.scan({
        userId,
        model,
        chunks,
        query,
        kinds,
        limit: wanted,
        leastScore,
        without,
      });
      const found = new Map(
        (await chunks.findMany(scored.map(({ seq }) => seq))).map((chunk) => [chunk.seq, chunk]),
      );
      const hits = scored.flatMap(({ seq, score }) => {
        const chunk = found.get(seq);
        return chunk && !leaveOut(chunk) ? [{ ...chunk, score }] : [];
      });
      for (const { seq } of scored) if (!found.has(seq)) gone.add(seq);
      const once = kinds ? hits : onePerPage(hits);
      const isEnough = once.length >= limit || scored.length < wanted || wanted > 4_000;
      if (isEnough && (gone.size === without.length || tries >= mostTries))
        return once.slice(0, limit).map(toHit);
      if (!isEnough) wanted *= 4;
    }
  };

  return {
    model: embedder.model,
    ...(embedder.sureScore !== undefined && { sureScore: embedder.sureScore }),
    canRead: (text) => embedder.canRead(text),
    status: () => store.chunkIndex.status(markOf(embedder)),
    placeOf: (document, chunkKey) => placeOfPassage(document, chunkKey, embedder.passage),

    async find({ userId, text, kinds, limit }) {
      const question = text.trim().slice(0, mostCharacters);
      if (!/[\p{L}\p{N}]/u.test(question) || !embedder.canRead(question)) return [];
      return nearest(userId, await vectorOf(userId, question), { kinds, limit });
    },

    async findLike({ userId, kind, refId, limit }) {
      const { chunks } = store.forUser(userId);
      const doc = await chunks.findDoc(kind, refId);
      const vectors = (await chunks.vectorsOf(kind, refId, embedder.model)).map(dequantise);
      const mean = meanOf(vectors);
      if (!doc || !mean) return undefined;
      const isOutOfPlace = (other: FoundChunk) =>
        other.kind === 'feed' ||
        (other.kind === kind && other.refId === refId) ||
        (doc.urlKey !== null && other.urlKey === doc.urlKey);
      return nearest(userId, mean, { limit, leaveOut: isOutOfPlace });
    },

    async close() {
      await Promise.all([embedder.close(), scan.close()]);
    },
  };
}

interface Nearest {
  readonly kinds?: readonly string[] | undefined;
  readonly limit: number;
  readonly leaveOut?: (chunk: FoundChunk) => boolean;
}

function meanOf(vectors: readonly Float32Array[]): Float32Array | undefined {
  const [first] = vectors;
  if (!first) return undefined;
  const sum = new Float32Array(first.length);
  for (const vector of vectors) {
    if (vector.length !== sum.length) return undefined;
    for (const [n, value] of vector.entries()) sum[n] = (sum[n] as number) + value;
  }
  return normalise(sum);
}

type Scored = FoundChunk & { readonly score: number };

/** At the place of the best of its documents stands the one that is shown for the page. */
function onePerPage(hits: readonly Scored[]): Scored[] {
  const pages = Map.groupBy(hits, ({ page, seq }) => page ?? `only ${seq}`);
  return [...pages.values()].map((copies) => {
    const shown = copies.reduce((a, b) => ((b.place ?? 0) < (a.place ?? 0) ? b : a));
    return { ...shown, score: (copies[0] as Scored).score };
  });
}

function toHit({ kind, refId, score, chunkKey, title, site, urlKey, publishedAt }: Scored): MeaningHit {
  return { kind, refId, score, chunkKey, title, site, urlKey, publishedAt };
}
