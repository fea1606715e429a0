// What a person does to entries, as it waits to be sent: read marks, bookmarks, everything read. Pure; outbox.ts keeps
// and sends it.

/** What is needed to bookmark a page whose entry has gone from the server by the time we get there. */
export interface PageCopy {
  readonly link: string;
  readonly title: string;
  readonly feed_name: string;
  readonly pub_date: number;
  readonly content: string;
}

export type Change =
  | {
      readonly kind: 'mark';
      readonly ids: readonly number[];
      readonly read: boolean;
      /** By how much it changes the unread counts of which feeds. */
      readonly byFeed?: readonly (readonly [number, number])[];
    }
  | {
      readonly kind: 'bookmark';
      /** `entry-7`, or `bookmark-7` where the entry is gone. */
      readonly key: string;
      readonly entryId: number | null;
      readonly on: true;
      readonly copy: PageCopy;
    }
  | {
      readonly kind: 'bookmark';
      readonly key: string;
      readonly entryId: number | null;
      readonly on: false;
      readonly bookmarkId: number | null;
    }
  | {
      readonly kind: 'read-all';
      readonly feedId?: number;
      readonly groupId?: number;
      /** The newest entry that the person has seen: what came later stays unread. Null: there was nothing to see. */
      readonly throughId: number | null;
      /** The feeds that it meant at that moment, so that lists can show it before it is sent. */
      readonly feedIds: readonly number[];
    };

export interface WaitingChange {
  readonly id: number;
  readonly change: Change;
  /** Until then it can be taken back, and is not sent; nor is what came after it. */
  readonly notBefore?: number;
}

/** As many as the server takes at once. */
const idsPerRequest = 1_000;

/**
 * The same changes in fewer requests: marks between two others that are not marks are put together, and of several
 * marks of one entry the last counts. Each result names the changes that it stands for.
 */
export function compact(waiting: readonly WaitingChange[]): { change: Change; covers: number[] }[] {
  const result: { change: Change; covers: number[] }[] = [];
  const numbers = new Map<string, number>();
  let marks: WaitingChange[] = [];
  const closeMarks = () => {
    result.push(...compactMarks(marks));
    marks = [];
  };
  for (const one of waiting) {
    if (one.change.kind === 'mark') {
      marks.push(one);
    } else if (one.change.kind === 'read-all') {
      closeMarks();
      result.push({ change: one.change, covers: [one.id] });
    } else {
      // A bookmark has nothing to do with read marks, so these need not end here; of two for one entry the last counts.
      const { key } = one.change;
      const before = result.findIndex(({ change }) => change.kind === 'bookmark' && change.key === key);
      const covers = before < 0 ? [] : (result.splice(before, 1)[0]?.covers ?? []);
      const change = { ...one.change };
      if (change.on) result.push({ change, covers: [...covers, one.id] });
      else {
        // Taken away, put back and taken away again: only the first knew which one it was.
        if (change.bookmarkId !== null) numbers.set(key, change.bookmarkId);
        const bookmarkId = change.bookmarkId ?? numbers.get(key) ?? null;
        result.push({ change: { ...change, bookmarkId }, covers: [...covers, one.id] });
      }
    }
  }
  closeMarks();
  return result;
}

function compactMarks(marks: readonly WaitingChange[]): { change: Change; covers: number[] }[] {
  if (marks.length === 0) return [];
  const last = new Map<number, boolean>();
  for (const { change } of marks) {
    if (change.kind === 'mark') for (const id of change.ids) last.set(id, change.read);
  }
  const requests = [true, false].flatMap((read) => {
    const ids = [...last].filter(([, state]) => state === read).map(([id]) => id);
    const parts: number[][] = [];
    for (let at = 0; at < ids.length; at += idsPerRequest) parts.push(ids.slice(at, at + idsPerRequest));
    return parts.map((part) => ({
      change: { kind: 'mark', ids: part, read } as Change,
      covers: [] as number[],
    }));
  });
  // What is sent twice does no harm, so the changes are done with when the last of the requests is.
  const final = requests.at(-1);
  if (final) final.covers = marks.map(({ id }) => id);
  return requests;
}

interface Shown {
  readonly key: string;
  readonly id: number | null;
  readonly feedId: number | null;
  readonly unread: boolean;
  readonly bookmarkId: number | null;
}

/** Stands for the id of a bookmark that the server has not made yet. */
export const bookmarkToCome = -1;

/** The marks of an entry as they will be when all that waits has been sent. */
export function withChanges(
  { key, id, feedId, unread, bookmarkId }: Shown,
  waiting: readonly WaitingChange[],
): { unread: boolean; bookmarkId: number | null } {
  const marks = { unread, bookmarkId };
  for (const { change } of waiting) {
    if (change.kind === 'mark') {
      if (id !== null && change.ids.includes(id)) marks.unread = !change.read;
    } else if (change.kind === 'bookmark') {
      if (change.key === key) marks.bookmarkId = change.on ? (marks.bookmarkId ?? bookmarkToCome) : null;
    } else if (isCovered({ id, feedId }, change)) {
      marks.unread = false;
    }
  }
  return marks;
}

function isCovered(
  { id, feedId }: Pick<Shown, 'id' | 'feedId'>,
  { throughId, feedIds }: Extract<Change, { kind: 'read-all' }>,
): boolean {
  if (id === null || feedId === null || !feedIds.includes(feedId)) return false;
  return throughId === null || id <= throughId;
}

/** The unread count of a feed, likewise. */
export function countWithChanges(feedId: number, unread: number, waiting: readonly WaitingChange[]): number {
  let count = unread;
  for (const { change } of waiting) {
    if (change.kind === 'read-all' && change.feedIds.includes(feedId)) count = 0;
    if (change.kind === 'mark') {
      for (const [id, by] of change.byFeed ?? []) if (id === feedId) count += by;
    }
  }
  return Math.max(0, count);
}
