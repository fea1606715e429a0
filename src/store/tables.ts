// The columns of every table, as Kysely sees them. Times are Unix milliseconds, flags are 0 or 1, on both
// engines. docs/data-model.md says what each table is for.
import type { Generated, Insertable, Selectable } from 'kysely';
import type { DeframerTables } from './deframer/deframer-tables.ts';
import type { HighlightTables } from './owned/highlights/highlight-tables.ts';

export interface Tables extends HighlightTables, DeframerTables {
  users: UsersTable;
  tokens: TokensTable;
  sessions: SessionsTable;
  login_attempts: LoginAttemptsTable;
  known_browsers: KnownBrowsersTable;
  questions_asked: QuestionsAskedTable;
  used_sign_ons: UsedSignOnsTable;
  groups: GroupsTable;
  preferences: PreferencesTable;
  meta: MetaTable;
  journal_dirty: JournalDirtyTable;
  leases: LeasesTable;
  jobs: JobsTable;
  job_counters: JobCountersTable;
  host_pauses: HostPausesTable;
  pull_counts: PullCountsTable;
  site_icons: SiteIconsTable;
  feeds: FeedsTable;
  feed_fetch_state: FeedFetchStateTable;
  entries: EntriesTable;
  entry_marks: EntryMarksTable;
  entry_tombstones: EntryTombstonesTable;
  unread_entries: UnreadEntriesTable;
  feed_counts: FeedCountsTable;
  items: ItemsTable;
  bookmarks: BookmarksTable;
  item_tags: ItemTagsTable;
  collections: CollectionsTable;
  raindrops: RaindropsTable;
  mirror_state: MirrorStateTable;
  entry_texts: EntryTextsTable;
  item_links: ItemLinksTable;
  search_docs: SearchDocsTable;
  search_pending: SearchPendingTable;
  search_twins: SearchTwinsTable;
  saved_searches: SavedSearchesTable;
  chunks: ChunksTable;
}

export interface UsersTable {
  id: Generated<number>;
  username: string;
  password_hash: string | null;
  role: 'owner' | 'member';
  oidc_subject: string | null;
  created_at: number;
  updated_at: number;
  disabled_at: number | null;
}

export interface TokensTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  scope: 'read' | 'write' | 'admin';
  secret_sha256: string;
  fever_sha256: string;
  created_at: number;
  created_by: number | null;
}

export interface SessionsTable {
  secret_sha256: string;
  user_id: number;
  created_at: number;
  expires_at: number;
}

export interface LoginAttemptsTable {
  key: string;
  failures: number;
  window_started_at: number;
  blocked_until: number;
}

export interface KnownBrowsersTable {
  secret_sha256: string;
  user_id: number;
  expires_at: number;
}

export interface QuestionsAskedTable {
  user_id: number;
  day: number;
  n: number;
}

export interface UsedSignOnsTable {
  id_sha256: string;
  expires_at: number;
}

export interface GroupsTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  is_default: 0 | 1;
  created_at: number;
  updated_at: number;
}

export interface PreferencesTable {
  user_id: number;
  name: string;
  value: string;
}

export interface MetaTable {
  key: string;
  value: string;
}

export interface JournalDirtyTable {
  seq: Generated<number>;
  tbl: number;
  k1: number | null;
  k2: number | null;
  kt: string | null;
  noted_at: Generated<number>;
}

export interface LeasesTable {
  name: string;
  holder: string;
  epoch: number;
  expires: number;
  acquired_at: Generated<number>;
}

export interface JobsTable {
  id: Generated<number>;
  name: string;
  lane: number;
  payload: string;
  unique_key: string | null;
  state: Generated<number>;
  run_at: number;
  /** When `run_at` was written. */
  scheduled_at: Generated<number>;
  attempts: Generated<number>;
  max_attempts: number;
  crashes: Generated<number>;
  epoch: Generated<number>;
  holder: string | null;
  expires: Generated<number>;
  progress_done: number | null;
  progress_total: number | null;
  progress_note: string | null;
  cancel_requested: Generated<0 | 1>;
  last_error: string | null;
  created_at: number;
  started_at: number | null;
  finished_at: number | null;
}

export interface JobCountersTable {
  name: string;
  counter: string;
  n: number;
}

export interface HostPausesTable {
  host: string;
  until_ms: number;
  written_at: Generated<number>;
}

export interface PullCountsTable {
  day: string;
  outcome: string;
  n: number;
}

export interface SiteIconsTable {
  origin: string;
  type: Generated<string>;
  etag: Generated<string>;
  fetched_at: Generated<number>;
  tried_at: number;
  failures: number;
  bytes: Uint8Array | null;
}

export interface FeedsTable {
  id: Generated<number>;
  user_id: number;
  group_id: number;
  name: string;
  link: string;
  site_url: string;
  suspended: Generated<0 | 1>;
  proxy: Generated<string>;
  gone_at: number | null;
  moved_from: Generated<string>;
  moved_at: number | null;
  read_through_id: Generated<number>;
  keep_entries: number | null;
  full_text: Generated<0 | 1>;
  deleted_at: number | null;
  created_at: number;
  updated_at: number;
  description: Generated<string>;
}

export interface FeedFetchStateTable {
  feed_id: number;
  etag: Generated<string>;
  last_modified: Generated<string>;
  validators_url: Generated<string>;
  cache_control: Generated<string>;
  expires_at: Generated<number>;
  last_checked_at: Generated<number>;
  next_check_at: Generated<number>;
  last_http_status: Generated<number>;
  retry_after_until: Generated<number>;
  last_success_at: Generated<number>;
  last_error_at: Generated<number>;
  last_error: Generated<string>;
  consecutive_failures: Generated<number>;
  body_hash: Generated<string>;
  document_entries: Generated<string>;
  moved_to: Generated<string>;
  moved_seen: Generated<number>;
  pruned_date: Generated<number>;
  pruned_id: Generated<number>;
  site_origin: Generated<string>;
  updated_at: Generated<number>;
}

