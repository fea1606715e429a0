// How collections and tags are kept in order: folding, nesting, and what their menus offer.
import { messageOf } from '../lib/api.ts';
import type { Tag } from '../lib/api-types.ts';
import { prefer, preferences } from '../lib/preferences.svelte.ts';
import { toast } from '../lib/toasts.svelte.ts';
import { words } from '../lib/words.ts';
import type { MenuEntry } from '../ui/Menu.svelte';
import type { CollectionRow } from './collection-tree.ts';
import { library } from './library.svelte.ts';
import { shelves } from './shelves.svelte.ts';

export function fold(id: string, isFolded: boolean): void {
  const others = preferences.folded_collections.filter((one) => one !== id && shelves.byId.has(one));
  prefer({ folded_collections: isFolded ? [...others, id] : others });
}

/** Null: at the top. What cannot be, as a collection in itself, is left as it is. */
export async function nest(id: string, parentId: string | null): Promise<void> {
  const { places } = words().library;
  const before = shelves.byId.get(id)?.parentId ?? null;
  if (before === parentId || (parentId !== null && shelves.within(id).has(parentId))) return;
  try {
    await shelves.changeCollection(id, { parentId });
    toast(places.nested(shelves.nameOf(id), parentId ? shelves.nameOf(parentId) : ''), {
      action: {
        label: words().actions.undo,
        run: () => void shelves.changeCollection(id, { parentId: before }),
      },
    });
  } catch (error) {
    toast(messageOf(error), { bad: true });
  }
}

export function collectionMenu({
  collection: { id, name },
  hasChildren,
  isFolded,
}: CollectionRow): MenuEntry[] {
  const { places } = words().library;
  return [
    { label: places.rename, icon: 'pencil', run: () => (library.panel = { name: 'collection', id }) },
    {
      label: places.newInside,
      icon: 'add',
      run: () => (library.panel = { name: 'collection', parentId: id }),
    },
    {
      label: places.nest,
      icon: 'folder',
      run: () => (library.panel = { name: 'collection', id, nest: true }),
    },
    ...(hasChildren
      ? ([
          { label: isFolded ? places.open(name) : places.close(name), run: () => fold(id, !isFolded) },
        ] as MenuEntry[])
      : []),
    'line',
    {
      label: places.deleteCollection,
      icon: 'trash',
      danger: true,
      run: () => (library.panel = { name: 'deleteCollection', id }),
    },
  ];
}

export function tagMenu({ name: tag }: Tag): MenuEntry[] {
  const { places } = words().library;
  return [
    { label: places.renameTag, icon: 'pencil', run: () => (library.panel = { name: 'renameTag', tag }) },
    'line',
    {
      label: places.deleteTag,
      icon: 'trash',
      danger: true,
      run: () => (library.panel = { name: 'deleteTag', tag }),
    },
  ];
}
