// Apps that speak the Google Reader API, each as it is known to behave: what it sends, in which form, and what it makes of
// the answers. All are used in the same way, whatever they do underneath.
import {
  type Article,
  type Connection,
  type Contents,
  fromHexId,
  hexId,
  type Ids,
  keptUnread,
  readingList,
  readState,
  Session,
  type Subscription,
  someAtOnce,
  starredState,
} from './greader-session.ts';

export interface ListedFeed {
  readonly id: number;
  readonly title: string;
  readonly label: string | undefined;
}

export type MarkScope = { readonly feedId: number } | { readonly label: string } | 'all';

/** An app, as a person uses it. Ids are those of entries. */
export interface ReaderApp {
  /** Whether "mark all read" says up to when; otherwise it is for all that there is. */
  readonly sendsMoment: boolean;
  login(): Promise<void>;
  listFeeds(): Promise<readonly ListedFeed[]>;
  /** What is unread by the server's word, the lowest id first. */
  syncUnread(): Promise<readonly number[]>;
  markRead(ids: readonly number[]): Promise<void>;
  markUnread(ids: readonly number[]): Promise<void>;
  star(ids: readonly number[]): Promise<void>;
  unstar(ids: readonly number[]): Promise<void>;
  /** What came up to `until`, in Unix milliseconds; everything without it. */
  markAllRead(scope: MarkScope, until?: number): Promise<void>;
}

/**
 * Asks for what came since the Date of its last answer, then for all unread ids, and for the contents of those that it
 * has not got, 150 at a time. Marks everything by ids, 1,000 at a time, "mark all" included.
 */
export function netNewsWire(at: Connection): ReaderApp {
  const session = new Session(at);
  const articles = new Map<number, Article>();
  let token = '';
  let since = 0;

  const ids = async (query: string) => {
    const pages = await session.pages<Ids>(`/reader/api/0/stream/items/ids?n=1000&output=json&${query}`);
    return pages.flatMap(({ itemRefs }) => itemRefs.map(({ id }) => Number(id)));
  };
  const edit = async (some: readonly number[], action: 'a' | 'r', state: string) => {
    token ||= await (await session.get('/reader/api/0/token')).text();
    for (const portion of someAtOnce(some, 1_000)) {
      const items = portion.map((id) => ['i', hexId(id)] as const);
      await session.change('/reader/api/0/edit-tag', [['T', token], ...items, [action, state]]);
    }
  };

  const app: ReaderApp = {
    sendsMoment: true,
    login: () => session.logIn(),
    async listFeeds() {
      const { tags } = await session.json<{ tags: { id: string }[] }>('/reader/api/0/tag/list?output=json');
      const known = new Set(tags.map(({ id }) => id));
      const feeds = await session.subscriptions();
      for (const { categories } of feeds)
        for (const { id } of categories) if (!known.has(id)) throw new Error(`${id} is in no list of tags`);
      return feeds.map(toFeed);
    },
    async syncUnread() {
      // Of the first page: what comes while the others are asked for is asked for again.
      const first = await session.get(
        `/reader/api/0/stream/items/ids?n=1000&output=json&ot=${since}&s=${readingList}`,
      );
      const came = await ids(`ot=${since}&s=${readingList}`);
      since = Math.floor(Date.parse(first.headers.get('date') ?? '') / 1_000);
      const unread = await ids(`s=${readingList}&xt=${readState}`);
      const missing = [...new Set([...came, ...unread])].filter((id) => !articles.has(id));
      token ||= await (await session.get('/reader/api/0/token')).text();
      for (const portion of someAtOnce(missing, 150)) {
        const items = portion.map((id) => ['i', hexId(id)] as const);
        const answer = await session.post('/reader/api/0/stream/items/contents', [
          ['T', token],
          ['output', 'json'],
          ...items,
        ]);
        for (const article of ((await answer.json()) as Contents).items)
          articles.set(fromHexId(article.id), article);
      }
      return unread.filter((id) => articles.has(id)).sort((a, b) => a - b);
    },
    markRead: (some) => edit(some, 'a', readState),
    markUnread: (some) => edit(some, 'r', readState),
    star: (some) => edit(some, 'a', starredState),
    unstar: (some) => edit(some, 'r', starredState),
    async markAllRead(scope, until = Number.POSITIVE_INFINITY) {
      const unread = await app.syncUnread();
      const chosen = unread.filter((id) => {
        const { origin, categories, crawlTimeMsec } = articles.get(id) as Article;
        if (Number(crawlTimeMsec) > until) return false;
        if (scope === 'all') return true;
        return 'feedId' in scope
          ? origin.streamId === `feed/${scope.feedId}`
          : categories.includes(`user/-/label/${scope.label}`);
      });
      await app.markRead(chosen);
    },
  };
  return app;
}

