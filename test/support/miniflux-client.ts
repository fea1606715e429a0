// Scripted clients of Miniflux: one that logs in by username and password and calls its JSON a form, as newsboat does, and
// one that has an API token and reads by pages.
import type { Client } from './api.ts';
import { type AppAccount, type ListedFeed, type MarkScope, type ReaderApp, rising } from './reader-app.ts';

export interface MinifluxEntry {
  readonly id: number;
  readonly feed_id: number;
  readonly status: 'read' | 'unread';
  readonly starred: boolean;
  readonly title: string;
  readonly created_at: string;
  readonly [field: string]: unknown;
}

export interface MinifluxApp extends ReaderApp {
  /** The answer, and its JSON where there is any. */
  call<T = unknown>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }>;
  listEntries(query: string): Promise<MinifluxEntry[]>;
  syncSaved(): Promise<number[]>;
}

interface Habits {
  readonly headers: Record<string, string>;
  readonly pageSize: number;
}

export const newsboatLike = (client: Client, { username, secret }: AppAccount): MinifluxApp =>
  createApp(client, {
    headers: {
      Authorization: `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    pageSize: 100,
  });

export const withApiToken = (client: Client, { secret }: AppAccount): MinifluxApp =>
  createApp(client, { headers: { 'X-Auth-Token': secret, 'Content-Type': 'application/json' }, pageSize: 7 });

export const minifluxApps = { newsboatLike, withApiToken };

function createApp(client: Client, { headers, pageSize }: Habits): MinifluxApp {
  const call: MinifluxApp['call'] = async <T>(method: string, path: string, body?: unknown) => {
    const response = await client.send(method, `/v1${path}`, {
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as T };
  };
  const get = async <T>(path: string): Promise<T> => {
    const { status, body } = await call<T>('GET', path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  /** Success is an empty answer: newsboat takes anything else for a failure. */
  const put = async (path: string, body?: unknown): Promise<void> => {
    const answer = await call('PUT', path, body);
    if (answer.status !== 204 || answer.body !== undefined)
      throw new Error(`PUT ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  const setStatus = (status: 'read' | 'unread', entry_ids: readonly number[]) =>
    entry_ids.length === 0 ? Promise.resolve() : put('/entries', { entry_ids, status });
  /** There is only a way to turn a star around, so it is looked at first. */
  const setStar = async (ids: readonly number[], starred: boolean) => {
    for (const id of ids) {
      const { status, body } = await call<MinifluxEntry>('GET', `/entries/${id}`);
      if (status === 200 && body.starred !== starred) await put(`/entries/${id}/bookmark`);
    }
  };

  const app: MinifluxApp = {
    call,
    sendsMoment: true,

    async login() {
      await get('/me');
    },

    async listFeeds(): Promise<ListedFeed[]> {
      const categories = await get<{ id: number; title: string }[]>('/categories');
      const feeds =
        await get<{ id: number; title: string; feed_url: string; category: { id: number } }[]>('/feeds');
      return feeds.map(({ id, title, feed_url, category }) => {
        if (!categories.some((one) => one.id === category.id)) throw new Error(`no category ${category.id}`);
        return { id, title, url: feed_url, groupId: category.id };
      });
    },

    async listEntries(query) {
      const all: MinifluxEntry[] = [];
      for (;;) {
        const { entries, total } = await get<{ total: number; entries: MinifluxEntry[] }>(
          `/entries?${query}&limit=${pageSize}&offset=${all.length}`,
        );
        all.push(...entries);
        if (entries.length === 0 || all.length >= total) return all;
      }
    },

    syncUnread: async () => rising((await app.listEntries('status=unread&order=id')).map(({ id }) => id)),
    syncSaved: async () => rising((await app.listEntries('starred=true&order=id')).map(({ id }) => id)),

    markRead: (ids) => setStatus('read', ids),
    markUnread: (ids) => setStatus('unread', ids),
    star: (ids) => setStar(ids, true),
    unstar: (ids) => setStar(ids, false),

    /** Miniflux itself marks all that there is and no less. Up to a moment, an app names what it has seen. */
    async markAllRead(scope: MarkScope, until?: number) {
      if (until === undefined) {
        const { id } = await get<{ id: number }>('/me');
        const all =
          scope === 'all'
            ? `users/${id}`
            : 'feedId' in scope
              ? `feeds/${scope.feedId}`
              : `categories/${scope.groupId}`;
        return put(`/${all}/mark-all-as-read`);
      }
      const query =
        scope === 'all' ? '' : 'feedId' in scope ? `feed_id=${scope.feedId}` : `category_id=${scope.groupId}`;
      const seen = await app.listEntries(`status=unread&order=id&${query}`);
      const lastSecond = Math.floor(until / 1000) * 1000;
      const ids = seen.filter(({ created_at }) => Date.parse(created_at) <= lastSecond).map(({ id }) => id);
      await setStatus('read', ids);
    },
  };
  return app;
}
