// The only module that changes read marks and bookmarks. A mark shows at once, in this tab and in others; when the
// server does not take it, it goes back to what it was and somebody is told. What lies beneath `send` may be replaced
// by something that keeps marks until the server is there again.
import { messageOf, patch, post, remove } from '../lib/api.ts';
import type { Bookmark } from '../lib/api-types.ts';
import { toast } from '../lib/toasts.svelte.ts';
import { words } from '../lib/words.ts';
import { delaySend } from './delayed-send.ts';
import { holdAsRead, knownEntries, knownEntry, type ListedEntry } from './entries.svelte.ts';
import type { Scope } from './place.ts';
import { subscriptions } from './subscriptions.svelte.ts';

const send = {
  read: (ids: number[], read: boolean) =>
    patch<void>(`/api/items/-/${read ? 'read' : 'unread'}`, { ids }, { keepalive: ids.length < 1_000 }),
  readAll: (scope: Scope, throughId: number) =>
    post<void>(
      '/api/items/-/read-all',
      {
        ...(scope.kind === 'feed' && { feed_id: scope.id }),
        ...(scope.kind === 'group' && { group_id: scope.id }),
        ...(throughId > 0 && { through_id: throughId }),
      },
      { keepalive: true },
    ),
  bookmark: async ({ id, kept }: ListedEntry): Promise<number> => {
    const body =
      id !== null
        ? { item_id: id }
        : {
            link: kept?.link,
            title: kept?.title,
            content: kept?.content,
            feed_name: kept?.feed_name,
            pub_date: kept?.pub_date,
          };
    return (await post<{ data: Bookmark }>('/api/bookmarks', body)).data.id;
  },
  noBookmark: (bookmarkId: number) => remove<void>(`/api/bookmarks/${bookmarkId}`),
};

/** Marks entries read or unread. Resolves when the server knows, or when the marks are back to what they were. */
export async function markRead(entries: readonly ListedEntry[], read: boolean): Promise<void> {
  const changed = entries.filter((entry) => entry.id !== null && entry.unread === read);
  if (changed.length === 0) return;
  const ids = changed.map(({ id }) => id as number);
  showRead(changed, read);
  for (const entry of changed) entry.marksUnderWay += 1;
  try {
    for (let at = 0; at < ids.length; at += 1_000) await send.read(ids.slice(at, at + 1_000), read);
  } catch (error) {
    showRead(changed, !read);
    tellOfFailure(error);
  } finally {
    for (const entry of changed) entry.marksUnderWay -= 1;
  }
}

function showRead(entries: readonly ListedEntry[], read: boolean): void {
  for (const entry of entries) entry.unread = !read;
  const byFeed = new Map<number, number>();
  for (const { feedId } of entries)
    if (feedId !== null) byFeed.set(feedId, (byFeed.get(feedId) ?? 0) + (read ? -1 : 1));
  subscriptions.adjustUnread(byFeed);
  tell({ kind: 'read', ids: entries.map(({ id }) => id as number), read, byFeed: [...byFeed] });
}

/** What is under way for the bookmark of an entry: a second change waits for the first. */
const bookmarking = new Map<string, Promise<void>>();

export function setBookmark(entry: ListedEntry, on: boolean): Promise<void> {
  if (entry.bookmarked === on) return Promise.resolve();
  showBookmark(entry, on);
  entry.marksUnderWay += 1;
  const before = bookmarking.get(entry.key) ?? Promise.resolve();
  const change = before.then(async () => {
    try {
      if (on) entry.bookmarkId = await send.bookmark(entry);
      else if (entry.bookmarkId !== null) {
        await send.noBookmark(entry.bookmarkId);
        entry.bookmarkId = null;
      }
      tell({ kind: 'bookmark', key: entry.key, bookmarkId: entry.bookmarkId });
    } catch (error) {
      showBookmark(entry, !on);
      tellOfFailure(error);
    } finally {
      entry.marksUnderWay -= 1;
    }
  });
  bookmarking.set(entry.key, change);
  return change;
}

function showBookmark(entry: ListedEntry, on: boolean): void {
  entry.bookmarked = on;
}

const undoMs = 6_000;
let flushPending = () => {};

/**
 * Marks everything in a scope read, up to an entry. It is shown at once and sent six seconds later, or when the page
 * is left; until then `undo` takes it back. `onUndo` puts the list back that the caller has emptied.
 */
export function markAllRead(scope: Scope, throughId: number, onUndo: () => void): { undo: () => void } {
  flushPending();
  const feedIds = new Set(subscriptions.feedsIn(scope).map(({ id }) => id));
  const covers = coveredBy(feedIds, throughId);
  const marked = [...knownEntries()].filter((entry) => entry.unread && covers(entry));
  const counts = new Map(subscriptions.feedsIn(scope).map(({ id, unread_count }) => [id, unread_count]));
  const letGo = () => {
    // A later one may hold its own by now.
    if (subscriptions.heldAsRead !== feedIds) return;
    subscriptions.heldAsRead = new Set();
    holdAsRead(null);
  };
  const takeBack = () => {
    letGo();
    for (const entry of marked) entry.unread = true;
    subscriptions.adjustUnread(counts);
    onUndo();
    subscriptions.load();
  };

  for (const entry of marked) entry.unread = false;
  subscriptions.adjustUnread(new Map([...counts].map(([id, count]) => [id, -count])));
  // A list or a count that is loaded meanwhile must not show them again; what it brings is taken back as well.
  subscriptions.heldAsRead = feedIds;
  holdAsRead((entry) => {
    if (!covers(entry)) return false;
    marked.push(entry);
    return true;
  });
  const delayed = delaySend({
    delayMs: undoMs,
    takeBack,
    send: () => {
      send.readAll(scope, throughId).then(
        () => {
          letGo();
          tell({ kind: 'all', feedIds: [...feedIds], throughId });
          subscriptions.load();
        },
        (error) => {
          takeBack();
          tellOfFailure(error);
        },
      );
    },
  });
  flushPending = delayed.flush;
  return { undo: delayed.undo };
}

function coveredBy(feedIds: ReadonlySet<number>, throughId: number): (entry: ListedEntry) => boolean {
  return ({ id, feedId }) =>
    feedId !== null && feedIds.has(feedId) && (throughId === 0 || (id ?? 0) <= throughId);
}

addEventListener('pagehide', () => flushPending());

function tellOfFailure(error: unknown): void {
  toast(`${words().errors.notSaved} ${messageOf(error)}`, { bad: true });
}

/** What one tab tells the others. */
type Message =
  | { kind: 'read'; ids: number[]; read: boolean; byFeed: [number, number][] }
  | { kind: 'bookmark'; key: string; bookmarkId: number | null }
  | { kind: 'all'; feedIds: number[]; throughId: number };

const others = 'BroadcastChannel' in globalThis ? new BroadcastChannel('lectern.marks') : undefined;
const tell = (message: Message) => others?.postMessage(message);

if (others) {
  others.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'read') {
      for (const id of data.ids) {
        const entry = knownEntry({ kind: 'entry', id });
        if (entry) entry.unread = !data.read;
      }
      subscriptions.adjustUnread(new Map(data.byFeed));
    } else if (data.kind === 'bookmark') {
      for (const entry of knownEntries()) {
        if (entry.key !== data.key) continue;
        entry.bookmarkId = data.bookmarkId;
        entry.bookmarked = data.bookmarkId !== null;
      }
    } else {
      const covers = coveredBy(new Set(data.feedIds), data.throughId);
      for (const entry of knownEntries()) if (entry.unread && covers(entry)) entry.unread = false;
      subscriptions.load();
    }
  };
}
