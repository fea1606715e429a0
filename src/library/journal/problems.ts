// What is wrong with a journal. `library check`, `library repair` and the nightly fold share this list.
import type { SetName } from '../../store/journal-store.ts';
import { type Problem, segmentKey, setOfKey } from './segment.ts';
import { type ChosenSets, type FactSet, type Journal, missingSets, type Segment } from './sets.ts';

/**
 * Segments that are missing, and damaged segments whose facts no other set holds. `lastSet` is the last set that the index has written;
 * it must be read before the journal, so that a set that is written meanwhile does not seem to be missing.
 */
export function findProblems(journal: Journal & ChosenSets, lastSet: SetName | null): Problem[] {
  const replaced = replacedNames(journal);
  const problems = journal.damaged.filter(({ key }) => !replaced.has(setOfKey(key)));
  const reported = new Set(problems.map(({ key }) => key));
  const partsBySet = Map.groupBy(journal.incomplete, ({ header }) => header.set);
  for (const { set } of missingSets(journal.sets, lastSet)) {
    for (const key of missingParts(set, partsBySet.get(set) ?? [])) {
      if (!reported.has(key)) problems.push({ key, what: 'it is missing' });
      reported.add(key);
    }
  }
  return problems;
}

/** The names of replaced and abandoned sets, each with the set that holds its facts or covers its ordinals now. */
export function replacedNames({ sets, superseded }: ChosenSets): Map<string, FactSet> {
  const replacedBy = new Map<string, FactSet>();
  for (const set of sets) for (const name of [...set.replaces, ...set.abandons]) replacedBy.set(name, set);
  for (const { set, by } of superseded) {
    // A set that an abandoned set had replaced may count again.
    if (by.abandons.includes(set.id)) continue;
    for (const name of set.replaces) if (!replacedBy.has(name)) replacedBy.set(name, by);
  }
  return replacedBy;
}

/** The missing parts of a set: those between other parts, and the last one if no part is marked as the last. */
function missingParts(set: string, found: readonly Segment[]): string[] {
  const have = new Set(found.map(({ header }) => header.part));
  const until = Math.max(0, ...have) + (found.some(({ header }) => header.last) ? 0 : 1);
  return Array.from({ length: until }, (_, index) => index + 1)
    .filter((part) => !have.has(part))
    .map((part) => segmentKey(set, part));
}
