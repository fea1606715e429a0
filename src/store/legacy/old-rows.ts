// Rows of an old database, and how the values of their columns are read: a column takes values of every type.
import type { Millis } from '../../model/glossary.ts';
import { parseLegacyDate } from './legacy-date.ts';

/** Ids are kept as SQLite has them: a number of ours ends at 2^53. */
export type OldId = bigint;

export interface OldGroup {
  readonly id: OldId;
  readonly name: string;
  readonly createdAt: Millis | undefined;
  readonly updatedAt: Millis | undefined;
}

export interface OldFeed {
  readonly id: OldId;
  readonly groupId: OldId | undefined;
  readonly name: string;
  readonly link: string;
  readonly siteUrl: string;
  readonly suspended: boolean;
  readonly proxy: string;
  readonly createdAt: Millis | undefined;
  readonly updatedAt: Millis | undefined;
  readonly state: OldFetchState;
}

/** Times are 0 and texts empty where there is nothing to say. */
export interface OldFetchState {
  readonly etag: string;
  readonly lastModified: string;
  readonly cacheControl: string;
  readonly expiresAt: Millis;
  readonly lastCheckedAt: Millis;
  readonly nextCheckAt: Millis;
  readonly lastHttpStatus: number;
  readonly retryAfterUntil: Millis;
  readonly lastSuccessAt: Millis;
  readonly lastErrorAt: Millis;
  readonly lastError: string;
  readonly consecutiveFailures: number;
}

export interface OldItem {
  readonly id: OldId;
  readonly feedId: OldId | undefined;
  /** Empty where it has none. */
  readonly guid: string;
  readonly title: string;
  readonly link: string;
  readonly content: string;
  readonly pubDate: Millis | undefined;
  readonly createdAt: Millis | undefined;
  readonly unread: boolean;
  /** Of a legacy database alone; the others have a table for it. */
  readonly starred: boolean;
}

export interface OldBookmark {
  readonly id: OldId;
  readonly link: string;
  readonly title: string;
  readonly content: string;
  readonly pubDate: Millis | undefined;
  readonly feedName: string;
  readonly createdAt: Millis | undefined;
  readonly feedId: OldId | undefined;
  /** The item that it was put on, while that is there. */
  readonly item: Pick<OldItem, 'id' | 'feedId' | 'guid'> | undefined;
}

/** As it stands in the file. */
export type OldRow = Readonly<Record<string, unknown>>;

export function toGroup(row: OldRow): OldGroup {
  return {
    id: row.id as bigint,
    name: textOf(row.name),
    createdAt: parseLegacyDate(row.created_at),
    updatedAt: parseLegacyDate(row.updated_at),
  };
}

export function toFeed(row: OldRow): OldFeed {
  const time = (value: unknown) => parseLegacyDate(value) ?? 0;
  return {
    id: row.id as bigint,
    groupId: idOf(row.group_id),
    name: textOf(row.name),
    link: textOf(row.link),
    siteUrl: textOf(row.site_url),
    suspended: numberOf(row.suspended) !== 0,
    proxy: textOf(row.proxy),
    createdAt: parseLegacyDate(row.created_at),
    updatedAt: parseLegacyDate(row.updated_at),
    state: {
      etag: textOf(row.etag),
      lastModified: textOf(row.last_modified),
      cacheControl: textOf(row.cache_control),
      expiresAt: time(row.expires_at),
      lastCheckedAt: time(row.last_checked_at),
      nextCheckAt: time(row.next_check_at),
      lastHttpStatus: numberOf(row.last_http_status),
      retryAfterUntil: time(row.retry_after_until),
      lastSuccessAt: time(row.last_success_at),
      lastErrorAt: time(row.last_error_at),
      lastError: textOf(row.last_error),
      consecutiveFailures: numberOf(row.consecutive_failures),
    },
  };
}

export function toState(row: OldRow): Pick<OldItem, 'id' | 'feedId' | 'unread'> {
  return {
    id: row.id as bigint,
    feedId: idOf(row.feed_id),
    unread: row.unread === null || numberOf(row.unread) !== 0,
  };
}

export function toItem(row: OldRow): OldItem {
  return {
    ...toState(row),
    guid: textOf(row.guid),
    title: textOf(row.title),
    link: textOf(row.link),
    content: textOf(row.content),
    pubDate: parseLegacyDate(row.pub_date),
    createdAt: parseLegacyDate(row.created_at),
    starred: numberOf(row.bookmark) !== 0,
  };
}

export function toBookmark(row: OldRow): OldBookmark {
  const itemId = idOf(row.item_id);
  return {
    id: row.id as bigint,
    link: textOf(row.link),
    title: textOf(row.title),
    content: textOf(row.content),
    pubDate: parseLegacyDate(row.pub_date),
    feedName: textOf(row.feed_name),
    createdAt: parseLegacyDate(row.created_at),
    feedId: idOf(row.feed_id),
    item:
      itemId === undefined
        ? undefined
        : { id: itemId, feedId: idOf(row.item_feed_id), guid: textOf(row.item_guid) },
  };
}

/** A column takes values of every type, whatever it was declared as. Bytes that are no UTF-8 become U+FFFD. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  return value === null || value === undefined ? '' : String(value);
}

function idOf(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return typeof value === 'string' && /^[+-]?\d{1,18}$/.test(value.trim()) ? BigInt(value.trim()) : undefined;
}

function numberOf(value: unknown): number {
  const number = Number(typeof value === 'string' || typeof value === 'bigint' ? value : (value ?? 0));
  return Number.isSafeInteger(Math.trunc(number)) ? Math.trunc(number) : 0;
}