/** Sends "x" in place of a token, knows entries by decimal ids, and says up to when in microseconds. */
export function reeder(at: Connection): ReaderApp {
  const session = new Session(at);
  return {
    ...markingByStream(session, { token: 'x', id: String, moment: (millis) => `${millis}000` }),
    login: () =>
      session.logIn([
        ['service', 'reader'],
        ['accountType', 'HOSTED'],
      ]),
    listFeeds: async () => (await session.subscriptions()).map(toFeed),
    async syncUnread() {
      const pages = await session.pages<Ids>(
        `/reader/api/0/stream/items/ids?s=${encodeURIComponent(readingList)}&n=10000&xt=${encodeURIComponent(readState)}&output=json`,
      );
      const ids = pages.flatMap(({ itemRefs }) => itemRefs.map(({ id }) => id));
      const shown: number[] = [];
      for (const some of someAtOnce(ids, 250)) {
        const form = some.map((id) => ['i', id] as const);
        const answer = await session.post('/reader/api/0/stream/items/contents?output=json', form);
        for (const { id, timestampUsec } of ((await answer.json()) as Contents).items) {
          if (!/^\d{16,}$/.test(timestampUsec)) throw new Error(`${id}: ${timestampUsec} is no time`);
          shown.push(fromHexId(id));
        }
      }
      return shown.sort((a, b) => a - b);
    },
  };
}

/** Sends no token, asks for contents without naming a stream, and says up to when in seconds. */
export function feedMe(at: Connection): ReaderApp {
  const session = new Session(at);
  return {
    ...markingByStream(session, {
      token: '',
      id: hexId,
      moment: (millis) => `${Math.floor(millis / 1_000)}`,
    }),
    login: () => session.logIn([['client', 'FeedMe']]),
    listFeeds: async () => (await session.subscriptions()).map(toFeed),
    async syncUnread() {
      const pages = await session.pages<Contents>(
        `/reader/api/0/stream/contents?output=json&n=1000&r=n&xt=${readState}&client=FeedMe`,
      );
      return unreadOf(pages);
    },
  };
}

/** Reads everything that is new, then the ids of what is unread; neither names a stream. Marks all by ids. */
export function fluentReader(at: Connection): ReaderApp {
  const session = new Session(at);
  const cameAt = new Map<number, number>();
  const edit = async (ids: readonly number[], action: 'a' | 'r', state: string) => {
    for (const some of someAtOnce(ids, 100))
      await session.change('/reader/api/0/edit-tag', [
        ...some.map((id) => ['i', hexId(id)] as const),
        [action, state],
      ]);
  };
  const app: ReaderApp = {
    sendsMoment: true,
    login: () => session.logIn(),
    listFeeds: async () => (await session.subscriptions()).map(toFeed),
    async syncUnread() {
      const pages = await session.pages<Contents>('/reader/api/0/stream/contents?output=json&n=1000');
      for (const { items } of pages)
        for (const { id, crawlTimeMsec } of items) cameAt.set(fromHexId(id), Number(crawlTimeMsec));
      const unread = await session.pages<Ids>(
        `/reader/api/0/stream/items/ids?output=json&n=1000&xt=${readState}`,
      );
      const ids = unread.flatMap(({ itemRefs }) => itemRefs.map(({ id }) => Number(id)));
      const known = unreadOf(pages);
      if (`${ids.sort((a, b) => a - b)}` !== `${known}`) throw new Error(`ids ${ids}, contents ${known}`);
      return known;
    },
    markRead: (ids) => edit(ids, 'a', readState),
    markUnread: (ids) => edit(ids, 'r', readState),
    star: (ids) => edit(ids, 'a', starredState),
    unstar: (ids) => edit(ids, 'r', starredState),
    async markAllRead(scope, until = Number.POSITIVE_INFINITY) {
      await app.syncUnread();
      const stream = scope === 'all' ? '' : `s=${encodeURIComponent(streamOf(scope))}&`;
      const pages = await session.pages<Ids>(
        `/reader/api/0/stream/items/ids?${stream}output=json&n=1000&xt=${readState}`,
      );
      const ids = pages.flatMap(({ itemRefs }) => itemRefs.map(({ id }) => Number(id)));
      await app.markRead(ids.filter((id) => (cameAt.get(id) ?? 0) <= until));
    },
  };
  return app;
}