export interface EntriesTable {
  id: Generated<number>;
  user_id: number;
  feed_id: number;
  guid: string;
  title: string;
  link: string;
  author: string;
  content: string;
  enclosures: string;
  categories: string;
  pub_date: number;
  created_at: number;
  updated_at: number;
  content_hash: string;
}

export interface EntryMarksTable {
  entry_id: number;
  user_id: number;
  is_read: 0 | 1;
}

export interface EntryTombstonesTable {
  feed_id: number;
  guid: string;
  user_id: number;
}

export interface UnreadEntriesTable {
  user_id: number;
  pub_date: number;
  entry_id: number;
  feed_id: number;
  group_id: number;
}

export interface FeedCountsTable {
  feed_id: number;
  user_id: number;
  unread: number;
  entries: number;
  stale: Generated<number>;
}

export interface ItemsTable {
  id: Generated<number>;
  user_id: number;
  url: string;
  url_key: string;
  title: Generated<string>;
  title_from: Generated<'' | 'entry' | 'page' | 'raindrop' | 'person'>;
  excerpt: Generated<string>;
  excerpt_from: Generated<'' | 'page' | 'raindrop' | 'person'>;
  author: Generated<string>;
  site_name: Generated<string>;
  language: Generated<string>;
  published_at: number | null;
  canonical_url: Generated<string>;
  word_count: Generated<number>;
  site_origin: Generated<string>;
  status: Generated<'unread' | 'archived'>;
  is_favorite: Generated<0 | 1>;
  collection_id: number | null;
  snapshot_key: string | null;
  /** JSON: the SHA-256 of each file under snapshot_key, by name. */
  snapshot_files: string | null;
  text_sha256: string | null;
  thumbnail_key: string | null;
  thumbnail_sha256: string | null;
  enrichment_status: 'pending' | 'succeeded' | 'failed' | null;
  enrichment_error: string | null;
  enriched_at: number | null;
  saved_at: number | null;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
  deleted_by: Generated<'' | 'person' | 'routes'>;
  purged_at: number | null;
}

export interface BookmarksTable {
  id: Generated<number>;
  user_id: number;
  item_id: number;
  entry_id: number | null;
  feed_id: number | null;
  link: string;
  title: string;
  content: string;
  pub_date: number;
  feed_name: string;
  created_at: number;
  deleted_at: number | null;
}

export interface ItemTagsTable {
  item_id: number;
  name: string;
  user_id: number;
  created_at: number;
}

export interface CollectionsTable {
  id: Generated<number>;
  user_id: number;
  parent_id: number | null;
  name: string;
  description: Generated<string>;
  source: Generated<string>;
  external_id: Generated<string>;
  created_at: number;
  updated_at: number;
}

export interface RaindropsTable {
  id: number;
  user_id: number;
  item_id: number | null;
  link: string;
  title: string;
  excerpt: string;
  note: string;
  domain: string;
  /** JSON. */
  tags: string;
  /** JSON. */
  highlights: string;
  collection_id: number;
  is_important: 0 | 1;
  cover: string;
  cover_at: number | null;
  cache_status: 'stored' | 'none' | 'pending' | 'refused' | 'failed';
  raw_sha256: string;
  text_sha256: string;
  word_count: number;
  /** JSON: the SHA-256 of each object under raindrops/<id>, by name. */
  files: string;
  created_at: number;
  updated_at: number;
  removed_at: number | null;
}

export interface MirrorStateTable {
  key: string;
  value: string;
}

export interface EntryTextsTable {
  entry_id: number;
  user_id: number;
  content: string;
  fetched_at: number;
}

export interface ItemLinksTable {
  item_id: number;
  user_id: number;
  next_check_at: number;
  /** When `next_check_at` was written. */
  scheduled_at: Generated<number>;
  checked_at: Generated<number>;
  state: Generated<'' | 'ok' | 'dead' | 'unsure'>;
  http_status: Generated<number>;
  failures: Generated<number>;
  dead_since: number | null;
  sentence: Generated<string>;
}

export interface SearchDocsTable {
  id: number;
  user_id: number;
  kind: string;
  ref_id: number;
  url_key: string | null;
  title: string;
  site: string | null;
  published_at: number;
  text_sha256: string;
  feed_id: number | null;
  lang: string | null;
  tags: string | null;
  flags: Generated<number>;
  embedded_with: Generated<string | null>;
}

export interface SearchPendingTable {
  kind: string;
  ref_id: number;
  version: number;
}

export interface SearchTwinsTable {
  doc_id: number;
  page: number;
  place: number;
}

export interface SavedSearchesTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  q: string;
  created_at: number;
  updated_at: number;
}

export interface ChunksTable {
  chunk_key: string;
  user_id: number;
  kind: string;
  ref_id: number;
  part: number;
  text_sha256: string;
  model: string;
  vector: Uint8Array;
  seq: number;
  embedded_at: number;
}

/** Tables whose rows belong to one user. They are reached through `store.forUser(id)` alone. */
export type OwnedTable = {
  [T in keyof Tables]: 'user_id' extends keyof Tables[T] ? T : never;
}[keyof Tables];

export type Row<T extends keyof Tables> = Selectable<Tables[T]>;
export type NewRow<T extends keyof Tables> = Insertable<Tables[T]>;
