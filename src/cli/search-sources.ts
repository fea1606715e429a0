// Every kind of document that can be found. A feature that has documents adds its source here.
import { entrySource } from '../feeds/entry-search.ts';
import type { SearchSource } from '../model/search.ts';
import type { Store } from '../store/store.ts';

export function searchSources(store: Store): SearchSource[] {
  return [entrySource(store.entryTexts)];
}
