// Which sets the journal holds, in their order. A set counts when it is complete and no other has taken its place.
import type { Millis } from '../../model/glossary.ts';
import type { Fact, SetName } from '../../store/journal-store.ts';
import type { FileStat, Files } from '../files/files.ts';
import { readAhead } from '../files/read-ahead.ts';
import { ulidTime } from '../ulid.ts';
import {
  DamagedSegment,
  type Problem,
  readHeader,
  readSegment,
  type SegmentHeader,
  setOfKey,
} from './segment.ts';

export interface Segment {
  readonly key: string;
  readonly sizeBytes: number;
  readonly header: SegmentHeader;
}

export interface FactSet {
  readonly id: string;
  readonly ordinal: number;
  readonly fromOrdinal: number;
  readonly previous: SetName | null;
  readonly schema: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly facts: number;
  readonly sizeBytes: number;
  readonly parts: readonly Segment[];
  readonly ids: Readonly<Record<string, number>>;
  readonly replaces: readonly string[];
  readonly abandons: readonly string[];
  /** When it took the place of other sets. */
  readonly mergedAt: Millis | undefined;
  /** The times of the first and the last state that it holds. */
  readonly firstAt: Millis;
  readonly lastAt: Millis;
}

/** Every segment of the journal, by its first line. */
export interface Journal {
  readonly complete: readonly FactSet[];
  /** Segments of sets that lack a part: a writer is at work, was killed, or a part is damaged. */
  readonly incomplete: readonly Segment[];
  readonly damaged: readonly Problem[];
}

export interface Superseded {
  readonly set: FactSet;
  readonly by: FactSet;
}

export interface ChosenSets {
  /** The sets that count, in the order in which they are applied. */
  readonly sets: readonly FactSet[];
  /** Sets whose facts another set holds. */
  readonly superseded: readonly Superseded[];
}

export async function readSets(files: Files): Promise<ChosenSets> {
  return chooseSets((await readJournal(files)).complete);
}

/** `onFile` is called for each segment. An error that it throws ends the reading. */
export async function readJournal(files: Files, onFile?: () => void): Promise<Journal> {
  const bySet = new Map<string, Segment[]>();
  const damaged: Problem[] = [];
  const readLine = async ({ key, sizeBytes }: FileStat) => ({
    key,
    sizeBytes,
    line: await firstLine(files, key),
  });
  for await (const { key, sizeBytes, line } of readAhead(files.listAll('journal/'), readLine)) {
    onFile?.();
    try {
      // Deleted since it was listed.
      if (line === undefined) continue;
      const header = readHeader(key, line);
      const parts = bySet.get(header.set);
      if (parts) parts.push({ key, sizeBytes, header });
      else bySet.set(header.set, [{ key, sizeBytes, header }]);
    } catch (error) {
      if (!(error instanceof DamagedSegment)) throw error;
      damaged.push({ key, what: error.reason });
    }
  }
  return { ...groupParts([...bySet.values()]), damaged };
}

export function groupParts(groups: readonly (readonly Segment[])[]): Omit<Journal, 'damaged'> {
  const complete: FactSet[] = [];
  const incomplete: Segment[] = [];
  for (const group of groups) {
    const set = toSet(group);
    if (set) complete.push(set);
    else incomplete.push(...group);
  }
  return { complete, incomplete };
}

/**
 * A set counts unless a set that counts replaces it by name or covers its ordinals. The second rule also holds for a set that a slow
 * flusher finished after its place was merged. Whatever supersedes a set has a higher ordinal, or the same one and a wider range.
 */
export function chooseSets(complete: readonly FactSet[]): ChosenSets {
  const sets: FactSet[] = [];
  const superseded: Superseded[] = [];
  const replacedBy = new Map<string, FactSet>();
  let widest: FactSet | undefined;
  for (const set of [...complete].sort(supersedingFirst)) {
    const covering = widest && widest.fromOrdinal <= set.fromOrdinal ? widest : undefined;
    const by = replacedBy.get(set.id) ?? covering;
    if (by) {
      superseded.push({ set, by });
      continue;
    }
    sets.push(set);
    for (const name of [...set.replaces, ...set.abandons]) replacedBy.set(name, set);
    const reach = widest?.fromOrdinal ?? Number.POSITIVE_INFINITY;
    if (set.fromOrdinal < set.ordinal && set.fromOrdinal < reach) widest = set;
  }
  return { sets: sets.reverse(), superseded };
}

function supersedingFirst(a: FactSet, b: FactSet): number {
  return (
    b.ordinal - a.ordinal ||
    a.fromOrdinal - b.fromOrdinal ||
    (b.mergedAt ?? 0) - (a.mergedAt ?? 0) ||
    (a.id < b.id ? 1 : -1)
  );
}

export interface InspectOptions {
  /** Only these sets are considered. */
  readonly accept?: (set: FactSet) => boolean;
  /** Names of sets that were read without damage before; the sets that are read now are added. */
  readonly verified?: Set<string>;
  /** Called for each segment of which every byte is read. */
  readonly onFile?: () => void;
}

export interface InspectedJournal extends Journal, ChosenSets {}

