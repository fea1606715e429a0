// What a person types into the search box: words (all must be there), "phrases", and -words that must not be there. The
// last word may not be finished yet, so it stands for all that begin so.

export interface Phrase {
  readonly words: readonly string[];
  readonly isPrefix: boolean;
}

export interface Query {
  readonly all: readonly Phrase[];
  readonly none: readonly Phrase[];
}

/** What FTS5's unicode61 makes words of; everything else parts them, for it and for us. */
const word = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;
const token = /(?<minus>-?)"(?<quoted>[^"]*)(?<end>"?)|(?<plain>[^\s"]+)/gu;

/** Nothing is refused: what has no word in it asks for nothing. */
export function parseQuery(q: string): Query {
  const all: Phrase[] = [];
  const none: Phrase[] = [];
  for (const match of q.matchAll(token)) {
    const { minus = '', quoted, end, plain = '' } = match.groups ?? {};
    const text = quoted ?? plain;
    const isLast = match.index + match[0].length >= q.trimEnd().length;
    const excludes = minus === '-' || (quoted === undefined && plain.startsWith('-'));
    const words = text.match(word);
    if (!words) continue;
    const isOpen = quoted === undefined ? text.endsWith('*') || isLast : end === '';
    // A word that is being typed leaves out what has exactly that, or most of the list would come and go.
    (excludes ? none : all).push({ words, isPrefix: isOpen && !excludes && mayBegin(words.at(-1) ?? '') });
  }
  return { all, none };
}

/** Nearly every text has a word that begins with a given letter; going through them all takes long and finds nothing. */
const mayBegin = (start: string) => !/^[a-z\d]$/i.test(start);

/** In the language of FTS5: words stand in quotes, where nothing but a quote means anything, and they have none. */
export function ftsAll({ all, none }: Query): string {
  const wanted = all.map(ftsPhrase).join(' AND ');
  return none.length === 0 ? wanted : `(${wanted}) NOT (${ftsAny(none)})`;
}

export function ftsAny(phrases: readonly Phrase[]): string {
  return phrases.map(ftsPhrase).join(' OR ');
}

function ftsPhrase({ words, isPrefix }: Phrase): string {
  return `"${words.join(' ')}"${isPrefix ? ' *' : ''}`;
}
