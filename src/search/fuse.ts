// Several lists, each in its own order, as one: by reciprocal rank. What stands high in one list or somewhere in both goes
// first; the scores themselves, which mean something else in each, do not count.

/** As in the paper: Cormack, Clarke, Büttcher 2009. */
const k = 60;

export interface Ranked<T> {
  readonly items: readonly T[];
  /** How much a place in it counts, against one in the others. */
  readonly weight: number;
}

export interface Fused<T> {
  readonly item: T;
  readonly score: number;
}

/** `keyOf`: what has the same key is the same. Of those, the one that `isBetter` says is kept, else the first. */
export function fuse<T>(
  lists: readonly Ranked<T>[],
  keyOf: (item: T) => string | number,
  isBetter: (item: T, than: T) => boolean = () => false,
): Fused<T>[] {
  const fused = new Map<string | number, { item: T; score: number }>();
  for (const { items, weight } of lists) {
    const seen = new Set<string | number>();
    for (const [place, item] of items.entries()) {
      const key = keyOf(item);
      const known = fused.get(key);
      // Twice in one list is no better than once, at its higher place.
      const gain = seen.has(key) ? 0 : weight / (k + place + 1);
      seen.add(key);
      if (!known) fused.set(key, { item, score: gain });
      else {
        known.score += gain;
        if (isBetter(item, known.item)) known.item = item;
      }
    }
  }
  // Where two are level, the one that was met first stays first: sorting is stable.
  return [...fused.values()].sort((a, b) => b.score - a.score);
}
