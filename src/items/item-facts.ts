// What an item, and the bookmark that is a route to it, can be filtered by.
import type { DocState } from '../model/search.ts';
import type { ItemState } from '../store/reader-texts.ts';

export function itemFacts({ tags, author, language, status, isHighlighted }: ItemState): {
  readonly tags: readonly string[];
  readonly author: string;
  readonly lang: string;
  readonly states: readonly DocState[];
} {
  return {
    tags: tags ? tags.split('\n') : [],
    author,
    lang: language,
    states: [
      ...(status === 'archived' ? (['archived'] as const) : []),
      ...(isHighlighted ? (['highlighted'] as const) : []),
    ],
  };
}
