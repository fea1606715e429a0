// The store: everything that Lectern keeps in its index, on either engine. Owned rows only through forUser().
import type { Clock } from '../model/glossary.ts';
import { type ActivityStore, activityStore } from './activity-store.ts';
import { type CoverStore, coverStore } from './cover-store.ts';
import { type CredentialStore, credentialStore } from './credential-store.ts';
import type { Database } from './database.ts';
import { type DeframeRunStore, deframeRunStore } from './deframer/deframe-run-store.ts';
import { type DeframedStore, deframedStore } from './deframer/deframed-store.ts';
import { type DeframedTexts, deframedTexts } from './deframer/deframed-texts.ts';
import { type DeframerFeedStore, deframerFeedStore } from './deframer/deframer-feed-store.ts';
import type { DurableTable, Row } from './durable.ts';
import { type EnrichmentStore, enrichmentStore } from './enrichment-store.ts';
import { type FullTextStore, fullTextStore } from './full-text-store.ts';
import { type HighlightTexts, highlightTexts } from './highlight-texts.ts';
import { type HostPauseStore, hostPauseStore } from './host-pause-store.ts';
import { type IconStore, iconStore } from './icon-store.ts';
import { type IndexStore, indexStore } from './index-store.ts';
import { type ItemPurge, itemPurge } from './item-purge.ts';
import { type ItemTexts, itemTexts } from './item-texts.ts';
import { type JobQueue, jobQueue } from './job-queue/job-queue.ts';
import { type JournalStore, journalStore } from './journal-store.ts';
import { type KnownBrowserStore, knownBrowserStore } from './known-browser-store.ts';
import { type LeaseStore, leaseStore } from './lease-store.ts';
import { type ImportStore, importStore } from './legacy/import-store.ts';
import { type LibraryCheckStore, libraryCheckStore } from './library-check-store.ts';
import { type LinkStore, linkStore } from './link-store.ts';
import { type LoginAttemptStore, loginAttemptStore } from './login-attempt-store.ts';
import { type MirrorStateStore, mirrorStateStore } from './mirror-state-store.ts';
import { type BookmarkStore, bookmarkStore } from './owned/bookmark-store.ts';
import { type ChunkStore, chunkStore } from './owned/chunk-store.ts';
import { type CollectionStore, collectionStore } from './owned/collection-store.ts';
import { type EntryQueries, entryQueries } from './owned/entry-query.ts';
import { type EntryStore, entryStore } from './owned/entry-store.ts';
import { type EntryStream, entryStream } from './owned/entry-stream.ts';
import { type FeedIcons, feedIcons } from './owned/feed-icons.ts';
import { type FeedStore, feedStore } from './owned/feed-store.ts';
import { type GroupStore, groupStore } from './owned/group-store.ts';
import { type HighlightStore, highlightStore } from './owned/highlights/highlight-store.ts';
import { type ReplicaStore, replicaStore } from './owned/highlights/replicas.ts';
import { type SyncStore, syncStore } from './owned/highlights/sync-store.ts';
import { type ItemStore, itemStore } from './owned/item-store.ts';
import { type RaindropStore, raindropStore } from './owned/mirror/raindrop-store.ts';
import { ownedBy } from './owned/owned-rows.ts';
import { type PreferenceStore, preferenceStore } from './owned/preference-store.ts';
import { type PullWatch, pullWatch } from './owned/pull-watch.ts';
import { type QuestionStore, questionStore } from './owned/question-store.ts';
import { type SavedSearchStore, savedSearchStore } from './owned/saved-search-store.ts';
import { type SearchStore, searchStore } from './owned/search-store.ts';
import { type TagStore, tagStore } from './owned/tag-store.ts';
import { type TokenStore, tokenStore } from './owned/token-store.ts';
import { type PendingItems, pendingItems } from './pending-items.ts';
import { type PullStore, pullStore } from './pull-store.ts';
import { type ReaderTexts, readerTexts } from './reader-texts.ts';
import { type ReaderUpkeep, readerUpkeep } from './reader-upkeep.ts';
import { type ChunkIndex, chunkIndex } from './search/chunk-index.ts';
import { type SearchIndex, searchIndex } from './search/search-index.ts';
import { type SetupLinkStore, setupLinkStore } from './setup-link-store.ts';
import { type SignOnStore, signOnStore } from './sign-on-store.ts';
import { rowAgain, rowsInOrder, type StateHash, stateHash } from './state-hash.ts';
import { type StorageStore, storageStore } from './storage-store.ts';
import { type UserStore, userStore } from './user-store.ts';

