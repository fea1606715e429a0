// Changes on their way to the server. Each is kept in this browser before anything else is done with it, so that closing
// the page, losing the network or an ended session loses none; one tab at a time sends, in the order they were made.
import { ApiError, get, patch, post, remove } from '../lib/api.ts';
import { openChangeStore } from './change-store.ts';
import { type Change, compact, type WaitingChange } from './changes.ts';
import type { ChangeStore } from './memory-store.ts';
import { knownUser } from './whose.ts';

type Listener = (waiting: readonly WaitingChange[]) => void;
type Refused = (change: Change, error: ApiError) => void;
type Sent = () => void;
type Bookmarked = (key: string, bookmarkId: number | null) => void;

const retryMs = 20_000;
/** A list that was asked for before a change was sent may come after it. */
const settlingMs = 5_000;
const lockName = 'lectern-outbox';

const opened = Promise.withResolvers<ChangeStore>();
const ready = Promise.withResolvers<void>();
let owner: number | null = null;
let mayBeSent = false;
const channel = new BroadcastChannel('lectern-outbox');
const listeners = new Set<Listener>();
let waiting: readonly WaitingChange[] = [];
/** Those that somebody sees already and that the browser's database has not taken yet. */
const beingKept = new Set<Change>();
let settling: { readonly until: number; readonly one: WaitingChange }[] = [];
let onRefused: Refused = () => {};
let onBookmarked: Bookmarked = () => {};
let onSent: Sent = () => {};
let retry: ReturnType<typeof setTimeout> | undefined;

/** What waits from earlier is known from then on. Null: nobody was here before, so nothing does. */
export function openOutbox(userId: number | null): void {
  if (userId === null) {
    ready.resolve();
    return;
  }
  owner ??= userId;
  opened.resolve(openChangeStore(owner));
  void takeOver().then(ready.resolve, ready.resolve);
}

/** Resolves when `waitingChanges` says what there is. */
export const outboxReady = (): Promise<void> => ready.promise;

/** Once it is certain who is logged in. */
export function allowSending(): void {
  if (!mayBeSent) addEventListener('online', () => void sendWaiting());
  mayBeSent = true;
  void sendWaiting();
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

/** Called with the id that a bookmark has on the server, or with null when it is gone from there. */
export function whenBookmarked(bookmarked: Bookmarked): void {
  onBookmarked = bookmarked;
}

/** Called when the server has learnt of something. */
export function whenSent(sent: Sent): void {
  onSent = sent;
}

/** Resolves with its id when the change is kept; it is sent as soon as that is possible, or after a while. */
export async function keepChange(change: Change, { inMs = 0 } = {}): Promise<number> {
  beingKept.add(change);
  try {
    const id = await (await opened.promise).add(change, inMs > 0 ? Date.now() + inMs : undefined);
    await reread();
    return id;
  } finally {
    beingKept.delete(change);
    void sendWaiting();
  }
}

/** Says whether it was in time. */
export async function takeBackChange(id: number): Promise<boolean> {
  const wasWaiting = waiting.some((one) => one.id === id);
  await (await opened.promise).remove([id]);
  await reread();
  void sendWaiting();
  return wasWaiting;
}

/** What the server may not show yet: all that waits, and what has only just been sent. */
export function waitingChanges(): readonly WaitingChange[] {
  const now = performance.now();
  settling = settling.filter(({ until }) => until > now);
  return settling.length > 0 ? [...settling.map(({ one }) => one), ...waiting] : waiting;
}

/** Sends what waits, unless another tab is at it. */
async function sendWaiting(): Promise<void> {
  clearTimeout(retry);
  // Somebody else may have logged in, in another tab.
  if (!mayBeSent || knownUser()?.id !== owner) return;
  const store = await opened.promise;
  await inTurn(async () => {
    // Those that are made meanwhile are sent in the next round.
    for (;;) {
      const all = await store.all();
      const held = all.findIndex(({ notBefore = 0 }) => notBefore > Date.now());
      const round = held < 0 ? all : all.slice(0, held);
      if (held >= 0) tryAgainIn((all[held]?.notBefore ?? 0) - Date.now());
      if (round.length === 0) return;
      for (const { change, covers } of compact(round)) {
        if (!(await deliver(change))) {
          tryAgainIn(retryMs);
          return;
        }
        const until = performance.now() + settlingMs;
        settling.push(...round.filter(({ id }) => covers.includes(id)).map((one) => ({ until, one })));
        await store.remove(covers);
        await reread();
        onSent();
      }
    }
  });
}

let last: Promise<unknown> = Promise.resolve();

/** One tab at a time. Over plain http, browsers have no locks: there, tabs may send the same twice, which does no harm. */
function inTurn(work: () => Promise<void>): Promise<unknown> {
  if (navigator.locks) return navigator.locks.request(lockName, work);
  last = last.then(work, work);
  return last;
}

function tryAgainIn(delayMs: number): void {
  clearTimeout(retry);
  retry = setTimeout(sendWaiting, Math.max(0, delayMs));
}

// Whoever leaves the page does not want to take anything back, and a database that is still writing stops at that. The page
// cannot wait for the answer, so that what was kept is sent once more by the next one; that does no harm.
addEventListener('pagehide', () => {
  if (!mayBeSent || knownUser()?.id !== owner) return;
  const held = waiting.filter(({ notBefore }) => notBefore).map(({ change }) => change);
  for (const change of [...held, ...beingKept]) void send(change).catch(() => {});
});

/** Whether the change is done with: taken, or refused for good. */
async function deliver(change: Change): Promise<boolean> {
  try {
    await send(change);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) void askForLogin();
    const later = error.isOffline || error.status === 401 || error.status === 429 || error.status >= 500;
    if (later) return false;
    onRefused(change, error);
    return true;
  }
}

