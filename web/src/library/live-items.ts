// What happens to items elsewhere: a page was read, another tab or device changed something. The server tells of it; where
// that does not come through, as with some proxies, the items that are waited for are asked after.
import { get } from '../lib/api.ts';
import type { Item } from '../lib/api-types.ts';
import { liveEvents } from '../lib/live-events.ts';
import { knownItem, takeItem } from './items.svelte.ts';
import { library } from './library.svelte.ts';
import { afterSaving } from './save.svelte.ts';
import { shelves } from './shelves.svelte.ts';

const firstAskMs = 5_000;
const lastAskMs = 60_000;
const askedAtOnce = 10;

/** Returns how to stop. */
export function watchItems(): () => void {
  let isFirst = true;
  const stopEvents = liveEvents(
    '/api/v1/items/events',
    {
      item: (data: Item) => afterSaving(() => note(data)),
      gone: ({ id }: { id: string }) => afterSaving(() => noteGone(id)),
    },
    () => {
      // The list has only just been loaded.
      if (!isFirst) void library.renew();
      isFirst = false;
    },
  );

  let pauseMs = firstAskMs;
  let timer: ReturnType<typeof setTimeout>;
  const ask = async () => {
    const pending = document.hidden ? [] : waitedFor();
    pauseMs = pending.length === 0 ? firstAskMs : Math.min(lastAskMs, pauseMs * 1.5);
    for (const id of pending) {
      try {
        note(await get<Item>(`/api/v1/items/${id}?include=details`));
      } catch {
        break;
      }
    }
    timer = setTimeout(ask, pauseMs);
  };
  timer = setTimeout(ask, pauseMs);

  return () => {
    stopEvents();
    clearTimeout(timer);
  };
}

const waitedFor = () =>
  [...new Set([...(library.item ? [library.item] : []), ...library.list.items])]
    .filter(({ data, isNew }) => data.enrichmentStatus === 'pending' && !isNew)
    .slice(0, askedAtOnce)
    .map(({ id }) => id);

function note(data: Item): void {
  library.noteChanged([takeItem(data)]);
  shelves.loadLater();
}

function noteGone(id: string): void {
  const item = knownItem(id);
  shelves.loadLater();
  if (!item || item.changing > 0 || item.data.details.deletedAt !== null) return;
  item.data = { ...item.data, details: { ...item.data.details, deletedAt: new Date().toISOString() } };
  library.noteChanged([item]);
}
