// Marks through any app, in any order, leave what the same marks through our own API leave.
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { createToken } from '../../src/accounts/tokens.ts';
import type { User } from '../../src/model/user.ts';
import { type Client, jsonOf, openApi, type TestApi } from '../support/api.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine } from '../support/engines.ts';
import { feverApps } from '../support/fever-clients.ts';
import { greaderApps } from '../support/greader-clients.ts';
import { minifluxApps } from '../support/miniflux-client.ts';
import { fill, newFeed, published } from '../support/reader.ts';
import type { ReaderApp } from '../support/reader-app.ts';

const hour = 3_600_000;
const links = ['https://a.example/feed', 'https://b.example/feed', 'https://c.example/feed'];
const label = 'Work';
const atFirst = 9;

/** One of the two users: the same feeds, the same entries, each by its number. */
interface Person {
  readonly user: User;
  readonly own: Client;
  readonly feeds: readonly number[];
  readonly workId: number;
  ids: number[];
}

type Marks = Pick<ReaderApp, 'markRead' | 'markUnread' | 'star' | 'unstar'>;
type Scope = { readonly feed: number } | 'work' | 'all';

interface App extends Marks {
  /** Otherwise "mark all read" is for all that there is. */
  readonly sendsMoment: boolean;
  readonly syncUnread: () => Promise<readonly number[]>;
  markAll(scope: Scope, until: number): Promise<void>;
}

type Command =
  | { readonly app: string; readonly mark: keyof Marks; readonly entries: readonly number[] }
  | { readonly app: string; readonly all: Scope; readonly hoursAgo: number }
  | { readonly comes: true };

