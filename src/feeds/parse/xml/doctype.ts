// The entities that a document declares for itself. What lies elsewhere (SYSTEM, PUBLIC, parameter entities) is
// passed over: reading it would let a feed reach files and hosts.
import { limits } from '../limits.ts';

export interface Doctype {
  readonly end: number;
  readonly declared: ReadonlyMap<string, string>;
}

/** `from` is where `<!DOCTYPE` stands. */
export function readDoctype(text: string, from: number): Doctype {
  const declared = new Map<string, string>();
  const close = text.indexOf('>', from);
  const bracket = text.indexOf('[', from);
  if (close < 0) return { end: text.length, declared };
  if (bracket < 0 || bracket > close) return { end: close + 1, declared };
  const subsetEnd = endOfSubset(text, bracket);
  const subset = text.slice(bracket + 1, subsetEnd);
  for (const [, name = '', double, single] of subset.matchAll(
    /<!ENTITY\s+([^\s%"'<>&;]{1,64})\s+(?:"([^"]*)"|'([^']*)')/g,
  )) {
    if (declared.size >= limits.declaredEntities) break;
    // XML 1.0, 4.2: the first declaration is binding.
    if (!declared.has(name)) declared.set(name, double ?? single ?? '');
  }
  const end = text.indexOf('>', subsetEnd);
  return { end: end < 0 ? text.length : end + 1, declared };
}

/** The `]` outside of quotes and comments, else the end of the text. */
function endOfSubset(text: string, bracket: number): number {
  const marks = /["']|<!--|\]/g;
  marks.lastIndex = bracket + 1;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    if (mark[0] === ']') return mark.index;
    const closing = mark[0] === '<!--' ? '-->' : mark[0];
    const end = text.indexOf(closing, marks.lastIndex);
    if (end < 0) return text.length;
    marks.lastIndex = end + closing.length;
  }
  return text.length;
}
