// Apps that speak Fever, each in its own way: what they do is what our own API shows, and the other way round.
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { createToken } from '../../src/accounts/tokens.ts';
import type { User } from '../../src/model/user.ts';
import type { UserRows } from '../../src/store/store.ts';
import { type Client, openApi, type TestApi } from '../support/api.ts';
import { onBothEngines } from '../support/engines.ts';
import { type FeverApp, feverApps } from '../support/fever-clients.ts';
import { fill, fillMany, newFeed, published } from '../support/reader.ts';

onBothEngines('apps that speak Fever', (engine) => {
  let api: TestApi;
  let anna: User;
  let rows: UserRows;
  let own: Client;
  let work: number;
  let feeds: number[];
  let links: string[];
  let count = 0;

  beforeAll(async () => {
    api = await openApi(engine);
    return () => api.close();
  });

  /** Somebody new in each test, with feeds that nobody else has. */
  beforeEach(async () => {
    count += 1;
    anna = await api.addUser(`anna${count}`);
    links = [`https://a${count}.example/`, `https://b${count}.example/`];
    rows = api.opened.store.forUser(anna.id);
    own = await api.program(anna.username, 'write');
    work = (await rows.groups.create({ name: 'Work' })).id;
    feeds = [];
    for (const [n, link] of links.entries())
      feeds.push((await rows.feeds.create(newFeed(link, n === 0 ? 1 : work))).id);
    for (const feedId of feeds) await fillMany(api.opened.database, { userId: anna.id, feedId, count: 60 });
  });

  const ids = async (filter: { feedId?: number; unread?: boolean } = {}) =>
    rows.stream.ids({ ...filter, oldestFirst: true, limit: 1_000 });
  const unreadByOwnApi = async () => {
    const { data } = (await (await own.get('/api/items?unread=true&limit=100')).json()) as {
      data: { id: number }[];
    };
    return data.map(({ id }) => id).sort((a, b) => a - b);
  };

  it.each(Object.entries(feverApps))('%s sees, marks and stars', async (_, create) => {
    const { secret } = await createToken(api.accounts, anna, { name: 'an app', scope: 'write' });
    const app: FeverApp = create(api.visitor(), { username: anna.username, secret });
    await app.login();
    expect(await app.listFeeds()).toEqual([
      { id: feeds[0], title: links[0], url: links[0], groupId: 1 },
      { id: feeds[1], title: links[1], url: links[1], groupId: work },
    ]);
    const all = await ids();
    expect(await app.syncUnread()).toEqual(all);
    expect(app.items.size).toBe(120);

    // A mark here is a mark there.
    const some = all.slice(10, 25);
    await app.markRead(some);
    expect(await app.syncUnread()).toEqual(all.filter((id) => !some.includes(id)));
    expect(await ids({ unread: true })).toEqual(await app.syncUnread());
    await app.markUnread(some.slice(0, 5));
    expect(await ids({ unread: true })).toEqual(all.filter((id) => !some.slice(5).includes(id)));
    await app.star(some.slice(0, 3));
    expect((await rows.bookmarks.list({ limit: 10 })).bookmarks.map(({ entryId }) => entryId).sort()).toEqual(
      some.slice(0, 3).sort(),
    );
    await app.unstar(some.slice(0, 2));
    expect(await app.syncSaved()).toEqual([some[2]]);

    // And the other way round.
    await rows.entries.markAllRead({ feedId: feeds[1] });
    expect(await app.syncUnread()).toEqual(await unreadByOwnApi());
    const read = await rows.stream.ids({ unread: false, oldestFirst: true, limit: 1 });
    await rows.entries.mark(read, { read: false });
    expect(await app.syncUnread()).toContain(read[0]);

    // What comes after the app has looked stays unread.
    const until = api.clock.now();
    api.clock.advance(5_000);
    await fill(api.opened.store, links[1] ?? '', [published('new'), published('newer')]);
    await app.markAllRead({ groupId: work }, until);
    await app.markAllRead({ feedId: feeds[0] ?? 0 }, until);
    const left = await app.syncUnread();
    expect(left).toHaveLength(2);
    expect(app.items.get(left[0] ?? 0)?.title).toBe('Title of new');
    await app.markAllRead('all', api.clock.now());
    expect(await app.syncUnread()).toEqual([]);
  });

  it.each(Object.entries(feverApps))('%s is told when it is not known', async (_, create) => {
    const app = create(api.visitor(), { username: anna.username, secret: 'lectern_wrong' });
    await expect(app.login()).rejects.toThrow('Fever does not know us');
  });
});
