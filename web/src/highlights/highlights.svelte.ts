// Which highlights are shown. The address says it, so that a link, a reload and the back button lead to the same place.
import { get } from '../lib/api.ts';
import { HighlightList } from './highlight-list.svelte.ts';
import { type Filters, noFilters, type Place, parsePlace, placeHref } from './place.ts';

export interface Summary {
  total: number;
  deleted: number;
  sources: { source: string; count: number }[];
  colors: { color: string | null; count: number }[];
}

class Highlights {
  place = $state.raw<Place>(parsePlace(location.search));
  list = $state.raw() as HighlightList;
  summary = $state.raw<Summary | null>(null);

  constructor() {
    this.#show();
    addEventListener('popstate', () => {
      this.place = parsePlace(location.search);
      this.#show();
    });
  }

  go(place: Partial<Place>): void {
    const next: Place = { view: 'all', ...noFilters, ...place };
    if (placeHref(next) !== placeHref(this.place)) history.pushState(null, '', placeHref(next));
    this.place = next;
    this.#show();
  }

  /** The same, narrowed or widened. */
  narrow(filters: Partial<Filters>): void {
    this.go({ ...this.place, view: 'all', ...filters });
  }

  async loadSummary(): Promise<void> {
    try {
      ({ data: this.summary } = await get<{ data: Summary }>('/api/highlights/summary'));
    } catch {
      // The list says what is wrong; without the counts there is less to choose from.
    }
  }

  #show(): void {
    void this.loadSummary();
    if (this.place.view === 'sources') return;
    this.list = new HighlightList(this.place);
    void this.list.load();
  }
}

export const highlights = new Highlights();
