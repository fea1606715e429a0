// The only module that changes items. A change shows at once; when the server will not have it, it goes back to what it was
// and somebody is told. One way back for all that were changed together.
import { messageOf, patch, post } from '../lib/api.ts';
import type { Item } from '../lib/api-types.ts';
import { toast } from '../lib/toasts.svelte.ts';
import { words } from '../lib/words.ts';
import { type ItemAction, takingBack, withAction } from './item-action.ts';
import { knownItem, type LibraryItem } from './items.svelte.ts';
import { shelves } from './shelves.svelte.ts';

/** As many as the server takes at once. */
const idsPerRequest = 500;
const undoMs = 10_000;

type Changed = (items: readonly LibraryItem[]) => void;
let tellLists: Changed = () => {};

/** Called with items that were changed here, so that lists follow. */
export function whenChanged(changed: Changed): void {
  tellLists = changed;
}

/** Resolves with whether the server took it. `quietly`: it shows by itself, and is as quickly done again. */
export async function perform(
  items: readonly LibraryItem[],
  wanted: readonly ItemAction[],
  { quietly = false } = {},
): Promise<boolean> {
  const at = new Date().toISOString();
  const here = items.filter(({ isNew }) => !isNew);
  const before = new Map(here.map((item) => [item, item.data]));
  const steps: Step[] = [];
  const back: ReturnType<typeof takingBack> = [];
  for (const action of wanted) {
    const changed = here.filter((item) => withAction(item.data, action, at) !== item.data);
    back.unshift(
      ...takingBack(
        changed.map(({ data }) => data),
        action,
      ),
    );
    for (const item of changed) item.data = withAction(item.data, action, at);
    if (changed.length > 0) steps.push({ action, items: changed });
  }
  const [first] = steps;
  if (!first) return true;
  const all = [...new Set(steps.flatMap(({ items: changed }) => changed))];
  tellLists(all);
  const said = first.action.action;
  const putAway =
    quietly || said === 'enrich'
      ? () => {}
      : toast(words().library.done[said](all.length), {
          forMs: undoMs,
          action: { label: words().actions.undo, run: () => void undo(back) },
        });
  for (const step of steps) {
    if (await send(step)) continue;
    putAway();
    show(all, (item) => before.get(item) ?? item.data);
    return false;
  }
  return true;
}

interface Step {
  readonly action: ItemAction;
  readonly items: readonly LibraryItem[];
}

async function undo(steps: ReturnType<typeof takingBack>): Promise<void> {
  const at = new Date().toISOString();
  for (const { ids, action } of steps) {
    const items = ids.flatMap((id) => knownItem(id) ?? []);
    const before = new Map(items.map((item) => [item, item.data]));
    show(items, ({ data }) => withAction(data, action, at));
    if (!(await send({ action, items }))) show(items, (item) => before.get(item) ?? item.data);
  }
}

function show(items: readonly LibraryItem[], change: (item: LibraryItem) => Item): void {
  for (const item of items) item.data = change(item);
  tellLists(items);
}

async function send({ items, action }: Step): Promise<boolean> {
  const isGivingBack = action.action === 'restore';
  for (const item of items) {
    item.changing += 1;
    if (isGivingBack) item.isComingBack = true;
  }
  try {
    for (let from = 0; from < items.length; from += idsPerRequest) {
      const ids = items.slice(from, from + idsPerRequest).map(({ id }) => id);
      await post('/api/v1/items/bulk', { ids, ...action });
    }
    return true;
  } catch (error) {
    toast(`${words().errors.notSaved} ${messageOf(error)}`, { bad: true });
    return false;
  } finally {
    for (const item of items) {
      item.changing -= 1;
      if (isGivingBack) item.isComingBack = false;
    }
    shelves.loadSoon();
  }
}

/** Title and excerpt; an empty one is handed back to the page. Throws what the server says of it. */
export async function edit(
  item: LibraryItem,
  changes: { title?: string | null; excerpt?: string | null },
): Promise<void> {
  const before = item.data;
  show([item], ({ data }) => ({ ...data, ...changes }));
  item.changing += 1;
  try {
    const data = await patch<Item>(`/api/v1/items/${item.id}?include=details`, changes);
    show([item], () => data);
  } catch (error) {
    show([item], () => before);
    throw error;
  } finally {
    item.changing -= 1;
  }
}
