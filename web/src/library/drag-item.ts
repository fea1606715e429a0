// Dragging items onto a collection, in the pane beside them.
import { dragRow } from '../lib/drag-row.ts';
import { words } from '../lib/words.ts';
import { titleOf } from './item-text.ts';
import type { LibraryItem } from './items.svelte.ts';
import { library } from './library.svelte.ts';

/** The collection under the pointer; empty for the top or unsorted, null for none. */
export const collectionAt = (x: number, y: number): string | null =>
  document.elementFromPoint(x, y)?.closest<HTMLElement>('[data-drop]')?.dataset.drop ?? null;

/** On a phone there is nothing beside them: there, items are moved by their menu. */
export const dragItem = (item: LibraryItem) => (link: HTMLElement) =>
  library.layout === 'phone' ? undefined : drag(item)(link);

const drag = (item: LibraryItem) =>
  dragRow({
    onmove: (x, y) => {
      if (item.isNew || item.data.details.deletedAt !== null) return;
      const { chosen } = library;
      const many = chosen.includes(item) && chosen.length > 1;
      library.dragged = {
        label: many ? words().library.places.items(chosen.length) : titleOf(item.data),
        x,
        y,
        over: collectionAt(x, y),
      };
    },
    ondrop: () => {
      const over = library.dragged?.over ?? null;
      library.dragged = null;
      if (over === null) return;
      const items = library.chosen.includes(item) ? library.chosen : [item];
      library.act({ action: 'move', collectionId: over || null }, items);
    },
    oncancel: () => {
      library.dragged = null;
    },
  });
