// What can be done with one item, as its menu says it.
import { webAddress } from '../lib/web-address.ts';
import { words } from '../lib/words.ts';
import type { MenuEntry } from '../ui/Menu.svelte';
import type { LibraryItem } from './items.svelte.ts';
import { library } from './library.svelte.ts';

export function itemMenu(item: LibraryItem, { isOpen = false, onedit = () => {} } = {}): MenuEntry[] {
  const t = words().library.actions;
  const { data } = item;
  const only = [item];
  if (item.isNew) return [];
  const original: MenuEntry = {
    label: t.original,
    icon: 'external',
    keys: 'v',
    disabled: webAddress(data.url) === undefined,
    run: () => library.openOriginal(item),
  };
  const copy: MenuEntry = { label: t.copy, icon: 'copy', keys: 'c', run: () => void library.copyLink(item) };
  if (data.details.deletedAt !== null)
    return [
      { label: t.restore, icon: 'restore', run: () => library.act({ action: 'restore' }, only) },
      original,
      copy,
    ];
  const isFailed = data.enrichmentStatus === 'failed';
  return [
    {
      label: data.isFavorite ? t.noFavourite : t.favourite,
      icon: 'star',
      keys: 's',
      run: () => library.toggleFavourite(only),
    },
    {
      label: data.status === 'archived' ? t.unarchive : t.archive,
      icon: 'archive',
      keys: 'e',
      run: () => library.toggleArchived(only),
    },
    { label: t.tag, icon: 'tag', keys: 't', run: () => (library.panel = { name: 'tag', items: only }) },
    { label: t.move, icon: 'folder', keys: 'm', run: () => (library.panel = { name: 'move', items: only }) },
    'line',
    original,
    copy,
    ...(isOpen
      ? ([{ label: t.edit, icon: 'pencil', keys: 'i', run: onedit }] as MenuEntry[])
      : ([{ label: t.select, icon: 'check', keys: 'x', run: () => library.choose(item) }] as MenuEntry[])),
    {
      label: isFailed ? t.again : t.enrich,
      icon: 'refresh',
      disabled: data.enrichmentStatus === 'pending',
      run: () => library.act({ action: 'enrich' }, only),
    },
    'line',
    {
      label: t.delete,
      icon: 'trash',
      keys: '#',
      danger: true,
      run: () => library.act({ action: 'delete' }, only),
    },
  ];
}
