// Writes facts as a set of segments: parts of a bounded size, of which the last one makes the set count.
import type { Files } from '../files/files.ts';
import { type SegmentHeader, segmentKey, writeSegment } from './segment.ts';

/** One upload over a slow connection takes seconds, and a broken one repeats little. A larger row has a part of its own. */
export const maxPartBytes = 1024 * 1024;
/** Nobody waits for a merge, and the bucket charges by the request. */
export const maxMergedPartBytes = 8 * 1024 * 1024;

export type SetHeader = Omit<
  SegmentHeader,
  'lectern' | 'format' | 'part' | 'last' | 'facts' | keyof FinalHeader
>;

/** Only the last part has these fields. */
export type FinalHeader = Pick<SegmentHeader, 'replaces' | 'ids' | 'abandons'>;

export interface SetTarget {
  readonly files: Files;
  readonly header: SetHeader;
  /** Aborting it ends the write with the reason. */
  readonly signal?: AbortSignal;
  readonly partBytes?: number;
}

/** Writes the lines that `write` adds. The set counts once it has returned the last fields of the header. */
export async function writeSet(
  target: SetTarget,
  write: (add: (line: string) => Promise<void>) => Promise<FinalHeader>,
): Promise<void> {
  const set = new SetWriter(target);
  try {
    await set.finish(await write((line) => set.add(line)));
  } catch (error) {
    // Each further attempt would leave one more copy. The first error is the one to report.
    await set.discard().catch(() => {});
    throw error;
  }
}

class SetWriter {
  readonly #files: Files;
  readonly #header: SetHeader;
  readonly #signal: AbortSignal | undefined;
  readonly #partBytes: number;
  #lines: string[] = [];
  #sizeBytes = 0;
  #part = 0;
  #isFinishing = false;

  constructor({ files, header, signal, partBytes = maxPartBytes }: SetTarget) {
    this.#files = files;
    this.#header = header;
    this.#signal = signal;
    this.#partBytes = partBytes;
  }

  async add(line: string): Promise<void> {
    const lineBytes = Buffer.byteLength(line) + 1;
    if (this.#lines.length > 0 && this.#sizeBytes + lineBytes > this.#partBytes)
      await this.#put({ last: false });
    this.#lines.push(line);
    this.#sizeBytes += lineBytes;
  }

  async finish(extra: FinalHeader): Promise<void> {
    this.#isFinishing = true;
    await this.#put({ last: true, ...extra });
  }

  /** Deletes the parts. If the last one may have been stored, all stay: another process may have read the set. */
  async discard(): Promise<void> {
    if (this.#isFinishing) return;
    for (let part = this.#part; part >= 1; part--)
      await this.#files.delete(segmentKey(this.#header.set, part));
  }

  async #put(extra: { last: boolean } & FinalHeader): Promise<void> {
    this.#part += 1;
    const header: SegmentHeader = {
      lectern: 'journal',
      format: 1,
      ...this.#header,
      part: this.#part,
      facts: this.#lines.length,
      ...extra,
    };
    const segment = writeSegment(header, this.#lines);
    await this.#files.put(segmentKey(this.#header.set, this.#part), segment, { signal: this.#signal });
    this.#lines = [];
    this.#sizeBytes = 0;
  }
}
