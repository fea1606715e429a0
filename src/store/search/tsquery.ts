// A query in the language of tsquery. Every lexeme is quoted, so that no term can be an operator.
import type { MarkSet, PhraseTerms, SearchQuery, SearchScope } from '../../model/search.ts';
import { userMark } from './marks.ts';

export interface PostgresQuery {
  /**
   * What the index of terms answers. It takes the words of a phrase in any order, since the parts of a long document
   * have its phrases; it never leaves out what matches. Empty where nothing is asked of the terms.
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
  { all, none, inTitle }: Pick<SearchQuery, 'all' | 'none' | 'inTitle'>,
  marks: Pick<SearchScope, 'all' | 'none'>,
  userId: number,
): PostgresQuery {
  const weight = inTitle ? 'A' : '';
  const inARow = (phrase: PhraseTerms) => joined(phrase, ' <-> ', weight);
  const inAnyOrder = (phrase: PhraseTerms) => joined(phrase, ' & ', weight);
  const groups = [
    ...all.map((phrases) => anyOf(phrases.map(inAnyOrder))),
    ...marks.all.map((sets) => anyOf(sets.map(together))),
  ];
  // The ids alone say whose documents they are. With words to look for, the index of terms is asked for the user, too.
  if (groups.length > 0) groups.push(lexeme(userMark(userId)));
  const words = none.filter((phrase) => phrase.terms.length === 1).map((phrase) => `!${inARow(phrase)}`);
  return {
    words: [...groups, ...words, ...marks.none.map((set) => `!${together(set)}`)].join(' & '),
    phrases: all
      .filter((phrases) => phrases.some(({ terms }) => terms.length > 1))
      .map((phrases) => anyOf(phrases.map(inARow))),
    noPhrases: none.filter(({ terms }) => terms.length > 1).map(inARow),
    ranked: all.map((phrases) => anyOf(phrases.map(inARow))).join(' & '),
  };
}

/** Nothing to choose from is nothing that matches. */
function anyOf(expressions: readonly string[]): string {
  if (expressions.length === 0) return lexeme(nothing);
  return expressions.length === 1 ? (expressions[0] as string) : `(${expressions.join(' | ')})`;
}

const nothing = '\ue000';

function together(set: MarkSet): string {
  return set.length === 1 ? lexeme(set[0] as string) : `(${set.map(lexeme).join(' & ')})`;
}

function joined({ terms, prefix }: PhraseTerms, operator: string, weight: '' | 'A'): string {
  const lexemes = terms.map((term, n) => {
    const flags = (prefix && n === terms.length - 1 ? '*' : '') + weight;
    return lexeme(term) + (flags === '' ? '' : `:${flags}`);
  });
  return lexemes.length === 1 ? (lexemes[0] as string) : `(${lexemes.join(operator)})`;
}

export function lexeme(term: string): string {
  return `'${term.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
