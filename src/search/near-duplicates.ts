// The same story in several feeds: entries of a list whose texts are nearly the same. Pure, and fast enough for a page of a
// list: what is compared is a sample of each text.
import { splitTerms } from './terms.ts';

export interface ListedText {
  readonly id: number;
  readonly feedId: number;
  readonly title: string;
  /** How it begins, without markup. */
  readonly text: string;
  readonly pubDate: number;
}

const withinMs = 72 * 3_600_000;
const shingleTerms = 3;
/** Of the hashes of a text the lowest: two samples share about as much as the texts do. */
const sampleSize = 48;
/** What is shorter says too little to be called the same. */
const leastTerms = 12;
const leastShared = 0.6;
/** Publishers begin many texts with the same words: the titles must be alike too. */
const leastSharedOfTitle = 0.5;

/** For each entry that has some: the others of the list that tell the same, in the order of the list. */
export function nearDuplicates(list: readonly ListedText[]): Map<number, number[]> {
  const entries = list.map((entry) => ({
    ...entry,
    sample: sampleOf(entry.text),
    words: new Set(splitTerms(entry.title)),
  }));
  const found = new Map<number, number[]>();
  for (const [place, others] of candidates(entries.map(({ sample }) => sample)).entries()) {
    const entry = entries[place] as (typeof entries)[number];
    const same = [...others]
      .sort((a, b) => a - b)
      .flatMap((at) => {
        const other = entries[at] as typeof entry;
        return isSameStory(entry, other) ? [other.id] : [];
      });
    if (same.length > 0) found.set(entry.id, same);
  }
  return found;
}

type Sampled = ListedText & { readonly sample: ReadonlySet<number>; readonly words: ReadonlySet<string> };

function isSameStory(a: Sampled, b: Sampled): boolean {
  return (
    a.feedId !== b.feedId &&
    Math.abs(a.pubDate - b.pubDate) <= withinMs &&
    shareOf(a.words, b.words) >= leastSharedOfTitle &&
    shareOf(a.sample, b.sample) >= leastShared
  );
}

/** For each place the others that have anything in common with it. */
function candidates(samples: readonly ReadonlySet<number>[]): Set<number>[] {
  const places = new Map<number, number[]>();
  const found = samples.map(() => new Set<number>());
  for (const [place, sample] of samples.entries())
    for (const hash of sample) {
      const before = places.get(hash) ?? [];
      for (const other of before) {
        found[place]?.add(other);
        found[other]?.add(place);
      }
      before.push(place);
      places.set(hash, before);
    }
  return found;
}

function sampleOf(text: string): Set<number> {
  const terms = splitTerms(text);
  if (terms.length < leastTerms) return new Set();
  const hashes = new Set<number>();
  for (let at = 0; at + shingleTerms <= terms.length; at++)
    hashes.add(hashOf(terms.slice(at, at + shingleTerms).join(' ')));
  return new Set([...hashes].sort((a, b) => a - b).slice(0, sampleSize));
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  return hash >>> 0;
}

function shareOf<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): number {
  const shared = a.intersection(b).size;
  return shared === 0 ? 0 : shared / (a.size + b.size - shared);
}
