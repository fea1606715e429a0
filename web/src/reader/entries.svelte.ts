// The only module that loads lists and articles. Each entry is one object wherever it is shown, so that a mark made in
// one list holds in all of them.
import { ApiError, get, messageOf, query } from '../lib/api.ts';
import type { Bookmark, Entry, Page } from '../lib/api-types.ts';
import { withChanges } from '../offline/changes.ts';
import { keepArticles, noteList, renewListsLater } from '../offline/keep-for-later.ts';
import { outboxReady, waitingChanges, whenSent } from '../offline/outbox.ts';
import { foldDuplicates } from './fold-duplicates.ts';
import type { ArticleRef, Scope } from './place.ts';

export class ListedEntry {
  readonly ref: ArticleRef;
  readonly key: string;
  /** Of the entry itself; null for a bookmark whose entry is gone. */
  readonly id: number | null;
  readonly feedId: number | null;
  feedName: string;
  readonly title: string;
  readonly link: string;
  author: string;
  excerpt: string;
  enclosures: Entry['enclosures'];
  readonly pubDate: number;
  /** What a bookmark holds, from which it can be made again. */
  kept: Bookmark | null;
  /** What the deframer has made of it. With its reasons once they were asked for. */
  deframed = $state.raw<NonNullable<Entry['deframed']> | null>(null);
  showsOtherTitle = $state(false);
  unread = $state(false);
  /** As the server last had it, whatever is on its way there. */
  saidUnread = false;
  bookmarked = $state(false);
  /** As the server knows it, or `bookmarkToCome`. */
  bookmarkId: number | null = null;

  constructor(source: { entry: Entry } | { bookmark: Bookmark }) {
    if ('entry' in source) {
      const { entry } = source;
      this.ref = { kind: 'entry', id: entry.id };
      this.id = entry.id;
      this.feedId = entry.feed_id;
      this.feedName = '';
      this.author = entry.author;
      this.excerpt = entry.excerpt ?? textOf(entry.content);
      this.enclosures = entry.enclosures;
      this.kept = null;
      this.deframed = entry.deframed ?? null;
    } else {
      const { bookmark } = source;
      this.ref =
        bookmark.item_id === null
          ? { kind: 'bookmark', id: bookmark.id }
          : { kind: 'entry', id: bookmark.item_id };
      this.id = bookmark.item_id;
      this.feedId = bookmark.feed_id;
      this.feedName = bookmark.feed_name;
      this.author = '';
      this.excerpt = textOf(bookmark.content);
      this.enclosures = [];
      this.kept = bookmark;
    }
    const { title, link, pub_date } = 'entry' in source ? source.entry : source.bookmark;
    this.key = `${this.ref.kind}-${this.ref.id}`;
    this.title = title;
    this.link = link;
    this.pubDate = pub_date;
  }

  /** A bookmark tells less of an entry than the entry itself does. */
  learnFrom({ author, excerpt, enclosures, kept, deframed }: ListedEntry): void {
    if (kept) return;
    Object.assign(this, { author, excerpt, enclosures, kept });
    const { title, overall } = this.deframed ?? {};
    // A list has no reasons: those of the same analysis are kept.
    if (deframed?.title !== title || deframed?.overall !== overall) this.deframed = deframed;
  }

  get contentHref(): string {
    return this.ref.kind === 'entry'
      ? `/api/items/${this.ref.id}/content`
      : `/api/bookmarks/${this.ref.id}/content`;
  }
}

const longestExcerpt = 300;

/** How the text of some HTML begins. It is only ever shown as text. */
function textOf(html: string): string {
  return html
    .slice(0, 8 * longestExcerpt)
    .replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>?/g, ' ')
    .replace(/&nbsp;/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, longestExcerpt);
}

whenSent(renewListsLater);

const known = new Map<string, ListedEntry>();

export const knownEntry = (ref: ArticleRef): ListedEntry | undefined => known.get(`${ref.kind}-${ref.id}`);
export const knownEntries = (): Iterable<ListedEntry> => known.values();

