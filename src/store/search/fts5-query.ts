// A query in the language of FTS5. Terms stand in quotes, where only a quote means anything, and they have none.
import type { MarkSet, PhraseTerms, SearchQuery, SearchScope } from '../../model/search.ts';

type Words = Pick<SearchQuery, 'all' | 'none' | 'inTitle'>;
type Marks = Pick<SearchScope, 'all' | 'none'>;

/** `anything` is a mark that every document of the user has, for where nothing else is looked for. */
export function fts5Query({ all, none, inTitle }: Words, marks: Marks, anything: string): string {
  const column = inTitle ? 'title : ' : '';
  const phrase = (one: PhraseTerms) => column + fts5Phrase(one);
  const groups = [
    ...all.map((phrases) => anyOf(phrases.map(phrase))),
    ...marks.all.map((sets) => anyOf(sets.map(together))),
  ];
  const wanted = groups.length === 0 ? quoted(anything) : groups.join(' AND ');
  const left = [...none.map(phrase), ...marks.none.map(together)];
  return left.length === 0 ? wanted : `(${wanted}) NOT ${anyOf(left)}`;
}

/** Nothing to choose from is nothing that matches. */
function anyOf(expressions: readonly string[]): string {
  if (expressions.length === 0) return quoted(nothing);
  return expressions.length === 1 ? (expressions[0] as string) : `(${expressions.join(' OR ')})`;
}

const nothing = '\ue000';

function together(set: MarkSet): string {
  const marks = set.map((mark) => `marks : ${quoted(mark)}`);
  return marks.length === 1 ? (marks[0] as string) : `(${marks.join(' AND ')})`;
}

function fts5Phrase({ terms, prefix }: PhraseTerms): string {
  return quoted(terms.join(' ')) + (prefix ? ' *' : '');
}

function quoted(terms: string): string {
  return `"${terms.replaceAll('"', '""')}"`;
}
