// The columns of the deframer's tables.
import type { Generated } from 'kysely';

export interface DeframerTables {
  deframer_feeds: DeframerFeedsTable;
  feed_schedules: FeedSchedulesTable;
  deframed_items: DeframedItemsTable;
  cached_feeds: CachedFeedsTable;
  deframer_usage: DeframerUsageTable;
}

export interface DeframerFeedsTable {
  id: string;
  url: string;
  root_domain: string | null;
  enforce_feed_domain: Generated<0 | 1>;
  polling: Generated<0 | 1>;
  enabled: Generated<0 | 1>;
  prompt: string | null;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

export interface FeedSchedulesTable {
  id: string;
  next_run_at: number | null;
  scheduled_at: Generated<number>;
  last_run_at: number | null;
  last_error: string | null;
  last_note: string | null;
  locked_until: number | null;
  locked_by: Generated<string>;
  epoch: Generated<number>;
  etag: Generated<string>;
  last_modified: Generated<string>;
  validators_url: Generated<string>;
}

export interface DeframedItemsTable {
  number: Generated<number>;
  id: string;
  feed_id: string;
  hash: string;
  url: string;
  /** JSON. */
  analyzer_result: string;
  overall: number;
  content: string;
  author: string;
  pub_date: number;
  analysis_key: string;
  tokens_in: Generated<number>;
  tokens_out: Generated<number>;
  cost_micros: number | null;
  created_at: number;
  updated_at: number;
}

export interface CachedFeedsTable {
  id: string;
  xml_header: string;
  /** JSON. */
  item_refs: string;
  xml_content: string;
  created_at: number;
  updated_at: number;
}

export interface DeframerUsageTable {
  feed_id: string;
  day: number;
  calls: Generated<number>;
  tokens_in: Generated<number>;
  tokens_out: Generated<number>;
  cost_micros: Generated<number>;
  unpriced_calls: Generated<number>;
}