/** Reads every set that counts. A damaged set does not count: the sets that it replaced do, if they are still kept. */
export async function inspectJournal(files: Files, options: InspectOptions = {}): Promise<InspectedJournal> {
  const { accept = () => true, verified = new Set<string>(), onFile } = options;
  const journal = await readJournal(files);
  const damaged = [...journal.damaged];
  let usable = journal.complete.filter(accept);
  for (;;) {
    const chosen = chooseSets(usable);
    const unread = chosen.sets.filter(({ id }) => !verified.has(id));
    const found = await findDamage(files, partsOf(unread), onFile);
    damaged.push(...found);
    const unusable = new Set(found.map(({ key }) => setOfKey(key)));
    for (const { id } of unread) if (!unusable.has(id)) verified.add(id);
    if (unusable.size === 0) return { ...journal, ...chosen, damaged };
    usable = usable.filter(({ id }) => !unusable.has(id));
  }
}

/** The segments that are damaged or gone. */
export async function findDamage(
  files: Files,
  segments: readonly Segment[],
  onFile?: () => void,
): Promise<Problem[]> {
  const found: Problem[] = [];
  for await (const { key, readFacts } of readSegments(files, segments)) {
    onFile?.();
    try {
      readFacts();
    } catch (error) {
      if (!(error instanceof DamagedSegment)) throw error;
      found.push({ key, what: error.reason });
    }
  }
  return found;
}

export interface GapFreeRun {
  readonly run: readonly FactSet[];
  /** The sets after the first gap. */
  readonly leftOut: readonly FactSet[];
  /** The first set that is missing. */
  readonly missing: SetName | undefined;
}

/** The longest run of sets in which none is missing: from the start, or after `afterOrdinal`. */
export function gapFreeRun(sets: readonly FactSet[], afterOrdinal = 0): GapFreeRun {
  const gap = sets.findIndex(
    ({ previous }) => previous && previous.ordinal > afterOrdinal && !covers(sets, previous.ordinal),
  );
  if (gap === -1) return { run: sets, leftOut: [], missing: undefined };
  return {
    run: sets.slice(0, gap),
    leftOut: sets.slice(gap),
    missing: sets[gap]?.previous ?? undefined,
  };
}

/** Whether the ordinal lies in one of the sets, which are in their order. */
export function covers(sets: readonly FactSet[], ordinal: number): boolean {
  let [low, high] = [0, sets.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sets[middle]?.ordinal ?? 0) < ordinal) low = middle + 1;
    else high = middle;
  }
  return (sets[low]?.fromOrdinal ?? Number.POSITIVE_INFINITY) <= ordinal;
}

/** The header of the newest segment that can be read: names begin with the time. */
export async function newestHeader(files: Files): Promise<SegmentHeader | undefined> {
  const keys: string[] = [];
  for await (const { key } of files.listAll('journal/')) keys.push(key);
  for (const key of keys.reverse()) {
    const line = await firstLine(files, key);
    try {
      if (line !== undefined) return readHeader(key, line);
    } catch (error) {
      if (!(error instanceof DamagedSegment)) throw error;
    }
  }
  return undefined;
}

/** Missing sets that another set or the index refers to. */
export function missingSets(sets: readonly FactSet[], lastSet: SetName | null): SetName[] {
  const named = [...sets.map(({ previous }) => previous), lastSet].filter((name) => name !== null);
  return named.filter(({ ordinal }) => !covers(sets, ordinal));
}

export function partsOf(sets: readonly FactSet[]): Segment[] {
  return sets.flatMap(({ parts }) => parts);
}

export interface ReadSegment {
  readonly key: string;
  /** The facts, after the hash is checked. Throws DamagedSegment. */
  readonly readFacts: () => Fact[];
}

/** Reads segments in their order. Facts are parsed only when they are asked for, so that few are in memory. */
export function readSegments(files: Files, segments: readonly Segment[]): AsyncGenerator<ReadSegment> {
  const read = async ({ key }: Segment) => {
    const bytes = await files.read(key);
    const readFacts = () => {
      if (!bytes) throw new DamagedSegment(key, 'it is missing');
      return readSegment(key, bytes).facts;
    };
    return { key, readFacts };
  };
  return readAhead(segments, read, { sizeOf: ({ sizeBytes }) => sizeBytes });
}

function toSet(group: readonly Segment[]): FactSet | undefined {
  const parts = [...group].sort((a, b) => a.header.part - b.header.part);
  const final = parts.at(-1)?.header;
  if (!final?.last || parts.some(({ header }, index) => header.part !== index + 1)) return undefined;
  return {
    id: final.set,
    ordinal: final.ordinal,
    fromOrdinal: final.from_ordinal,
    previous: final.previous,
    schema: final.schema,
    firstSeq: final.first_seq,
    lastSeq: final.last_seq,
    facts: parts.reduce((sum, { header }) => sum + header.facts, 0),
    sizeBytes: parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    parts,
    ids: final.ids ?? {},
    replaces: final.replaces ?? [],
    abandons: final.abandons ?? [],
    mergedAt: final.merged_at,
    firstAt: firstTime(final),
    lastAt: ulidTime(final.set),
  };
}

/** Sets that an earlier version merged do not say it; then it is the first moment of the day of the oldest set that they replace. */
function firstTime({ first_at, replaces = [], set }: SegmentHeader): Millis {
  if (first_at !== undefined) return first_at;
  const oldest = replaces.reduce((least, name) => Math.min(least, ulidTime(name)), ulidTime(set));
  return replaces.length === 0 ? oldest : oldest - (oldest % 86_400_000);
}

async function firstLine(files: Files, key: string): Promise<string | undefined> {
  const file = await files.get(key);
  if (!file) return undefined;
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of file.body) {
    text += decoder.decode(chunk, { stream: true });
    const end = text.indexOf('\n');
    if (end !== -1) return text.slice(0, end);
  }
  return text;
}
