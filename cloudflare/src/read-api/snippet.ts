// The piece of a text that shows why it was found. Places instead of markup: who shows it decides how.
import type { Phrase } from './query.ts';

export interface Snippet {
  readonly text: string;
  /** Where hits stand in `text`, as [start, end) in UTF-16 units, rising. */
  readonly hits: readonly (readonly [start: number, end: number])[];
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

const maxCharacters = 240;
const lead = 60;

/** Around the first hit; undefined where the words stand elsewhere, such as in the title alone. */
export function cutSnippet(source: string, phrases: readonly Phrase[]): Snippet | undefined {
  const text = source.normalize('NFC').replace(/\s+/gu, ' ').trim();
  const pattern = patternOf(phrases);
  const folded = fold(text);
  const first = pattern && folded.search(pattern);
  if (!pattern || first === undefined || first < 0) return undefined;
  const from = first <= lead ? 0 : afterSpace(text, first - lead, first);
  const to =
    text.length <= from + maxCharacters ? text.length : beforeSpace(text, from + maxCharacters, first);
  const hits = [...folded.slice(from, to).matchAll(new RegExp(pattern, 'gu'))].map(
    (hit) => [hit.index, hit.index + hit[0].length] as const,
  );
  return { text: text.slice(from, to), hits, cutBefore: from > 0, cutAfter: to < text.length };
}

function patternOf(phrases: readonly Phrase[]): RegExp | undefined {
  const sources = phrases.map(({ words, isPrefix }) => {
    // Letters, digits and marks alone: nothing in them means anything to a pattern.
    const joined = words.map((word) => fold(word.normalize('NFC'))).join('[^\\p{L}\\p{N}]+');
    return isPrefix ? `${joined}[\\p{L}\\p{N}\\p{M}]*` : `${joined}(?![\\p{L}\\p{N}])`;
  });
  return sources.length === 0 ? undefined : new RegExp(`(?<![\\p{L}\\p{N}])(?:${sources.join('|')})`, 'u');
}

/** Without case and accents, as the index has it, and letter for letter as long as before: places stay the same. */
function fold(text: string): string {
  return text.replace(/[A-Z]+|[^\0-\x7f]/gu, (part) => {
    const [plain = part] = part.length === 1 ? part.normalize('NFD') : [part];
    const lower = plain.toLowerCase();
    return lower.length === part.length ? lower : part;
  });
}

function afterSpace(text: string, from: number, latest: number): number {
  const space = text.slice(from, latest).indexOf(' ');
  return space < 0 ? wholeCharacter(text, from) : from + space + 1;
}

function beforeSpace(text: string, to: number, earliest: number): number {
  const space = text.lastIndexOf(' ', to);
  return space <= earliest ? wholeCharacter(text, to) : space;
}

/** Not between the two halves of a character. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
