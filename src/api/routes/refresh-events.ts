// What those see who watch their feeds being fetched.
import { pullKind } from '../../feeds/pull-jobs.ts';
import type { Feed } from '../../model/feed.ts';
import type { EndedPull } from '../../store/owned/pull-watch.ts';
import type { UserRows } from '../../store/store.ts';
import type { Look } from '../event-stream.ts';

interface FeedBody {
  readonly id: number;
  readonly icon: boolean;
  readonly unread_count: number;
  readonly item_count: number;
  readonly fetch_state: object;
}

/** A commit can be seen this much after the time that it bears. */
const overlapMs = 5_000;

/** The pulls that are under way, and those that ended since the stream was opened or a little before. */
export function refreshEvents(
  { pulls, feeds }: Pick<UserRows, 'pulls' | 'feeds'>,
  { withinMs, toBody }: { withinMs: number; toBody: (feed: Feed) => FeedBody },
): () => Promise<Look> {
  const ended = { done: 0, failed: 0, put_off: 0 };
  const seen = new Set<string>();
  let openedAt: number | undefined;
  let lookedAt = 0;

  return async () => {
    // In this order: what ends between the two is counted twice for one look, and never left out of the last one.
    const active = await pulls.countActive(pullKind);
    openedAt ??= active.at - withinMs;
    // The clock was set back since the last look.
    if (active.at < lookedAt) {
      openedAt = active.at - withinMs - overlapMs;
      lookedAt = active.at;
    }
    const found = await pulls.listEnded(pullKind, Math.max(openedAt, lookedAt - overlapMs));
    lookedAt = active.at;
    const fresh = found.filter((pull) => !seen.has(keyOf(pull)));
    for (const pull of fresh) {
      seen.add(keyOf(pull));
      ended[pull.outcome] += 1;
    }
    const fetched = await feeds.getMany([...new Set(fresh.map(({ feedId }) => feedId))]);

    const isLast = active.waiting + active.running === 0;
    const progress = {
      total: ended.done + ended.failed + ended.put_off + active.waiting + active.running + active.putOff,
      done: ended.done,
      failed: ended.failed,
      put_off: ended.put_off + active.putOff,
      waiting: active.waiting,
      running: active.running,
      finished: isLast,
    };
    return {
      events: [
        ...fetched.map((feed) => ({ event: 'feed', key: `feed ${feed.id}`, data: shown(toBody(feed)) })),
        { event: 'progress', key: 'progress', data: progress },
      ],
      isLast,
    };
  };
}

const keyOf = ({ jobId, feedId }: EndedPull) => `${jobId} ${feedId}`;

function shown({ id, icon, unread_count, item_count, fetch_state }: FeedBody): FeedBody {
  return { id, icon, unread_count, item_count, fetch_state };
}
