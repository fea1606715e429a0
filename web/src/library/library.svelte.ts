// Where somebody is in the library, what is open, and what is chosen. The address says it all but the last, so that a
// link, a reload and the back button lead to the same place.
import { preferences } from '../lib/preferences.svelte.ts';
import { screen, transition } from '../lib/screen.svelte.ts';
import { toast } from '../lib/toasts.svelte.ts';
import { webAddress } from '../lib/web-address.ts';
import { words } from '../lib/words.ts';
import type { ItemAction } from './item-action.ts';
import { ItemList } from './item-list.svelte.ts';
import { knownItem, type LibraryItem, loadItem } from './items.svelte.ts';
import { perform, whenChanged } from './perform.ts';
import { everything, listKey, type Place, parsePlace, placeHref, type Scope } from './place.ts';
import { extendTo, nothing, type Selection, toggle, within } from './selection.ts';
import { shelves } from './shelves.svelte.ts';

export type PanelName =
  | { name: 'save'; text?: string; title?: string }
  | { name: 'tag'; items: readonly LibraryItem[] }
  | { name: 'move'; items: readonly LibraryItem[] }
  | { name: 'collection'; id?: string; parentId?: string | null; nest?: boolean }
  | { name: 'deleteCollection'; id: string }
  | { name: 'renameTag' | 'deleteTag'; tag: string }
  | { name: 'keys' }
  | { name: 'type' };

/** Lists to come back to, with their place in the scroll. */
const mostLists = 8;

class Library {
  place = $state.raw<Place>(parsePlace(location.search));
  list = $state.raw() as ItemList;
  item = $state.raw<LibraryItem | null>(null);
  /** The one that the keys act on. */
  cursor = $state.raw<LibraryItem | null>(null);
  /** Counts the times that the list should bring the cursor into sight: by keys, and never under a pointer. */
  reveals = $state(0);
  itemProblem = $state('');
  focusMode = $state(false);
  drawerOpen = $state(false);
  isEditing = $state(false);
  panel = $state.raw<PanelName | null>(null);
  selection = $state.raw<Selection>(nothing);
  /** With a finger there is nothing to hover over: then check marks are shown when they are asked for. */
  isSelecting = $state(false);
  /** Items or a collection, on their way to another place. */
  dragged = $state.raw<{ label: string; x: number; y: number; over: string | null } | null>(null);
  /** What a screen reader is told. */
  announcement = $state('');

  layout = $derived(screen.layout);
  /** Beside an open item there is room for rows alone. */
  view = $derived(preferences.library_view);
  pane = $derived<'places' | 'items' | 'item'>(
    this.place.item ? 'item' : this.place.choosing ? 'places' : 'items',
  );
  target = $derived(this.cursor ?? this.item);
  chosen = $derived(this.list.items.filter(({ id }) => this.selection.ids.has(id)));

  #lists = new Map<string, ItemList>();
  /** Where the cursor was, for when what it stood on has left the list. */
  #cursorAt = 0;
  /** Its link takes the focus once the list shows it again. */
  #awaitsFocus: LibraryItem | null = null;

