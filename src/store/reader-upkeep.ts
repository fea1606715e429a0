// What the reader leaves for later, and whoever does the upkeep brings to its end.
import type { Database } from './database.ts';
import { sweepDeletedFeeds } from './reader/delete-feed.ts';
import { findUnsettled, settleUnread } from './reader/settle-unread.ts';

export type ReaderUpkeep = ReturnType<typeof readerUpkeep>;

export function readerUpkeep(db: Database) {
  return {
    /** Unread rows that were following a durable change when their process ended. */
    settleUnread: async (): Promise<void> => settleUnread(db, await findUnsettled(db.read)),

    /** Entries of feeds that their users have deleted. */
    sweepDeletedFeeds: (): Promise<void> => sweepDeletedFeeds(db),
  };
}
