// A prepared snapshot on its way from the parse thread to the thread that serves HTTP. Records travel as bytes, in batches: an
// object graph of 100,000 records would block the receiver while it is deserialised, and would stay in its heap until the sync ends.
import type { HighlightKind } from '../model/highlight.ts';
import { letOthersIn } from '../store/let-others-in.ts';
import type { Page } from '../store/owned/highlights/page-resources.ts';
import type { RecordFields } from '../store/owned/highlights/sync-store.ts';
import type { Prepared, PreparedSnapshot } from './prepare.ts';

/** JSON in UTF-8. The receiver takes over the buffers and copies nothing. */
type Bytes = Uint8Array<ArrayBuffer>;

export interface PackedBatch {
  /** A list of `RecordHead`. */
  readonly heads: Bytes;
  /** The fields of all records of the batch, one after the other. */
  readonly fields: Bytes;
}

export interface PackedSnapshot {
  readonly records: Readonly<Record<HighlightKind, readonly PackedBatch[]>>;
  /** Lists of `[id, page]`. */
  readonly pages: readonly Bytes[];
}

/** The parent is left out where it is the parent of the record before. */
type RecordHead = readonly [originalId: string, fullHash: string, fieldBytes: number, parent?: string];

/** A batch is unpacked within a millisecond or two. */
export const maxBatchRecords = 500;
const maxBatchBytes = 256 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function packSnapshot({ pages, ...records }: PreparedSnapshot): PackedSnapshot {
  return {
    records: {
      resources: [...packRecords(records.resources.values())],
      annotations: [...packRecords(records.annotations.values())],
      comments: [...packRecords(records.comments.values())],
      notes: [...packRecords(records.notes.values())],
    },
    pages: [...batchesOf(pages)].map(toBytes),
  };
}

/** What the sender gives away. */
export function buffersOf({ records, pages }: PackedSnapshot): ArrayBuffer[] {
  const batches = Object.values(records).flat();
  return [...batches.flatMap(({ heads, fields }) => [heads, fields]), ...pages].map(({ buffer }) => buffer);
}

/** Yields to the event loop after every batch. */
export async function unpackSnapshot({ records, pages }: PackedSnapshot): Promise<PreparedSnapshot> {
  const all = new Map<string, Page>();
  for (const batch of pages) {
    for (const [id, page] of fromBytes<[string, Page][]>(batch)) all.set(id, page);
    await letOthersIn();
  }
  return {
    pages: all,
    resources: await unpackRecords(records.resources),
    annotations: await unpackRecords(records.annotations),
    comments: await unpackRecords(records.comments),
    notes: await unpackRecords(records.notes),
  };
}

function* packRecords<K extends HighlightKind>(records: Iterable<Prepared<K>>): Generator<PackedBatch> {
  let heads: RecordHead[] = [];
  let fields: string[] = [];
  let sizeBytes = 0;
  let lastParent: string | undefined;
  const flush = (): PackedBatch => {
    const batch = { heads: toBytes(heads), fields: encoded(fields.join('')) };
    [heads, fields, sizeBytes, lastParent] = [[], [], 0, undefined];
    return batch;
  };
  for (const { originalId, fullHash, parent, fields: own } of records) {
    const json = JSON.stringify(own);
    const bytes = Buffer.byteLength(json);
    const head = [originalId, fullHash, bytes] as const;
    heads.push(parent === lastParent ? head : [...head, parent]);
    fields.push(json);
    sizeBytes += bytes;
    lastParent = parent;
    if (heads.length >= maxBatchRecords || sizeBytes >= maxBatchBytes) yield flush();
  }
  if (heads.length > 0) yield flush();
}

async function unpackRecords<K extends HighlightKind>(
  batches: readonly PackedBatch[],
): Promise<Map<string, Prepared<K>>> {
  const byId = new Map<string, Prepared<K>>();
  for (const { heads, fields } of batches) {
    let start = 0;
    let parent = '';
    for (const [originalId, fullHash, fieldBytes, ownParent = parent] of fromBytes<RecordHead[]>(heads)) {
      const end = start + fieldBytes;
      byId.set(originalId, new PackedRecord(originalId, ownParent, fullHash, fields, start, end));
      [start, parent] = [end, ownParent];
    }
    await letOthersIn();
  }
  return byId;
}

/** Its fields stay bytes until somebody asks for them. Most records of most syncs are unchanged, and nobody does. */
class PackedRecord<K extends HighlightKind> implements Prepared<K> {
  readonly originalId: string;
  readonly parent: string;
  readonly fullHash: string;
  readonly #fields: Bytes;
  readonly #start: number;
  readonly #end: number;

  constructor(
    originalId: string,
    parent: string,
    fullHash: string,
    fields: Bytes,
    start: number,
    end: number,
  ) {
    this.originalId = originalId;
    this.parent = parent;
    this.fullHash = fullHash;
    this.#fields = fields;
    this.#start = start;
    this.#end = end;
  }

  get fields(): RecordFields[K] {
    return fromBytes(this.#fields.subarray(this.#start, this.#end));
  }
}

function* batchesOf<T>(all: Iterable<T>): Generator<T[]> {
  let batch: T[] = [];
  for (const one of all) {
    batch.push(one);
    if (batch.length < maxBatchRecords) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function toBytes(value: unknown): Bytes {
  return encoded(JSON.stringify(value));
}

/** In a buffer of its own, so that it can be given away. */
function encoded(text: string): Bytes {
  const bytes = encoder.encode(text);
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

function fromBytes<T>(bytes: Uint8Array): T {
  return JSON.parse(decoder.decode(bytes)) as T;
}
