// What the API answers, as far as the web app uses it. Times are in seconds.
export interface User {
  id: number;
  username: string;
  role: 'owner' | 'member';
  disabled: boolean;
  created_at: number;
}

/** As the owner sees the users. */
export interface ListedUser extends User {
  tokens: number;
}

/** How somebody can log in. */
export interface WaysIn {
  enabled: boolean;
  linked: boolean;
  has_password: boolean;
}

/** What an OPML file has brought, or would bring. */
export interface OpmlImport {
  created: number;
  existing: number;
  failed: number;
  groups_created: number;
  errors: { link: string; error: string }[];
  warnings: string[];
}

export interface Group {
  id: number;
  name: string;
}

export interface FetchState {
  last_checked_at: number;
  next_check_at: number;
  last_http_status: number;
  retry_after_until: number;
  last_success_at: number;
  last_error_at: number;
  last_error: string;
  consecutive_failures: number;
  moved_to: string;
}

export interface Feed {
  id: number;
  group_id: number;
  name: string;
  link: string;
  site_url: string;
  suspended: boolean;
  proxy: string;
  keep_entries: number | null;
  full_text: boolean;
  gone_at: number | null;
  created_at: number;
  fetch_state: FetchState;
  icon: boolean;
  unread_count: number;
  item_count: number;
}

export interface Entry {
  id: number;
  feed_id: number;
  title: string;
  link: string;
  author: string;
  content: string;
  /** In lists that were asked for with view=brief. */
  excerpt?: string;
  /** In such lists: those of the same page in which other feeds tell nearly the same. */
  duplicates?: number[];
  enclosures: { url: string; type: string; length: number | null }[];
  categories: string[];
  pub_date: number;
  unread: boolean;
  bookmark_id: number | null;
  /** Where the deframer has weighed it; in full for one entry, the first two alone in lists. */
  deframed?: Deframed & Partial<DeframedInFull>;
}

export interface Deframed {
  /** A neutral one, or the same where that is neutral. */
  title: string;
  /** From 0 to 1: how charged it is. */
  overall: number;
}

export interface DeframedInFull extends Deframed {
  title_reason: string;
  description: string;
  overall_reason: string;
  category: string;
  model: string;
  scores: { name: string; score: number; reason: string }[];
}

export interface Bookmark {
  id: number;
  item_id: number | null;
  feed_id: number | null;
  link: string;
  title: string;
  content: string;
  pub_date: number;
  feed_name: string;
  unread: boolean;
  created_at: number;
}

export interface Page<T> {
  data: T[];
  total: number;
  next_cursor: string | null;
}

export interface FoundFeed {
  title: string;
  link: string;
  site_url?: string;
  description?: string;
  item_count?: number;
  newest?: { title: string; pub_date: number }[];
  feed_id?: number | null;
}

export interface Hit {
  kind: string;
  id: string;
  title: string;
  url: string;
  site: string | null;
  published_at: string;
  snippet: { text: string; hits: [number, number][]; cut_before: boolean; cut_after: boolean };
}

export interface Facet {
  /** As a filter takes it. */
  value: string;
  label?: string;
  count: number;
}

export interface SearchPage {
  data: Hit[];
  found: number;
  at_least: boolean;
  /** Of the first page alone. */
  facets?: Record<'kind' | 'site' | 'tag' | 'feed' | 'lang' | 'year', Facet[]>;
  /** The one that served. */
  mode: SearchMode;
  notice?: string;
  suggestion?: string;
  next_cursor: string | null;
}

export type SearchMode = 'text' | 'semantic' | 'hybrid';

export interface SavedSearch {
  id: string;
  name: string;
  q: string;
}

/** What an answer of the library rests on. */
export interface Passage {
  n: number;
  kind: string;
  id: string;
  title: string;
  url: string;
  text: string;
}

export interface SimilarPage {
  data: {
    kind: string;
    id: string | number;
    title: string;
    url: string;
    site: string | null;
    score: number;
  }[];
  by: 'meaning' | 'words';
}

export interface Token {
  id: number;
  name: string;
  scope: 'read' | 'write' | 'admin';
  created_at: number;
}

