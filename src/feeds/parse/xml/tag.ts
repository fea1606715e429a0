// One tag: `<name a="b">`, `</name>`, `<name/>`. Values without quotes, or with a quote that is never closed, are
// read as far as they make sense.
import { charSet, findAny, findOther, spaces } from '../../../html/char-set.ts';
import { limits } from '../limits.ts';

export type Tag =
  | { kind: 'end'; name: string; end: number }
  | {
      kind: 'start';
      name: string;
      /** As `name, value, name, value`, as they are written. */
      attributes: string[];
      selfClosing: boolean;
      end: number;
    };

const nameStart = /[A-Za-z_\u0080-\uffff]/;
const nameEnd = charSet(`${spaces}/>=<"'`);
const space = charSet(spaces);
const bracket = charSet('<>');
/** Longer than any name in use; what follows is no tag. */
const longestName = 200;

/** undefined: this `<` is a stray character. */
export function readTag(text: string, start: number): Tag | undefined {
  const isEnd = text[start + 1] === '/';
  const nameFrom = start + (isEnd ? 2 : 1);
  if (!nameStart.test(text[nameFrom] ?? '')) return undefined;
  const nameTo = findAny(nameEnd, text, nameFrom);
  if (nameTo - nameFrom > longestName) return undefined;
  const name = text.slice(nameFrom, nameTo);
  if (isEnd) {
    // `</rss` may be followed by nothing, or by the next tag.
    const end = findAny(bracket, text, nameTo);
    return { kind: 'end', name, end: text[end] === '>' ? end + 1 : end };
  }
  const attributes: string[] = [];
  let at = nameTo;
  for (;;) {
    at = findOther(space, text, at);
    const char = text[at];
    if (char === undefined || char === '<')
      return { kind: 'start', name, attributes, selfClosing: false, end: at };
    if (char === '>') return { kind: 'start', name, attributes, selfClosing: false, end: at + 1 };
    if (char === '/') {
      if (text[at + 1] === '>') return { kind: 'start', name, attributes, selfClosing: true, end: at + 2 };
      at++;
      continue;
    }
    at = readAttribute(text, at, attributes);
  }
}

function readAttribute(text: string, from: number, attributes: string[]): number {
  const nameTo = Math.max(findAny(nameEnd, text, from), from + 1);
  const name = text.slice(from, nameTo);
  let at = findOther(space, text, nameTo);
  if (text[at] !== '=') return nameTo;
  at = findOther(space, text, at + 1);
  const { value, end } = readValue(text, at);
  if (attributes.length < limits.attributesPerElement * 2) attributes.push(name, value);
  return end;
}

const unquotedEnd = charSet(`${spaces}<>`);

function readValue(text: string, at: number): { value: string; end: number } {
  const quote = text[at];
  if (quote === '"' || quote === "'") {
    const close = text.indexOf(quote, at + 1);
    const value = text.slice(at + 1, Math.max(close, at + 1));
    // A `<` is not allowed in a value. If there is one, the quote behind it closes this value only if what follows
    // looks like the rest of a tag.
    const closes = close >= 0 && (!value.includes('<') || /[\s/>?]/.test(text[close + 1] ?? '>'));
    if (closes) return { value, end: close + 1 };
    const stop = findAny(unquotedEnd, text, at + 1);
    return { value: text.slice(at + 1, stop), end: stop };
  }
  const end = findAny(unquotedEnd, text, at);
  const slashed = text[end] === '>' && text[end - 1] === '/' && end > at;
  return { value: text.slice(at, slashed ? end - 1 : end), end: slashed ? end - 1 : end };
}
