// What waits to be sent: put together it must come to the same, whatever was done in whatever order.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bookmarkToCome,
  type Change,
  compact,
  countWithChanges,
  type WaitingChange,
  withChanges,
} from '../../web/src/offline/changes.ts';
import { propertyRuns } from '../support/depth.ts';

const ids = [1, 2, 3, 4, 5, 6];
const feedOf = (id: number) => (id % 2 === 0 ? 20 : 10);
const keyOf = (id: number) => `entry-${id}`;
const copy = { link: 'https://example.org/', title: '', feed_name: '', pub_date: 0, content: '' };

const someId = fc.constantFrom(...ids);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: fc.constant('mark' as const),
    ids: fc.uniqueArray(someId, { minLength: 1 }),
    read: fc.boolean(),
  }),
  someId.map((entryId) => ({ kind: 'bookmark', key: keyOf(entryId), entryId, on: true, copy }) as const),
  someId.map(
    (entryId) => ({ kind: 'bookmark', key: keyOf(entryId), entryId, on: false, bookmarkId: null }) as const,
  ),
  fc.record({
    kind: fc.constant('read-all' as const),
    throughId: fc.option(someId),
    feedIds: fc.subarray([10, 20], { minLength: 1 }),
  }),
);
const waitingChanges = fc
  .array(change, { maxLength: 12 })
  .map((changes) => changes.map((one, at): WaitingChange => ({ id: at + 1, change: one })));

/** What a server makes of the changes, told one after the other. */
function serverAfter(changes: readonly Change[]) {
  const unread = new Map(ids.map((id) => [id, id % 3 !== 0]));
  const bookmarked = new Map(ids.map((id) => [id, id === 4]));
  for (const one of changes) {
    if (one.kind === 'mark') for (const id of one.ids) unread.set(id, !one.read);
    else if (one.kind === 'bookmark') bookmarked.set(one.entryId ?? 0, one.on);
    else
      for (const id of ids)
        if (id <= (one.throughId ?? id) && one.feedIds.includes(feedOf(id))) unread.set(id, false);
  }
  return ids.map((id) => ({ id, unread: unread.get(id), bookmarked: bookmarked.get(id) }));
}

describe('changes that wait', () => {
  it('come to the same when they are put together', () => {
    fc.assert(
      fc.property(waitingChanges, (waiting) => {
        const sent = compact(waiting).map(({ change: one }) => one);
        expect(serverAfter(sent)).toEqual(serverAfter(waiting.map(({ change: one }) => one)));
      }),
      propertyRuns(500),
    );
  });

  it('are each covered by one request, so that none is forgotten and none stays', () => {
    fc.assert(
      fc.property(waitingChanges, (waiting) => {
        const covered = compact(waiting).flatMap(({ covers }) => covers);
        expect(covered.sort((a, b) => a - b)).toEqual(waiting.map(({ id }) => id));
      }),
    );
  });

  it('lose nothing when sending stops after any request and begins again', () => {
    fc.assert(
      fc.property(waitingChanges, fc.nat(12), (waiting, stopsAfter) => {
        const first = compact(waiting).slice(0, stopsAfter);
        const done = new Set(first.flatMap(({ covers }) => covers));
        const rest = compact(waiting.filter(({ id }) => !done.has(id)));
        const sent = [...first, ...rest].map(({ change: one }) => one);
        expect(serverAfter(sent)).toEqual(serverAfter(waiting.map(({ change: one }) => one)));
      }),
      propertyRuns(500),
    );
  });

  it('show on an entry as the server will have it', () => {
    fc.assert(
      fc.property(waitingChanges, (waiting) => {
        const before = serverAfter([]);
        const shown = before.map(({ id, unread = false, bookmarked }) => {
          const entry = {
            key: keyOf(id),
            id,
            feedId: feedOf(id),
            unread,
            bookmarkId: bookmarked ? 77 : null,
          };
          const marks = withChanges(entry, waiting);
          return { id, unread: marks.unread, bookmarked: marks.bookmarkId !== null };
        });
        const after = serverAfter(waiting.map(({ change: one }) => one));
        expect(shown).toEqual(after);
      }),
      propertyRuns(500),
    );
  });

  it('stay apart for bookmarks whose entries are gone', () => {
    const away = (id: number): WaitingChange => ({
      id,
      change: { kind: 'bookmark', key: `bookmark-${id}`, entryId: null, on: false, bookmarkId: id },
    });
    expect(compact([away(6), away(7)])).toEqual([
      { change: away(6).change, covers: [6] },
      { change: away(7).change, covers: [7] },
    ]);
  });

  it('ask for no more entries at once than the server takes', () => {
    const many = Array.from({ length: 2_500 }, (_, at) => at + 1);
    const sent = compact([{ id: 1, change: { kind: 'mark', ids: many, read: true } }]);
    expect(sent.map(({ change: one }) => (one.kind === 'mark' ? one.ids.length : 0))).toEqual([
      1_000, 1_000, 500,
    ]);
    expect(sent.map(({ covers }) => covers)).toEqual([[], [], [1]]);
  });

  it('remember which bookmark it was that is taken away, put back and taken away again', () => {
    const of = { kind: 'bookmark', key: 'bookmark-5', entryId: null } as const;
    const sent = compact([
      { id: 1, change: { ...of, on: false, bookmarkId: 5 } },
      { id: 2, change: { ...of, on: true, copy } },
      { id: 3, change: { ...of, on: false, bookmarkId: null } },
    ]);
    expect(sent).toEqual([{ change: { ...of, on: false, bookmarkId: 5 }, covers: [1, 2, 3] }]);
  });

  it('stand for a bookmark whose number is not known yet', () => {
    const entry = { key: 'entry-9', id: 9, feedId: 1, unread: true, bookmarkId: null };
    const waiting = [
      { id: 1, change: { kind: 'bookmark', key: 'entry-9', entryId: 9, on: true, copy } as const },
    ];
    expect(withChanges(entry, waiting)).toEqual({ unread: true, bookmarkId: bookmarkToCome });
  });

  it('show in the counts of feeds', () => {
    const mark: WaitingChange = {
      id: 1,
      change: { kind: 'mark', ids: [1, 2], read: true, byFeed: [[10, -2]] },
    };
    const all: WaitingChange = { id: 2, change: { kind: 'read-all', throughId: 9, feedIds: [10] } };
    expect(countWithChanges(10, 5, [mark])).toBe(3);
    expect(countWithChanges(20, 5, [mark])).toBe(5);
    expect(countWithChanges(10, 5, [mark, all])).toBe(0);
    expect(countWithChanges(10, 1, [mark])).toBe(0);
  });
});
