// Changes on their way to the server. Each is kept in this browser before anything else is done with it, so that closing
// the page, losing the network or an ended session loses none; one tab at a time sends, in the order they were made.
import { ApiError, patch, post, remove } from '../lib/api.ts';
import { type ChangeStore, openChangeStore } from './change-store.ts';
import { type Change, compact, type WaitingChange } from './changes.ts';

type Listener = (waiting: readonly WaitingChange[]) => void;
type Refused = (change: Change, error: ApiError) => void;

const retryMs = 20_000;
const lockName = 'lectern-outbox';

const opened = Promise.withResolvers<ChangeStore>();
const channel = new BroadcastChannel('lectern-outbox');
const listeners = new Set<Listener>();
let waiting: readonly WaitingChange[] = [];
let onRefused: Refused = () => {};
let retry: ReturnType<typeof setTimeout> | undefined;

/** Sends what waits from earlier; until then, changes are only taken in. */
export async function startOutbox(userId: number): Promise<void> {
  opened.resolve(openChangeStore(userId));
  addEventListener('online', () => void sendWaiting());
  await takeOver();
  await sendWaiting();
}

/** What waits, now and whenever that changes, in whichever tab. Returns how to stop. */
export function watchOutbox(listener: Listener): () => void {
  listeners.add(listener);
  listener(waiting);
  return () => listeners.delete(listener);
}

/** Called with a change that the server will never take; whoever shows it takes it back. */
export function whenRefused(refused: Refused): void {
  onRefused = refused;
}

/** Resolves when the change is kept; it is sent as soon as that is possible. */
export async function keepChange(change: Change): Promise<void> {
  await (await opened.promise).add(change);
  await reread();
  void sendWaiting();
}

/** For a change that was undone before it was sent. */
export async function dropChanges(test: (change: Change) => boolean): Promise<void> {
  const store = await opened.promise;
  await store.remove((await store.all()).filter(({ change }) => test(change)).map(({ id }) => id));
  await reread();
}

export const waitingChanges = (): readonly WaitingChange[] => waiting;

/** Sends what waits, unless another tab is at it. */
export async function sendWaiting(): Promise<void> {
  clearTimeout(retry);
  const store = await opened.promise;
  await navigator.locks.request(lockName, async () => {
    // Those that are made meanwhile are sent in the next round.
    for (let round = await store.all(); round.length > 0; round = await store.all()) {
      for (const { change, covers } of compact(round)) {
        if (!(await deliver(change))) {
          retry = setTimeout(sendWaiting, retryMs);
          return;
        }
        await store.remove(covers);
        await reread();
      }
    }
  });
}

/** Whether the change is done with: taken, or refused for good. */
async function deliver(change: Change): Promise<boolean> {
  try {
    await send(change);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const later = error.isOffline || error.status === 401 || error.status === 429 || error.status >= 500;
    if (later) return false;
    onRefused(change, error);
    return true;
  }
}

async function send(change: Change): Promise<void> {
  if (change.kind === 'mark') {
    await patch(`/api/items/-/${change.read ? 'read' : 'unread'}`, { ids: change.ids }, { quietly: true });
  } else if (change.kind === 'read-all') {
    const { feedId, groupId, throughId } = change;
    await post(
      '/api/items/-/read-all',
      {
        ...(feedId !== undefined && { feed_id: feedId }),
        ...(groupId !== undefined && { group_id: groupId }),
        through_id: throughId,
      },
      { quietly: true },
    );
  } else if (change.on) {
    await sendBookmark(change.entryId, change.copy);
  } else if (change.bookmarkId !== null) {
    await remove(`/api/bookmarks/${change.bookmarkId}`, { quietly: true }).catch(unlessGone);
  }
}

/** An entry that has gone from the server meanwhile is kept from the copy that this browser has. */
async function sendBookmark(entryId: number, copy: Extract<Change, { on: true }>['copy']): Promise<void> {
  try {
    await post('/api/bookmarks', { item_id: entryId }, { quietly: true });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404) || !copy.link) throw error;
    await post('/api/bookmarks', copy, { quietly: true });
  }
}

function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}

async function reread(): Promise<void> {
  await takeOver();
  channel.postMessage('changed');
}

async function takeOver(): Promise<void> {
  waiting = await (await opened.promise).all();
  for (const listener of listeners) listener(waiting);
}

channel.addEventListener('message', () => void takeOver());
