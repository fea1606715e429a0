// Where somebody is and what is open. The address says it all, so that a link, a reload and the back button lead to the
// same place.
import { prefer, preferences } from '../lib/preferences.svelte.ts';
import { screen, transition } from '../lib/screen.svelte.ts';
import { toast } from '../lib/toasts.svelte.ts';
import { webAddress } from '../lib/web-address.ts';
import { words } from '../lib/words.ts';
import { EntryList, knownEntry, type ListedEntry, loadArticle } from './entries.svelte.ts';
import { markAllRead, markRead, setBookmark } from './marks.ts';
import {
  type ArticleRef,
  type Place,
  parsePlace,
  placeHref,
  type Scope,
  sameArticle,
  sameScope,
} from './place.ts';
import { refresh } from './refresh.svelte.ts';
import { subscriptions } from './subscriptions.svelte.ts';

export type PanelName =
  | { name: 'add'; address?: string }
  | { name: 'feed'; id: number }
  | { name: 'group'; id?: number; move?: number }
  | { name: 'deleteGroup'; id: number }
  | { name: 'keys' }
  | { name: 'type' };

/** Lists to come back to, with their place in the scroll. */
const mostLists = 8;

class Reader {
  place = $state.raw<Place>(parsePlace(location.search));
  list = $state.raw() as EntryList;
  article = $state.raw<ListedEntry | null>(null);
  /** The row that the keys act on: the open article, or one that n and p have gone to. */
  cursor = $state.raw<ListedEntry | null>(null);
  articleProblem = $state('');
  layout = $derived(screen.layout);
  focusMode = $state(false);
  drawerOpen = $state(false);
  panel = $state.raw<PanelName | null>(null);
  /** What a screen reader is told. */
  announcement = $state('');

  pane = $derived<'feeds' | 'list' | 'article'>(
    this.place.article ? 'article' : this.place.scope.kind === 'home' ? 'feeds' : 'list',
  );
  target = $derived(this.cursor ?? this.article);

  #lists = new Map<string, EntryList>();
  #listLoading: Promise<void> = Promise.resolve();
  /** By hand made unread again: scrolling past does not undo that. */
  #keptUnread = new Set<string>();