export interface Store {
  readonly engine: 'sqlite' | 'postgres';
  readonly users: UserStore;
  readonly credentials: CredentialStore;
  readonly loginAttempts: LoginAttemptStore;
  readonly knownBrowsers: KnownBrowserStore;
  readonly setupLinks: SetupLinkStore;
  readonly signOns: SignOnStore;
  readonly index: IndexStore;
  readonly journal: JournalStore;
  readonly leases: LeaseStore;
  readonly jobs: JobQueue;
  readonly hostPauses: HostPauseStore;
  readonly pulls: PullStore;
  readonly icons: IconStore;
  readonly enrichments: EnrichmentStore;
  readonly fullTexts: FullTextStore;
  readonly readerTexts: ReaderTexts;
  readonly itemTexts: ItemTexts;
  readonly highlightTexts: HighlightTexts;
  readonly deframedTexts: DeframedTexts;
  readonly pendingItems: PendingItems;
  readonly itemPurge: ItemPurge;
  readonly links: LinkStore;
  readonly readerUpkeep: ReaderUpkeep;
  readonly storage: StorageStore;
  readonly activity: ActivityStore;
  readonly libraryChecks: LibraryCheckStore;
  readonly mirrorState: MirrorStateStore;
  readonly covers: CoverStore;
  /** The feeds of the deframer, the runs of its worker, and what is served of both. */
  readonly deframerFeeds: DeframerFeedStore;
  readonly deframeRuns: DeframeRunStore;
  readonly deframed: DeframedStore;
  /** The writing side of search. What a user finds is under forUser(). */
  readonly searchIndex: SearchIndex;
  /** The writing side of search by meaning. */
  readonly chunkIndex: ChunkIndex;
  forUser(userId: number): UserRows;
  /** One hash over every durable row. */
  stateHash(): Promise<StateHash>;
  /** Every row of a durable table, for checks of the library. With `row`, only the row with the same key, as it is now. */
  durableRows(table: DurableTable, row?: Row): AsyncIterable<Row>;
  schemaVersion(): Promise<number>;
  tidy(effort: 'light' | 'thorough'): Promise<void>;
  close(): Promise<void>;
}

/** All that belongs to one user. */
export interface UserRows {
  readonly groups: GroupStore;
  readonly feeds: FeedStore;
  readonly entries: EntryStore;
  /** The entries as reader apps ask for them. */
  readonly stream: EntryStream;
  /** And by whatever else an app may ask of them. */
  readonly entryQueries: EntryQueries;
  readonly icons: FeedIcons;
  readonly bookmarks: BookmarkStore;
  readonly items: ItemStore;
  readonly tags: TagStore;
  readonly collections: CollectionStore;
  readonly highlights: HighlightStore;
  /** Of highlights that were deleted. */
  readonly replicas: ReplicaStore;
  /** What keeps highlights in step with their sources. */
  readonly syncs: SyncStore;
  /** What is mirrored from Raindrop. */
  readonly raindrops: RaindropStore;
  readonly tokens: TokenStore;
  readonly preferences: PreferenceStore;
  readonly pulls: PullWatch;
  readonly search: SearchStore;
  readonly savedSearches: SavedSearchStore;
  readonly questions: QuestionStore;
  /** What search by meaning compares. */
  readonly chunks: ChunkStore;
  /** From the database of another reader. */
  readonly imports: ImportStore;
}

/** They hold nothing but the id of the user; to make them for every request would take longer than a short read. */
const mostRemembered = 1_000;

export function createStore(db: Database, now: Clock): Store {
  const rowsOf = new Map<number, UserRows>();
  return {
    engine: db.engine,
    users: userStore(db, now),
    credentials: credentialStore(db, now),
    loginAttempts: loginAttemptStore(db, now),
    knownBrowsers: knownBrowserStore(db, now),
    setupLinks: setupLinkStore(db, now),
    signOns: signOnStore(db),
    index: indexStore(db),
    journal: journalStore(db),
    leases: leaseStore(db),
    jobs: jobQueue(db),
    hostPauses: hostPauseStore(db, now),
    pulls: pullStore(db, now),
    icons: iconStore(db, now),
    enrichments: enrichmentStore(db, now),
    fullTexts: fullTextStore(db, now),
    readerTexts: readerTexts(db),
    itemTexts: itemTexts(db),
    highlightTexts: highlightTexts(db),
    deframedTexts: deframedTexts(db),
    pendingItems: pendingItems(db, now),
    itemPurge: itemPurge(db, now),
    links: linkStore(db, now),
    readerUpkeep: readerUpkeep(db),
    storage: storageStore(db),
    activity: activityStore(db),
    libraryChecks: libraryCheckStore(db),
    mirrorState: mirrorStateStore(db),
    covers: coverStore(db, now),
    deframerFeeds: deframerFeedStore(db, now),
    deframeRuns: deframeRunStore(db, now),
    deframed: deframedStore(db),
    searchIndex: searchIndex(db),
    chunkIndex: chunkIndex(db, now),
    forUser(userId) {
      const known = rowsOf.get(userId);
      if (known) return known;
      if (rowsOf.size >= mostRemembered) rowsOf.clear();
      const owned = ownedBy(db, userId);
      const entries = entryStore(owned);
      const rows: UserRows = {
        groups: groupStore(owned, now),
        feeds: feedStore(owned, now),
        entries,
        stream: entryStream(owned, entries),
        entryQueries: entryQueries(owned, entries),
        icons: feedIcons(owned),
        bookmarks: bookmarkStore(owned, now),
        items: itemStore(owned, now),
        tags: tagStore(owned, now),
        collections: collectionStore(owned, now),
        highlights: highlightStore(owned, now),
        replicas: replicaStore(owned, now),
        syncs: syncStore(owned, now),
        raindrops: raindropStore(owned, now),
        tokens: tokenStore(owned, now),
        preferences: preferenceStore(owned),
        pulls: pullWatch(owned),
        search: searchStore(owned),
        savedSearches: savedSearchStore(owned, now),
        questions: questionStore(owned),
        chunks: chunkStore(owned),
        imports: importStore(owned, now),
      };
      rowsOf.set(userId, rows);
      return rows;
    },
    stateHash: () => stateHash(db),
    durableRows: (table, row) => (row ? rowAgain(db.read, table, row) : rowsInOrder(db.read, table)),
    schemaVersion: () => db.schemaVersion(),
    tidy: (effort) => db.tidy(effort),
    close: () => db.close(),
  };
}
