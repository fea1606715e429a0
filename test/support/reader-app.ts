// What a reader app does, whatever it speaks: the scripted ones of the tests all can.

/** A feed or a group by its id, or all that there is. */
export type MarkScope = { readonly feedId: number } | { readonly groupId: number } | 'all';

export interface ListedFeed {
  readonly id: number;
  readonly title: string;
  readonly url: string;
  readonly groupId: number | undefined;
}

export interface ReaderApp {
  /** Whether "mark all read" heeds up to when; otherwise it is for all that there is. */
  readonly sendsMoment: boolean;
  login(): Promise<void>;
  listFeeds(): Promise<ListedFeed[]>;
  /** The ids of what is unread, in rising order. Fetches what it does not have yet. */
  syncUnread(): Promise<number[]>;
  markRead(ids: readonly number[]): Promise<void>;
  markUnread(ids: readonly number[]): Promise<void>;
  star(ids: readonly number[]): Promise<void>;
  unstar(ids: readonly number[]): Promise<void>;
  /** What came up to `until`, in Unix milliseconds, of which a protocol may know the second only; everything without it. */
  markAllRead(scope: MarkScope, until?: number): Promise<void>;
}

export interface AppAccount {
  readonly username: string;
  /** The secret of a token. */
  readonly secret: string;
}

export const rising = (ids: Iterable<number>): number[] => [...ids].sort((a, b) => a - b);
