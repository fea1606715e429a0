// The only module that loads lists of highlights, page by page.
import { get, messageOf, query } from '../lib/api.ts';
import { HighlightSet } from './highlight-set.svelte.ts';
import { isNarrowed, listQuery, type Place } from './place.ts';
import type { Highlight, HighlightPage } from './types.ts';

const pageSize = 50;

export class HighlightList extends HighlightSet {
  readonly place: Place;
  state = $state<'loading' | 'ready' | 'failed'>('loading');
  isLoadingMore = $state(false);
  problem = $state('');
  next = $state<string | null>(null);

  constructor(place: Place) {
    super();
    this.place = place;
  }

  async load(): Promise<void> {
    this.state = 'loading';
    this.problem = '';
    try {
      const page = await this.#page(null);
      this.list = page.data;
      this.next = page.next_cursor;
      this.state = 'ready';
    } catch (error) {
      this.problem = messageOf(error);
      this.state = 'failed';
    }
  }

  async more(): Promise<void> {
    if (this.next === null || this.isLoadingMore) return;
    this.isLoadingMore = true;
    try {
      const page = await this.#page(this.next);
      const here = new Set(this.list.map(({ id }) => id));
      this.list = [...this.list, ...page.data.filter(({ id }) => !here.has(id))];
      this.next = page.next_cursor;
      this.problem = '';
    } catch (error) {
      this.problem = messageOf(error);
    } finally {
      this.isLoadingMore = false;
    }
  }

  /** A copy of one that was deleted here has its own source; it stays where its original was. */
  override belongs(highlight: Highlight): boolean {
    const { view, resource, source, from, to, color } = this.place;
    if (view !== 'all') return false;
    if (!isNarrowed(this.place)) return true;
    if (source !== null && source !== highlight.source) return false;
    if (resource !== null && resource !== highlight.resource_id) return false;
    if (color !== null && color !== (highlight.color ?? 'none')) return false;
    return from === null && to === null;
  }

  #page(cursor: string | null): Promise<HighlightPage> {
    return get(`/api/annotations${query({ ...listQuery(this.place), limit: pageSize, cursor })}`);
  }
}
