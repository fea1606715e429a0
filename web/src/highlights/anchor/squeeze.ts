// A text without its spaces, and the way back. Line breaks, tabs and hard spaces come and go when a page is taken anew, and
// between two paragraphs there may be none at all: what is compared are the letters.
export interface Squeezed {
  readonly text: string;
  /** Where each letter stands in the text as it was. */
  readonly at: Int32Array;
  /** 1 where a space stood before the letter. */
  readonly gaps: Uint8Array;
}

const isSpace = (code: number): boolean =>
  code <= 0x20 ||
  code === 0x85 ||
  code === 0xa0 ||
  code === 0x1680 ||
  (code >= 0x2000 && code <= 0x200a) ||
  code === 0x2028 ||
  code === 0x2029 ||
  code === 0x202f ||
  code === 0x205f ||
  code === 0x3000;

/** Soft hyphens, joiners and the like, which nobody sees. */
const isInvisible = (code: number): boolean =>
  code === 0xad || (code >= 0x200b && code <= 0x200f) || code === 0x2060 || code === 0xfeff;

export function squeeze(text: string): Squeezed {
  const at = new Int32Array(text.length);
  const gaps = new Uint8Array(text.length);
  const kept: string[] = [];
  let count = 0;
  let from = -1;
  let isGap = 0;
  for (let n = 0; n < text.length; n++) {
    const code = text.charCodeAt(n);
    const isLetter = !isSpace(code) && !isInvisible(code);
    if (isLetter) {
      if (from < 0) from = n;
      at[count] = n;
      gaps[count] = isGap;
      count += 1;
      isGap = 0;
      continue;
    }
    if (from >= 0) kept.push(text.slice(from, n));
    from = -1;
    if (isSpace(code)) isGap = 1;
  }
  if (from >= 0) kept.push(text.slice(from));
  return { text: kept.join(''), at: at.subarray(0, count), gaps: gaps.subarray(0, count) };
}

/** The letter that stands at an offset of the text as it was, or the first one after it. */
export function letterAt({ at }: Squeezed, offset: number): number {
  let low = 0;
  let high = at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((at[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
