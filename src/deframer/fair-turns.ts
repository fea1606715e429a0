export interface Turns<T> {
  /** What two that are the same have in common. */
  readonly keyOf: (one: T) => string;
  readonly limit: number;
}

/** From each list in turn the next that was not taken from any, so that a long list does not crowd out the others. */
export function takeTurns<T>(lists: readonly (readonly T[])[], { keyOf, limit }: Turns<T>): T[] {
  const taken = new Map<string, T>();
  let waiting = lists.map((list) => ({ list, place: 0 }));
  while (waiting.length > 0) {
    for (const turn of waiting) {
      if (taken.size >= limit) return [...taken.values()];
      const before = taken.size;
      while (taken.size === before && turn.place < turn.list.length) {
        const one = turn.list[turn.place] as T;
        turn.place += 1;
        const key = keyOf(one);
        if (!taken.has(key)) taken.set(key, one);
      }
    }
    waiting = waiting.filter(({ list, place }) => place < list.length);
  }
  return [...taken.values()];
}
