// The only module that loads lists of items. What changes here or elsewhere is put where it belongs, and taken out of where
// it does not belong any more, without asking for the list again.
import { get, messageOf } from '../lib/api.ts';
import type { ItemPage } from '../lib/api-types.ts';
import { belongs, inOrder } from './belongs.ts';
import { type LibraryItem, takeItem } from './items.svelte.ts';
import { listQuery, type Place } from './place.ts';
import { shelves } from './shelves.svelte.ts';

const pageSize = 50;
const none: ReadonlySet<string> = new Set();

export class ItemList {
  readonly place: Place;
  items = $state.raw<LibraryItem[]>([]);
  state = $state<'loading' | 'ready' | 'failed'>('loading');
  isLoadingMore = $state(false);
  problem = $state('');
  /** That came meanwhile, and wait above the list until somebody wants to see them. */
  arrived = $state.raw<LibraryItem[]>([]);
  scrollTop = 0;
  #cursor = $state<string | null>(null);

  constructor(place: Place) {
    this.place = place;
  }

  get hasMore(): boolean {
    return this.#cursor !== null;
  }

  async load(): Promise<void> {
    this.state = 'loading';
    this.problem = '';
    try {
      const page = await this.#page(null);
      this.items = page.items;
      this.#cursor = page.next;
      this.arrived = [];
      this.state = 'ready';
    } catch (error) {
      this.state = 'failed';
      this.problem = messageOf(error);
    }
  }

  async more(): Promise<void> {
    if (this.#cursor === null || this.isLoadingMore) return;
    this.isLoadingMore = true;
    try {
      const page = await this.#page(this.#cursor);
      const here = new Set(this.items);
      this.items = [...this.items, ...page.items.filter((item) => !here.has(item))];
      this.#cursor = page.next;
      this.problem = '';
    } catch (error) {
      this.problem = messageOf(error);
    } finally {
      this.isLoadingMore = false;
    }
  }

  /** What happened while nobody told us. Only the beginning of the list is asked for. */
  async renew(): Promise<void> {
    if (this.state !== 'ready') return this.load();
    try {
      const page = await this.#page(null);
      const fresh = new Set(page.items);
      const last = page.items.at(-1);
      const isPast = (item: LibraryItem) =>
        page.next !== null && last && inOrder(item.data, last.data, this.place) > 0;
      this.items = this.items.filter((item) => fresh.has(item) || item.isNew || isPast(item));
      if (page.next === null) this.#cursor = null;
      for (const item of page.items) this.note(item);
    } catch {
      // The next time finds it.
    }
  }

  /** What was told of an item, or done to it. */
  note(item: LibraryItem): void {
    if (this.state !== 'ready') return;
    const isHere = this.items.includes(item);
    if (!this.#belongs(item)) {
      if (isHere) this.items = this.items.filter((one) => one !== item);
      this.arrived = this.arrived.filter((one) => one !== item);
      return;
    }
    if (isHere || this.arrived.includes(item)) return;
    // Nothing moves under somebody who is reading further down.
    const isAbove = this.#placeOf(item) === 0 && this.items.length > 0;
    if (isAbove && this.scrollTop > 0) this.arrived = [item, ...this.arrived];
    else this.put(item);
  }

  /** Puts it where it belongs, if that part of the list is loaded. */
  put(item: LibraryItem): void {
    if (this.items.includes(item)) return;
    const at = this.#placeOf(item);
    if (at === this.items.length && this.hasMore) return;
    this.items = this.items.toSpliced(at, 0, item);
  }

  drop(item: LibraryItem): void {
    this.items = this.items.filter((one) => one !== item);
    this.arrived = this.arrived.filter((one) => one !== item);
  }

  takeArrived(): void {
    const { arrived } = this;
    this.arrived = [];
    for (const item of arrived) this.put(item);
  }

  #placeOf(item: LibraryItem): number {
    const at = this.items.findIndex((one) => inOrder(item.data, one.data, this.place) < 0);
    return at < 0 ? this.items.length : at;
  }

  #belongs(item: LibraryItem): boolean {
    const { scope } = this.place;
    return belongs(item.data, this.place, scope.kind === 'collection' ? shelves.within(scope.id) : none);
  }

  async #page(cursor: string | null): Promise<{ items: LibraryItem[]; next: string | null }> {
    const values = listQuery(this.place);
    values.set('limit', String(pageSize));
    if (cursor !== null) values.set('cursor', cursor);
    const page = await get<ItemPage>(`/api/v1/items?${values}`);
    return { items: page.items.map(takeItem), next: page.nextCursor };
  }
}
