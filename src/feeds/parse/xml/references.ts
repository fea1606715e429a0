// `&amp;`, `&#228;`, `&nbsp;` and the entities that a document declares, to text. What is no reference stays as it
// is: an unescaped ampersand is the commonest fault of feeds. Nothing outside the document is ever read.
import { decodeHTMLStrict } from 'entities';
import { BrokenFeed } from '../feed-errors.ts';
import { limits } from '../limits.ts';

export type DecodeReferences = (text: string) => string;

const predefined = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);
/** The longest name that HTML knows has 31 letters. */
const longestName = 40;

/** One decoder for one document: what it may expand to is counted over all of its text. */
export function newReferenceDecoder(declared: ReadonlyMap<string, string>): DecodeReferences {
  let references = 0;
  let expandedChars = 0;

  return (text) => decode(text, []);

  function decode(text: string, within: readonly string[]): string {
    let ampersand = text.indexOf('&');
    if (ampersand < 0) return text;
    const done: string[] = [];
    let parts: string[] = [];
    let from = 0;
    while (ampersand >= 0) {
      const end = endOfReference(text, ampersand);
      const value = end < 0 ? undefined : replacementFor(text.slice(ampersand + 1, end), within);
      if (value !== undefined) {
        references++;
        if (references > limits.references) throw new BrokenFeed('The feed has too many entity references.');
        parts.push(text.slice(from, ampersand), value);
        // Millions of one-letter parts would cost more memory than the document.
        if (parts.length > 4096) {
          done.push(parts.join(''));
          parts = [];
        }
        from = end + 1;
      }
      ampersand = text.indexOf('&', value === undefined ? ampersand + 1 : from);
    }
    parts.push(text.slice(from));
    return done.join('') + parts.join('');
  }

  function replacementFor(name: string, within: readonly string[]): string | undefined {
    if (name.startsWith('#')) return characterOf(name);
    const known = predefined.get(name);
    if (known !== undefined) return known;
    const replacement = declared.get(name);
    if (replacement !== undefined) return expand(name, replacement, within);
    const html = `&${name};`;
    const decoded = decodeHTMLStrict(html);
    return decoded === html ? undefined : decoded;
  }

  function expand(name: string, replacement: string, within: readonly string[]): string {
    // Counted at every level and before the work is done, so that entities made of entities end early.
    expandedChars += replacement.length;
    if (expandedChars > limits.expandedChars || within.length > 8 || within.includes(name)) {
      throw new BrokenFeed('The feed declares entities that grow beyond measure.');
    }
    return decode(replacement, [...within, name]);
  }
}

/** Where the `;` is, or -1 if this ampersand begins no reference. */
function endOfReference(text: string, ampersand: number): number {
  const last = Math.min(text.length, ampersand + longestName + 2);
  for (let at = ampersand + 1; at < last; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x3b) return at > ampersand + 1 ? at : -1;
    const isNameChar =
      (code >= 0x30 && code <= 0x39) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x61 && code <= 0x7a) ||
      (code === 0x23 && at === ampersand + 1) ||
      code === 0x2d ||
      code === 0x2e ||
      code === 0x5f ||
      code > 0x7f;
    if (!isNameChar) return -1;
  }
  return -1;
}

function characterOf(name: string): string | undefined {
  const hex = name[1] === 'x' || name[1] === 'X';
  const digits = name.slice(hex ? 2 : 1);
  if (!(hex ? /^[0-9a-f]{1,30}$/i : /^[0-9]{1,30}$/).test(digits)) return undefined;
  const code = Number.parseInt(digits, hex ? 16 : 10);
  // &#150; and its kin mean Windows-1252, as browsers read them.
  if (code >= 0x80 && code <= 0x9f) return decodeHTMLStrict(`&#${code};`);
  const isCharacter =
    code === 0x9 ||
    code === 0xa ||
    code === 0xd ||
    (code >= 0x20 && code < 0xd800) ||
    (code > 0xdfff && code <= 0x10ffff);
  return isCharacter ? String.fromCodePoint(code) : '\ufffd';
}
