import type { IngestMessage } from './ingest-message.ts';

/** What wrangler.jsonc binds, and the two secrets. */
export interface Env {
  /** The objects: `raindrops/7/raw.json`, `manifests/2026-01.jsonl`. */
  readonly BUCKET: R2Bucket;
  readonly DB: D1Database;
  readonly STATE: KVNamespace;
  /** The queue `raindrop-ingest`. */
  readonly INGEST: Queue<IngestMessage>;
  /** With VECTORIZE, for search by meaning. Without either of them there is none. */
  readonly AI?: Ai;
  readonly VECTORIZE?: Vectorize;
  /** The static page. */
  readonly ASSETS: Fetcher;
  readonly RAINDROP_TOKEN: string;
  /** What whoever reads this mirror shows. */
  readonly ACCESS_TOKEN: string;
  readonly RAINDROP_API_URL: string;
  readonly EMBEDDING_MODEL?: string;
}
