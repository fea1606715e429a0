// The index from the objects, in pieces: a Worker may ask for so much and no more before it has to end.
import { embed } from '../../src/mirror/batch.ts';
import type { MirrorHost } from '../../src/mirror/host.ts';
import { raindropIds } from '../../src/mirror/manifest.ts';
import { type ReinflatedMirror, reinflateMirror } from '../../src/mirror/reinflate-mirror.ts';
import { groupsOf } from './groups.ts';

/** How far the last reinflate came, and what it found: see ReinflateProgress. */
export const reinflateKey = 'kv:raindrop:reinflate';

/** A raindrop takes four requests to R2, and with embeddings about five more to others; a thousand are allowed in any case. */
const raindropsAtOnce = 100;
const embeddedAtOnce = 50;
/** Their texts lie in memory together. */
const readAtOnce = 20;
/** A message has room for 128 KB. */
const mostProblems = 100;

/** All that the next piece has to know: KV may be late, and what is in the message is not. */
export interface ReinflatePiece {
  /** The id up to which all are done; null at the beginning. */
  readonly after: number | null;
  /** Embeddings too. */
  readonly rag: boolean;
  /** What the pieces before have found. */
  readonly soFar?: ReinflatedMirror | undefined;
}

/** For people. */
export interface ReinflateProgress extends ReinflatedMirror {
  readonly rag: boolean;
  readonly left: number;
  readonly at: string;
}

/** Repeated, it writes the same again. What is to be done after it, if anything. */
export async function reinflatePiece(
  host: MirrorHost,
  { after, rag, soFar }: ReinflatePiece,
): Promise<ReinflatePiece | undefined> {
  const ids = (await raindropIds(host.objects)).filter((id) => after === null || id > after);
  const here = ids.slice(0, rag ? embeddedAtOnce : raindropsAtOnce);
  let found = soFar ?? nothing;
  for (const some of groupsOf(here, readAtOnce))
    found = added(found, await reinflateMirror(host, { ids: some }));
  if (rag) await embedAll(host, here);
  const left = ids.length - here.length;
  const progress: ReinflateProgress = { ...found, rag, left, at: new Date(host.now()).toISOString() };
  await host.state.set(reinflateKey, JSON.stringify(progress));
  const last = here.at(-1);
  return left === 0 || last === undefined ? undefined : { after: last, rag, soFar: found };
}

/** After all of them are in the index: rag_state refers to their rows. */
async function embedAll({ objects, index, embeddings }: MirrorHost, ids: readonly number[]): Promise<void> {
  if (!embeddings) return;
  for (const id of await index.known(ids)) await embed({ objects, embeddings }, id, false);
}

const nothing: ReinflatedMirror = { raindrops: 0, removed: 0, problems: [] };

function added(before: ReinflatedMirror, now: ReinflatedMirror): ReinflatedMirror {
  return {
    raindrops: before.raindrops + now.raindrops,
    removed: before.removed + now.removed,
    problems: [...before.problems, ...now.problems].slice(0, mostProblems),
  };
}