/** newsboat 2.24 and later: one request for each feed, and one for each mark. */
export function newsboatFreshRss(at: Connection): ReaderApp {
  const session = new Session(at);
  return newsboat(session, [], async ({ id }) => {
    const path = `/reader/api/0/stream/contents/${encodeURIComponent(id)}?n=1000`;
    return unreadOf(await session.pages<Contents>(path));
  });
}

/** newsboat in its feedhq mode, which reads Atom. */
export function newsboatFeedHq(at: Connection): ReaderApp {
  const session = new Session(at);
  const login = [
    ['service', 'reader'],
    ['source', 'newsboat/2.21.0'],
    ['accountType', 'HOSTED_OR_GOOGLE'],
    ['continue', 'http://www.google.com/'],
  ] as const;
  return newsboat(session, login, async ({ id }) => {
    const xml = await (await session.get(`/reader/atom/${encodeURIComponent(id)}?n=1000`)).text();
    const unread: number[] = [];
    for (const [, entry = ''] of xml.matchAll(/<entry\b(.*?)<\/entry>/gs)) {
      const labels = [
        ...entry.matchAll(/<category [^>]*scheme="http:\/\/www\.google\.com\/reader\/"[^>]*>/g),
      ].map(([tag]) => /label="([^"]*)"/.exec(tag)?.[1] ?? '');
      const isRead = labels.includes('read');
      if (isRead === (labels.includes('fresh') || labels.includes('kept-unread')))
        throw new Error(`neither read nor unread: ${entry}`);
      if (!isRead) unread.push(fromHexId(/<id>([^<]*)<\/id>/.exec(entry)?.[1] ?? ''));
    }
    return unread;
  });
}

/** 50 at a time from each feed, and marks that name the feed beside the item. */
export function liferea(at: Connection): ReaderApp {
  const session = new Session(at);
  const feedOf = new Map<number, string>();
  const edit = async (ids: readonly number[], more: readonly (readonly [string, string])[]) => {
    const token = await (await session.get('/reader/api/0/token')).text();
    for (const id of ids)
      await session.change('/reader/api/0/edit-tag?client=liferea', [
        ['i', hexId(id)],
        ['s', feedOf.get(id) ?? ''],
        ...more,
        ['ac', 'edit-tags'],
        ['T', token],
        ['async', 'true'],
      ]);
  };
  const app: ReaderApp = {
    sendsMoment: false,
    login: () =>
      session.logIn([
        ['service', 'reader'],
        ['source', 'liferea'],
        ['continue', 'http://www.google.com'],
      ]),
    listFeeds: async () => (await session.subscriptions()).map(toFeed),
    async syncUnread() {
      const unread: number[] = [];
      for (const { id } of await session.subscriptions()) {
        const path = `/reader/api/0/stream/contents/${encodeURIComponent(id)}?client=liferea&n=50`;
        const pages = await session.pages<Contents>(path);
        for (const { items } of pages) for (const item of items) feedOf.set(fromHexId(item.id), id);
        unread.push(...unreadOf(pages));
      }
      return unread.sort((a, b) => a - b);
    },
    markRead: (ids) =>
      edit(ids, [
        ['a', readState],
        ['r', keptUnread],
      ]),
    markUnread: (ids) =>
      edit(ids, [
        ['r', readState],
        ['a', keptUnread],
        ['a', trackingKeptUnread],
      ]),
    star: (ids) => edit(ids, [['a', starredState]]),
    unstar: (ids) => edit(ids, [['r', starredState]]),
    async markAllRead(scope) {
      for (const { id, categories } of await session.subscriptions())
        if (isIn(scope, { id, categories }))
          await session.change('/reader/api/0/mark-all-as-read', [
            ['s', id],
            ['T', ''],
          ]);
    },
  };
  return app;
}

