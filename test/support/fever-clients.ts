// Scripted clients of Fever. They differ in how they send, in what they ask for at once, and in how they come by the items.
import { hash } from 'node:crypto';
import type { Client } from './api.ts';
import { type AppAccount, type ListedFeed, type MarkScope, type ReaderApp, rising } from './reader-app.ts';

export interface FeverItem {
  readonly id: number;
  readonly feed_id: number;
  readonly title: string;
  readonly author: string;
  readonly html: string;
  readonly url: string;
  readonly is_saved: 0 | 1;
  readonly is_read: 0 | 1;
  readonly created_on_time: number;
}

export interface FeverBody {
  readonly api_version: 3;
  readonly auth: 0 | 1;
  readonly last_refreshed_on_time: number;
  readonly groups: readonly { id: number; title: string }[];
  readonly feeds: readonly {
    id: number;
    favicon_id: number;
    title: string;
    url: string;
    site_url: string;
    is_spark: 0;
    last_updated_on_time: number;
  }[];
  readonly feeds_groups: readonly { group_id: number; feed_ids: string }[];
  readonly favicons: readonly { id: number; data: string }[];
  readonly items: readonly FeverItem[];
  readonly total_items: number;
  readonly unread_item_ids: string;
  readonly saved_item_ids: string;
  readonly links: readonly unknown[];
  readonly error?: string;
}

export interface FeverApp extends ReaderApp {
  /** The items that it keeps. */
  readonly items: ReadonlyMap<number, FeverItem>;
  syncSaved(): Promise<number[]>;
  ask(selectors: string, form?: Record<string, string>): Promise<FeverBody>;
}

interface Habits {
  /** Sends what is asked for, and what is written. */
  send(key: string, selectors: string, form: Record<string, string>): Promise<Response>;
  /** All items that are not there yet. */
  fetchItems(app: FeverApp, known: Map<number, FeverItem>, unread: readonly number[]): Promise<void>;
  /** How it names several items in marks. */
  readonly idsAtOnce: number;
}

const pageSize = 50;

/** Asks by address, sends its key and its marks as a form, and goes up from the newest item that it has. */
export const reeder = (client: Client, account: AppAccount): FeverApp =>
  createApp(account, {
    send: (key, selectors, form) =>
      client.send('POST', `/fever/?api&${selectors}`, {
        body: new URLSearchParams({ api_key: key, ...form }).toString(),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      }),
    async fetchItems(app, known) {
      for (;;) {
        const newest = Math.max(0, ...known.keys());
        const { items } = await app.ask(`items&since_id=${newest}`);
        if (items.length === 0) return;
        for (const item of items) known.set(item.id, item);
      }
    },
    idsAtOnce: 1,
  });

/** Puts everything into a body of several parts, and asks for the items by their ids. */
export const unread = (client: Client, account: AppAccount): FeverApp =>
  createApp(account, {
    send: (key, selectors, form) => {
      const body = new FormData();
      body.set('api_key', key);
      for (const [name, value] of [...new URLSearchParams(selectors), ...Object.entries(form)])
        body.set(name, value);
      return client.send('POST', '/fever?api', { body });
    },
    async fetchItems(app, known, unreadIds) {
      const missing = unreadIds.filter((id) => !known.has(id));
      for (let at = 0; at < missing.length; at += pageSize) {
        const { items } = await app.ask(`items&with_ids=${missing.slice(at, at + pageSize).join(',')}`);
        for (const item of items) known.set(item.id, item);
      }
    },
    idsAtOnce: 1,
  });

/** Puts everything into the address, its key in capitals, and goes down from the newest item; names many ids at once. */
export const feedMe = (client: Client, account: AppAccount): FeverApp =>
  createApp(account, {
    send: (key, selectors, form) =>
      client.send(
        'GET',
        `/fever.php?api&${selectors}&${new URLSearchParams({ api_key: key.toUpperCase(), ...form })}`,
      ),
    async fetchItems(app, known) {
      for (let from = 0; ; ) {
        const { items } = await app.ask(`items&max_id=${from}`);
        const oldest = items.at(-1);
        if (!oldest || items.every(({ id }) => known.has(id))) return;
        for (const item of items) known.set(item.id, item);
        from = oldest.id;
      }
    },
    idsAtOnce: 100,
  });

export const feverApps = { reeder, unread, feedMe };

function createApp({ username, secret }: AppAccount, { send, fetchItems, idsAtOnce }: Habits): FeverApp {
  const key = hash('md5', `${username}:${secret}`);
  const items = new Map<number, FeverItem>();

  const ask = async (selectors: string, form: Record<string, string> = {}): Promise<FeverBody> => {
    const response = await send(key, selectors, form);
    if (response.status !== 200)
      throw new Error(`Fever answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as FeverBody;
  };
  const mark = async (as: string, list: 'unread_item_ids' | 'saved_item_ids', ids: readonly number[]) => {
    for (let at = 0; at < ids.length; at += idsAtOnce) {
      const some = ids.slice(at, at + idsAtOnce);
      const body = await ask('', { mark: 'item', as, id: some.join(',') });
      if (typeof body[list] !== 'string') throw new Error(`the answer to ${as} lacks ${list}`);
    }
  };

  const app: FeverApp = {
    items,
    ask,
    sendsMoment: true,

    async login() {
      const { api_version, auth } = await ask('');
      if (api_version !== 3 || auth !== 1) throw new Error('Fever does not know us');
    },

    async listFeeds(): Promise<ListedFeed[]> {
      const { groups, feeds, feeds_groups } = await ask('groups&feeds');
      const known = new Set(groups.map(({ id }) => id));
      return feeds.map(({ id, title, url }) => {
        const of = feeds_groups.find(({ feed_ids }) => idsOf(feed_ids).includes(id));
        if (of && !known.has(of.group_id)) throw new Error(`there is no group ${of.group_id}`);
        return { id, title, url, groupId: of?.group_id };
      });
    },

    async syncUnread() {
      const { unread_item_ids } = await ask('unread_item_ids');
      const ids = idsOf(unread_item_ids);
      await fetchItems(app, items, ids);
      const missing = ids.filter((id) => !items.has(id));
      if (missing.length > 0) throw new Error(`unread, but not among the items: ${missing}`);
      return rising(ids);
    },

    syncSaved: async () => rising(idsOf((await ask('saved_item_ids')).saved_item_ids)),

    markRead: (ids) => mark('read', 'unread_item_ids', ids),
    markUnread: (ids) => mark('unread', 'unread_item_ids', ids),
    star: (ids) => mark('saved', 'saved_item_ids', ids),
    unstar: (ids) => mark('unsaved', 'saved_item_ids', ids),

    async markAllRead(scope: MarkScope, until?: number) {
      // It says before which second, so that it is the next one.
      const before = until === undefined ? {} : { before: String(Math.floor(until / 1000) + 1) };
      const [mark, id] =
        scope === 'all'
          ? ['group', 0]
          : 'feedId' in scope
            ? ['feed', scope.feedId]
            : ['group', scope.groupId];
      await ask('', { mark: String(mark), as: 'read', id: String(id), ...before });
    },
  };
  return app;
}

export function idsOf(text: string): number[] {
  return text === '' ? [] : text.split(',').map(Number);
}
