// Where a pattern stands in a text with the fewest edits, after Myers (1999) in the form that Hyyrö gave it for long
// patterns: thirty-two rows of the table of edit distances are one number, so that a passage of a thousand letters costs
// thirty steps per letter of the text.
export interface Approximate {
  readonly start: number;
  readonly end: number;
  /** Letters to put in, to take out or to change. */
  readonly edits: number;
}

const rows = 32;

/** The edits of the whole pattern against what of the text ends at each letter; free: wherever that begins. */
function editsByEnd(pattern: string, text: string, isStartFree: boolean): Int32Array {
  const blocks = Math.ceil(pattern.length / rows);
  const rowsOf = new Map<number, Int32Array>();
  for (let n = 0; n < pattern.length; n++) {
    const code = pattern.charCodeAt(n);
    const bits = rowsOf.get(code) ?? new Int32Array(blocks);
    const block = Math.floor(n / rows);
    bits[block] = (bits[block] ?? 0) | (1 << (n % rows));
    rowsOf.set(code, bits);
  }
  const none = new Int32Array(blocks);
  const higher = new Int32Array(blocks).fill(-1);
  const lower = new Int32Array(blocks);
  const lastRow = 1 << ((pattern.length - 1) % rows);
  const found = new Int32Array(text.length);
  let edits = pattern.length;
  for (let column = 0; column < text.length; column++) {
    const matching = rowsOf.get(text.charCodeAt(column)) ?? none;
    // What the row above the block does from the column before to this one.
    let step = isStartFree ? 0 : 1;
    for (let block = 0; block < blocks; block++) {
      const up = higher[block] ?? 0;
      const down = lower[block] ?? 0;
      let equal = matching[block] ?? 0;
      const vertical = equal | down;
      if (step < 0) equal |= 1;
      const across = (((equal & up) + up) ^ up) | equal;
      let rises = down | ~(across | up);
      let falls = up & across;
      const edge = block === blocks - 1 ? lastRow : 1 << (rows - 1);
      const next = (rises & edge) !== 0 ? 1 : (falls & edge) !== 0 ? -1 : 0;
      rises = (rises << 1) | (step > 0 ? 1 : 0);
      falls = (falls << 1) | (step < 0 ? 1 : 0);
      higher[block] = falls | ~(vertical | rises);
      lower[block] = rises & vertical;
      step = next;
    }
    edits += step;
    found[column] = edits;
  }
  return found;
}

const reversed = (text: string): string => {
  let turned = '';
  for (let n = text.length - 1; n >= 0; n--) turned += text[n];
  return turned;
};

/** The best place, if it needs no more than so many edits. */
export function findApproximate(pattern: string, text: string, mostEdits: number): Approximate | undefined {
  if (pattern === '') return undefined;
  const byEnd = editsByEnd(pattern, text, true);
  let last = -1;
  let edits = mostEdits + 1;
  for (let n = 0; n < byEnd.length; n++) {
    const here = byEnd[n] ?? 0;
    // Of ends that are as good and side by side, the last: a letter that was changed belongs to the passage.
    if (here < edits || (here === edits && edits <= mostEdits && n === last + 1)) {
      edits = here;
      last = n;
    }
  }
  if (last < 0) return undefined;
  const longest = Math.min(last + 1, pattern.length + edits);
  const byStart = editsByEnd(reversed(pattern), reversed(text.slice(last + 1 - longest, last + 1)), false);
  let length = 0;
  for (let n = 0; n < byStart.length; n++) {
    const isCloser = Math.abs(n + 1 - pattern.length) < Math.abs(length - pattern.length);
    if (byStart[n] === edits && (length === 0 || isCloser)) length = n + 1;
  }
  return { start: last + 1 - length, end: last + 1, edits };
}