export interface Job {
  id: string;
  name: string;
  state: string;
  run_at: string;
  attempts: number;
  max_attempts: number;
  progress: { done: number; total: number | null; note: string | null } | null;
  cancel_requested: boolean;
  last_error: string | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

export interface JobCounts {
  waiting: number;
  running: number;
  dead: number;
}

export interface ActivityDay {
  /** In UTC, such as 2026-03-12. */
  day: string;
  entries: number;
  pulls: { new: number; unchanged: number; failed: number; put_off: number };
}

export interface FailingFeed {
  id: number;
  name: string;
  reason: string;
  since: string;
  consecutive_failures: number;
  next_check_at: string | null;
}

export interface Activity {
  days: ActivityDay[];
  failing: { own: FailingFeed[]; others: { host: string; feeds: number }[] };
}

export interface Storage {
  measured_at: string;
  index_bytes: number;
  library: { kind: string; files: number; bytes: number }[];
  counts: { users: number; feeds: number; entries: number; bookmarks: number };
}

/** What /readyz says. */
export interface Readiness {
  status: 'ready' | 'degraded';
  journal: { pending: number; lag_seconds: number };
}

export interface LibraryCheck {
  state: 'never' | 'running' | 'whole' | 'broken';
  at: string | null;
  progress: Job['progress'];
  objects: number;
  problem_count: number;
  problems: { key: string; what: string }[];
}

/** How far the mirror of Raindrop is. */
export interface Mirror {
  /** Whether a token is set. */
  configured: boolean;
  running: boolean;
  phase: 'idle' | 'updates' | 'trash' | 'count' | 'sweep' | 'removals' | 'copies';
  /** Everything that was updated at Raindrop until then is here. */
  cursor: string | null;
  next_run_at: string | null;
  started_at: string | null;
  finished_at: string | null;
  /** Why the last batch had to stop, in a sentence. */
  problem: string | null;
  /** At Raindrop, as far as it is known. */
  total: number | null;
  raindrops: number;
  /** Deleted there, kept here. */
  removed: number;
  copies: { stored: number; none: number; pending: number; refused: number; failed: number };
  /** Copies that are asked for again. */
  waiting_copies: number;
  estimate: { batches: number; done_at: string } | null;
}

export interface DeframerUsage {
  calls: number;
  tokens_in: number;
  tokens_out: number;
  /** Null where no price is known. */
  cost: number | null;
}

export interface Deframer {
  analyzer: { type: string; model: string };
  interval_seconds: number;
  items_per_feed: number;
  /** What it serves can be read without a login. */
  open: boolean;
  totals: DeframerUsage & { feeds: number; items: number };
  /** Days in UTC, without those on which nothing was done. */
  usage: (DeframerUsage & { day: string })[];
}

export type DeframerFeedState = 'deleted' | 'disabled' | 'running' | 'dead' | 'due' | 'waiting' | 'paused';

export interface DeframerFeed {
  id: string;
  url: string;
  root_domain: string | null;
  enforce_feed_domain: boolean;
  polling: boolean;
  enabled: boolean;
  prompt: string | null;
  state: DeframerFeedState;
  next_run_at: string | null;
  last_run_at: string | null;
  last_error: string | null;
  last_note: string | null;
  items: number;
  built_at: string | null;
  rss_path: string;
  usage: DeframerUsage;
  created_at: string;
  deleted_at: string | null;
}

export interface DeframerItem {
  id: string;
  url: string;
  pub_date: string;
  title_original: string;
  title_corrected: string;
  overall: number;
  overall_reason: string;
}

export type ItemOrigin = 'manual' | 'bookmark' | 'highlight' | 'raindrop';

export interface ItemDetails {
  author: string;
  siteName: string;
  language: string;
  publishedAt: string | null;
  canonicalUrl: string;
  wordCount: number;
  origins: ItemOrigin[];
  hasContent: boolean;
  /** The one that Raindrop has made, as it came. */
  hasPermanentCopy: boolean;
  hasIcon: boolean;
  bookmarkId: string | null;
  deletedAt: string | null;
  link: {
    state: 'ok' | 'dead' | 'unsure';
    checkedAt: string;
    deadSince: string | null;
    sentence: string;
  } | null;
}

/** A saved page. Here, times are ISO 8601. */
export interface Item {
  id: string;
  url: string;
  normalizedUrl: string;
  title: string | null;
  excerpt: string | null;
  status: 'unread' | 'archived';
  isFavorite: boolean;
  collectionId: string | null;
  tags: string[];
  createdAt: string;
  updatedAt: string;
  thumbnailUrl: string | null;
  enrichmentStatus: 'pending' | 'succeeded' | 'failed';
  enrichmentError: string | null;
  enrichedAt: string | null;
  details: ItemDetails;
}

export interface ItemPage {
  items: Item[];
  nextCursor: string | null;
  hasMore: boolean;
}

export interface ItemCounts {
  all: number;
  unread: number;
  archived: number;
  favorite: number;
  untagged: number;
  unsorted: number;
  pending: number;
  failed: number;
  deleted: number;
  dead: number;
}

export interface Tag {
  name: string;
  itemCount: number;
}

export interface Collection {
  id: string;
  name: string;
  description: string | null;
  parentId: string | null;
  itemCount: number;
}
