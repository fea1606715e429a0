// The index from the objects: every raindrop that a manifest or an object tells of, each compared with its hashes.
import { embed } from './batch.ts';
import type { MirroredRaindrop, MirrorHost, Objects } from './host.ts';
import { collectionsKey, raindropIds } from './manifest.ts';
import { DamagedRaindrop, loadRaindrop } from './objects-of.ts';

export interface ReinflateOptions {
  /** Embeddings too, from chunks.jsonl. */
  readonly rag?: boolean;
  /** Only those; for a host that cannot do all of them in one go. */
  readonly ids?: readonly number[];
  /** Permanent copies are compared with their hashes too. On unless it is said. */
  readonly copies?: boolean;
  /** Another way to load them than here and now. */
  readonly load?: (ids: readonly number[]) => AsyncIterable<LoadedRaindrops>;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface Problem {
  readonly id: number;
  readonly what: string;
}

export interface LoadedRaindrops {
  readonly raindrops: readonly MirroredRaindrop[];
  readonly problems: readonly Problem[];
}

export interface ReinflatedMirror {
  readonly raindrops: number;
  readonly removed: number;
  /** What is not as its hash says, and was not indexed. */
  readonly problems: readonly Problem[];
}

/** As many as one transaction takes, and as are read side by side. */
const atOnce = 200;
const readAtOnce = 16;

type Deps = Pick<MirrorHost, 'objects' | 'index' | 'embeddings'>;

export async function reinflateMirror(deps: Deps, options: ReinflateOptions = {}): Promise<ReinflatedMirror> {
  const { objects, index, embeddings } = deps;
  const { rag = false, copies = true, onProgress } = options;
  const ids = options.ids ?? (await raindropIds(objects));
  await reinflateCollections(deps);
  const load = options.load ?? ((all: readonly number[]) => loadRaindrops(objects, all, { copies }));
  const problems: Problem[] = [];
  let removed = 0;
  let raindrops = 0;
  for await (const loaded of load(ids)) {
    problems.push(...loaded.problems);
    await index.upsert(loaded.raindrops);
    const gone = loaded.raindrops.filter(({ removedAt }) => removedAt !== null).length;
    removed += gone;
    raindrops += loaded.raindrops.length - gone;
    if (rag && embeddings)
      for (const { id, removedAt } of loaded.raindrops)
        await embed({ objects, embeddings }, id, removedAt !== null);
    onProgress?.(raindrops + removed + problems.length, ids.length);
  }
  return { raindrops, removed, problems };
}

async function reinflateCollections({ objects, index }: Deps): Promise<void> {
  const bytes = await objects.read(collectionsKey);
  if (bytes) await index.setCollections(JSON.parse(new TextDecoder().decode(bytes)));
}

/** Some at a time, in the order of the ids. */
export async function* loadRaindrops(
  objects: Objects,
  ids: readonly number[],
  { copies }: { readonly copies: boolean },
): AsyncGenerator<LoadedRaindrops, void, void> {
  for (let n = 0; n < ids.length; n += atOnce) yield loadSome(objects, ids.slice(n, n + atOnce), copies);
}

async function loadSome(objects: Objects, ids: readonly number[], copies: boolean): Promise<LoadedRaindrops> {
  const loaded: (MirroredRaindrop | undefined)[] = [];
  const problems: Problem[] = [];
  const left = ids.entries();
  const turn = async () => {
    for (const [n, id] of left) {
      try {
        loaded[n] = await loadRaindrop(objects, id, { copies });
      } catch (error) {
        if (!(error instanceof DamagedRaindrop)) throw error;
        problems.push({ id, what: error.message });
      }
    }
  };
  await Promise.all(Array.from({ length: readAtOnce }, turn));
  return { raindrops: loaded.filter((raindrop) => raindrop !== undefined), problems };
}