let asksForLogin = false;

/** Not while it is our turn: somebody may log in in another tab, which then has to be able to send. */
async function askForLogin(): Promise<void> {
  if (asksForLogin) return;
  asksForLogin = true;
  await get('/api/me').catch(() => {});
  asksForLogin = false;
}

const quiet = { quietly: true } as const;
/** Goes on after the page is left. */
const quick = { keepalive: true, ...quiet } as const;

async function send(change: Change): Promise<void> {
  if (change.kind === 'mark') {
    await patch(`/api/items/-/${change.read ? 'read' : 'unread'}`, { ids: change.ids }, quick);
  } else if (change.kind === 'read-all') {
    const { feedId, groupId, throughId } = change;
    const scope = {
      ...(feedId !== undefined && { feed_id: feedId }),
      ...(groupId !== undefined && { group_id: groupId }),
      ...(throughId !== null && { through_id: throughId }),
    };
    await post('/api/items/-/read-all', scope, quick);
  } else if (change.on) {
    onBookmarked(change.key, (await sendBookmark(change)).data.id);
  } else {
    const id = change.bookmarkId ?? (await findBookmark(change.entryId));
    if (id !== null) await remove(`/api/bookmarks/${id}`, quick).catch(unlessGone);
    onBookmarked(change.key, null);
  }
}

/** An entry that has gone from the server meanwhile is kept from the copy that this browser has. */
async function sendBookmark({
  entryId,
  copy,
}: Extract<Change, { on: true }>): Promise<{ data: { id: number } }> {
  try {
    if (entryId !== null) return await post('/api/bookmarks', { item_id: entryId }, quick);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404) || !copy.link) throw error;
  }
  return post('/api/bookmarks', copy, quiet);
}

/** For one that was made and taken away before its number was known here. */
async function findBookmark(entryId: number | null): Promise<number | null> {
  if (entryId === null) return null;
  try {
    const { data } = await get<{ data: { bookmark_id: number | null } }>(`/api/items/${entryId}`, quiet);
    return data.bookmark_id;
  } catch (error) {
    unlessGone(error);
    return null;
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
