// What those see who watch their items.
import type { Clock, Millis } from '../../model/glossary.ts';
import type { Item } from '../../model/item.ts';
import type { ChangeMark, ItemStore } from '../../store/owned/item-store.ts';
import type { Look } from '../event-stream.ts';

/** A commit can be seen this much after the time that it bears; and who comes back has missed no more than this. */
const overlapMs = 5_000;
/** An item can change again within the millisecond that it was seen in. */
const hotMs = 1_000;
/** For one look: what is more has its turn at the next. */
const most = { ids: 2_000, items: 200 };

/** Every item that changed since the stream was opened, or a moment before. */
export function itemEvents(
  items: Pick<ItemStore, 'changedSince' | 'look'>,
  { now, toBody }: { now: Clock; toBody: (item: Item) => object },
): () => Promise<Look> {
  let openedAt = now() - overlapMs;
  /** When each had changed that was sent, and what it was then. */
  const sent = new Map<number, { updatedAt: number; text: string }>();
  /** Where the looks began that it takes to see all of it, and where the next one goes on. */
  let from = openedAt;
  let after: ChangeMark = { updatedAt: from, id: 0 };

  return async () => {
    const at = now();
    // The clock was set back.
    if (at - overlapMs < openedAt) {
      openedAt = at - overlapMs;
      after = { updatedAt: openedAt, id: 0 };
    }
    const changed = await items.changedSince(after, most.ids);
    const fresh = changed.filter(({ id, updatedAt }) => sent.get(id)?.updatedAt !== updatedAt);
    const hot = changed.filter(
      ({ id, updatedAt }) => updatedAt > at - hotMs && sent.get(id)?.updatedAt === updatedAt,
    );
    const news = [...fresh, ...hot].slice(0, most.items);
    const found = await items.look(news.map(({ id }) => id));
    const events = found.flatMap((item) => {
      const isGone = item.deletedAt !== null;
      const data = isGone ? { id: String(item.id) } : toBody(item);
      const text = JSON.stringify(data);
      const isSame = sent.get(item.id)?.text === text;
      sent.set(item.id, { updatedAt: item.updatedAt, text });
      return isSame ? [] : [{ event: isGone ? 'gone' : 'item', key: `item ${item.id}`, data }];
    });
    // Until all of these are sent, the next look begins at the same place.
    if (news.length < most.items) goOn(changed.at(-1), changed.length === most.ids, at);
    return { events };
  };

  function goOn(last: ChangeMark | undefined, isMore: boolean, at: Millis): void {
    if (last && isMore) {
      after = last;
      return;
    }
    from = Math.max(openedAt, at - overlapMs);
    after = { updatedAt: from, id: 0 };
    for (const [id, { updatedAt }] of sent) if (updatedAt < from) sent.delete(id);
  }
}
