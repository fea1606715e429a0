// What a person writes into the search box: words (all of them must be there), "phrases", -words that must not be
// there, this OR that, and start* for words that begin so. OR joins its two neighbours: `a b OR c` is a, and b or c.
import { Invalid } from '../errors.ts';
import type { SearchPhrase, SearchQuery } from '../model/search.ts';
import { phraseOf } from './terms.ts';

const maxCharacters = 1_000;
const maxPhrases = 50;
/** A phrase of more terms would have to overlap more in a long document: see store/search/tsvector.ts. */
export const maxPhraseTerms = 32;

type Token =
  | { readonly is: 'or' }
  | { readonly is: 'phrase'; readonly not: boolean; readonly text: string; readonly startsWith: boolean };

/** Throws Invalid, with a message that says what was expected. */
export function parseQuery(q: string): SearchQuery {
  if (q.length > maxCharacters) throw new Invalid(`q: expected at most ${maxCharacters} characters`);
  const tokens = readTokens(q);
  const all: SearchPhrase[][] = [];
  const none: SearchPhrase[] = [];
  /** The group that an OR adds to; undefined after a -word. */
  let group: SearchPhrase[] | undefined;
  for (const [n, token] of tokens.entries()) {
    if (token.is === 'or') {
      requireNeighbours(tokens[n - 1], tokens[n + 1]);
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
  if (groups.length === 0) throw new Invalid('q: expected at least one word to look for');
  if (groups.flat().length + none.length > maxPhrases)
    throw new Invalid(`q: expected at most ${maxPhrases} words and phrases`);
  return { all: groups, none };
}

function readTokens(q: string): Token[] {
  const tokens: Token[] = [];
  const pattern = /\s*(?:(?<minus>-?)"(?<quoted>[^"]*)(?<end>"?)(?<star>\*?)|(?<plain>[^\s"]+))/gu;
  for (const { groups = {} } of q.matchAll(pattern)) {
    const { minus, quoted, end, star, plain } = groups;
    if (quoted !== undefined) {
      if (!end) throw new Invalid('q: expected a closing " at the end of the phrase');
      tokens.push({ is: 'phrase', not: minus === '-', text: quoted, startsWith: star === '*' });
    } else if (plain === 'OR') {
      tokens.push({ is: 'or' });
    } else if (plain !== undefined) {
      const text = plain.replace(/^-/, '').replace(/\*$/, '');
      tokens.push({ is: 'phrase', not: plain.startsWith('-'), text, startsWith: plain.endsWith('*') });
    }
  }
  return tokens;
}

function phraseFrom({ text, startsWith }: { text: string; startsWith: boolean }): SearchPhrase | undefined {
  const phrase = phraseOf(text, startsWith);
  if (phrase === 'prefix too short')
    throw new Invalid(`q: expected at least 3 letters before the * of "${text}*"`);
  if (phrase && phrase.terms.length > maxPhraseTerms)
    throw new Invalid(`q: expected at most ${maxPhraseTerms} words in a phrase`);
  return phrase;
}

function requireNeighbours(before: Token | undefined, after: Token | undefined): void {
  for (const [token, where] of [
    [before, 'before'],
    [after, 'after'],
  ] as const) {
    if (token?.is !== 'phrase') throw new Invalid(`q: expected a word ${where} OR`);
    if (token.not) throw new Invalid(`q: expected a word to look for ${where} OR, not one to leave out`);
  }
}
