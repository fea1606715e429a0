// Makes one set of several, with each row's last fact: the nightly fold of a day, or the compaction of all.
import type { Clock } from '../../model/glossary.ts';
import type { Fact } from '../../store/journal-store.ts';
import type { Files } from '../files/files.ts';
import { type NewUlid, ulidTime } from '../ulid.ts';
import { factLine } from './segment.ts';
import { type FactSet, partsOf, readSegments } from './sets.ts';
import { maxMergedPartBytes, type SetHeader, writeSet } from './write-set.ts';

export interface MergeDeps {
  readonly files: Files;
  readonly writer: string;
  readonly newUlid: NewUlid;
  readonly now: Clock;
  /** Aborting it ends the merge with the reason. */
  readonly signal: AbortSignal;
  readonly beforeFinish?: () => Promise<void>;
}

/** So many keys are looked at in one pass over the files; more are done in several. */
const keysPerPass = 500_000;

/**
 * Writes the merged set, which stands where the last of the others stood. The others stay: `removeSuperseded` deletes them a day
 * later. With `all`, that is when there is no older set, facts about deleted rows are left out, and the ids that they held are kept
 * as numbers.
 */
export async function mergeSets(
  deps: MergeDeps,
  sets: readonly FactSet[],
  { all }: { all: boolean },
): Promise<void> {
  const last = sets.at(-1);
  if (!last || (sets.length === 1 && !all)) return;
  const { files, signal } = deps;
  const [first = last] = sets;
  const header: SetHeader = {
    schema: last.schema,
    writer: deps.writer,
    // Named for the time it speaks of: else every night would fold all the nights before once more.
    set: deps.newUlid(ulidTime(last.id)),
    ordinal: last.ordinal,
    from_ordinal: first.fromOrdinal,
    previous: first.previous,
    first_seq: sets.reduce((least, set) => Math.min(least, set.firstSeq), first.firstSeq),
    last_seq: sets.reduce((most, set) => Math.max(most, set.lastSeq), last.lastSeq),
    merged_at: deps.now(),
    first_at: first.firstAt,
  };
  const ids = new Map<string, number>();
  for (const set of sets) for (const [table, id] of Object.entries(set.ids)) raise(ids, table, id);

  await writeSet({ files, header, signal, partBytes: maxMergedPartBytes }, async (add) => {
    const passes = Math.ceil(sets.reduce((sum, set) => sum + set.facts, 0) / keysPerPass) || 1;
    for (let pass = 0; pass < passes; pass++) {
      const isMine = (key: string) => passes === 1 || hash(key) % passes === pass;
      const latest = await lastPlaces(deps, sets, isMine);
      for await (const { fact, place } of factsOf(deps, sets)) {
        const key = keyOf(fact);
        if (!isMine(key) || latest.get(key) !== place) continue;
        const [id] = fact.key;
        if (typeof id === 'number') raise(ids, fact.table, id);
        if (fact.row !== null || !all) await add(factLine(fact));
      }
    }
    await deps.beforeFinish?.();
    const abandons = [...new Set(sets.flatMap((set) => set.abandons))];
    return {
      replaces: sets.map((set) => set.id),
      ids: Object.fromEntries(ids),
      ...(abandons.length > 0 && { abandons }),
    };
  });
}

/** The place of each key's last fact: in the last set that has it, and there in its last part. */
async function lastPlaces(deps: MergeDeps, sets: readonly FactSet[], isMine: (key: string) => boolean) {
  const latest = new Map<string, number>();
  for await (const { fact, place } of factsOf(deps, sets)) {
    const key = keyOf(fact);
    if (isMine(key)) latest.set(key, place);
  }
  return latest;
}

async function* factsOf(
  { files, signal }: MergeDeps,
  sets: readonly FactSet[],
): AsyncGenerator<{ fact: Fact; place: number }> {
  let place = 0;
  for await (const { readFacts } of readSegments(files, partsOf(sets))) {
    signal.throwIfAborted();
    for (const fact of readFacts()) {
      place += 1;
      yield { fact, place };
    }
  }
}

function keyOf({ table, key }: Fact): string {
  return `${table}\0${key.join('\0')}`;
}

function raise(ids: Map<string, number>, table: string, id: number): void {
  if (id > (ids.get(table) ?? 0)) ids.set(table, id);
}

/** FNV-1a, to deal keys out evenly. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return value;
}
