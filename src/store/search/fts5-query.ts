// A query in the language of FTS5. Terms stand in quotes, where only a quote means anything, and they have none.
import type { SearchPhrase, SearchQuery } from '../../model/search.ts';
import { kindMark } from './marks.ts';

export function fts5Query({ all, none }: SearchQuery, kinds?: readonly string[]): string {
  const groups = all.map((phrases) => anyOf(phrases.map(fts5Phrase)));
  if (kinds) groups.push(anyOf(kinds.map((kind) => quoted(kindMark(kind)))));
  const wanted = groups.join(' AND ');
  return none.length === 0 ? wanted : `(${wanted}) NOT ${anyOf(none.map(fts5Phrase))}`;
}

function anyOf(expressions: readonly string[]): string {
  return expressions.length === 1 ? (expressions[0] as string) : `(${expressions.join(' OR ')})`;
}

function fts5Phrase({ terms, prefix }: SearchPhrase): string {
  return quoted(terms.join(' ')) + (prefix ? ' *' : '');
}

function quoted(terms: string): string {
  return `"${terms.replaceAll('"', '""')}"`;
}
