export interface Piece {
  readonly text: string;
  readonly hit: boolean;
}

/** A text, cut where hits begin and end. Hits that overlap, run backwards or past the end do no harm. */
export function splitSnippet(text: string, hits: readonly (readonly [number, number])[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const add = (to: number, hit: boolean) => {
    if (to > at) pieces.push({ text: text.slice(at, to), hit });
    at = Math.max(at, to);
  };
  for (const [from, to] of [...hits].sort(([a], [b]) => a - b)) {
    add(Math.min(from, text.length), false);
    add(Math.min(to, text.length), true);
  }
  add(text.length, false);
  return pieces;
}
