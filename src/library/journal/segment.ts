// A segment: one file of the journal. The first line says what it is, the last one what it must hash to, and
// each line between is a fact: a whole durable row, or null for one that is gone.
import { createHash } from 'node:crypto';
import type { Fact, SetName } from '../../store/journal-store.ts';
import { ulidTime } from '../ulid.ts';

/** A set is written whole or does not count; it shows one committed state of the index. */
export interface SegmentHeader {
  readonly lectern: 'journal';
  readonly format: 1;
  /** The schema whose columns the rows have. */
  readonly schema: number;
  /** The index that wrote it. */
  readonly writer: string;
  readonly set: string;
  /** The place of the set among all sets; one that replaces others covers all places from `from_ordinal` on. */
  readonly ordinal: number;
  readonly from_ordinal: number;
  /** The set that was written before this one, so that a missing set is detected. */
  readonly previous: SetName | null;
  /** Counted from 1; the last part says that it is. */
  readonly part: number;
  readonly last: boolean;
  readonly first_seq: number;
  readonly last_seq: number;
  readonly facts: number;
  /** On the last part of a set that takes the place of others: their names, which count no more. */
  readonly replaces?: readonly string[];
  /** The highest id that each table ever gave, where facts about deleted rows were left out. */
  readonly ids?: Readonly<Record<string, number>>;
  /** When this set took the place of others. They are kept for a day after that. */
  readonly merged_at?: number;
  /** The time of the oldest set that was merged into this one. */
  readonly first_at?: number;
  /**
   * Merged sets that reach from before `from_ordinal` into the range of this set. They no longer count, because the library was
   * restored to a moment between their first and their last state. Every set that replaces this one repeats them.
   */
  readonly abandons?: readonly string[];
}

/** A file that is missing or damaged. */
export interface Problem {
  readonly key: string;
  readonly what: string;
}

const namedAtMost = 5;

/** What is wrong with the journal, and the remedy. */
export function damageSentence(problems: readonly Problem[]): string {
  const named = problems.slice(0, namedAtMost).map(({ key, what }) => `${key} (${what})`);
  const more = problems.length > namedAtMost ? ` and ${problems.length - namedAtMost} more` : '';
  return (
    `The journal has missing or damaged segments: ${named.join(', ')}${more}. ` +
    'Run "lectern library repair": it writes their rows again from the index.'
  );
}

export class DamagedSegment extends Error {
  override readonly name = 'DamagedSegment';

  readonly key: string;
  readonly reason: string;

  constructor(key: string, reason: string) {
    super(`${key} is damaged: ${reason}`);
    this.key = key;
    this.reason = reason;
  }
}

export function writeSegment(header: SegmentHeader, factLines: readonly string[]): string {
  const body = `${[JSON.stringify(header), ...factLines].join('\n')}\n`;
  return `${body}${JSON.stringify({ sha256: sha256(body) })}\n`;
}

export function factLine({ table, key, row, seq }: Fact): string {
  return JSON.stringify({ table, key, row, seq });
}

/** Reads a segment whole and believes nothing in it before its hash is right. */
export function readSegment(key: string, bytes: Uint8Array): { header: SegmentHeader; facts: Fact[] } {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const bodyEnd = text.lastIndexOf('\n', text.length - 2) + 1;
  const trailer = parseLine(text.subarray(bodyEnd).toString('utf8')) as { sha256?: string } | undefined;
  if (text.at(-1) !== 0x0a || !trailer?.sha256) throw new DamagedSegment(key, 'its last line is missing');
  const found = createHash('sha256').update(text.subarray(0, bodyEnd)).digest('hex');
  if (found !== trailer.sha256) throw new DamagedSegment(key, 'its hash is wrong');
  const [first = '', ...lines] = text
    .subarray(0, bodyEnd - 1)
    .toString('utf8')
    .split('\n');
  const header = readHeader(key, first);
  if (lines.length !== header.facts)
    throw new DamagedSegment(key, `${lines.length} facts instead of ${header.facts}`);
  return { header, facts: lines.map((line) => JSON.parse(line) as Fact) };
}

export function readHeader(key: string, line: string): SegmentHeader {
  const header = parseLine(line) as SegmentHeader | undefined;
  if (header?.lectern !== 'journal') throw new DamagedSegment(key, 'its first line is not that of a segment');
  if (header.format !== 1)
    throw new DamagedSegment(key, `its format ${header.format} is not known to this Lectern`);
  if (
    typeof header.set !== 'string' ||
    !ulidPattern.test(header.set) ||
    segmentKey(header.set, header.part) !== key
  )
    throw new DamagedSegment(key, 'its first line does not match its name');
  return header;
}

const ulidPattern = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The file of a part. The day is in the name of the set already; a folder for each keeps listings short. */
export function segmentKey(set: string, part: number): string {
  const day = new Date(ulidTime(set)).toISOString().slice(0, 10).replaceAll('-', '/');
  return `journal/${day}/${part === 1 ? set : `${set}-${String(part).padStart(5, '0')}`}.jsonl`;
}

/** Whether a file has the name of a segment. Other programs may have left files of their own in the folder. */
export function isSegmentKey(key: string): boolean {
  return ulidPattern.test(setOfKey(key));
}

/** The set that a segment belongs to, by its name alone. */
export function setOfKey(key: string): string {
  return /([^/]+?)(-\d{5})?\.jsonl$/.exec(key)?.[1] ?? '';
}
