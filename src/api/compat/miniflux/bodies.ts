// Feeds, categories and entries as Miniflux writes them. What we do not know of them is there all the same, empty: clients in
// strict languages refuse a body that lacks a field.
import { hash } from 'node:crypto';
import type { Entry } from '../../../model/entry.ts';
import type { Feed } from '../../../model/feed.ts';
import type { Group } from '../../../model/group.ts';
import type { User } from '../../../model/user.ts';

/** How Miniflux says "never". */
const never = '0001-01-01T00:00:00Z';
const [firstMs, lastMs] = [Date.parse(never), Date.parse('9999-12-31T23:59:59Z')];

/** In whole seconds: newsboat reads no fractions. */
export function toRfc3339(millis: number): string {
  const within = Math.min(Math.max(millis, firstMs), lastMs);
  return new Date(Math.floor(within / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}

export function toCategory(user: Pick<User, 'id'>, group: Group) {
  return { id: group.id, title: group.name, user_id: user.id, hide_globally: false };
}

export interface FeedContext {
  readonly user: Pick<User, 'id'>;
  readonly groups: ReadonlyMap<number, Group>;
  readonly icons: ReadonlyMap<number, number>;
}

export function toFeed({ user, groups, icons }: FeedContext, feed: Feed) {
  const { fetchState: state } = feed;
  const group = groups.get(feed.groupId);
  const time = (millis: number) => (millis === 0 ? never : toRfc3339(millis));
  return {
    id: feed.id,
    user_id: user.id,
    feed_url: feed.link,
    site_url: feed.siteUrl,
    title: feed.name,
    description: '',
    language: '',
    checked_at: time(state.lastCheckedAt),
    next_check_at: time(state.nextCheckAt),
    etag_header: state.etag,
    last_modified_header: state.lastModified,
    parsing_error_message: state.lastError,
    parsing_error_count: state.consecutiveFailures,
    scraper_rules: '',
    rewrite_rules: '',
    urlrewrite_rules: '',
    blocklist_rules: '',
    keeplist_rules: '',
    block_filter_entry_rules: '',
    keep_filter_entry_rules: '',
    user_agent: '',
    cookie: '',
    username: '',
    password: '',
    proxy_url: feed.proxy,
    fetch_via_proxy: feed.proxy !== '',
    disabled: feed.suspended,
    crawler: feed.fullText,
    no_media_player: false,
    ignore_http_cache: false,
    ignore_entry_updates: false,
    allow_self_signed_certificates: false,
    disable_http2: false,
    hide_globally: false,
    category: group ? toCategory(user, group) : null,
    icon: { feed_id: feed.id, icon_id: icons.get(feed.id) ?? 0, external_icon_id: '' },
  };
}

export function toEntry(user: Pick<User, 'id'>, entry: Entry, feed: ReturnType<typeof toFeed>) {
  return {
    id: entry.id,
    user_id: user.id,
    feed_id: entry.feedId,
    status: entry.unread ? 'unread' : 'read',
    hash: hash('sha256', entry.guid),
    title: entry.title,
    url: entry.link,
    comments_url: '',
    published_at: toRfc3339(entry.pubDate),
    created_at: toRfc3339(entry.createdAt),
    changed_at: toRfc3339(entry.updatedAt),
    content: entry.content,
    author: entry.author,
    share_code: '',
    starred: entry.bookmarkId !== null,
    reading_time: readingMinutes(entry.content),
    enclosures: entry.enclosures.map((_, n) => toEnclosure(user, entry, n)),
    feed,
    tags: entry.categories,
  };
}

/** Ours have no ids: one goes by its entry and its place there. */
const enclosuresPerEntry = 100;

export function toEnclosure(user: Pick<User, 'id'>, entry: Entry, place: number) {
  const enclosure = entry.enclosures[place];
  return {
    id: entry.id * enclosuresPerEntry + place,
    user_id: user.id,
    entry_id: entry.id,
    url: enclosure?.url ?? '',
    mime_type: enclosure?.type ?? '',
    size: enclosure?.lengthBytes ?? 0,
    media_progression: 0,
  };
}

export function placeOfEnclosure(id: number): { entryId: number; place: number } {
  return { entryId: Math.floor(id / enclosuresPerEntry), place: id % enclosuresPerEntry };
}

/** By the length alone, tags and all: to count the words of a thousand articles would hold up everybody else. */
const charactersAMinute = 2_000;

function readingMinutes(html: string): number {
  return Math.ceil(html.length / charactersAMinute);
}