onEachEngine('marks through every app', (engine) => {
  let api: TestApi;
  let anna: Person;
  let berta: Person;
  let apps: Record<string, App>;
  const cameAt: number[] = [];

  const person = async (name: string): Promise<Person> => {
    const user = await api.addUser(name);
    const rows = api.opened.store.forUser(user.id);
    const { id: workId } = await rows.groups.create({ name: label });
    const feeds: number[] = [];
    for (const [n, link] of links.entries())
      feeds.push((await rows.feeds.create(newFeed(link, n === 2 ? workId : 1))).id);
    return { user, own: await api.program(name, 'write'), feeds, workId, ids: [] };
  };

  const rowsOf = ({ user }: Person) => api.opened.store.forUser(user.id);

  /** An entry of the feeds in turn, for both. */
  const comes = async () => {
    const n = cameAt.length;
    await fill(api.opened.store, links[n % 3] ?? '', [published(`entry ${n}`)], api.clock.now());
    cameAt.push(api.clock.now());
    api.clock.advance(hour);
    for (const one of [anna, berta])
      one.ids = await rowsOf(one).stream.ids({ oldestFirst: true, limit: 1_000 });
  };

  beforeAll(async () => {
    api = await openApi(engine);
    [anna, berta] = [await person('anna'), await person('berta')];
    for (let n = 0; n < atFirst; n += 1) await comes();
    const { secret } = await createToken(api.accounts, anna.user, { name: 'app', scope: 'write' });
    const account = { username: 'anna', secret };
    const client = api.visitor();
    apps = { own: ownApi(anna) };
    for (const [name, create] of Object.entries(greaderApps)) {
      for (const base of ['', '/api/greader.php']) {
        const app = create({ client, base, ...account });
        await app.login();
        const scopeOf = (scope: Scope) =>
          scope === 'all' ? scope : scope === 'work' ? { label } : { feedId: anna.feeds[scope.feed] ?? 0 };
        apps[`${name} at ${base || '/'}`] = {
          ...app,
          markAll: (scope, until) => app.markAllRead(scopeOf(scope), until),
        };
      }
    }
    for (const [name, create] of Object.entries({ ...feverApps, ...minifluxApps })) {
      const app = create(client, account);
      await app.login();
      const scopeOf = (scope: Scope) =>
        scope === 'all'
          ? scope
          : scope === 'work'
            ? { groupId: anna.workId }
            : { feedId: anna.feeds[scope.feed] ?? 0 };
      apps[name] = {
        ...app,
        sendsMoment: true,
        markAll: (scope, until) => app.markAllRead(scopeOf(scope), until),
      };
    }
    return () => api.close();
  });

  const unreadOf = async ({ own }: Person) =>
    (
      await jsonOf<{ data: { id: number; guid: string }[] }>(
        await own.get('/api/items?unread=true&limit=100'),
      )
    ).data;
  const starsOf = async ({ own }: Person) =>
    (
      await jsonOf<{ data: { id: number; item_id: number | null; title: string }[] }>(
        await own.get('/api/bookmarks?limit=100'),
      )
    ).data;
  const stateOf = async (one: Person) => ({
    unread: (await unreadOf(one)).map(({ guid }) => guid).sort(),
    starred: (await starsOf(one)).map(({ title }) => title).sort(),
  });

  /** As a program does it that speaks our own API. */
  function ownApi(one: Person): App {
    const { own } = one;
    const ok = async (response: Response) => {
      if (response.status >= 300) throw new Error(`${response.status} ${await response.text()}`);
    };
    return {
      sendsMoment: true,
      syncUnread: async () => (await unreadOf(one)).map(({ id }) => id),
      markRead: async (ids) => ok(await own.patch('/api/items/-/read', { ids })),
      markUnread: async (ids) => ok(await own.patch('/api/items/-/unread', { ids })),
      async star(ids) {
        for (const item_id of ids) await ok(await own.post('/api/bookmarks', { item_id }));
      },
      async unstar(ids) {
        for (const { id, item_id } of await starsOf(one))
          if (item_id !== null && ids.includes(item_id)) await ok(await own.delete(`/api/bookmarks/${id}`));
      },
      async markAll(scope, until) {
        const seen = one.ids.filter((_, n) => (cameAt[n] ?? 0) <= until);
        if (seen.length === 0) return;
        const of =
          scope === 'all'
            ? {}
            : scope === 'work'
              ? { group_id: one.workId }
              : { feed_id: one.feeds[scope.feed] };
        await ok(await own.post('/api/items/-/read-all', { ...of, through_id: seen.at(-1) }));
      },
    };
  }

  const run = async (command: Command) => {
    if ('comes' in command) return comes();
    const app = apps[command.app];
    if (!app) throw new Error(`there is no ${command.app}`);
    const reference = ownApi(berta);
    if ('mark' in command) {
      const numbers = [...new Set(command.entries.map((n) => n % cameAt.length))];
      await app[command.mark](numbers.map((n) => anna.ids[n] ?? 0));
      await reference[command.mark](numbers.map((n) => berta.ids[n] ?? 0));
    } else {
      const until = api.clock.now() - hour / 2 - (app.sendsMoment ? command.hoursAgo * hour : 0);
      await app.markAll(command.all, until);
      await reference.markAll(command.all, until);
    }
    expect(await app.syncUnread().then((ids) => [...ids].sort((a, b) => a - b))).toEqual(
      (await unreadOf(anna)).map(({ id }) => id).sort((a, b) => a - b),
    );
  };

  const startAnew = async () => {
    for (const one of [anna, berta]) {
      await rowsOf(one).entries.mark(one.ids, { read: false });
      await ownApi(one).unstar(one.ids);
    }
  };

  it('leave what the same marks through our own API leave', async () => {
    const app = fc.constantFrom(...Object.keys(apps));
    const mark = fc.constantFrom<keyof Marks>('markRead', 'markUnread', 'star', 'unstar');
    const all = fc.constantFrom<Scope>({ feed: 0 }, { feed: 1 }, { feed: 2 }, 'work', 'all');
    const command: fc.Arbitrary<Command> = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ app, mark, entries: fc.array(fc.nat(30), { minLength: 1, maxLength: 5 }) }),
      },
      { weight: 3, arbitrary: fc.record({ app, all, hoursAgo: fc.nat(12) }) },
      { weight: 1, arbitrary: fc.constant({ comes: true } as const) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 8 }), async (commands) => {
        await startAnew();
        for (const one of commands) {
          await run(one);
          expect(await stateOf(anna)).toEqual(await stateOf(berta));
        }
      }),
      propertyRuns(40),
    );
  });

  it('leave the same by each app alone', async () => {
    for (const app of Object.keys(apps)) {
      await startAnew();
      for (const command of [
        { app, mark: 'markRead', entries: [0, 4, 5] },
        { app, mark: 'star', entries: [1, 2, 5] },
        { app, mark: 'unstar', entries: [2] },
        { app, mark: 'markUnread', entries: [4] },
        { app, all: 'work', hoursAgo: 2 },
        { app, all: { feed: 0 }, hoursAgo: 4 },
        { app, all: 'all', hoursAgo: 1 },
      ] as const) {
        await run(command);
        expect([app, command, await stateOf(anna)]).toEqual([app, command, await stateOf(berta)]);
      }
    }
  });
});
