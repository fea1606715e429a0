// The only module that loads and changes saved searches: at once, and with a way back.
import { get, messageOf, patch, post, remove } from '../lib/api.ts';
import type { SavedSearch } from '../lib/api-types.ts';
import { toast } from '../lib/toasts.svelte.ts';
import { currentLanguage, words } from '../lib/words.ts';
import { searchWords } from './words.ts';

const path = '/api/v1/searches';

export class SavedSearches {
  list = $state.raw<SavedSearch[]>([]);

  /** Without them the page serves as well: nobody is told. */
  async load(): Promise<void> {
    try {
      this.#show((await get<{ data: SavedSearch[] }>(path)).data);
    } catch {
      // The next visit will have them.
    }
  }

  find(q: string): SavedSearch | undefined {
    return this.list.find((search) => search.q === q.trim());
  }

  /** Throws what a person is told, as when the name is taken. */
  async save(name: string, q: string): Promise<void> {
    const { data } = await post<{ data: SavedSearch }>(path, { name, q });
    this.#show([...this.list, data]);
  }

  /** Throws what a person is told, as when the name is taken. */
  async rename({ id }: SavedSearch, name: string): Promise<void> {
    const { data } = await patch<{ data: SavedSearch }>(`${path}/${id}`, { name });
    this.#show(this.list.map((one) => (one.id === id ? data : one)));
  }

  async delete(search: SavedSearch): Promise<void> {
    const t = searchWords().saved;
    this.#show(this.list.filter(({ id }) => id !== search.id));
    try {
      await remove(`${path}/${search.id}`);
      toast(t.deleted(search.name), {
        action: { label: words().actions.undo, run: () => void this.#putBack(search) },
      });
    } catch (error) {
      this.#show([...this.list, search]);
      toast(messageOf(error), { bad: true });
    }
  }

  async #putBack({ name, q }: SavedSearch): Promise<void> {
    try {
      await this.save(name, q);
    } catch (error) {
      toast(messageOf(error), { bad: true });
    }
  }

  #show(list: readonly SavedSearch[]): void {
    this.list = [...list].sort((a, b) => a.name.localeCompare(b.name, currentLanguage()));
  }
}
