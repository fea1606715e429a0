// Users, feeds and entries to try things on.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import type { PublishedEntry } from '../../src/model/entry.ts';
import type { JobFence } from '../../src/model/job.ts';
import { type SiteIcon, siteOriginOf } from '../../src/model/site-icon.ts';
import type { Database } from '../../src/store/database.ts';
import { jobKind } from '../../src/store/job-queue/job-kind.ts';
import { rebuildUnread } from '../../src/store/reader/unread.ts';
import type { Store, UserRows } from '../../src/store/store.ts';

export async function addUser(store: Store, username: string, role: 'owner' | 'member' = 'member') {
  const { id } = await store.users.create({ username, passwordHash: null, role });
  return { id, rows: store.forUser(id) };
}

export const newFeed = (link: string, groupId = 1) => ({ groupId, name: link, link, siteUrl: '', proxy: '' });

export function published(guid: string, over: Partial<PublishedEntry> = {}): PublishedEntry {
  return {
    guid,
    title: `Title of ${guid}`,
    link: `https://example.org/${guid}`,
    author: '',
    content: `<p>${guid}</p>`,
    enclosures: [],
    categories: [],
    pubDate: 1_700_000_000_000,
    contentHash: `hash of ${guid}`,
    ...over,
  };
}

/** The right to write what a pull found. Each call has its own kind of job, so that calls at once cannot claim each other's job. */
export async function takeFence(store: Store): Promise<JobFence> {
  const kind = jobKind({ name: `test-pull-${randomUUID()}`, schema: z.object({}) });
  await store.jobs.enqueue(kind, {});
  const [job] = await store.jobs.settleAndClaim([], {
    holder: 'test',
    leaseMs: 600_000,
    names: [kind.name],
    total: 1,
    background: 1,
    low: 1,
    first: 'interactive',
    suspect: false,
  });
  if (!job) throw new Error('no job was claimed');
  return { id: job.id, epoch: job.epoch };
}

/** Gives a feed entries, as a pull does. */
export async function fill(
  store: Store,
  link: string,
  entries: readonly PublishedEntry[],
  at = 1_700_000_000_000,
  proxy = '',
) {
  const fence = await takeFence(store);
  const target = { link, proxy };
  const feeds = await store.pulls.findFeeds(target);
  const documents = new Map<number, Awaited<ReturnType<typeof store.pulls.putEntries>>>();
  for (const feed of feeds)
    documents.set(feed.id, await store.pulls.putEntries(fence, target, feed, entries));
  await store.pulls.settle(
    fence,
    target,
    feeds.map(({ id }) => id),
    ({ id }) => ({
      state: { last_success_at: at, next_check_at: at + 1 },
      document: documents.get(id),
    }),
    () => false,
  );
}

/** Gives a feed's site an icon, as a pull and the job after it do. */
export async function giveIcon(store: Store, link: string, icon: SiteIcon): Promise<void> {
  const target = { link, proxy: '' };
  const ids = (await store.pulls.findFeeds(target)).map(({ id }) => id);
  const origin = siteOriginOf({ ...target, siteUrl: '' });
  const state = { last_success_at: 1, site_origin: origin };
  await store.pulls.settle(
    await takeFence(store),
    target,
    ids,
    () => ({ state }),
    () => false,
  );
  await store.icons.keep(await takeFence(store), origin, icon);
}

export const listAll = (rows: UserRows, filter = {}) =>
  rows.entries.list({ order: 'pub_date', limit: 100, ...filter });

/** Gives a feed many unread entries at once, without a pull: `guid 0` is the oldest. */
export async function fillMany(
  database: Database,
  { userId, feedId, count }: { userId: number; feedId: number; count: number },
): Promise<void> {
  const perStatement = 500;
  await database.write(async (trx) => {
    for (let from = 0; from < count; from += perStatement) {
      const length = Math.min(perStatement, count - from);
      const rows = Array.from({ length }, (_, n) => {
        const { guid, title, link, author, content, contentHash } = published(`guid ${from + n}`);
        const texts = { guid, title, link, author, content, enclosures: '[]', categories: '[]' };
        const times = { pub_date: 1_600_000_000_000 + (from + n) * 1_000, created_at: 0, updated_at: 0 };
        return { user_id: userId, feed_id: feedId, ...texts, ...times, content_hash: contentHash };
      });
      await trx.insertInto('entries').values(rows).execute();
    }
    await rebuildUnread(trx);
  });
}

/** Unread rows and counts are what the durable rows say, and nothing is left to be settled. */
export async function expectDerivedIsRight(database: Database): Promise<void> {
  const read = async () => ({
    unread: await database.read.selectFrom('unread_entries').selectAll().orderBy('entry_id').execute(),
    counts: await database.read
      .selectFrom('feed_counts')
      .selectAll()
      .where('entries', '>', 0)
      .orderBy('feed_id')
      .execute(),
  });
  const before = await read();
  await database.write((trx) => rebuildUnread(trx));
  expect(before).toEqual(await read());
}
