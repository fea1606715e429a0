// What the items are put on: the counts of the places, collections, and tags.
import { get, patch, post, query, remove } from '../lib/api.ts';
import type { Collection, ItemCounts, Tag } from '../lib/api-types.ts';
import { idsWithin, pathOf } from './collection-tree.ts';

const tagsPerPage = 200;

interface TagPage {
  tags: Tag[];
  nextCursor: string | null;
}

class Shelves {
  counts = $state.raw<ItemCounts | null>(null);
  collections = $state.raw<Collection[]>([]);
  /** The most used first, as far as they were needed. */
  tags = $state.raw<Tag[]>([]);
  state = $state<'loading' | 'ready' | 'failed'>('loading');
  byId = $derived(new Map(this.collections.map((one) => [one.id, one])));
  #nextTags = $state<string | null>(null);
  #isLoadingTags = false;

  async load(): Promise<void> {
    try {
      await Promise.all([this.loadCounts(), this.loadCollections(), this.loadTags()]);
      this.state = 'ready';
    } catch {
      if (this.state === 'loading') this.state = 'failed';
    }
  }

  async loadCounts(): Promise<void> {
    this.counts = await get<ItemCounts>('/api/v1/items/counts');
  }

  async loadCollections(): Promise<void> {
    this.collections = (await get<{ collections: Collection[] }>('/api/v1/collections')).collections;
  }

  async loadTags(): Promise<void> {
    const page = await get<TagPage>(`/api/v1/tags${query({ sort: 'count', limit: tagsPerPage })}`);
    this.tags = page.tags;
    this.#nextTags = page.nextCursor;
  }

  get hasMoreTags(): boolean {
    return this.#nextTags !== null;
  }

  async moreTags(): Promise<void> {
    if (this.#nextTags === null || this.#isLoadingTags) return;
    this.#isLoadingTags = true;
    try {
      const page = await get<TagPage>(
        `/api/v1/tags${query({ sort: 'count', limit: tagsPerPage, cursor: this.#nextTags })}`,
      );
      const here = new Set(this.tags.map(({ name }) => name));
      this.tags = [...this.tags, ...page.tags.filter(({ name }) => !here.has(name))];
      this.#nextTags = page.nextCursor;
    } catch {
      // The next scroll asks again.
    } finally {
      this.#isLoadingTags = false;
    }
  }

  /** Among all there are, however many. */
  async findTags(typed: string, limit = 50, signal?: AbortSignal): Promise<Tag[]> {
    const path = `/api/v1/tags${query({ q: typed, sort: 'count', limit })}`;
    return (await get<TagPage>(path, signal ? { signal } : {})).tags;
  }

  #soon: ReturnType<typeof setTimeout> | undefined;

  /** After a change: once for all that come within a moment. */
  loadSoon(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.load();
    }, 250);
  }

  #later: ReturnType<typeof setTimeout> | undefined;

  /** After what happens elsewhere, of which there may be thousands. */
  loadLater(): void {
    this.#later ??= setTimeout(() => {
      this.#later = undefined;
      this.loadSoon();
    }, 1_000);
  }

  within = (id: string): ReadonlySet<string> => idsWithin(id, this.collections);
  nameOf = (id: string): string => this.byId.get(id)?.name ?? '';
  pathOf = (id: string): string => pathOf(id, this.collections);

  async addCollection(name: string, parentId: string | null): Promise<Collection> {
    const made = await post<Collection>('/api/v1/collections', { name, ...(parentId && { parentId }) });
    this.collections = [...this.collections, made];
    return made;
  }

  /** Shown at once, and as it was if the server says no. */
  async changeCollection(id: string, changes: Partial<Pick<Collection, 'name' | 'parentId'>>): Promise<void> {
    const before = this.byId.get(id);
    const show = (values: Partial<Collection>) => {
      this.collections = this.collections.map((one) => (one.id === id ? { ...one, ...values } : one));
    };
    show(changes);
    try {
      show(await patch<Collection>(`/api/v1/collections/${id}`, changes));
    } catch (error) {
      if (before) show(before);
      throw error;
    }
  }

  async deleteCollection(id: string, mode: 'default' | 'cascade'): Promise<void> {
    await remove(`/api/v1/collections/${id}?mode=${mode}`);
    await Promise.all([this.loadCollections(), this.loadCounts()]);
  }

  /** Returns how many items had it. */
  async renameTag(name: string, newName: string): Promise<number> {
    const path = `/api/v1/tags/${encodeURIComponent(name)}`;
    return (await patch<{ itemsUpdated: number }>(path, { newName })).itemsUpdated;
  }

  async deleteTag(name: string): Promise<number> {
    return (await remove<{ itemsUpdated: number }>(`/api/v1/tags/${encodeURIComponent(name)}`)).itemsUpdated;
  }
}

export const shelves = new Shelves();
