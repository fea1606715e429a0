// The item of a page lives exactly as long as somebody has a route to it, whatever happens in whatever order. Random
// histories of two users are held against a model of a few lines.
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { bookmarkPage } from '../../src/feeds/bookmark.ts';
import { changeItems, restoreItem, saveItem } from '../../src/items/save-item.ts';
import type { Store, UserRows } from '../../src/store/store.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { highlightPage, removeHighlight } from '../support/highlights.ts';
import { addUser } from '../support/reader.ts';

const day = 24 * 3_600_000;
const pages = [0, 1];
/** Addresses of one page. */
const spellings = [
  (page: number) => `https://example.org/${page}`,
  (page: number) => `http://EXAMPLE.org/${page}/`,
  (page: number) => `https://example.org:443/${page}?utm_source=feed`,
  (page: number) => `https://example.org/${page}#part`,
];

/** Of one page and one user. */
class Page {
  isThere = false;
  isLive = false;
  deletedBy: 'person' | 'routes' = 'routes';
  deletedAt = 0;
  isSaved = false;
  star: string | null = null;
  /** Went with the item, and comes back with it. */
  deletedStar: string | null = null;
  highlights = new Set<number>();

  get origins(): string[] {
    return [
      ...(this.isSaved ? ['manual'] : []),
      ...(this.star === null ? [] : ['bookmark']),
      ...(this.highlights.size > 0 ? ['highlight'] : []),
    ];
  }

  begin(): void {
    if (!this.isLive) Object.assign(this, { isSaved: false, star: null, deletedStar: null });
    Object.assign(this, { isThere: true, isLive: true });
  }

  settle(at: number): void {
    if (this.isLive && this.origins.length === 0) this.end('routes', at);
  }

  end(deletedBy: 'person' | 'routes', at: number): void {
    Object.assign(this, { isLive: false, deletedBy, deletedAt: at, deletedStar: this.star, star: null });
  }

  canBeRestored(at: number): boolean {
    return this.isThere && !this.isLive && this.deletedAt > at - 30 * day;
  }

  restore(): void {
    Object.assign(this, { isLive: true, star: this.deletedStar, deletedStar: null });
    if (this.origins.length === 0) this.isSaved = true;
  }
}

