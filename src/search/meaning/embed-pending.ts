// Follows the documents of search: whatever is new or has another text gets its vectors, when there is nothing better to do.
// It may be ended at any point and started again, and of two that run one waits.
import { setTimeout as pause } from 'node:timers/promises';
import { LeaseLost, Upstream } from '../../errors.ts';
import type { SearchSource, SearchText } from '../../model/search.ts';
import type { Lease, LeaseStore } from '../../store/lease-store.ts';
import type {
  ChunkIndex,
  EmbeddedDoc,
  MeaningStatus,
  UnembeddedDoc,
} from '../../store/search/chunk-index.ts';
import type { SearchIndex } from '../../store/search/search-index.ts';
import { withLease } from '../../store/with-lease.ts';
import { hasUnnoted } from '../note-everything.ts';
import { type Embedder, TextRefused } from './embedder.ts';
import { type Passage, passagesOf, passagesVersion } from './passages.ts';
import { quantise } from './quantise.ts';

export interface EmbedDeps {
  readonly chunkIndex: ChunkIndex;
  readonly searchIndex: Pick<SearchIndex, 'pending' | 'findProgress'>;
  readonly leases: LeaseStore;
  readonly sources: readonly SearchSource[];
  readonly embedder: Embedder;
  /** Whether something is under way in this process that people wait for more than for search. */
  readonly isBusy?: () => boolean;
  /** Nobody else needs the machine: without rests in between. */
  readonly alone?: boolean;
  /** A document that the model does not take, and why: it is left out until its text is another. */
  readonly onRefused?: (doc: UnembeddedDoc, error: Error) => void;
}

export interface EmbedFollower {
  /** Embeds what is pending, for some time. False when nothing is left, or another process is at it. */
  look(signal: AbortSignal): Promise<boolean>;
  hasWork(): Promise<boolean>;
  status(): Promise<MeaningStatus>;
}

const leaseName = 'meaning';
const leaseTtlMs = 60_000;
const docsAtOnce = 32;
const lookForMs = 5_000;
/** While feeds are pulled: one batch now and then. */
const besideOthersEveryMs = 5_000;
/** A rest after each batch, as a share of the time that it took: the machine has other things to do. */
const restShare = 0.5;
const askAgainMs = 50;

export function markOf(embedder: Embedder): string {
  return `${embedder.model} ${passagesVersion}`;
}

export function createEmbedFollower(deps: EmbedDeps, holder: string): EmbedFollower {
  const { chunkIndex, embedder } = deps;
  const mark = markOf(embedder);
  let lookedAt = Number.NEGATIVE_INFINITY;
  const hasWork = async () => (await chunkIndex.pending(mark, 1)).length > 0 || (await mayDropOrphans(deps));

  return {
    hasWork,
    status: () => chunkIndex.status(mark),

    async look(signal) {
      if (deps.isBusy?.() && performance.now() - lookedAt < besideOthersEveryMs) return false;
      if (!(await hasWork())) return false;
      lookedAt = performance.now();
      const isOver = () => deps.isBusy?.() || performance.now() - lookedAt > lookForMs || signal.aborted;
      // A batch takes minutes when a server asks for pauses.
      const request = { name: leaseName, holder, ttlMs: leaseTtlMs };
      const isMore = await withLease(deps.leases, request, async ({ lease, signal: lost }) => {
        const ended = AbortSignal.any([signal, lost]);
        try {
          for (;;) {
            const began = performance.now();
            if (!(await embedSome(deps, mark, lease, ended))) return false;
            if (isOver()) return true;
            if (!deps.alone)
              await pause((performance.now() - began) * restShare, undefined, { signal: ended });
          }
        } catch (error) {
          // Told to stop, or overtaken: what is left is still pending.
          if (error instanceof LeaseLost || ended.aborted) return false;
          throw error;
        }
      });
      return isMore ?? false;
    },
  };
}

/** For tests and commands: until nothing is left, also of what another process has in its hands. */
export async function embedEverything(
  follower: EmbedFollower,
  signal: AbortSignal,
  onProgress: (status: MeaningStatus) => void = () => {},
): Promise<void> {
  for (;;) {
    while (await follower.look(signal)) onProgress(await follower.status());
    signal.throwIfAborted();
    if (!(await follower.hasWork())) return onProgress(await follower.status());
    await pause(askAgainMs, undefined, { signal });
  }
}

async function embedSome(deps: EmbedDeps, mark: string, lease: Lease, signal: AbortSignal): Promise<boolean> {
  const docs = await deps.chunkIndex.pending(mark, docsAtOnce);
  if (docs.length === 0) {
    if (!(await mayDropOrphans(deps))) return false;
    await deps.chunkIndex.dropOrphans(lease);
    return true;
  }
  for (const batch of await inBatches(deps, await withPassages(deps, docs)))
    await deps.chunkIndex.put(lease, mark, await embedBatch(deps, batch, signal));
  return true;
}

