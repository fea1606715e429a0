// Writes facts as a set of segments: parts of a bounded size, of which the last one makes the set count.
import type { Files } from '../files/files.ts';
import { type SegmentHeader, segmentKey, writeSegment } from './segment.ts';

export const partSizeBytes = 8 * 1024 * 1024;

export type SetHeader = Omit<
  SegmentHeader,
  'lectern' | 'format' | 'part' | 'last' | 'facts' | keyof FinalHeader
>;

/** Only the last part has these fields. */
export type FinalHeader = Pick<SegmentHeader, 'replaces' | 'ids' | 'abandons'>;

export class SetWriter {
  readonly #files: Files;
  readonly #header: SetHeader;
  #lines: string[] = [];
  #sizeBytes = 0;
  #part = 0;

  constructor(files: Files, header: SetHeader) {
    this.#files = files;
    this.#header = header;
  }

  async add(line: string): Promise<void> {
    // Only when another line follows is it known that this part is not the last.
    if (this.#sizeBytes >= partSizeBytes) await this.#put({ last: false });
    this.#lines.push(line);
    this.#sizeBytes += line.length;
  }

  /** The set counts from here on. */
  async finish(extra: FinalHeader = {}): Promise<void> {
    await this.#put({ last: true, ...extra });
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
    await this.#files.put(segmentKey(this.#header.set, this.#part), writeSegment(header, this.#lines));
    this.#lines = [];
    this.#sizeBytes = 0;
  }
}
