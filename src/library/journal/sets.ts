// Which sets the journal holds, in their order. A set counts when it is complete and no other has taken its place.

import type { Fact, SetName } from '../../store/journal-store.ts';
import type { Files } from '../files/files.ts';
import { readHeader, readSegment, type SegmentHeader } from './segment.ts';

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
}

export interface JournalSets {
  /** Those that count, in the order in which they are to be applied. */
  readonly sets: readonly FactSet[];
  /** Parts of sets that were never finished, or that another set has replaced. They can go. */
  readonly leftovers: readonly Segment[];
}

/** `onFile` is called for each, so that the caller can keep its lease. */
export async function readSets(files: Files, onFile?: () => Promise<void>): Promise<JournalSets> {
  const bySet = new Map<string, Segment[]>();
  for await (const { key, sizeBytes } of files.listAll('journal/')) {
    await onFile?.();
    const header = readHeader(key, await firstLine(files, key));
    bySet.set(header.set, [...(bySet.get(header.set) ?? []), { key, sizeBytes, header }]);
  }
  return chooseSets([...bySet.values()]);
}

export function chooseSets(groups: readonly (readonly Segment[])[]): JournalSets {
  const complete: FactSet[] = [];
  const leftovers: Segment[] = [];
  for (const group of groups) {
    const set = toSet(group);
    if (set) complete.push(set);
    else leftovers.push(...group);
  }
  const replaced = new Set(complete.flatMap((set) => set.replaces));
  const merged = complete.filter((set) => set.fromOrdinal < set.ordinal);
  // A set that was written late, by one that slept, may come after its place was merged with others.
  const isOvertaken = (set: FactSet) =>
    replaced.has(set.id) ||
    merged.some(
      (other) =>
        other !== set &&
        other.fromOrdinal <= set.fromOrdinal &&
        set.ordinal <= other.ordinal &&
        other.ordinal - other.fromOrdinal > set.ordinal - set.fromOrdinal,
    );
  const sets = complete.filter((set) => !isOvertaken(set));
  leftovers.push(...complete.filter(isOvertaken).flatMap((set) => set.parts));
  sets.sort((a, b) => a.ordinal - b.ordinal || (a.id < b.id ? -1 : 1));
  return { sets, leftovers };
}

/** The header of the segment whose name is the highest: names begin with the time. */
export async function newestSet(files: Files): Promise<SegmentHeader | undefined> {
  let key: string | undefined;
  for await (const file of files.listAll('journal/')) key = file.key;
  return key === undefined ? undefined : readHeader(key, await firstLine(files, key));
}

/** Sets that others, or the index, say were written, and that are not there. */
export function missingSets(sets: readonly FactSet[], lastSet: SetName | null): SetName[] {
  const named = [...sets.map(({ previous }) => previous), lastSet].filter((name) => name !== null);
  return named.filter(
    ({ ordinal }) => !sets.some((set) => set.fromOrdinal <= ordinal && ordinal <= set.ordinal),
  );
}

/** One part's facts, after its hash is checked. */
export async function readPart(files: Files, { key }: Segment): Promise<Fact[]> {
  const bytes = await files.read(key);
  if (!bytes) throw new Error(`${key} is missing`);
  return readSegment(key, bytes).facts;
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
  };
}

async function firstLine(files: Files, key: string): Promise<string> {
  const file = await files.get(key);
  if (!file) throw new Error(`${key} is missing`);
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of file.body) {
    text += decoder.decode(chunk, { stream: true });
    const end = text.indexOf('\n');
    if (end !== -1) return text.slice(0, end);
  }
  return text;
}
