// The index from the objects: every raindrop that a manifest or an object tells of, each compared with its hashes.
import { embed } from './batch.ts';
import type { MirroredCollection, MirroredRaindrop, MirrorHost, Objects } from './host.ts';
import { collectionsKey, raindropIds } from './manifest.ts';
import { type Damage, DamagedRaindrop, loadAll } from './objects-of.ts';
import { isObject } from './raindrop.ts';

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

export interface LoadedRaindrops {
  readonly raindrops: readonly MirroredRaindrop[];
  readonly problems: readonly Damage[];
}

export interface ReinflatedMirror {
  readonly raindrops: number;
  readonly removed: number;
  /** What is not as its hash says, and was not indexed. */
  readonly problems: readonly Damage[];
}

/** As many as one transaction takes. */
const atOnce = 200;

type Deps = Pick<MirrorHost, 'objects' | 'index' | 'embeddings'>;

export async function reinflateMirror(deps: Deps, options: ReinflateOptions = {}): Promise<ReinflatedMirror> {
  const { objects, index, embeddings } = deps;
  const { rag = false, copies = true, onProgress } = options;
  const ids = options.ids ?? (await raindropIds(objects));
  await reinflateCollections(deps);
  const load = options.load ?? ((all: readonly number[]) => loadRaindrops(objects, all, { copies }));
  const problems: Damage[] = [];
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
        await embed({ objects, embeddings }, id, removedAt !== null).catch((error) => {
          if (!(error instanceof DamagedRaindrop)) throw error;
          problems.push({ id, what: error.message });
        });
    onProgress?.(raindrops + removed + problems.length, ids.length);
  }
  return { raindrops, removed, problems };
}

async function reinflateCollections({ objects, index }: Deps): Promise<void> {
  const collections = parseCollections(await objects.read(collectionsKey));
  if (collections) await index.setCollections(collections);
}

/** What cannot be read says nothing: the next run asks Raindrop. */
export function parseCollections(bytes: Uint8Array | undefined): MirroredCollection[] | undefined {
  if (!bytes) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return Array.isArray(value) && value.every(isCollection) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isCollection(value: unknown): value is MirroredCollection {
  return isObject(value) && Number.isSafeInteger(value.id) && typeof value.title === 'string';
}

/** Some at a time, in the order of the ids. */
export async function* loadRaindrops(
  objects: Objects,
  ids: readonly number[],
  { copies }: { readonly copies: boolean },
): AsyncGenerator<LoadedRaindrops, void, void> {
  for (let n = 0; n < ids.length; n += atOnce) {
    const { raindrops, damaged } = await loadAll(objects, ids.slice(n, n + atOnce), { copies });
    yield { raindrops, problems: damaged };
  }
}
