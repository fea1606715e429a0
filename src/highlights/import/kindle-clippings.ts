// My Clippings.txt, taken apart into what the Kindle wrote at a time: a line with the title, one that says what it is, a
// text, and a line of equals signs.
import { importLimits as limits } from './import-limits.ts';
import { isTooLong, tooLong } from './imported.ts';
import { type KindleLine, parseKindleLine } from './kindle-line.ts';

export interface Clipping extends KindleLine {
  /** Where its title stands, from 1. */
  readonly line: number;
  readonly title: string;
  readonly author: string;
  readonly text: string;
}

export type ReadClipping = Clipping | { readonly line: number; readonly why: string };

interface Block {
  readonly line: number;
  readonly text: string;
}

/** One for each part of the file that is not blank. */
export function* readClippings(text: string): Generator<ReadClipping> {
  for (const block of blocksOf(text)) yield readBlock(block);
}

function* blocksOf(text: string): Generator<Block> {
  const separator = /^={8,}[ \t]*\r?$/gm;
  let line = 1;
  let from = 0;
  for (;;) {
    const found = separator.exec(text);
    const to = found?.index ?? text.length;
    const start = from + text.slice(from, to).search(/[^\s\uFEFF]/);
    // Where there is nothing but blanks, search says -1.
    if (start >= from) {
      line += newlines(text, from, start);
      yield { line, text: text.slice(start, to) };
      line += newlines(text, start, to);
    } else {
      line += newlines(text, from, to);
    }
    if (!found) return;
    from = to + found[0].length;
  }
}

function newlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) count++;
  }
  return count;
}

function readBlock({ line, text: block }: Block): ReadClipping {
  const titleEnd = endOfLine(block, 0);
  const told = block.slice(titleEnd).search(/\S/) + titleEnd;
  if (told < titleEnd) return { line, why: 'it ends after its first line' };
  const toldEnd = endOfLine(block, told);
  const parsed = parseKindleLine(block.slice(told, toldEnd).replaceAll('\uFEFF', ''));
  if (!parsed)
    return { line, why: 'its second line does not say what it is, or in a language not known here' };
  if (titleEnd > limits.recordChars || block.length - toldEnd > limits.recordChars * 2)
    return { line, why: tooLong };
  const text = withoutNotice(block.slice(toldEnd).replace(/\r\n?/g, '\n').replaceAll('\uFEFF', '').trim());
  if (isTooLong(text)) return { line, why: tooLong };
  return { line, ...splitTitle(block.slice(0, titleEnd)), text, ...parsed };
}

function endOfLine(text: string, from: number): number {
  const at = text.slice(from).search(/[\r\n]/);
  return at < 0 ? text.length : from + at;
}

/**
 * `<You have reached the clipping limit for this item>`, in whichever language, is put behind what was still allowed, or in
 * place of it.
 */
function withoutNotice(text: string): string {
  if (!text.endsWith('>')) return text;
  const from = text.lastIndexOf('<');
  const notice = from < 0 ? '' : text.slice(from);
  const isNotice = notice.length <= 300 && /limit|l[íi]mite|上限|限制|한도/i.test(notice);
  return isNotice ? text.slice(0, from).trim() : text;
}

/** `Title (Series) (Author)`: the last parentheses are the author's, and may have some within. */
export function splitTitle(line: string): { title: string; author: string } {
  const text = line.replaceAll('\uFEFF', '').trim();
  const whole = { title: text, author: '' };
  if (!/[)）]$/.test(text)) return whole;
  let depth = 0;
  for (let at = text.length - 1; at > 0; at--) {
    const character = text[at] as string;
    if (character === ')' || character === '）') depth++;
    else if (character === '(' || character === '（') depth--;
    if (depth > 0) continue;
    const title = text.slice(0, at).trim();
    return title === '' ? whole : { title, author: text.slice(at + 1, -1).trim() };
  }
  return whole;
}
