// What a query means, said as plainly as can be: what the engines are compared with.
import type { PhraseTerms, SearchQuery } from '../../src/model/search.ts';

/** `fields` are the terms of the title and of the text. */
export function matchesQuery(
  { all, none, inTitle }: SearchQuery,
  fields: readonly (readonly string[])[],
): boolean {
  const searched = inTitle ? fields.slice(0, 1) : fields;
  const has = (phrase: PhraseTerms) => searched.some((terms) => hasPhrase(terms, phrase));
  return all.every((group) => group.some(has)) && !none.some(has);
}

export function hasPhrase(terms: readonly string[], phrase: PhraseTerms): boolean {
  const last = phrase.terms.length - 1;
  return terms.some((_, at) =>
    phrase.terms.every((wanted, n) => {
      const term = terms[at + n];
      return phrase.prefix && n === last ? term?.startsWith(wanted) : term === wanted;
    }),
  );
}
