// A question as a query: it seldom stands in a document with all of its words, and often with some.
import type { SearchPhrase, SearchQuery } from '../model/search.ts';
import { isUsual } from './telling-words.ts';

/** Any of its telling words instead of all words; the rest stays as it is. Undefined where that is nothing else, or says nothing. */
export function loosenQuery(query: SearchQuery): SearchQuery | undefined {
  const [kept, loose] = [query.all.filter(isSaidSo), query.all.filter((group) => !isSaidSo(group))];
  if (loose.length < 2) return undefined;
  const telling: SearchPhrase[] = loose.flat().filter(({ terms }) => !isUsual(terms));
  return telling.length === 0 ? undefined : { ...query, all: [...kept, telling] };
}

/** Whoever puts several words in quotes wants them in that order, however near something else may be. */
export function isSaidSo(group: readonly SearchPhrase[]): boolean {
  return group.every(({ text }) => /\S\s+\S/u.test(text));
}
