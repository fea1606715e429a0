// What the read API is lent: the bucket with the truth, the index, the built page, the secret, and the mirror itself.

export interface ReadEnv {
  readonly BUCKET: R2Bucket;
  readonly DB: D1Database;
  readonly ASSETS: Fetcher;
  /** A secret of the Worker; missing until somebody has set it. */
  readonly ACCESS_TOKEN: string;
}

export interface MirrorControl {
  status(): Promise<unknown>;
  /** False while a run is under way already. */
  start(): Promise<boolean>;
  reinflate(options: { rag: boolean }): Promise<unknown>;
}
