// Every kind of document that can be found. A feature that has documents adds its source here, and the name of the kind
// to `searchKinds`: neither compiles without the other.
import { deframedSource } from '../deframer/deframed-search.ts';
import { bookmarkSource, entrySource, feedSource } from '../feeds/reader-search.ts';
import { annotationSource, noteSource } from '../highlights/annotation-search.ts';
import { itemSource, type TextFiles } from '../items/item-search.ts';
import type { SearchSources } from '../model/search.ts';
import type { Store } from '../store/store.ts';

export function searchSources(
  {
    readerTexts,
    itemTexts,
    highlightTexts,
    deframedTexts,
  }: Pick<Store, 'readerTexts' | 'itemTexts' | 'highlightTexts' | 'deframedTexts'>,
  files: TextFiles,
): SearchSources {
  return {
    item: itemSource({ items: itemTexts, files }),
    bookmark: bookmarkSource(readerTexts),
    entry: entrySource(readerTexts),
    feed: feedSource(readerTexts),
    annotation: annotationSource(highlightTexts),
    note: noteSource(highlightTexts),
    deframed: deframedSource(deframedTexts),
  };
}
