// The store: everything that Lectern keeps in its index, on either engine. Owned rows only through forUser().
import type { Clock } from '../model/glossary.ts';
import { type ActivityStore, activityStore } from './activity-store.ts';
import { type CredentialStore, credentialStore } from './credential-store.ts';
import type { Database } from './database.ts';
import type { DurableTable, Row } from './durable.ts';
import { type HostPauseStore, hostPauseStore } from './host-pause-store.ts';
import { type IconStore, iconStore } from './icon-store.ts';
import { type IndexStore, indexStore } from './index-store.ts';
import { type JobQueue, jobQueue } from './job-queue/job-queue.ts';
import { type JournalStore, journalStore } from './journal-store.ts';
import { type LeaseStore, leaseStore } from './lease-store.ts';
import { type LibraryCheckStore, libraryCheckStore } from './library-check-store.ts';
import { type LoginAttemptStore, loginAttemptStore } from './login-attempt-store.ts';
import { type BookmarkStore, bookmarkStore } from './owned/bookmark-store.ts';
import { type EntryStore, entryStore } from './owned/entry-store.ts';
import { type FeedStore, feedStore } from './owned/feed-store.ts';
import { type GroupStore, groupStore } from './owned/group-store.ts';
import { ownedBy } from './owned/owned-rows.ts';
import { type PreferenceStore, preferenceStore } from './owned/preference-store.ts';
import { type PullWatch, pullWatch } from './owned/pull-watch.ts';
import { type SearchStore, searchStore } from './owned/search-store.ts';
import { type TokenStore, tokenStore } from './owned/token-store.ts';
import { type PullStore, pullStore } from './pull-store.ts';
import { type ReaderTexts, readerTexts } from './reader-texts.ts';
import { type ReaderUpkeep, readerUpkeep } from './reader-upkeep.ts';
import { type SearchIndex, searchIndex } from './search/search-index.ts';
import { type SetupLinkStore, setupLinkStore } from './setup-link-store.ts';
import { rowsInOrder, type StateHash, stateHash } from './state-hash.ts';
import { type StorageStore, storageStore } from './storage-store.ts';
import { type UserStore, userStore } from './user-store.ts';

export interface Store {
  readonly engine: 'sqlite' | 'postgres';
  readonly users: UserStore;
  readonly credentials: CredentialStore;
  readonly loginAttempts: LoginAttemptStore;
  readonly setupLinks: SetupLinkStore;
  readonly index: IndexStore;
  readonly journal: JournalStore;
  readonly leases: LeaseStore;
  readonly jobs: JobQueue;
  readonly hostPauses: HostPauseStore;
  readonly pulls: PullStore;
  readonly icons: IconStore;
  readonly readerTexts: ReaderTexts;
  readonly readerUpkeep: ReaderUpkeep;
  readonly storage: StorageStore;
  readonly activity: ActivityStore;
  readonly libraryChecks: LibraryCheckStore;
  /** The writing side of search. What a user finds is under forUser(). */
  readonly searchIndex: SearchIndex;
  forUser(userId: number): UserRows;
  /** One hash over every durable row. */
  stateHash(): Promise<StateHash>;
  /** Every row of a durable table, for checks of the library. */
  durableRows(table: DurableTable): AsyncIterable<Row>;
  schemaVersion(): Promise<number>;
  tidy(effort: 'light' | 'thorough'): Promise<void>;
  close(): Promise<void>;
}

/** All that belongs to one user. */
export interface UserRows {
  readonly groups: GroupStore;
  readonly feeds: FeedStore;
  readonly entries: EntryStore;
  readonly bookmarks: BookmarkStore;
  readonly tokens: TokenStore;
  readonly preferences: PreferenceStore;
  readonly pulls: PullWatch;
  readonly search: SearchStore;
}

export function createStore(db: Database, now: Clock): Store {
  return {
    engine: db.engine,
    users: userStore(db, now),
    credentials: credentialStore(db, now),
    loginAttempts: loginAttemptStore(db, now),
    setupLinks: setupLinkStore(db, now),
    index: indexStore(db),
    journal: journalStore(db),
    leases: leaseStore(db),
    jobs: jobQueue(db),
    hostPauses: hostPauseStore(db, now),
    pulls: pullStore(db, now),
    icons: iconStore(db, now),
    readerTexts: readerTexts(db),
    readerUpkeep: readerUpkeep(db),
    storage: storageStore(db),
    activity: activityStore(db),
    libraryChecks: libraryCheckStore(db),
    searchIndex: searchIndex(db),
    forUser: (userId) => {
      const owned = ownedBy(db, userId);
      return {
        groups: groupStore(owned, now),
        feeds: feedStore(owned, now),
        entries: entryStore(owned),
        bookmarks: bookmarkStore(owned, now),
        tokens: tokenStore(owned, now),
        preferences: preferenceStore(owned),
        pulls: pullWatch(owned),
        search: searchStore(owned),
      };
    },
    stateHash: () => stateHash(db),
    durableRows: (table) => rowsInOrder(db.read, table),
    schemaVersion: () => db.schemaVersion(),
    tidy: (effort) => db.tidy(effort),
    close: () => db.close(),
  };
}
