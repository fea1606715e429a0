// Bodies on their way to and from S3: an upload's length and hash known before it starts, a download checked.
import { createHash, type Hash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Invalid, Upstream } from '../../errors.ts';
import { chunksOf, type FileData, sha256Of } from './files.ts';
import { type Transfer, Transient, transientIfNetwork } from './s3-request.ts';

export interface Upload {
  readonly content: Uint8Array | Blob;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** What S3 takes in one PUT. More would need an upload in parts, which is not written whole or not at all. */
const maxUploadBytes = 5 * 1024 ** 3;
/** A stream is signed before it is sent, so it must wait somewhere: to this size in memory, then in a file. */
const maxInMemoryBytes = 8 * 1024 ** 2;

export async function withUpload<T>(
  { spoolFolder = tmpdir() }: { spoolFolder?: string },
  data: FileData,
  use: (upload: Upload) => Promise<T>,
): Promise<T> {
  if (typeof data === 'string' || data instanceof Uint8Array) {
    const content = typeof data === 'string' ? Buffer.from(data) : data;
    return use({ content, sizeBytes: content.byteLength, sha256: sha256Of(content) });
  }
  const spool = new Spool(spoolFolder);
  try {
    for await (const chunk of chunksOf(data)) await spool.add(chunk);
    return await use(await spool.finish());
  } finally {
    await spool.remove();
  }
}

class Spool {
  readonly #parent: string;
  readonly #hash: Hash = createHash('sha256');
  #sizeBytes = 0;
  #chunks: Uint8Array[] = [];
  #folder: string | undefined;
  #file: FileHandle | undefined;

  constructor(parent: string) {
    this.#parent = parent;
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.#sizeBytes += chunk.byteLength;
    if (this.#sizeBytes > maxUploadBytes)
      throw new Invalid('a file of a library on S3 can have 5 GB, not more');
    this.#hash.update(chunk);
    this.#chunks.push(chunk);
    if (this.#file !== undefined || this.#sizeBytes > maxInMemoryBytes) await this.#flush();
  }

  async finish(): Promise<Upload> {
    const sha256 = this.#hash.digest('hex');
    if (this.#folder === undefined) {
      return { content: Buffer.concat(this.#chunks), sizeBytes: this.#sizeBytes, sha256 };
    }
    await this.#close();
    const content = await openAsBlob(join(this.#folder, 'upload'));
    return { content, sizeBytes: this.#sizeBytes, sha256 };
  }

  async remove(): Promise<void> {
    await this.#close();
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }

  async #flush(): Promise<void> {
    this.#folder ??= await mkdtemp(join(this.#parent, 'lectern-upload-'));
    this.#file ??= await open(join(this.#folder, 'upload'), 'wx', 0o600);
    for (const chunk of this.#chunks) await this.#file.appendFile(chunk);
    this.#chunks = [];
  }

  async #close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }
}

interface CheckOptions {
  /** How long to wait for each piece. */
  readonly timeoutMs: number;
  readonly transfer: Transfer;
  readonly brokenOff: (reason: Transient) => Error;
}

interface Expected {
  readonly key: string;
  readonly sizeBytes: number;
  readonly sha256?: string;
}

/**
 * Passes the body on and fails at its end unless the bytes are those that were stored. `brokenOff` makes the
 * error for a transfer that another attempt might finish.
 */
export function checkedBody(
  response: Response,
  expected: Expected,
  { timeoutMs, transfer, brokenOff }: CheckOptions,
): ReadableStream<Uint8Array> {
  transfer.takeOver();
  const reader = response.body?.getReader();
  const hash = createHash('sha256');
  let arrived = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // The clock runs only while we wait for the server, not while our reader is busy.
        const timer = setTimeout(() => transfer.stop(new Transient('the transfer stood still')), timeoutMs);
        try {
          const { done, value } = (await reader?.read()) ?? { done: true };
          if (!done && value) {
            arrived += value.byteLength;
            hash.update(value);
            return controller.enqueue(value);
          }
          if (arrived !== expected.sizeBytes) {
            throw new Transient(`${arrived} of ${expected.sizeBytes} bytes arrived`);
          }
          if (expected.sha256 !== undefined && hash.digest('hex') !== expected.sha256) {
            throw new Upstream(
              `"${expected.key}" of the library is not what was stored: its SHA-256 differs`,
            );
          }
          controller.close();
        } catch (error) {
          transfer.stop(new Transient('given up'));
          const cause = transientIfNetwork(error);
          throw cause instanceof Transient ? brokenOff(cause) : cause;
        } finally {
          clearTimeout(timer);
        }
      },
      cancel: (reason) => reader?.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
