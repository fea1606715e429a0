// A passage that was made longer or shorter on the Kindle stands in the file as it was and as it became
// (kindle2readwise#2), and so does a note that was written on.
import { containsText } from './contains-text.ts';
import type { Clipping } from './kindle-clippings.ts';
import { type Range, toRange } from './kindle-line.ts';
import { byAge } from './stable-id.ts';

/** What is compared at most, for a file in which everything overlaps. Beyond it both stay, which loses nothing. */
const neighbours = 100;
const comparedChars = 50_000_000;

/** For each that became another, the one that it became in the end. */
export function findSuperseded(clippings: readonly Clipping[]): Map<Clipping, Clipping> {
  const successors = new Map<Clipping, Clipping>();
  const groups = Map.groupBy(clippings, ({ kind, title, author, ...clipping }) =>
    JSON.stringify([kind, title, author, placeOf(clipping).unit]),
  );
  const budget = { chars: comparedChars };
  for (const group of groups.values()) if (group.length > 1) findWithin(group, successors, budget);
  return new Map([...successors.keys()].map((clipping) => [clipping, lastOf(clipping, successors)]));
}

function findWithin(
  group: readonly Clipping[],
  successors: Map<Clipping, Clipping>,
  budget: { chars: number },
): void {
  const sorted = group
    .map((clipping) => ({ clipping, ...placeOf(clipping).range }))
    // Not by where they stand in the file: which of two stays must not depend on that.
    .sort((a, b) => a.start - b.start || a.end - b.end || byAge(a.clipping, b.clipping));
  for (let at = 0; at < sorted.length; at++) {
    const one = sorted[at] as (typeof sorted)[number];
    for (let next = at + 1; next < sorted.length && next - at <= neighbours; next++) {
      const other = sorted[next] as (typeof sorted)[number];
      if (other.start > one.end) break;
      const [longer, shorter] =
        one.clipping.text.length > other.clipping.text.length
          ? [one.clipping.text, other.clipping.text]
          : [other.clipping.text, one.clipping.text];
      budget.chars -= longer.length + shorter.length;
      if (budget.chars < 0) return;
      if (!containsText(longer, shorter)) continue;
      const [elder, younger] =
        byAge(one.clipping, other.clipping) <= 0
          ? [one.clipping, other.clipping]
          : [other.clipping, one.clipping];
      const known = successors.get(elder);
      if (!known || byAge(known, younger) < 0) successors.set(elder, younger);
    }
  }
}

/**
 * Each is younger than the one before, so this ends; those that are the same in all follow each other in one direction. What
 * was found is noted all along the way, as the way may be long.
 */
function lastOf(clipping: Clipping, successors: Map<Clipping, Clipping>): Clipping {
  let last = clipping;
  const passed: Clipping[] = [];
  for (let next = successors.get(last); next; next = successors.get(last)) {
    passed.push(last);
    last = next;
  }
  for (const one of passed) successors.set(one, last);
  return last;
}

export interface ClippingPlace {
  /** Only what is counted in the same unit can overlap. */
  readonly unit: string;
  readonly range: Range;
}

/** Locations are finer than pages, and stay when the size of the letters changes. */
export function placeOf({ location, page }: Pick<Clipping, 'location' | 'page'>): ClippingPlace {
  if (location) return { unit: 'location', range: location };
  const numbers = /^(\d+)(?:-(\d+))?$/.exec(page ?? '');
  if (numbers?.[1] !== undefined) return { unit: 'page', range: toRange(numbers[1], numbers[2]) };
  return { unit: `page ${page ?? ''}`, range: { start: 0, end: 0 } };
}
