// What a person writes into the search box: words (all of them must be there), "phrases", -words that must not be
// there, this OR that, start* for words that begin so, and filters such as tag:work, -site:example.org or in:title. OR joins
// its two neighbours, two words or two filters of one name: `a b OR c` is a, and b or c. What stands before a colon and names no filter is a word.
import { Invalid } from '../errors.ts';
import type { FilterName, SearchFilter, SearchPhrase, SearchQuery } from '../model/search.ts';
import { findName, type KnownName, knownNames, readFilter } from './query-filters.ts';
import { phraseOf } from './terms.ts';

const maxCharacters = 1_000;
/** More of the commonest words would take longer than anybody waits: see `npm run bench -- search`. */
const maxPhrases = 32;
const maxFilters = 30;
/** A phrase of more terms would have to overlap more in a long document: see store/search/tsvector.ts. */
export const maxPhraseTerms = 32;

type Token =
  | { readonly is: 'or' }
  | { readonly is: 'phrase'; readonly not: boolean; readonly text: string; readonly startsWith: boolean }
  | { readonly is: 'filter'; readonly not: boolean; readonly name: KnownName; readonly value: string };

/** Throws Invalid, with a message that says what was expected. */
export function parseQuery(q: string): SearchQuery {
  if (q.length > maxCharacters) throw new Invalid(`q: expected at most ${maxCharacters} characters`);
  const tokens = readTokens(q);
  const all: SearchPhrase[][] = [];
  const none: SearchPhrase[] = [];
  const filters: SearchFilter[] = [];
  let inTitle = false;
  /** The group that an OR adds to; undefined after a -word. */
  let group: SearchPhrase[] | undefined;
  for (const [n, token] of tokens.entries()) {
    if (token.is === 'or') {
      requireNeighbours(tokens[n - 1], tokens[n + 1]);
      continue;
    }
    if (token.is === 'filter') {
      const { name, value, not } = readFilter(token.name, token.value, token.not);
      if (name === 'in') inTitle = true;
      else
        filters.push({
          name: name as FilterName,
          value,
          not,
          ...(tokens[n - 1]?.is === 'or' && { or: true }),
        });
      group = undefined;
      continue;
    }
    const phrase = phraseFrom(token);
    const joins = tokens[n - 1]?.is === 'or';
    if (token.not) {
      if (phrase) none.push(phrase);
      group = undefined;
    } else {
      if (!joins || !group) {
        group = [];
        all.push(group);
      }
      if (phrase) group.push(phrase);
    }
  }
  const groups = all.filter((phrases) => phrases.length > 0);
  if (groups.length === 0 && filters.length === 0)
    throw new Invalid('q: expected at least one word to look for');
  if (groups.flat().length + none.length > maxPhrases)
    throw new Invalid(`q: expected at most ${maxPhrases} words and phrases`);
  if (filters.length > maxFilters) throw new Invalid(`q: expected at most ${maxFilters} filters`);
  return { all: groups, none, inTitle, filters };
}

const pattern = new RegExp(
  String.raw`\s*(?:(?<minus>-?)(?:(?<name>${knownNames.join('|')}):)?"(?<quoted>[^"]*)(?<end>"?)(?<star>\*?)|(?<plain>[^\s"]+))`,
  'giu',
);

function readTokens(q: string): Token[] {
  const tokens: Token[] = [];
  for (const { groups = {} } of q.matchAll(pattern)) {
    const { minus, name, quoted, end, star, plain } = groups;
    if (quoted !== undefined) {
      if (!end) throw new Invalid('q: expected a closing " at the end of the phrase');
      tokens.push(tokenOf({ not: minus === '-', name, text: quoted, startsWith: star === '*' }));
    } else if (plain === 'OR') {
      tokens.push({ is: 'or' });
    } else if (plain !== undefined) {
      const [, not, known, rest = ''] = /^(-?)(?:([a-z]+):)?(.*)$/isu.exec(plain) ?? [];
      const isFilter = known !== undefined && findName(known) !== undefined;
      const text = isFilter ? rest : plain.replace(/^-/, '').replace(/\*$/, '');
      const startsWith = !isFilter && plain.endsWith('*');
      tokens.push(tokenOf({ not: not === '-', name: isFilter ? known : undefined, text, startsWith }));
    }
  }
  return tokens;
}

function tokenOf(read: {
  readonly not: boolean;
  readonly name: string | undefined;
  readonly text: string;
  readonly startsWith: boolean;
}): Token {
  const { not, text, startsWith } = read;
  const name = read.name === undefined ? undefined : findName(read.name);
  return name ? { is: 'filter', not, name, value: text } : { is: 'phrase', not, text, startsWith };
}

function phraseFrom({ text, startsWith }: { text: string; startsWith: boolean }): SearchPhrase | undefined {
  const phrase = phraseOf(text, startsWith);
  if (phrase === 'prefix too short')
    throw new Invalid(`q: expected at least 3 letters before the * of "${text}*"`);
  if (phrase && phrase.terms.length > maxPhraseTerms)
    throw new Invalid(`q: expected at most ${maxPhraseTerms} words in a phrase`);
  return phrase && { ...phrase, text, startsWith };
}

function requireNeighbours(before: Token | undefined, after: Token | undefined): void {
  if (before?.is === 'filter' && after?.is === 'filter' && before.name === after.name) {
    if (!before.not && !after.not) return;
  }
  for (const [token, where] of [
    [before, 'before'],
    [after, 'after'],
  ] as const) {
    if (token?.is !== 'phrase') throw new Invalid(`q: expected a word ${where} OR`);
    if (token.not) throw new Invalid(`q: expected a word to look for ${where} OR, not one to leave out`);
  }
}
