// What a library's files can do, wherever they are kept. test/contract/files.test.ts holds for every kind.
import { createHash } from 'node:crypto';
import type { Millis } from '../../model/glossary.ts';

export interface FileStat {
  readonly key: string;
  readonly sizeBytes: number;
  /** To the millisecond in a folder, to the second on S3. */
  readonly modifiedAt: Millis;
  /** As it was when written. Only S3 keeps it, for files that we put; a folder's caller has it in its row. */
  readonly sha256?: string;
}

/** One version of a file, open. Read the body to its end or cancel it: until then it holds a handle. */
export interface StoredFile extends FileStat {
  /** Fails, and never just ends, when fewer or other bytes arrive than were stored. */
  readonly body: ReadableStream<Uint8Array>;
}

export type FileData = Uint8Array | string | AsyncIterable<Uint8Array>;

export interface PutOptions {
  /** Aborting it fails the put with the reason, unless the file is complete by then. */
  readonly signal?: AbortSignal | undefined;
}

export interface Written {
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface FilePage {
  readonly files: readonly FileStat[];
  /** Pass it as `after` for the next page; absent on the last one. */
  readonly next?: string;
}

/**
 * Keys are judged by key.ts; a bad one throws Invalid. Do not use one key as the folder of another: a folder
 * answers Conflict, S3 cannot tell.
 */
export interface Files {
  readonly kind: 'folder' | 's3';

  /**
   * Writes the file whole or not at all, and returns once it would survive a power loss. When it throws, the
   * key holds its old or its new content, never a mixture; an error of `data` itself is thrown as it is.
   */
  put(key: string, data: FileData, options?: PutOptions): Promise<Written>;

  /** The file that is there now; a later put or delete does not disturb its reader. Absent: undefined. */
  get(key: string): Promise<StoredFile | undefined>;

  read(key: string): Promise<Uint8Array | undefined>;

  stat(key: string): Promise<FileStat | undefined>;

  /** Gone for good when it returns. Absent is fine. */
  delete(key: string): Promise<void>;

  /** One page, in bytewise order of the keys: at most `limit` (1 to 999) keys greater than `after`. */
  list(prefix: string, options?: { after?: string; limit?: number }): Promise<FilePage>;

  /** Every file under the prefix, in the same order, in bounded memory. What changes meanwhile may be missed. */
  listAll(prefix: string, options?: { after?: string }): AsyncGenerator<FileStat, void, void>;

  /** The names of the folders right under `prefix`, which ends with a slash. One may have been emptied by now. */
  folders(prefix: string): AsyncGenerator<string, void, void>;
}

/** S3 lists 1,000 keys at once, of which one tells whether there is another page. */
export const maxPageSize = 999;

export async function* chunksOf(data: FileData): AsyncGenerator<Uint8Array, void, void> {
  if (typeof data === 'string') yield Buffer.from(data);
  else if (data instanceof Uint8Array) yield data;
  else yield* data;
}

export async function collect(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

export function sha256Of(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
