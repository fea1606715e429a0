// Two users with feeds and entries that came hour by hour, and a way for one of them to ask by the Google Reader API.
import { createToken } from '../../src/accounts/tokens.ts';
import type { Scope, User } from '../../src/model/user.ts';
import type { UserRows } from '../../src/store/store.ts';
import { type ApiOptions, type Client, openApi, type TestApi } from './api.ts';
import type { Engine } from './engines.ts';
import type { Article, Connection, Contents, Form, Ids } from './greader-session.ts';
import { fill, newFeed, published } from './reader.ts';

export const hourMs = 3_600_000;
export const links = ['https://a.example/feed', 'https://b.example/feed', 'https://c.example/feed'] as const;

export interface Archive {
  readonly api: TestApi;
  readonly user: User;
  readonly rows: UserRows;
  readonly other: UserRows;
  readonly otherUser: User;
  readonly secret: string;
  /** Feeds 0 and 1 are in the default group, feed 2 is in "Work". */
  readonly feeds: readonly number[];
  readonly workId: number;
  /** The ids of all entries, in the order in which they came: of the feeds in turn, an hour apart. */
  readonly ids: readonly number[];
  /** When the first came. */
  readonly begin: number;
  token(scope: Scope, who?: User): Promise<string>;
  connection(base?: string): Promise<Connection>;
  get(path: string, token?: string): Promise<Response>;
  post(path: string, form: Form, token?: string): Promise<Response>;
  /** The ids of a stream; "/reader/api/0/stream/items/ids?" and this. */
  idsOf(query: string): Promise<number[]>;
  contents(pathAndQuery: string): Promise<Contents>;
  article(id: number): Promise<Article>;
  unread(): Promise<number[]>;
  starred(): Promise<number[]>;
}

export async function openArchive(
  engine: Engine,
  options: ApiOptions & { hours?: number } = {},
): Promise<Archive> {
  const api = await openApi(engine, options);
  const { store } = api.opened;
  const user = await api.addUser('anna');
  const otherUser = await api.addUser('berta');
  const [rows, other] = [store.forUser(user.id), store.forUser(otherUser.id)];
  const { id: workId } = await rows.groups.create({ name: 'Work' });
  const feeds: number[] = [];
  for (const [n, link] of links.entries()) {
    const feed = {
      ...newFeed(link, n === 2 ? workId : 1),
      name: `Feed ${n}`,
      siteUrl: new URL('/', link).href,
    };
    feeds.push((await rows.feeds.create(feed)).id);
  }
  await other.feeds.create(newFeed(links[0]));
  const begin = api.clock.now();
  for (let n = 0; n < (options.hours ?? 9); n += 1) {
    // What they say of their age has nothing to do with when they came.
    const pubDate = begin - ((n * 7) % 12) * 24 * hourMs;
    await fill(store, links[n % 3] ?? '', [published(`entry ${n}`, { pubDate })], api.clock.now());
    api.clock.advance(hourMs);
  }
  const ids = await rows.stream.ids({ oldestFirst: true, limit: 10_000 });

  const token = async (scope: Scope, who = user) =>
    (await createToken(api.accounts, who, { name: `${scope} for an app`, scope })).secret;
  const secret = await token('write');
  const visitor: Client = api.visitor();
  const ask = (method: string, path: string, as: string, body?: string) =>
    visitor.send(method, path, {
      headers: { ...(as !== '' && { Authorization: `GoogleLogin auth=${as}` }) },
      ...(body !== undefined && { body }),
    });
  const get: Archive['get'] = (path, as = secret) => ask('GET', path, as);
  const json = async <T>(path: string) => (await (await get(path)).json()) as T;
  const contents: Archive['contents'] = (path) => json<Contents>(`/reader/api/0/stream/contents${path}`);

  return {
    api,
    user,
    rows,
    other,
    otherUser,
    secret,
    feeds,
    workId,
    ids,
    begin,
    token,
    connection: async (base = '') => ({
      client: visitor,
      base,
      username: 'anna',
      secret: await token('write'),
    }),
    get,
    post: (path, form, as = secret) =>
      ask('POST', path, as, new URLSearchParams(form.map(([name, value]) => [name, value])).toString()),
    idsOf: async (query) => {
      const { itemRefs } = await json<Ids>(`/reader/api/0/stream/items/ids?${query}`);
      return itemRefs.map(({ id }) => Number(id));
    },
    contents,
    article: async (id) => {
      const { items } = await json<Contents>(`/reader/api/0/stream/items/contents?i=${id}`);
      if (!items[0]) throw new Error(`${id} is not there`);
      return items[0];
    },
    unread: () => rows.stream.ids({ unread: true, oldestFirst: true, limit: 10_000 }),
    starred: () => rows.stream.ids({ starred: true, oldestFirst: true, limit: 10_000 }),
  };
}
