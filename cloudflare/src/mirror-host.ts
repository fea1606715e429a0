// What Cloudflare lends to the mirror: R2, D1, KV, Workers AI and Vectorize.
import { drizzle } from 'drizzle-orm/d1';
import type { Embeddings, MirrorHost } from '../../src/mirror/host.ts';
import { createD1Index } from './d1-index.ts';
import type { Env } from './env.ts';
import { createKvState } from './kv-state.ts';
import { createR2Objects } from './r2-objects.ts';
import { createVectors } from './vectors.ts';

export type HostDeps = Pick<MirrorHost, 'now' | 'random' | 'pause' | 'fetch' | 'log'>;

export function createMirrorHost(env: Env, deps: HostDeps): MirrorHost {
  const objects = createR2Objects(env.BUCKET);
  const embeddings = embeddingsOf(env, deps);
  return {
    ...deps,
    objects,
    embeddings,
    index: createD1Index({ db: drizzle(env.DB), embeddings, now: deps.now }),
    state: createKvState(env.STATE, deps),
    api: { url: env.RAINDROP_API_URL, token: env.RAINDROP_TOKEN },
  };
}

/** None, where one of the two is not bound: everything else works without. */
function embeddingsOf(env: Env, { now }: HostDeps): Embeddings | undefined {
  if (!env.AI || !env.VECTORIZE) return undefined;
  return createVectors({
    db: drizzle(env.DB),
    ai: env.AI,
    vectors: env.VECTORIZE,
    model: env.EMBEDDING_MODEL || undefined,
    now,
  });
}