interface Prepared {
  readonly doc: UnembeddedDoc;
  readonly passages: readonly Passage[];
  /** Those whose vectors are not in the index. */
  readonly missing: readonly Passage[];
}

/** A document that is gone has none; the indexer takes it out, and its vectors with it. */
async function withPassages(deps: EmbedDeps, docs: readonly UnembeddedDoc[]): Promise<Prepared[]> {
  const { embedder, chunkIndex } = deps;
  const texts = new Map<string, SearchText>();
  for (const [kind, ofKind] of Map.groupBy(docs, (doc) => doc.kind)) {
    const source = deps.sources.find((candidate) => candidate.kind === kind);
    const atOnce = source?.atOnce ?? docsAtOnce;
    for (let at = 0; source && at < ofKind.length; at += atOnce) {
      const refIds = ofKind.slice(at, at + atOnce).map(({ refId }) => refId);
      for (const text of await source.read(refIds)) texts.set(`${kind} ${text.userId} ${text.refId}`, text);
    }
  }
  const cut = docs.map((doc) => {
    const text = texts.get(`${doc.kind} ${doc.userId} ${doc.refId}`);
    const passages = text ? passagesOf({ ...text, kind: doc.kind }, embedder.passage) : [];
    return { doc, passages: passages.filter((passage) => embedder.canRead(passage.text)) };
  });
  const stored = await chunkIndex.chunksOf(cut.flatMap(({ passages }) => passages.map(({ key }) => key)));
  const isStored = ({ key, sha256 }: Passage) => {
    const chunk = stored.get(key);
    return chunk?.sha256 === sha256 && chunk.model === embedder.model;
  };
  return cut.map(({ doc, passages }) => ({
    doc,
    passages,
    missing: passages.filter((passage) => !isStored(passage)),
  }));
}

/** Whole documents, until there are as many passages as the model is best given. */
async function inBatches({ embedder }: EmbedDeps, docs: readonly Prepared[]): Promise<Prepared[][]> {
  const batches: Prepared[][] = [];
  let passages = Number.POSITIVE_INFINITY;
  for (const doc of docs) {
    if (passages + doc.missing.length > embedder.atOnce) {
      batches.push([]);
      passages = 0;
    }
    batches.at(-1)?.push(doc);
    passages += doc.missing.length;
  }
  return batches;
}

async function embedBatch(
  deps: EmbedDeps,
  docs: readonly Prepared[],
  signal: AbortSignal,
): Promise<EmbeddedDoc[]> {
  const { embedder } = deps;
  const { model } = embedder;
  try {
    const texts = docs.flatMap(({ missing }) => missing.map(({ text }) => text));
    const vectors = await embedder.embed(texts, signal);
    let next = 0;
    return docs.map(({ doc, passages, missing }) => ({
      doc,
      model,
      keys: passages.map(({ key }) => key),
      written: missing.map(({ key, part, sha256 }) => {
        const vector = quantise(vectors[next] as Float32Array);
        next += 1;
        return { key, part, sha256, vector };
      }),
    }));
  } catch (error) {
    if (!(error instanceof TextRefused)) throw error;
    const [only] = docs;
    // Which of them it was is seen when each is asked about alone.
    if (docs.length > 1) {
      const done: EmbeddedDoc[] = [];
      for (const doc of docs) done.push(...(await embedBatch(deps, [doc], signal)));
      return done;
    }
    if (!only) return [];
    await requireAnyText(embedder, signal);
    deps.onRefused?.(only.doc, error);
    return [{ doc: only.doc, model, keys: [], written: [] }];
  }
}

/** A text that nobody could take offence at. */
const plainest = 'word';

/**
 * Some servers say of everything what others say of one text, as long as they have no such model or none is loaded. What is
 * refused loses its vectors, and is not asked about again: so that it is the text is made sure of.
 */
async function requireAnyText(embedder: Embedder, signal: AbortSignal): Promise<void> {
  try {
    await embedder.embed([plainest], signal);
  } catch (cause) {
    if (!(cause instanceof TextRefused)) throw cause;
    throw new Upstream('The server of the embeddings accepts no text at all.', { cause });
  }
}

/** Only when the index of search is whole again: until then the document of any of them may still come. */
async function mayDropOrphans({ chunkIndex, searchIndex, sources }: EmbedDeps): Promise<boolean> {
  if (!(await chunkIndex.hasOrphans())) return false;
  for (const source of sources)
    if (
      (await searchIndex.pending(source.kind, 1)).length > 0 ||
      (await hasUnnoted(searchIndex as SearchIndex, source))
    )
      return false;
  return true;
}
