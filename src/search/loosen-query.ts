// A question as a query: it seldom stands in a document with all of its words, and often with some.
import type { SearchPhrase, SearchQuery } from '../model/search.ts';
import { isUsual } from './telling-words.ts';

/** Any of its telling words instead of all words; the rest stays as it is. Undefined where that is nothing else, or says nothing. */
export function loosenQuery(query: SearchQuery): SearchQuery | undefined {
  if (query.all.length < 2) return undefined;
  const telling: SearchPhrase[] = query.all.flat().filter(({ terms }) => !isUsual(terms));
  return telling.length === 0 ? undefined : { ...query, all: [telling] };
}
