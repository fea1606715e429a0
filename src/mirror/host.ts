// What a host lends to the mirror: a place for objects, an index, a little state, the network and the time. Two hosts do:
// Node (cli/mirror-host.ts) and a Worker (cloudflare/). Nothing in this folder but Web APIs, so that both run the same code.

import type { RaindropFacts } from './raindrop.ts';

/** Files of the mirror, by keys such as `raindrops/7/raw.json`. */
export interface Objects {
  read(key: string): Promise<Uint8Array | undefined>;
  /** Whole or not at all. */
  put(key: string, data: Uint8Array | string, contentType?: string): Promise<void>;
  /** For a file that others may write too: the version goes into `putIf`, undefined for one that is not there. */
  readVersion(key: string): Promise<{ readonly bytes: Uint8Array; readonly version: string } | undefined>;
  /** False, and nothing written, when somebody has written since that version was read. */
  putIf(key: string, data: string, version: string | undefined): Promise<boolean>;
  /** Of what is there now: computed, or as the store keeps it of what it was given. */
  sha256(key: string): Promise<string | undefined>;
  /** The SHA-256 of these bytes, where the host has a faster way than WebCrypto. */
  readonly digest?: (bytes: Uint8Array) => string;
  /** Every key under the prefix, in rising order. */
  list(prefix: string): AsyncIterable<string>;
  /** The names of the folders right under the prefix, which ends with a slash. */
  folders(prefix: string): AsyncIterable<string>;
}

/** A raindrop as its objects tell it; ingest and reinflate hand over the same. */
export interface MirroredRaindrop extends Omit<RaindropFacts, 'cache'> {
  /** plain.txt. */
  readonly text: string;
  readonly textSha256: string;
  readonly wordCount: number;
  readonly copy: CopyState;
  readonly rawSha256: string;
  /** Set for one that was deleted at Raindrop: its objects stay. */
  readonly removedAt: string | null;
  /** The SHA-256 of each of its objects, by name. */
  readonly files: Readonly<Record<string, string>>;
}

export interface MirroredHighlight {
  readonly id: string;
  readonly text: string;
  readonly note: string;
  readonly color: string | null;
  readonly createdAt: string | null;
}

/**
 * What became of the permanent copy. `stored`: it is here. `none`: Raindrop has none (as on its free plan). `pending`:
 * Raindrop is still at it. `refused`: Raindrop could not make one. `failed`: it could not be downloaded, and is tried again.
 */
export const copyStates = ['stored', 'none', 'pending', 'refused', 'failed'] as const;
export type CopyState = (typeof copyStates)[number];

export interface MirroredCollection {
  readonly id: number;
  readonly title: string;
  readonly parentId: number | null;
}

/** What can be searched. It may be dropped at any time, and is rebuilt from the objects. */
export interface MirrorIndex {
  /** Of these, those that it has as live ones. */
  known(ids: readonly number[]): Promise<ReadonlySet<number>>;
  /** Inserts or replaces, with tags, search text and text state; one with `removedAt` is found no more. */
  upsert(raindrops: readonly MirroredRaindrop[]): Promise<void>;
  /** All of them at once; those that it has and are not among them are gone. */
  setCollections(collections: readonly MirroredCollection[]): Promise<void>;
  /** How many live ones it has. */
  count(): Promise<number>;
  /** Their ids, rising. */
  liveIds(): AsyncIterable<number>;
}

export interface TextChunk {
  /** `rd-<id>-c00`. */
  readonly k: string;
  readonly t: string;
  /** The SHA-256 of `t`. */
  readonly s: string;
}

/** Where meaning is searched too. Chunks whose hash and model are known already are not embedded again. */
export interface Embeddings {
  /** All the chunks that the raindrop has now: others of its are dropped. */
  update(raindropId: number, chunks: readonly TextChunk[]): Promise<void>;
}

/** Small values that outlive a batch. */
export interface MirrorState {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
}

export interface MirrorHost {
  readonly objects: Objects;
  readonly index: MirrorIndex;
  readonly state: MirrorState;
  readonly embeddings?: Embeddings | undefined;
  readonly fetch: (url: string, init: MirrorRequest) => Promise<Response>;
  readonly now: () => number;
  /** Between requests. With `required`, the other side asked for it, and it holds even where pauses are left out. */
  readonly pause: (ms: number, required?: boolean) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly api: {
    /** `https://api.raindrop.io/rest/v1` */
    readonly url: string;
    readonly token: string;
  };
  /** For one request. */
  readonly timeoutMs?: number | undefined;
  /** Aborted when the batch is to end at once: what fails after that says nothing of Raindrop. */
  readonly signal?: AbortSignal | undefined;
  readonly log?: (message: string, facts?: Readonly<Record<string, unknown>>) => void;
}

export interface MirrorRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly redirect: 'manual';
  readonly signal?: AbortSignal;
}

/** The message of the queue `raindrop-ingest`. */
export interface BatchMessage {
  readonly page: number;
  readonly cursor: string;
}

export interface BatchResult {
  /** Up to where everything is stored. */
  readonly cursor: string;
  readonly next: BatchMessage;
  /** Milliseconds until `next`. */
  readonly delay: number;
  /** Nothing is left to do until tomorrow. */
  readonly isDone: boolean;
  /** How many raindrops were stored or taken out. */
  readonly processed: number;
}
