// Looking for the next of some ASCII characters. A table and a loop are several times faster here than a regular
// expression, which allocates for every match.

export type CharSet = Uint8Array;

export function charSet(characters: string): CharSet {
  const set = new Uint8Array(128);
  for (const character of characters) set[character.charCodeAt(0)] = 1;
  return set;
}

/** The white space of HTML and XML. */
export const spaces = ' \t\n\r\f';

/** Where the next of them is, else the length of the text. */
export function findAny(set: CharSet, text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 128 && set[code] === 1) break;
  }
  return Math.min(at, text.length);
}

/** Where the first character is that is none of them, else the length of the text. */
export function findOther(set: CharSet, text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 128 || set[code] === 0) break;
  }
  return Math.min(at, text.length);
}