  constructor() {
    this.#showList({ fresh: true });
    this.#showArticle();
    subscriptions.load();
    addEventListener('popstate', () => {
      this.#transition(() => {
        this.place = parsePlace(location.search);
        this.#showList({ fresh: false });
        this.#showArticle();
      });
    });
  }

  // Places

  go(scope: Scope): void {
    this.drawerOpen = false;
    const isHere = sameScope(scope, this.place.scope);
    this.#navigate({ scope, article: null }, { replace: isHere && !this.place.article, fresh: true });
  }

  /** One step up: from the article to its list, from the list to the feeds. */
  up(): void {
    if (history.state?.inside) history.back();
    else if (this.place.article)
      this.#navigate({ scope: this.place.scope, article: null }, { replace: true, fresh: false });
    else this.#navigate({ scope: { kind: 'home' }, article: null }, { replace: true, fresh: false });
  }

  open(entry: ListedEntry): void {
    this.cursor = entry;
    if (sameArticle(entry.ref, this.place.article)) return;
    this.#navigate(
      { scope: this.place.scope, article: entry.ref },
      // Going from article to article leaves one step back: to the list.
      { replace: this.place.article !== null, fresh: false },
    );
  }

  /** One that the list may not have. What was open is one step back. */
  openRef(article: ArticleRef): void {
    if (sameArticle(article, this.place.article)) return;
    this.#navigate({ scope: this.place.scope, article }, { replace: false, fresh: false });
  }

  #navigate(place: Place, { replace, fresh }: { replace: boolean; fresh: boolean }): void {
    const paneBefore = this.pane;
    if (replace) history.replaceState(history.state, '', placeHref(place));
    else history.pushState({ inside: true }, '', placeHref(place));
    const change = () => {
      this.place = place;
      this.#showList({ fresh });
      this.#showArticle();
    };
    const changesPane = paneBefore !== (place.article ? 'article' : 'list');
    if (changesPane) this.#transition(change);
    else change();
  }

  /** On a phone one pane takes the place of the other; on a wide screen nothing moves. */
  #transition(change: () => void): void {
    if (this.layout === 'phone') transition(change);
    else change();
  }

  // Lists

  get unreadOnly(): boolean {
    const { kind } = this.place.scope;
    if (kind === 'unread') return true;
    if (kind === 'all' || kind === 'bookmarks') return false;
    return preferences.show === 'unread';
  }

  /** After a change of the preferences that say what lists show. */
  refreshList(): void {
    this.#showList({ fresh: false });
  }

  #showList({ fresh }: { fresh: boolean }): void {
    const { scope } = this.place;
    const key = `${placeHref({ scope, article: null })} ${this.unreadOnly} ${preferences.order}`;
    const before = this.#lists.get(key);
    if (before && (!fresh || before === this.list)) {
      if (fresh) before.load();
      this.list = before;
      return;
    }
    const list = new EntryList({ scope, unreadOnly: this.unreadOnly, order: preferences.order });
    this.#lists.delete(key);
    this.#lists.set(key, list);
    for (const oldest of [...this.#lists.keys()].slice(0, -mostLists)) this.#lists.delete(oldest);
    this.list = list;
    this.cursor = null;
    this.#listLoading = list.load();
  }

  toggleUnreadOnly(): void {
    const { kind } = this.place.scope;
    if (kind === 'bookmarks') return;
    prefer({ show: this.unreadOnly ? 'all' : 'unread' });
    if (kind === 'unread') this.go({ kind: 'all' });
    else if (kind === 'all') this.go({ kind: 'unread' });
    else this.#showList({ fresh: true });
  }

  setOrder(order: 'newest' | 'oldest'): void {
    prefer({ order });
    this.#showList({ fresh: true });
  }

  // Articles

  async #showArticle(): Promise<void> {
    const { article: ref } = this.place;
    this.articleProblem = '';
    if (!ref) {
      this.article = null;
      return;
    }
    if (sameArticle(ref, this.article?.ref ?? null)) return;
    try {
      const entry = await loadArticle(ref).catch(async (error) => {
        // Without the server, the list may know it.
        await this.#listLoading;
        const listed = knownEntry(ref);
        if (!listed) throw error;
        return listed;
      });
      if (!sameArticle(ref, this.place.article)) return;
      this.article = entry;
      if (!entry) {
        this.articleProblem = words().reader.article.missing;
        return;
      }
      this.cursor = entry;
      if (entry.unread) markRead([entry, ...this.list.foldedUnder(entry)], true);
    } catch (error) {
      this.articleProblem = error instanceof Error ? error.message : words().errors.server;
    }
  }

  /** The entry some rows on, loading more of the list when it ends there. */
  neighbour(step: number): ListedEntry | undefined {
    const entries = this.list.rows.map(({ entry }) => entry);
    const from = this.target;
    const at = from ? entries.findIndex(({ key }) => key === from.key) : -1;
    if (at < 0) return step > 0 ? entries[step - 1] : undefined;
    return entries[at + step];
  }

  async step(step: 1 | -1, { open }: { open: boolean }): Promise<void> {
    let entry = this.neighbour(step);
    if (!entry && step === 1 && this.list.hasMore) {
      await this.list.more();
      entry = this.neighbour(step);
    }
    if (!entry) return;
    if (open) this.open(entry);
    else this.cursor = entry;
  }

  // Marks

  toggleRead(entry = this.target): void {
    if (!entry) return;
    if (!entry.unread) this.#keptUnread.add(entry.key);
    else this.#keptUnread.delete(entry.key);
    markRead([entry, ...this.list.foldedUnder(entry)], entry.unread);
  }

  toggleBookmark(entry = this.target): void {
    if (entry) setBookmark(entry, !entry.bookmarked);
  }

  /** Those that have been scrolled past. */
  markPassed(entries: readonly ListedEntry[]): void {
    const passed = entries.filter((entry) => entry.unread && !this.#keptUnread.has(entry.key));
    markRead(
      passed.flatMap((entry) => [entry, ...this.list.foldedUnder(entry)]),
      true,
    );
  }

  markAll(): void {
    const { list } = this;
    if (list.scope.kind === 'bookmarks') return;
    const count = subscriptions.unreadIn(list.scope);
    if (count === 0 && list.entries.every(({ unread }) => !unread)) return;
    const { marks } = words().reader;
    const throughId = list.throughId;
    const putBack = list.unreadOnly ? list.empty() : () => {};
    if (list.unreadOnly && this.layout !== 'phone' && this.place.article)
      this.#navigate({ scope: list.scope, article: null }, { replace: true, fresh: false });
    const { undo } = markAllRead(list.scope, throughId, putBack);
    toast(marks.allDone(count), { action: { label: words().actions.undo, run: undo } });
  }

  // Around

  async refresh(): Promise<void> {
    if (subscriptions.feeds.length > 0) await refresh.start();
  }

  /** What a person would copy: the page itself, not our copy of it. */
  async copyLink(entry = this.target): Promise<void> {
    if (!entry?.link) return;
    try {
      await navigator.clipboard.writeText(entry.link);
      toast(words().actions.copied, { forMs: 2_000 });
    } catch {
      toast(entry.link, { forMs: 0 });
    }
  }

  async share(entry = this.target): Promise<void> {
    if (!entry?.link) return;
    if (!navigator.share) return this.copyLink(entry);
    try {
      await navigator.share({ title: entry.title, url: entry.link });
    } catch {
      // Somebody thought better of it.
    }
  }

  openOriginal(entry = this.target): void {
    const href = webAddress(entry?.link);
    if (href) window.open(href, '_blank', 'noopener');
  }
}

export const reader = new Reader();
