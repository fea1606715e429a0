// The feeds and groups of this person, with their counts.
import { call, get, patch, post, remove } from '../lib/api.ts';
import type { Feed, Group } from '../lib/api-types.ts';
import { words } from '../lib/words.ts';
import { countWithChanges } from '../offline/changes.ts';
import { outboxReady, waitingChanges } from '../offline/outbox.ts';
import type { Scope } from './place.ts';

export const defaultGroupId = 1;

const names = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true });
const byName = (a: Feed, b: Feed) => names.compare(a.name, b.name);

class Subscriptions {
  /** By name: put in order when a name changes, not each time that a count does. */
  feeds = $state.raw<Feed[]>([]);
  groups = $state.raw<Group[]>([]);
  state = $state<'loading' | 'ready' | 'failed'>('loading');
  byId = $derived(new Map(this.feeds.map((feed) => [feed.id, feed])));
  unread = $derived(this.feeds.reduce((sum, feed) => sum + feed.unread_count, 0));

  async load(): Promise<void> {
    try {
      const [feeds, groups] = await Promise.all([
        get<{ data: Feed[] }>('/api/feeds'),
        get<{ data: Group[] }>('/api/groups'),
      ]);
      await outboxReady();
      const waiting = waitingChanges();
      this.feeds = feeds.data
        .map((feed) => ({ ...feed, unread_count: countWithChanges(feed.id, feed.unread_count, waiting) }))
        .sort(byName);
      this.groups = groups.data;
      this.state = 'ready';
    } catch {
      if (this.state === 'loading') this.state = 'failed';
    }
  }

  #soon: ReturnType<typeof setTimeout> | undefined;

  /** Once for all that ask for it within half a second. */
  loadSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.load();
    }, 500);
  }

  #later: ReturnType<typeof setTimeout> | undefined;

  /** Once for all that ask for it within so long. */
  loadLater(delayMs = 20_000): void {
    this.#later ??= setTimeout(() => {
      this.#later = undefined;
      this.load();
    }, delayMs);
  }

  feedsIn(scope: Scope): Feed[] {
    if (scope.kind === 'feed') return this.feeds.filter(({ id }) => id === scope.id);
    if (scope.kind === 'group') return this.feeds.filter(({ group_id }) => group_id === scope.id);
    return this.feeds;
  }

  unreadIn(scope: Scope): number {
    return this.feedsIn(scope).reduce((sum, { unread_count }) => sum + unread_count, 0);
  }

  nameOf(scope: Scope): string {
    const { views } = words().reader;
    if (scope.kind === 'feed') return this.byId.get(scope.id)?.name ?? views.feed;
    if (scope.kind === 'group') return this.groups.find(({ id }) => id === scope.id)?.name ?? views.group;
    return scope.kind === 'bookmarks' ? views.bookmarks : scope.kind === 'all' ? views.all : views.unread;
  }

  /** By how much the unread count of each feed changes. */
  adjustUnread(changes: ReadonlyMap<number, number>): void {
    if (changes.size === 0) return;
    this.feeds = this.feeds.map((feed) => {
      const change = changes.get(feed.id);
      return change ? { ...feed, unread_count: Math.max(0, feed.unread_count + change) } : feed;
    });
  }

  takeOver(feed: Partial<Feed> & { id: number }): void {
    const feeds = this.feeds.map((one) => (one.id === feed.id ? { ...one, ...feed } : one));
    this.feeds = feed.name === undefined ? feeds : feeds.sort(byName);
  }

  async follow(
    feeds: { link: string; name?: string; site_url?: string }[],
    groupId: number,
  ): Promise<Feed[]> {
    const added = await Promise.all(
      feeds.map(({ link, name, site_url }) =>
        post<{ data: Feed }>('/api/feeds', {
          link,
          group_id: groupId,
          ...(name && { name }),
          ...(site_url && { site_url }),
        }),
      ),
    );
    const list = added.map(({ data }) => data);
    const ids = new Set(list.map(({ id }) => id));
    this.feeds = [...this.feeds.filter(({ id }) => !ids.has(id)), ...list].sort(byName);
    return list;
  }

  /** Shown at once, and as it was if the server says no. */
  async change(id: number, changes: Partial<Feed>): Promise<void> {
    const before = this.byId.get(id);
    this.takeOver({ ...changes, id });
    try {
      this.takeOver((await patch<{ data: Feed }>(`/api/feeds/${id}`, changes)).data);
    } catch (error) {
      if (before) this.takeOver(before);
      throw error;
    }
  }

  async unfollow(id: number): Promise<void> {
    await remove(`/api/feeds/${id}`);
    this.feeds = this.feeds.filter((feed) => feed.id !== id);
  }

  async fetchNow(id: number): Promise<void> {
    await post(`/api/feeds/${id}/refresh`);
  }

  async addGroup(name: string): Promise<Group> {
    const { data } = await post<{ data: Group }>('/api/groups', { name });
    this.groups = [...this.groups, data];
    return data;
  }

  async renameGroup(id: number, name: string): Promise<void> {
    const { data } = await call<{ data: Group }>('PATCH', `/api/groups/${id}`, { body: { name } });
    this.groups = this.groups.map((group) => (group.id === id ? data : group));
  }

  async deleteGroup(id: number): Promise<void> {
    await remove(`/api/groups/${id}`);
    this.groups = this.groups.filter((group) => group.id !== id);
    this.feeds = this.feeds.map((feed) =>
      feed.group_id === id ? { ...feed, group_id: defaultGroupId } : feed,
    );
  }
}

export const subscriptions = new Subscriptions();