function keep(source: { entry: Entry } | { bookmark: Bookmark }): ListedEntry {
  const fresh = new ListedEntry(source);
  const entry = known.get(fresh.key) ?? fresh;
  known.set(entry.key, entry);
  entry.learnFrom(fresh);
  const said =
    'entry' in source
      ? { unread: source.entry.unread, bookmarkId: source.entry.bookmark_id ?? null }
      : { unread: source.bookmark.unread, bookmarkId: source.bookmark.id };
  // What the server says is out of date where something is still on its way to it.
  const { key, id, feedId } = entry;
  const { unread, bookmarkId } = withChanges({ key, id, feedId, ...said }, waitingChanges());
  entry.saidUnread = said.unread;
  entry.unread = unread;
  entry.bookmarkId = bookmarkId;
  entry.bookmarked = bookmarkId !== null;
  return entry;
}

/** One that is in no list that was loaded, as when its address was opened. */
export async function loadArticle(ref: ArticleRef): Promise<ListedEntry | null> {
  const found = knownEntry(ref);
  if (found) return found;
  try {
    return ref.kind === 'entry'
      ? keep({ entry: (await get<{ data: Entry }>(`/api/items/${ref.id}`)).data })
      : keep({ bookmark: (await get<{ data: Bookmark }>(`/api/bookmarks/${ref.id}`)).data });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** The reasons for what the deframer says of an entry, which no list has. */
export async function loadReasons(entry: ListedEntry): Promise<void> {
  if (entry.id === null || entry.deframed?.scores) return;
  const { data } = await get<{ data: Entry }>(`/api/items/${entry.id}`);
  if (data.deframed) entry.deframed = data.deframed;
}

export interface ListOptions {
  scope: Scope;
  unreadOnly: boolean;
  order: 'newest' | 'oldest';
}

const pageSize = 100;
/** Bookmarks come with their text. */
const bookmarksPageSize = 30;

export class EntryList {
  readonly scope: Scope;
  readonly unreadOnly: boolean;
  readonly order: 'newest' | 'oldest';
  entries = $state.raw<ListedEntry[]>([]);
  /** What other feeds tell, too, by the id of an entry. */
  duplicates = $state.raw<ReadonlyMap<number, readonly number[]>>(new Map());
  /** Keys of those whose copies are shown. */
  unfolded = $state.raw<ReadonlySet<string>>(new Set());
  /** As they are shown: the same story once. */
  rows = $derived(foldDuplicates(this.entries, this.duplicates, this.unfolded));
  total = $state(0);
  state = $state<'loading' | 'ready' | 'failed'>('loading');
  isLoadingMore = $state(false);
  problem = $state('');
  /** That were published meanwhile, and wait above the list until somebody wants to see them. */
  arrived = $state.raw<ListedEntry[]>([]);
  scrollTop = 0;
  #cursor: string | null = null;
  #newestId = 0;

  constructor({ scope, unreadOnly, order }: ListOptions) {
    this.scope = scope;
    this.unreadOnly = unreadOnly;
    this.order = order;
  }

  /** Those that are folded under an entry: whoever has read it has read them. */
  foldedUnder({ key }: ListedEntry): readonly ListedEntry[] {
    if (this.unfolded.has(key)) return [];
    return this.rows.find(({ entry }) => entry.key === key)?.others ?? [];
  }

  toggleFold({ key }: ListedEntry): void {
    const unfolded = new Set(this.unfolded);
    if (!unfolded.delete(key)) unfolded.add(key);
    this.unfolded = unfolded;
  }

  get hasMore(): boolean {
    return this.#cursor !== null;
  }

  async load(): Promise<void> {
    this.state = 'loading';
    this.problem = '';
    try {
      const page = await this.#page(null);
      this.entries = page.entries;
      this.total = page.total;
      this.#cursor = page.next;
      this.arrived = [];
      this.state = 'ready';
      keepArticles(page.entries.map(({ contentHref }) => contentHref));
      if (this.hasMore) this.#noteNewest();
    } catch (error) {
      this.state = 'failed';
      this.problem = messageOf(error);
    }
  }

  async more(): Promise<void> {
    if (this.#cursor === null || this.isLoadingMore) return;
    this.isLoadingMore = true;
    try {
      const page = await this.#page(this.#cursor);
      const here = new Set(this.entries.map(({ key }) => key));
      this.entries = [...this.entries, ...page.entries.filter(({ key }) => !here.has(key))];
      this.#cursor = page.next;
      this.problem = '';
    } catch (error) {
      this.problem = messageOf(error);
    } finally {
      this.isLoadingMore = false;
    }
  }

  /** Whether something was published since. An empty list shows it at once; any other only says so. */
  async look(): Promise<void> {
    if (this.state !== 'ready') return;
    if (this.entries.length === 0) return this.load();
    if (this.scope.kind === 'bookmarks') return;
    try {
      const page = await this.#page(null, 'newest');
      const here = new Set(this.entries.map(({ key }) => key));
      const newest = Math.max(...this.entries.slice(0, pageSize).map(({ id }) => id ?? 0), this.#newestId);
      this.arrived = page.entries.filter(({ key, id }) => !here.has(key) && (id ?? 0) > newest);
    } catch {
      // The next look will find them.
    }
  }

  /** Puts what has arrived where it belongs. */
  async takeArrived(): Promise<void> {
    // A whole page of them: there may be more beneath.
    if (this.order === 'oldest' || this.arrived.length >= pageSize) return this.load();
    this.entries = [...this.arrived, ...this.entries];
    this.total += this.arrived.length;
    this.#newestId = Math.max(this.#newestId, ...this.arrived.map(({ id }) => id ?? 0));
    this.arrived = [];
  }

  /** Up to here the list was seen: what comes later is not marked along with it. */
  get throughId(): number {
    return Math.max(this.#newestId, ...this.entries.map(({ id }) => id ?? 0), 0);
  }

  /** Takes everything out, as when all of it was marked read. Returns how to put it back. */
  empty(): () => void {
    const { entries, total } = this;
    const cursor = this.#cursor;
    this.entries = [];
    this.total = 0;
    this.#cursor = null;
    return () => {
      this.entries = entries;
      this.total = total;
      this.#cursor = cursor;
    };
  }

  /** The list goes by date, and what was added last may be far down in it. */
  async #noteNewest(): Promise<void> {
    try {
      const { data } = await get<Page<Entry>>(
        `/api/items${query({ ...this.#filter(), view: 'brief', order_by: 'created_at', limit: 1 })}`,
      );
      this.#newestId = data[0]?.id ?? 0;
    } catch {
      // What is loaded says it well enough.
    }
  }

  #filter() {
    const { scope } = this;
    return {
      feed_id: scope.kind === 'feed' ? scope.id : undefined,
      group_id: scope.kind === 'group' ? scope.id : undefined,
      unread: this.unreadOnly ? true : undefined,
    };
  }

  async #page(
    before: string | null,
    order = this.order,
  ): Promise<{ entries: ListedEntry[]; total: number; next: string | null }> {
    if (this.scope.kind === 'bookmarks') {
      const page = await get<Page<Bookmark>>(`/api/bookmarks${query({ limit: bookmarksPageSize, before })}`);
      await outboxReady();
      return {
        entries: page.data.map((bookmark) => keep({ bookmark })),
        total: page.total,
        next: page.next_cursor,
      };
    }
    const href = `/api/items${query({ ...this.#filter(), view: 'brief', order, limit: pageSize, before })}`;
    if (before === null) noteList(href);
    const page = await get<Page<Entry>>(href);
    await outboxReady();
    const told = page.data.flatMap(({ id, duplicates }) => (duplicates ? [[id, duplicates] as const] : []));
    if (told.length > 0) this.duplicates = new Map([...this.duplicates, ...told]);
    return {
      // What the server counts as unread may have been marked here, and be on its way.
      entries: page.data.map((entry) => keep({ entry })).filter(({ unread }) => unread || !this.unreadOnly),
      total: page.total,
      next: page.next_cursor,
    };
  }
}