export const greaderApps: Readonly<Record<string, (at: Connection) => ReaderApp>> = {
  NetNewsWire: netNewsWire,
  Reeder: reeder,
  FeedMe: feedMe,
  'Fluent Reader': fluentReader,
  'newsboat with freshrss': newsboatFreshRss,
  'newsboat with feedhq': newsboatFeedHq,
  liferea,
};

const trackingKeptUnread = 'user/-/state/com.google/tracking-kept-unread';

type Marking = Omit<ReaderApp, 'login' | 'listFeeds' | 'syncUnread'>;

/** Marks by ids, and "mark all" by naming the stream and a moment. */
function markingByStream(
  session: Session,
  how: { token: string; id: (id: number) => string; moment: (millis: number) => string },
): Marking {
  const edit = async (ids: readonly number[], action: 'a' | 'r', state: string) => {
    for (const some of someAtOnce(ids, 250))
      await session.change('/reader/api/0/edit-tag', [
        ['T', how.token],
        ...some.map((id) => ['i', how.id(id)] as const),
        [action, state],
      ]);
  };
  return {
    sendsMoment: true,
    markRead: (ids) => edit(ids, 'a', readState),
    markUnread: (ids) => edit(ids, 'r', readState),
    star: (ids) => edit(ids, 'a', starredState),
    unstar: (ids) => edit(ids, 'r', starredState),
    async markAllRead(scope, until) {
      const stream = scope === 'all' ? readingList : streamOf(scope);
      await session.change('/reader/api/0/mark-all-as-read', [
        ['s', stream],
        ...(until === undefined ? [] : [['ts', how.moment(until)] as const]),
        ['T', how.token],
      ]);
    },
  };
}

function newsboat(
  session: Session,
  login: readonly (readonly [string, string])[],
  unreadIn: (feed: Subscription) => Promise<readonly number[]>,
): ReaderApp {
  const edit = async (ids: readonly number[], more: readonly (readonly [string, string])[]) => {
    for (const id of ids) {
      const token = await (await session.get('/reader/api/0/token')).text();
      await session.change('/reader/api/0/edit-tag', [
        ['i', hexId(id)],
        ...more,
        ['ac', 'edit'],
        ['T', token],
      ]);
    }
  };
  return {
    sendsMoment: false,
    login: () => session.logIn(login),
    listFeeds: async () => (await session.subscriptions()).map(toFeed),
    async syncUnread() {
      const unread: number[] = [];
      for (const feed of await session.subscriptions()) unread.push(...(await unreadIn(feed)));
      return unread.sort((a, b) => a - b);
    },
    markRead: (ids) =>
      edit(ids, [
        ['a', readState],
        ['r', keptUnread],
      ]),
    markUnread: (ids) =>
      edit(ids, [
        ['r', readState],
        ['a', keptUnread],
        ['a', trackingKeptUnread],
      ]),
    star: (ids) => edit(ids, [['a', starredState]]),
    unstar: (ids) => edit(ids, [['r', starredState]]),
    async markAllRead(scope) {
      const token = await (await session.get('/reader/api/0/token')).text();
      for (const feed of await session.subscriptions())
        if (isIn(scope, feed))
          await session.change('/reader/api/0/mark-all-as-read', [
            ['s', feed.id],
            ['T', token],
          ]);
    },
  };
}

function toFeed({ id, title, categories }: Subscription): ListedFeed {
  return { id: Number(id.replace(/^feed\//, '')), title, label: categories[0]?.label };
}

function streamOf(scope: Exclude<MarkScope, 'all'>): string {
  return 'feedId' in scope ? `feed/${scope.feedId}` : `user/-/label/${scope.label}`;
}

function isIn(scope: MarkScope, { id, categories }: Pick<Subscription, 'id' | 'categories'>): boolean {
  if (scope === 'all') return true;
  return 'feedId' in scope
    ? id === `feed/${scope.feedId}`
    : categories.some(({ label }) => label === scope.label);
}

/** Read only if a category says so literally. */
function unreadOf(pages: readonly Contents[]): number[] {
  const unread = pages.flatMap(({ items }) =>
    items.filter(({ categories }) => !categories.includes(readState)),
  );
  return unread.map(({ id }) => fromHexId(id)).sort((a, b) => a - b);
}
