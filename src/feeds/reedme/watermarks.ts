// Up to which item each feed counts as read, so that the fewest items need a mark of their own. Pure.
import type { OldId, OldItem } from '../../store/legacy/old-rows.ts';

/** By feed. A feed that is best off without one is not among them. `states` come in the order of ids. */
export function watermarks(
  states: Iterable<Pick<OldItem, 'id' | 'feedId' | 'unread'>>,
  feedOf: (feedId: OldId | undefined) => OldId | undefined,
): Map<OldId, OldId> {
  const feeds = new Map<OldId, { score: number; best: number; at: OldId | undefined }>();
  for (const { id, feedId, unread } of states) {
    const feed = feedOf(feedId);
    if (feed === undefined) continue;
    const state = feeds.get(feed) ?? { score: 0, best: 0, at: undefined };
    feeds.set(feed, state);
    // With a watermark here, the unread items up to it have marks, and the read ones need none.
    state.score += unread ? 1 : -1;
    if (state.score >= state.best) continue;
    state.best = state.score;
    state.at = id;
  }
  return new Map([...feeds].flatMap(([feed, { at }]) => (at === undefined ? [] : [[feed, at] as const])));
}
