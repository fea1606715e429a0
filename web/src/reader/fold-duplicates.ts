// The same story in several feeds is one row of the list: that of whichever entry comes first, under which the others are
// folded.
export interface Folded<T> {
  readonly entry: T;
  /** Those that tell the same, in the order of the list. */
  readonly others: readonly T[];
}

interface Told {
  readonly key: string;
  readonly id: number | null;
}

/** `duplicates` names, by its id, the others that tell the same as an entry. Whatever is `unfolded` stands in rows of its own. */
export function foldDuplicates<T extends Told>(
  entries: readonly T[],
  duplicates: ReadonlyMap<number, readonly number[]>,
  unfolded: ReadonlySet<string>,
): Folded<T>[] {
  if (duplicates.size === 0) return entries.map((entry) => ({ entry, others: [] }));
  const byId = new Map(entries.flatMap((entry) => (entry.id === null ? [] : [[entry.id, entry] as const])));
  const taken = new Set<T>();
  const rows: Folded<T>[] = [];
  for (const entry of entries) {
    if (taken.has(entry)) continue;
    const ids = new Set(entry.id === null ? [] : duplicates.get(entry.id));
    const others = [...ids]
      .flatMap((id) => byId.get(id) ?? [])
      .filter((other) => other !== entry && !taken.has(other));
    for (const other of others) taken.add(other);
    taken.add(entry);
    rows.push({ entry, others });
    // Below the one that they are copies of, wherever they stood.
    if (unfolded.has(entry.key)) for (const other of others) rows.push({ entry: other, others: [] });
  }
  return rows;
}