  constructor() {
    this.#showList({ fresh: true });
    this.#showItem();
    shelves.load();
    whenChanged((items) => this.noteChanged(items));
    addEventListener('popstate', () => {
      const place = parsePlace(location.search);
      this.#change(place, () => {
        this.place = place;
        this.#showList({ fresh: false });
        this.#showItem();
      });
    });
  }

  // Places

  go(place: Partial<Place> & { scope: Scope }): void {
    this.drawerOpen = false;
    const next: Place = { ...everything, sort: this.place.sort, ...place };
    this.navigate(next, { replace: placeHref(next) === placeHref(this.place), fresh: true });
  }

  /** The same place, narrowed, widened or sorted otherwise. */
  narrow(changes: Partial<Place>): void {
    this.drawerOpen = false;
    this.navigate({ ...this.place, item: null, choosing: false, ...changes }, { fresh: true });
  }

  /** One step up: from the item to its list, from the list to the places. */
  up(): void {
    if (this.focusMode) {
      this.focusMode = false;
      if (this.layout !== 'phone' && this.view === 'list') return;
    }
    if (!this.place.item) {
      if (this.layout === 'phone') this.showPlaces();
    } else if (history.state?.inside) history.back();
    else this.navigate({ ...this.place, item: null }, { replace: true });
  }

  /** On a phone they are a page of their own. */
  showPlaces(): void {
    if (history.state?.fromPlaces) history.back();
    else this.navigate({ ...everything, choosing: true });
  }

  open(item: LibraryItem): void {
    if (item.isNew) return;
    this.point(item);
    if (item.id === this.place.item) return;
    // Going from item to item leaves one step back: to the list.
    this.navigate({ ...this.place, item: item.id }, { replace: this.place.item !== null });
  }

  navigate(place: Place, { replace = false, fresh = false } = {}): void {
    if (replace) history.replaceState(history.state, '', placeHref(place));
    else history.pushState({ inside: true, fromPlaces: this.place.choosing }, '', placeHref(place));
    this.#change(place, () => {
      this.place = place;
      this.#showList({ fresh });
      this.#showItem();
    });
  }

  /** Where one thing takes the place of another it is seen to do so; where nothing moves, nothing does. */
  #change(next: Place, change: () => void): void {
    const opens = (next.item === null) !== (this.place.item === null);
    const takesPlace = opens
      ? this.layout === 'phone' || this.view === 'grid'
      : this.layout === 'phone' && next.choosing !== this.place.choosing;
    if (takesPlace) transition(change);
    else change();
  }

  // Lists

  #showList({ fresh }: { fresh: boolean }): void {
    const key = listKey(this.place);
    const before = this.#lists.get(key);
    if (before && before === this.list && !fresh) return;
    this.#deselect();
    if (before) {
      if (fresh || before.state === 'failed') before.renew();
      this.list = before;
      if (fresh) before.scrollTop = 0;
    } else {
      this.list = new ItemList(this.place);
      this.list.load();
    }
    this.cursor = null;
    this.#lists.delete(key);
    this.#lists.set(key, this.list);
    for (const oldest of [...this.#lists.keys()].slice(0, -mostLists)) this.#lists.delete(oldest);
  }

  /** What was changed here, or told of by the server, in every list that is kept. */
  noteChanged(items: readonly LibraryItem[]): void {
    for (const list of this.#lists.values()) for (const item of items) list.note(item);
    this.#afterChange();
  }

  async renew(): Promise<void> {
    const { list } = this;
    for (const [key, one] of this.#lists) if (one !== list) this.#lists.delete(key);
    await Promise.all([list.renew(), shelves.load()]);
    this.#afterChange();
  }

  /** One that the server has not got, or has no more. */
  forget(item: LibraryItem): void {
    for (const list of this.#lists.values()) list.drop(item);
    this.#afterChange();
  }

  #afterChange(): void {
    const { items } = this.list;
    this.selection = within(this.selection, new Set(items.map(({ id }) => id)));
    if (this.cursor && !items.includes(this.cursor) && this.cursor !== this.item)
      this.cursor = items[Math.min(this.#cursorAt, items.length - 1)] ?? null;
  }

  // Items

  async #showItem(): Promise<void> {
    const { item: id } = this.place;
    this.itemProblem = '';
    if (id !== this.item?.id) this.isEditing = false;
    if (!id) {
      this.item = null;
      this.focusMode = false;
      return;
    }
    if (id === this.item?.id) return;
    this.item = knownItem(id) ?? null;
    try {
      const loaded = this.item ?? (await loadItem(id));
      if (id !== this.place.item) return;
      this.item = loaded;
      if (loaded) this.point(loaded);
      else this.itemProblem = words().library.item.missing;
    } catch (error) {
      this.itemProblem = error instanceof Error ? error.message : words().errors.server;
    }
  }

  point(item: LibraryItem): void {
    this.#awaitsFocus = null;
    this.cursor = item;
    const at = this.list.items.indexOf(item);
    if (at >= 0) this.#cursorAt = at;
  }

  /** Moves the focus to the link of an item: now, or when the list is back on the page. */
  focusLink(item: LibraryItem): void {
    const link = document.getElementById(`item-${item.key}`);
    if (link) link.focus({ preventScroll: true });
    else this.#awaitsFocus = item;
  }

  /** For the link of an item, as soon as it is on the page. */
  linkShown(item: LibraryItem, link: HTMLElement): void {
    if (this.#awaitsFocus?.key === item.key) link.focus({ preventScroll: true });
  }

  /** The item some places on; where what the cursor stood on has gone, the one that has taken its place. */
  neighbour(step: number): LibraryItem | undefined {
    const { items } = this.list;
    const { target } = this;
    if (!target) return step > 0 ? items[0] : undefined;
    const at = items.indexOf(target);
    if (at < 0) return items[step > 0 ? this.#cursorAt + step - 1 : this.#cursorAt + step];
    return items[at + step];
  }

  /** Through the list; opens what it comes to while something is open. */
  async step(step: number): Promise<void> {
    let item = this.neighbour(step);
    if (!item && step > 0 && this.list.hasMore) {
      await this.list.more();
      item = this.neighbour(step);
    }
    if (!item) return;
    this.reveals += 1;
    if (this.place.item) this.open(item);
    else this.point(item);
  }

  // Choosing

  choose(item: LibraryItem, { range = false } = {}): void {
    if (item.isNew) return;
    const order = this.list.items.map(({ id }) => id);
    this.selection = range ? extendTo(this.selection, item.id, order) : toggle(this.selection, item.id);
    this.point(item);
  }

  chooseAll(): void {
    const ids = this.list.items.filter(({ isNew }) => !isNew).map(({ id }) => id);
    this.selection = { ids: new Set(ids), anchor: ids[0] ?? null };
  }

  #deselect(): void {
    this.selection = nothing;
    this.isSelecting = false;
  }

  deselect = (): void => this.#deselect();

  /** What a key or a button acts on: those that are chosen, or else the one at hand. */
  get acted(): readonly LibraryItem[] {
    if (this.chosen.length > 0) return this.chosen;
    return this.target ? [this.target] : [];
  }

  // Changes

  /** To all that are chosen, with one way back. */
  act(wanted: ItemAction | readonly ItemAction[], items = this.acted): void {
    const actions: readonly ItemAction[] = 'action' in wanted ? [wanted] : wanted;
    // A star or a tag on one item is seen, and as quickly taken away.
    const quietly = items.length === 1 && actions.every(({ action }) => /avorite|Tags|enrich/.test(action));
    if (items.length > 1 || this.selection.ids.has(items[0]?.id ?? '')) this.#deselect();
    const closes = actions[0]?.action === 'delete' && this.item !== null && items.includes(this.item);
    void perform(items, actions, { quietly });
    if (closes) this.up();
  }

  toggleFavourite(items = this.acted): void {
    const isOn = items.every(({ data }) => data.isFavorite);
    this.act({ action: isOn ? 'unfavorite' : 'favorite' }, items);
  }

  toggleArchived(items = this.acted): void {
    const isOn = items.every(({ data }) => data.status === 'archived');
    this.act({ action: isOn ? 'unarchive' : 'archive' }, items);
  }

  openPanel(name: 'tag' | 'move'): void {
    if (this.acted.length > 0) this.panel = { name, items: this.acted };
  }

  openOriginal(item = this.target): void {
    const href = webAddress(item?.data.url);
    if (href) window.open(href, '_blank', 'noopener');
  }

  async copyLink(item = this.target): Promise<void> {
    if (!item) return;
    try {
      await navigator.clipboard.writeText(item.data.url);
      toast(words().actions.copied, { forMs: 2_000 });
    } catch {
      toast(item.data.url, { forMs: 0 });
    }
  }
}

export const library = new Library();
