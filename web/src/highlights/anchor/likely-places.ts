// Where in a text a passage may stand, though some of its letters have changed: where many of its groups of four letters
// stand in the same order. Looking costs no more than a pass over the passage, however long the text is.
const groupLength = 4;
/** Groups that stand everywhere tell nothing; the rarest are looked at first. */
const mostHits = 20_000;
const mostPlaces = 12;

export interface GroupIndex {
  readonly text: string;
  readonly mask: number;
  /** By the hash of a group: its last place, and how many it has. */
  readonly last: Int32Array;
  readonly counts: Int32Array;
  /** By place: the one before with the same hash, or -1. */
  readonly before: Int32Array;
}

function hashAt(text: string, at: number, mask: number): number {
  let hash = 0;
  for (let n = 0; n < groupLength; n++) hash = Math.imul(hash ^ text.charCodeAt(at + n), 0x9e3779b1);
  return (hash ^ (hash >>> 15)) & mask;
}

export function indexGroups(text: string): GroupIndex {
  let size = 1024;
  while (size < text.length) size *= 2;
  const last = new Int32Array(size).fill(-1);
  const counts = new Int32Array(size);
  const before = new Int32Array(text.length);
  for (let at = 0; at + groupLength <= text.length; at++) {
    const hash = hashAt(text, at, size - 1);
    before[at] = last[hash] ?? -1;
    last[hash] = at;
    counts[hash] = (counts[hash] ?? 0) + 1;
  }
  return { text, mask: size - 1, last, counts, before };
}

/** Stretches of the text, each long enough for the passage with so many edits; the likeliest first. */
export function likelyPlaces(
  index: GroupIndex,
  passage: string,
  mostEdits: number,
): { from: number; to: number }[] {
  const groups: { at: number; hash: number; count: number }[] = [];
  for (let at = 0; at + groupLength <= passage.length; at++) {
    const hash = hashAt(passage, at, index.mask);
    const count = index.counts[hash] ?? 0;
    groups.push({ at, hash, count });
  }
  groups.sort((a, b) => a.count - b.count);
  // The passage begins where a group stands, less where it stands in the passage, give or take the edits.
  const width = mostEdits + 1;
  const votes = new Map<number, number>();
  let hits = 0;
  let used = 0;
  for (const { at, hash, count } of groups) {
    hits += count;
    if (hits > mostHits) break;
    used += 1;
    for (let place = index.last[hash] ?? -1; place >= 0; place = index.before[place] ?? -1) {
      const bucket = Math.floor((place - at) / width);
      votes.set(bucket, (votes.get(bucket) ?? 0) + 1);
    }
  }
  // An edit spoils at most as many groups as a group has letters.
  const needed = Math.max(1, used - groupLength * mostEdits);
  const around = (bucket: number) =>
    (votes.get(bucket - 1) ?? 0) + (votes.get(bucket) ?? 0) + (votes.get(bucket + 1) ?? 0);
  return [...votes.keys()]
    .map((bucket) => ({ bucket, sum: around(bucket) }))
    .filter(({ sum }) => sum >= needed)
    .sort((a, b) => b.sum - a.sum)
    .slice(0, mostPlaces)
    .map(({ bucket }) => ({
      from: Math.max(0, (bucket - 1) * width - mostEdits),
      to: Math.min(index.text.length, (bucket + 2) * width + passage.length + mostEdits),
    }));
}
