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
  readonly onProgress?: (done: number, total: number) => void;
}

export interface ReinflatedMirror {
  readonly raindrops: number;
  readonly removed: number;
  /** What is not as its hash says, and was not indexed. */
  readonly problems: readonly { readonly id: number; readonly what: string }[];
}

/** As many as one transaction takes, and as are read side by side. */
const atOnce = 100;
const readAtOnce = 16;

type Deps = Pick<MirrorHost, 'objects' | 'index' | 'embeddings'>;

export async function reinflateMirror(deps: Deps, options: ReinflateOptions = {}): Promise<ReinflatedMirror> {
  const { objects, index, embeddings } = deps;
  const { rag = false, copies = true, onProgress } = options;
  const ids = options.ids ?? (await raindropIds(objects));
  await reinflateCollections(deps);
  const problems: { id: number; what: string }[] = [];
  let removed = 0;
  let raindrops = 0;
  // The next ones are read while the last are written.
  let writing: Promise<void> = Promise.resolve();
  for (let n = 0; n < ids.length; n += atOnce) {
    const loaded = await loadSome(objects, ids.slice(n, n + atOnce), copies, problems);
    await writing;
    writing = index.upsert(loaded);
    // Whoever waits for it below hears of a failure; until then it is nobody's.
    writing.catch(() => {});
    // What is embedded names a row that must be there.
    if (rag && embeddings) {
      await writing;
      for (const { id, removedAt } of loaded) await embed({ objects, embeddings }, id, removedAt !== null);
    }
    const gone = loaded.filter(({ removedAt }) => removedAt !== null).length;
    removed += gone;
    raindrops += loaded.length - gone;
    onProgress?.(Math.min(ids.length, n + atOnce), ids.length);
  }
  await writing;
  return { raindrops, removed, problems };
}

async function reinflateCollections({ objects, index }: Deps): Promise<void> {
  const bytes = await objects.read(collectionsKey);
  if (bytes) await index.setCollections(JSON.parse(new TextDecoder().decode(bytes)));
}

async function loadSome(
  objects: Objects,
  ids: readonly number[],
  copies: boolean,
  problems: { id: number; what: string }[],
): Promise<MirroredRaindrop[]> {
  const loaded: (MirroredRaindrop | undefined)[] = [];
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
  return loaded.filter((raindrop) => raindrop !== undefined);
}
