import type { MirrorHost } from './host.ts';

export interface ReinflateOptions {
  /** Embeddings too, from chunks.jsonl. */
  readonly rag?: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface ReinflatedMirror {
  readonly raindrops: number;
  readonly removed: number;
  /** What is not as its hash says, and was not indexed. */
  readonly problems: readonly { readonly id: number; readonly what: string }[];
}

/** Everything that the objects tell of, into an empty index. */
export async function reinflateMirror(
  _host: Pick<MirrorHost, 'objects' | 'index' | 'embeddings'>,
  _options: ReinflateOptions = {},
): Promise<ReinflatedMirror> {
  throw new Error('under construction');
}
