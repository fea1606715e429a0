// A query in the language of tsquery. Every lexeme is quoted, so that no term can be an operator.
import type { SearchPhrase, SearchQuery } from '../../model/search.ts';
import { kindMark, userMark } from './marks.ts';

export interface PostgresQuery {
  /**
   * What the index of terms answers. It takes the words of a phrase in any order, since the parts of a long document
   * have its phrases; it never leaves out what matches.
   */
  readonly words: string;
  /** Each must match, in the document or in one of its parts: groups in which a phrase stands. */
  readonly phrases: readonly string[];
  /** None may match anywhere. */
  readonly noPhrases: readonly string[];
  /** For the rank: what was looked for, without marks. */
  readonly ranked: string;
}

export function postgresQuery(
  { all, none }: SearchQuery,
  userId: number,
  kinds?: readonly string[],
): PostgresQuery {
  const groups = [...all.map((phrases) => anyOf(phrases.map(inAnyOrder))), lexeme(userMark(userId))];
  if (kinds) groups.push(anyOf(kinds.map((kind) => lexeme(kindMark(kind)))));
  const words = none.filter((phrase) => phrase.terms.length === 1).map((phrase) => `!${inARow(phrase)}`);
  return {
    words: [...groups, ...words].join(' & '),
    phrases: all
      .filter((phrases) => phrases.some(({ terms }) => terms.length > 1))
      .map((phrases) => anyOf(phrases.map(inARow))),
    noPhrases: none.filter(({ terms }) => terms.length > 1).map(inARow),
    ranked: all.map((phrases) => anyOf(phrases.map(inARow))).join(' & '),
  };
}

function anyOf(expressions: readonly string[]): string {
  return expressions.length === 1 ? (expressions[0] as string) : `(${expressions.join(' | ')})`;
}

function inARow({ terms, prefix }: SearchPhrase): string {
  return joined(terms, prefix, ' <-> ');
}

function inAnyOrder({ terms, prefix }: SearchPhrase): string {
  return joined(terms, prefix, ' & ');
}

function joined(terms: readonly string[], prefix: boolean, operator: string): string {
  const lexemes = terms.map((term, n) => lexeme(term) + (prefix && n === terms.length - 1 ? ':*' : ''));
  return lexemes.length === 1 ? (lexemes[0] as string) : `(${lexemes.join(operator)})`;
}

export function lexeme(term: string): string {
  return `'${term.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