const actions = [
  'save',
  'star',
  'highlight',
  'unsave',
  'unstar',
  'unhighlight',
  'delete',
  'restore',
] as const;
const step = fc.record({
  action: fc.constantFrom(...actions),
  // Mostly one user and one page, so that much happens to them.
  who: fc.constantFrom(0, 0, 0, 1),
  page: fc.constantFrom(...pages, 0, 0),
  spelling: fc.constantFrom(...spellings.keys()),
  highlight: fc.constantFrom(1, 2),
  waitMs: fc.constantFrom(1, 1_000, 1_000, 1_000, 1_000, day, 31 * day),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Found to be rare when drawn at random. */
const histories: (typeof actions)[number][][] = [
  ['save', 'delete', 'highlight', 'restore'],
  ['save', 'highlight', 'delete', 'unhighlight', 'restore'],
  ['star', 'delete', 'save', 'delete', 'restore'],
  ['star', 'save', 'delete', 'star', 'unstar'],
  ['save', 'delete', 'star', 'delete', 'restore', 'unstar'],
];
const plainStep = (action: (typeof actions)[number]): Step => ({
  action,
  who: 0,
  page: 0,
  spelling: 0,
  highlight: 1,
  waitMs: 1_000,
});

onEachEngine('the routes to an item', (engine) => {
  let opened: Awaited<ReturnType<typeof openFreshStore>>;
  let store: Store;
  let runs = 0;

  beforeAll(async () => {
    opened = await openFreshStore(engine);
    ({ store } = opened);
    return () => store.close();
  });

  async function take(
    rows: UserRows,
    known: Page,
    { action, page, spelling, highlight }: Step,
  ): Promise<void> {
    const at = opened.clock.now();
    const url = spellings[spelling]?.(page) ?? '';
    const source = `test ${page} ${highlight}`;
    const [live] = (await rows.items.list({ limit: 50 })).filter((item) => pageOf(item.url) === page);
    const [dead] = (await rows.items.list({ limit: 50, deleted: true })).filter(
      (i) => pageOf(i.url) === page,
    );
    switch (action) {
      case 'save': {
        const { isNew } = await saveItem(rows, { url });
        expect(isNew).toBe(!known.isLive);
        known.begin();
        known.isSaved = true;
        return;
      }
      case 'star': {
        const content = `<p>${at}</p>`;
        await bookmarkPage(rows, { link: url, title: '', content, feedName: '', pubDate: 0 });
        known.begin();
        known.star ??= content;
        return;
      }
      case 'highlight':
        await highlightPage(rows, { source, url });
        // What a person has deleted is not brought back by a sync.
        if (known.isLive || known.deletedBy === 'routes') known.begin();
        known.highlights.add(highlight);
        return;
      case 'unhighlight':
        await removeHighlight(rows, source);
        known.highlights.delete(highlight);
        return known.settle(at);
      case 'unsave':
        if (!live) return;
        await changeItems(rows, { ids: [live.id], action: 'unsave', tags: [], collectionId: null });
        known.isSaved = false;
        return known.settle(at);
      case 'unstar':
        if (!live?.bookmarkId) return;
        await rows.bookmarks.delete(live.bookmarkId);
        known.star = null;
        return known.settle(at);
      case 'delete':
        if (!live) return;
        await rows.items.delete(live.id);
        return known.end('person', at);
      case 'restore':
        expect(dead !== undefined).toBe(known.canBeRestored(at));
        if (!dead) return;
        await restoreItem(rows, dead.id);
        return known.restore();
    }
  }

  async function check(rows: UserRows, userId: number, known: readonly Page[], ids: Map<number, number>) {
    const items = await rows.items.list({ limit: 50 });
    expect(items.map(({ url, origins }) => [pageOf(url), origins]).sort()).toEqual(
      pages.flatMap((page) => (known[page]?.isLive ? [[page, known[page].origins]] : [])).sort(),
    );
    for (const { id, url, hasContent, bookmarkId } of items) {
      const page = pageOf(url);
      if (!ids.has(page)) ids.set(page, id);
      expect(id).toBe(ids.get(page));
      expect(hasContent).toBe(known[page]?.star !== null);
      expect(bookmarkId !== null).toBe(known[page]?.star !== null);
    }
    const { bookmarks, total } = await rows.bookmarks.list({ limit: 50 });
    const stars = known.flatMap(({ star }) => (star === null ? [] : [star]));
    expect(bookmarks.map(({ content }) => content).sort()).toEqual(stars.sort());
    expect(total).toBe(stars.length);
    const bin = await rows.items.list({ limit: 50, deleted: true });
    const now = opened.clock.now();
    expect(bin.map(({ url }) => pageOf(url)).sort()).toEqual(
      pages.filter((page) => known[page]?.canBeRestored(now)),
    );
    const { all, deleted } = await rows.items.counts();
    expect({ all, deleted }).toEqual({ all: items.length, deleted: bin.length });
    const { rows: counted } = await sql<{ n: number }>`
      SELECT count(*) AS n FROM items WHERE user_id = ${userId}`.execute(opened.database.read);
    expect(Number(counted[0]?.n)).toBe(known.filter(({ isThere }) => isThere).length);
  }

  it('keep it exactly as long as there is one, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30, size: 'max' }), async (steps) => {
        runs += 1;
        const users = await Promise.all(
          ['anna', 'berta'].map(async (name) => ({
            ...(await addUser(store, `${name} ${runs}`)),
            known: pages.map(() => new Page()),
            ids: new Map<number, number>(),
          })),
        );
        for (const one of steps) {
          const user = users[one.who];
          const known = user?.known[one.page];
          if (!user || !known) throw new Error('there is no such user');
          opened.clock.advance(one.waitMs);
          await take(user.rows, known, one);
          await check(user.rows, user.id, user.known, user.ids);
        }
        // What one does is nothing to the other.
        for (const user of users) await check(user.rows, user.id, user.known, user.ids);
      }),
      { ...propertyRuns(20), examples: histories.map((names) => [names.map(plainStep)]) },
    );
  });

  it.each([
    ['unsave', 'unstar', 'unhighlight'],
    ['unsave', 'unhighlight', 'unstar'],
    ['unstar', 'unsave', 'unhighlight'],
    ['unstar', 'unhighlight', 'unsave'],
    ['unhighlight', 'unsave', 'unstar'],
    ['unhighlight', 'unstar', 'unsave'],
  ] as const)(
    'a page that is saved, bookmarked and highlighted is one item until the last of %s, %s, %s',
    async (...order) => {
      const { rows, id: userId } = await addUser(store, `zora ${order}`);
      const known = pages.map(() => new Page());
      const ids = new Map<number, number>();
      const [first] = known;
      if (!first) throw new Error('there is no page');
      for (const [spelling, action] of (['save', 'star', 'highlight', ...order] as const).entries()) {
        opened.clock.advance(1_000);
        await take(rows, first, { ...plainStep(action), spelling: spelling % 4 });
        await check(rows, userId, known, ids);
        expect(first.isLive).toBe(action !== order[2]);
      }
    },
  );

  it('what is deleted comes back with its star, its content, its tags and its collection', async () => {
    const { rows } = await addUser(store, 'xenia');
    const url = 'https://example.org/whole';
    const { id: collectionId } = await rows.collections.create({
      name: 'Box',
      description: '',
      parentId: null,
    });
    const star = await bookmarkPage(rows, {
      link: url,
      title: 'Starred',
      content: '<p>What it says.</p>',
      feedName: 'A feed',
      pubDate: 1_000,
    });
    const { item } = await saveItem(rows, {
      url,
      title: 'Mine',
      tags: ['a', 'b'],
      collectionId,
      isFavorite: true,
    });
    await rows.items.delete(item.id);
    expect((await rows.bookmarks.list({ limit: 10 })).bookmarks).toEqual([]);
    await expect(rows.items.get(item.id)).rejects.toThrow('item not found');
    const restored = await restoreItem(rows, item.id);
    expect(restored).toEqual({ ...item, updatedAt: restored.updatedAt });
    expect((await rows.bookmarks.list({ limit: 10 })).bookmarks).toEqual([star]);
  });
});

function pageOf(url: string): number {
  return Number(new URL(url).pathname.replaceAll('/', ''));
}
