// Facts about a document that stand among its terms, so that an engine filters by them while it matches. They begin
// with a character that no word has.
import { createHash } from 'node:crypto';

const sign = '\ue000';
/** Stands for the signs of ASCII, at which FTS5 would part a mark in two. */
const signs = 0xe100;
const longest = 100;

export type MarkName = 'kind' | 'user' | 'site' | 'feed' | 'tag' | 'author' | 'lang' | 'is';

/** `value` comes folded: what differs is another mark. */
export function mark(name: MarkName, value: string | number): string {
  const text = String(value);
  const kept =
    text.length <= longest
      ? text
      : `${text.slice(0, longest / 2)}${createHash('sha256').update(text).digest('hex')}`;
  const one = kept.replace(/[^a-z0-9\u0080-\uffff]/g, (c) => String.fromCharCode(signs + c.charCodeAt(0)));
  return sign + name + one.toWellFormed();
}

export function kindMark(kind: string): string {
  if (!/^[a-z]+$/.test(kind)) throw new Error(`"${kind}": a kind of document is named by lower-case letters`);
  return mark('kind', kind);
}

/** Needed by PostgreSQL, which has no order by id in its index of terms, and where nothing else is looked for. */
export function userMark(userId: number): string {
  return mark('user', userId);
}
