// Help where nothing was found: a word that nobody has written, and the nearest that stands in a title of the user. What is
// suggested has been tried first, so that it finds something, and only what this user may see.
import type { SearchPhrase, SearchQuery } from '../model/search.ts';
import { letOthersIn } from '../store/let-others-in.ts';
import type { Store } from '../store/store.ts';
import { editDistance } from './edit-distance.ts';
import type { Understood } from './search-text.ts';
import { splitTerms } from './terms.ts';
import { writeQuery } from './write-query.ts';

/** The newest titles say enough of how words are spelt, and are read in a few milliseconds. */
const titlesRead = 4_000;
/** Of titles of a dozen words, for six words: some five milliseconds. */
const titlesAtOnce = 50;
/** Each that may be misspelt is looked for alone. */
const mostWords = 6;
const shortestWord = 4;

/** Undefined when there is nothing to suggest. */
export async function suggestQuery(
  { store }: { readonly store: Pick<Store, 'forUser'> },
  { userId, query, scope, at }: Understood,
): Promise<string | undefined> {
  const { search } = store.forUser(userId);
  const finds = async (some: SearchQuery, within?: typeof scope) =>
    (await search.find(some, { order: 'newest', limit: 1, at, ...(within && { scope: within }) })).found > 0;
  const words = query.all.flat().filter(mayBeMisspelt).slice(0, mostWords);
  const unknown: SearchPhrase[] = [];
  for (const word of words)
    if (!(await finds({ all: [[word]], none: [], inTitle: false, filters: [] }))) unknown.push(word);
  if (unknown.length === 0) return undefined;
  const nearest = nearestWords(unknown);
  const titles = await search.newestTitles(titlesRead);
  for (let n = 0; n < titles.length; n += titlesAtOnce) {
    for (const title of titles.slice(n, n + titlesAtOnce)) nearest.look(splitTerms(title));
    await letOthersIn();
  }
  if (nearest.found.size === 0) return undefined;
  const meant = {
    ...query,
    all: query.all.map((group) => group.map((one) => nearest.found.get(one) ?? one)),
  };
  return (await finds(meant, scope)) ? writeQuery(meant) : undefined;
}

/** Also what was to be the beginning of a word, if none begins so: a search box asks for whatever is typed last as that. */
function mayBeMisspelt({ terms }: SearchPhrase): boolean {
  const [term = ''] = terms;
  // Chinese, Japanese and Korean stand in pairs of characters, which are hardly ever spelt.
  return terms.length === 1 && [...term].length >= shortestWord;
}

/** Of words at the same distance, the one that stands in more titles, then the first by its letters. */
function nearestWords(unknown: readonly SearchPhrase[]) {
  const wanted = unknown.map((phrase) => {
    const term = phrase.terms[0] as string;
    return {
      phrase,
      term,
      most: [...term].length <= 5 ? 1 : 2,
      tried: new Map<string, number | undefined>(),
    };
  });
  const counts = new Map<string, number>();
  const found = new Map<SearchPhrase, SearchPhrase>();
  const best = new Map<SearchPhrase, { term: string; distance: number }>();
  return {
    found,
    look(terms: readonly string[]): void {
      for (const term of new Set(terms)) counts.set(term, (counts.get(term) ?? 0) + 1);
      for (const { phrase, term: unknownTerm, most, tried } of wanted) {
        for (const term of terms) {
          if (!tried.has(term)) tried.set(term, editDistance(unknownTerm, term, most));
          const distance = tried.get(term);
          if (distance === undefined) continue;
          const known = best.get(phrase);
          if (known && !goesBefore({ term, distance }, known)) continue;
          best.set(phrase, { term, distance });
          found.set(phrase, { terms: [term], prefix: false, text: term, startsWith: false });
        }
      }
    },
  };

  function goesBefore(a: { term: string; distance: number }, b: { term: string; distance: number }): boolean {
    if (a.distance !== b.distance) return a.distance < b.distance;
    const more = (counts.get(a.term) ?? 0) - (counts.get(b.term) ?? 0);
    return more > 0 || (more === 0 && a.term < b.term);
  }
}
