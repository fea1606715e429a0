// The only module that changes read marks and bookmarks. A mark shows at once, in this tab and in others, and is kept in
// the outbox until the server has it; when the server will not take it, it goes back to what it was and somebody is told.
import { messageOf } from '../lib/api.ts';
import { toast } from '../lib/toasts.svelte.ts';
import { words } from '../lib/words.ts';
import { bookmarkToCome, type Change, type PageCopy } from '../offline/changes.ts';
import { keepChange, takeBackChange, whenBookmarked, whenRefused } from '../offline/outbox.ts';
import { knownEntries, knownEntry, type ListedEntry } from './entries.svelte.ts';
import type { Scope } from './place.ts';
import { subscriptions } from './subscriptions.svelte.ts';

/** Marks entries read or unread. Resolves when that cannot be lost any more. */
export async function markRead(entries: readonly ListedEntry[], read: boolean): Promise<void> {
  const changed = entries.filter((entry) => entry.id !== null && entry.unread === read);
  if (changed.length === 0) return;
  const ids = changed.map(({ id }) => id as number);
  const byFeed = showRead(changed, read);
  await keepChange({ kind: 'mark', ids, read, byFeed });
}

function showRead(entries: readonly ListedEntry[], read: boolean): [number, number][] {
  for (const entry of entries) entry.unread = !read;
  const byFeed = new Map<number, number>();
  for (const { feedId } of entries)
    if (feedId !== null) byFeed.set(feedId, (byFeed.get(feedId) ?? 0) + (read ? -1 : 1));
  subscriptions.adjustUnread(byFeed);
  tell({ kind: 'read', ids: entries.map(({ id }) => id as number), read, byFeed: [...byFeed] });
  return [...byFeed];
}

export async function setBookmark(entry: ListedEntry, on: boolean): Promise<void> {
  if (entry.bookmarked === on) return;
  // Before it shows: whoever sees it may leave the page at once.
  const copy = on ? await copyOf(entry) : null;
  if (entry.bookmarked === on) return;
  const { key, id: entryId } = entry;
  const bookmarkId = entry.bookmarkId === bookmarkToCome ? null : entry.bookmarkId;
  entry.bookmarked = on;
  entry.bookmarkId = on ? bookmarkToCome : null;
  tell({ kind: 'bookmark', key, bookmarkId: entry.bookmarkId });
  await keepChange(
    copy
      ? { kind: 'bookmark', key, entryId, on: true, copy }
      : { kind: 'bookmark', key, entryId, on: false, bookmarkId },
  );
}

/** What is needed to keep the page when its entry is gone from the server by the time that we get there. */
async function copyOf({
  kept,
  title,
  link,
  feedId,
  feedName,
  pubDate,
  contentHref,
}: ListedEntry): Promise<PageCopy> {
  const name = (feedId === null ? undefined : subscriptions.byId.get(feedId)?.name) ?? feedName;
  const content = kept?.content ?? (await keptContent(contentHref));
  return { link, title, feed_name: name, pub_date: pubDate, content };
}

/** Of the document that the frame has loaded, if this browser has kept it. */
async function keptContent(href: string): Promise<string> {
  if (!('caches' in globalThis)) return '';
  const html = (await (await caches.match(href, { ignoreVary: true }))?.text()) ?? '';
  return /<body[^>]*>([\s\S]*)<\/body>/.exec(html)?.[1]?.trim() ?? '';
}

whenBookmarked((key, bookmarkId) => {
  for (const entry of knownEntries()) {
    if (entry.key === key && entry.bookmarked === (bookmarkId !== null)) entry.bookmarkId = bookmarkId;
  }
  tell({ kind: 'bookmark', key, bookmarkId });
});

whenRefused((change, error) => {
  takeBack(change);
  tellOfFailure(error);
});

function takeBack(change: Change): void {
  if (change.kind === 'mark') {
    const entries = change.ids.flatMap((id) => knownEntry({ kind: 'entry', id }) ?? []);
    showRead(
      entries.filter((entry) => entry.unread !== change.read),
      !change.read,
    );
  } else if (change.kind === 'bookmark') {
    for (const entry of knownEntries()) {
      if (entry.key !== change.key) continue;
      entry.bookmarked = !change.on;
      entry.bookmarkId = change.on ? null : change.bookmarkId;
    }
  } else {
    subscriptions.loadSoon();
  }
}

const undoMs = 6_000;

/**
 * Marks everything in a scope read, up to an entry. It is shown at once and sent six seconds later, or when the page
 * is left; until then `undo` takes it back. `onUndo` puts the list back that the caller has emptied.
 */
export function markAllRead(
  scope: Scope,
  throughId: number,
  onUndo: () => void,
): { undo: () => Promise<void> } {
  const feedIds = new Set(subscriptions.feedsIn(scope).map(({ id }) => id));
  const covers = coveredBy(feedIds, throughId);
  const marked = [...knownEntries()].filter((entry) => entry.unread && covers(entry));
  const counts = new Map(subscriptions.feedsIn(scope).map(({ id, unread_count }) => [id, unread_count]));
  const before = new Set(knownEntries());
  const putBack = () => {
    for (const entry of marked) entry.unread = true;
    // Those that were loaded meanwhile came in as read.
    for (const entry of knownEntries())
      if (!before.has(entry) && covers(entry)) entry.unread = entry.saidUnread;
    subscriptions.adjustUnread(counts);
    onUndo();
    subscriptions.load();
  };

  for (const entry of marked) entry.unread = false;
  subscriptions.adjustUnread(new Map([...counts].map(([id, count]) => [id, -count])));
  const kept = keepChange(
    {
      kind: 'read-all',
      ...(scope.kind === 'feed' && { feedId: scope.id }),
      ...(scope.kind === 'group' && { groupId: scope.id }),
      throughId: throughId > 0 ? throughId : null,
      feedIds: [...feedIds],
    },
    { inMs: undoMs },
  );
  const toOthers = setTimeout(() => tell({ kind: 'all', feedIds: [...feedIds], throughId }), undoMs);
  const undo = async () => {
    if (!(await takeBackChange(await kept))) return;
    clearTimeout(toOthers);
    putBack();
  };
  return { undo };
}

function coveredBy(feedIds: ReadonlySet<number>, throughId: number): (entry: ListedEntry) => boolean {
  return ({ id, feedId }) =>
    feedId !== null && feedIds.has(feedId) && (throughId === 0 || (id ?? 0) <= throughId);
}

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
