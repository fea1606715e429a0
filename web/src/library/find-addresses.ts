// Addresses in whatever somebody has pasted: one, a list, or a text that mentions some.
export interface FoundAddress {
  /** As it was written. */
  readonly text: string;
  /** Undefined where that is no address of a web page. */
  readonly url: string | undefined;
}

const withScheme = /\bhttps?:\/\/[^\s<>"'`{}|\\^]+/giu;
/** `example.org`, `example.org/path`: with a letter at the end of the name, so that 3.14 and 10:30 are none. */
const bare = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,}(?::\d{1,5})?(?:[/?#]\S*)?$/iu;
export const mostAddresses = 500;
const longestAddress = 8_000;

/** In the order of the text, each once. Lines that hold none are among them, unless they stand beside some that do. */
export function findAddresses(text: string): FoundAddress[] {
  const found = new Map<string, FoundAddress>();
  for (const line of text.split(/[\r\n]+/u)) {
    for (const one of inLine(line.trim())) {
      const key = one.url ?? one.text;
      if (!found.has(key)) found.set(key, one);
    }
  }
  const all = [...found.values()];
  // In a text, what is between the addresses is no mistake.
  const isProse = all.some(({ url }) => url) && all.some(({ text: said, url }) => !url && /\s/u.test(said));
  return (isProse ? all.filter(({ url }) => url) : all).slice(0, mostAddresses);
}

function inLine(line: string): FoundAddress[] {
  if (line === '') return [];
  const written = [...line.matchAll(withScheme)].map(([text]) => withoutEnd(text));
  if (written.length > 0) return written.map((text) => ({ text, url: webUrl(text) }));
  const parts = line.split(/[\s,;]+/u).filter((part) => part !== '');
  const names = parts.map(withoutEnd).filter((part) => bare.test(part));
  // A word with a dot in it within a sentence is more often a slip than an address.
  if (names.length > 0 && names.length === parts.length)
    return names.map((text) => ({ text, url: webUrl(`https://${text}`) }));
  return [{ text: line, url: undefined }];
}

const punctuation = new Set('.,;:!?…»”’');
const brackets = new Map([
  [')', '('],
  [']', '['],
]);

/** Without the punctuation of the sentence around it, and without brackets that were not opened in it. */
function withoutEnd(text: string): string {
  // How many of each are closed and not opened; counted once, since a text can be made of brackets.
  const extra = new Map(
    [...brackets].map(([close, open]) => [close, count(text, close) - count(text, open)]),
  );
  let end = text.length;
  for (; end > 0; end -= 1) {
    const last = text[end - 1] ?? '';
    const left = extra.get(last) ?? 0;
    if (left > 0) extra.set(last, left - 1);
    else if (!punctuation.has(last)) break;
  }
  return text.slice(0, end);
}

const count = (text: string, letter: string) => text.split(letter).length - 1;

function webUrl(text: string): string | undefined {
  if (text.length > longestAddress || !URL.canParse(text)) return undefined;
  const { protocol, hostname, href } = new URL(text);
  return /^https?:$/.test(protocol) && hostname !== '' ? href : undefined;
}
