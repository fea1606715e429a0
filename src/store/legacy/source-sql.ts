// The statements by which an old database is read, for whichever version of its schema it has.
import type { Shape } from './detect.ts';

/** Longer texts are cut before they are read: one of a gigabyte would be all our memory, and none is kept whole. */
const longestText = 1_100_000;

/** A text with a NUL in it ends there for substr, so only what is too long goes through it. */
function cut(column: string): string {
  return `CASE WHEN octet_length(${column}) > ${longestText} THEN substr(${column}, 1, ${longestText}) ELSE ${column} END`;
}

/** How a column is read, where that is not simply its value. */
const readAs: Readonly<Record<string, string>> = {
  guid: cut('guid'),
  title: cut('title'),
  link: cut('link'),
  content: cut('content'),
  // What says nothing is unread.
  unread: `CASE WHEN typeof(unread) IN ('integer', 'real') THEN unread <> 0
    WHEN unread GLOB '[0-9]*' THEN CAST(unread AS INTEGER) <> 0 ELSE 1 END`,
  bookmark: 'CAST(bookmark AS INTEGER) <> 0',
};

export function isLive(shape: Shape, table: string): string {
  return shape.columns.get(table)?.has('deleted_at')
    ? '(deleted_at IS NULL OR CAST(deleted_at AS INTEGER) = 0)'
    : '1';
}

/** Columns that a version does not have are NULL. */
export function selectLive(shape: Shape, table: string, columns: readonly string[]): string {
  const present = shape.columns.get(table);
  const list = columns.map((name) => `${present?.has(name) ? (readAs[name] ?? name) : 'NULL'} AS ${name}`);
  return `SELECT ${list.join(', ')} FROM ${table} WHERE ${isLive(shape, table)} ORDER BY id`;
}

const stateColumns = [
  'etag',
  'last_modified',
  'cache_control',
  'expires_at',
  'last_checked_at',
  'next_check_at',
  'last_http_status',
  'retry_after_until',
  'last_success_at',
  'last_error_at',
  'last_error',
  'consecutive_failures',
];

/** How fetching goes stands in a table of its own since schema 2; before, a few columns of the feed say it. */
export function selectFeeds(shape: Shape): string {
  const present = shape.columns.get('feeds');
  const first = (...names: string[]) => names.find((name) => present?.has(name));
  const or = (name: string | undefined) => (name ? `f.${name}` : 'NULL');
  const state = shape.columns.get('feed_fetch_state');
  const before: Record<string, string | undefined> = {
    last_success_at: first('last_build'),
    last_checked_at: first('last_build'),
    last_error_at: first('last_failure_at'),
    last_error: first('failure'),
    consecutive_failures: first('consecutive_failures', 'failures'),
  };
  const states = stateColumns.map((name) =>
    state ? `${state.has(name) ? `s.${name}` : 'NULL'} AS ${name}` : `${or(before[name])} AS ${name}`,
  );
  const own = ['id', 'group_id', 'name', 'link', 'site_url', 'suspended', 'created_at', 'updated_at'].map(
    (name) => `${or(first(name))} AS ${name}`,
  );
  return `SELECT ${[...own, `${or(first('proxy', 'req_proxy'))} AS proxy`, ...states].join(', ')} FROM feeds f
    ${state ? 'LEFT JOIN feed_fetch_state s ON s.feed_id = f.id' : ''}
    WHERE ${isLive(shape, 'feeds').replaceAll('deleted_at', 'f.deleted_at')} ORDER BY f.id`;
}

export function selectBookmarks(shape: Shape): string {
  const feedId = shape.columns.get('bookmarks')?.has('feed_id') ? 'b.feed_id' : 'i.feed_id';
  const texts = ['link', 'title', 'content', 'feed_name'].map((name) => `${cut(`b.${name}`)} AS ${name}`);
  return `SELECT b.id, ${texts.join(', ')}, b.pub_date, b.created_at, ${feedId} AS feed_id,
      i.id AS item_id, i.feed_id AS item_feed_id, i.guid AS item_guid
    FROM bookmarks b LEFT JOIN items i ON i.id = b.item_id ORDER BY b.id`;
}
