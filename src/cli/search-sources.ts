// Every kind of document that can be found. A feature that has documents adds its source here.
import type { SearchSource } from '../model/search.ts';
import type { Store } from '../store/store.ts';

export function searchSources(_store: Store): SearchSource[] {
  return [];
}
