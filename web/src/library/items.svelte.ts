// The items that are known here. Each is one object wherever it is shown, so that a change made in one list, told of by the
// server or taken back, holds in all of them.
import { ApiError, get } from '../lib/api.ts';
import type { Item } from '../lib/api-types.ts';

export class LibraryItem {
  /** Stays the same while it is shown, also when the server gives it its id only later. */
  readonly key: string;
  data: Item;
  /** Changes of ours that are on their way: what the server says meanwhile is older than they are. */
  changing = 0;
  /** Given back from the bin here, and not yet on the server, which has nothing to show of it until then. */
  isComingBack = $state(false);

  constructor(data: Item, key = data.id) {
    this.key = key;
    this.data = $state.raw(data);
  }

  get id(): string {
    return this.data.id;
  }

  /** Not on the server yet. */
  get isNew(): boolean {
    return this.data.id === '';
  }

  get contentHref(): string {
    return `/api/v1/items/${this.id}/content`;
  }
}

const known = new Map<string, LibraryItem>();

export const knownItem = (id: string): LibraryItem | undefined => known.get(id);
export const knownItems = (): Iterable<LibraryItem> => known.values();

/** What the server has said of an item; the newer of two counts, in whatever order they come. */
export function takeItem(data: Item): LibraryItem {
  const item = known.get(data.id);
  if (!item) {
    const fresh = new LibraryItem(data);
    known.set(data.id, fresh);
    return fresh;
  }
  if (item.changing === 0 && Date.parse(data.updatedAt) >= Date.parse(item.data.updatedAt)) item.data = data;
  return item;
}

/** An item that was shown before the server knew it. */
export function adopt(item: LibraryItem, data: Item): LibraryItem {
  const before = known.get(data.id);
  if (before) {
    before.data = data;
    return before;
  }
  item.data = data;
  known.set(data.id, item);
  return item;
}

/** One that is in no list that was loaded, as when its address was opened. Null: it is not there. */
export async function loadItem(id: string): Promise<LibraryItem | null> {
  try {
    return takeItem(await get<Item>(`/api/v1/items/${id}?include=details`));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
