import { z } from 'zod';
import { Invalid, NotFound } from '../../../errors.ts';
import { starEntries, unstarEntries } from '../../../feeds/star.ts';
import { saveItem } from '../../../items/save-item.ts';
import { isPageAddress } from '../../../items/save-url.ts';
import type { Entry } from '../../../model/entry.ts';
import { searchText } from '../../../search/search-text.ts';
import type { Actor, ApiDeps } from '../../context.ts';
import { allFeeds } from '../../feed-portions.ts';
import { jsonList, jsonType } from '../../json-list.ts';
import { sendParts } from '../../send-parts.ts';
import { inPortions } from '../entry-portions.ts';
import { markEntries } from '../mark-entries.ts';
import { placeOfEnclosure, toEnclosure, toEntry, toFeed } from './bodies.ts';
import { type EntryFilter, parseEntryFilter } from './entry-filter.ts';
import { feedContext } from './feed-routes.ts';
import { type AddRoute, type AppContext, pathId, readBody } from './route.ts';

/** Checked by hand: a schema for each of so many would hold up everybody else. */
const entryIds = z.custom<number[]>(
  (ids) => Array.isArray(ids) && ids.length > 0 && ids.every((id) => Number.isSafeInteger(id) && id > 0),
  'expected a list of ids of entries',
);

const StatusChange = z
  .object({
    entry_ids: entryIds,
    status: z.enum(['read', 'unread']).optional(),
    starred: z.boolean().optional(),
  })
  .refine(({ status, starred }) => status !== undefined || starred !== undefined, {
    path: ['status'],
    message: 'expected read or unread',
  });

const mostIds = 10_000;
/** The best of what a search finds; the other conditions are looked at among these. */
const searchedEntries = 1_000;

export function entryRoutes(add: AddRoute, { store, now }: ApiDeps): void {
  add('get', '/entries', (c) => sendEntries(c, {}));

  add('get', '/feeds/{id}/entries', async (c) => {
    const { id: feedId } = await c.get('actor').rows.feeds.get(pathId(c));
    return sendEntries(c, { feedId });
  });

  add('get', '/categories/{id}/entries', async (c) => {
    const { id: groupId } = await c.get('actor').rows.groups.get(pathId(c));
    return sendEntries(c, { groupId });
  });

  add('get', '/entries/ids', async (c) => {
    const filter = parseEntryFilter(queryOf(c), { usual: mostIds, most: mostIds });
    const { ids, total } = await find(c.get('actor'), filter, { order: 'id', descending: true });
    return c.json({ total, entry_ids: ids });
  });

  add('put', '/entries', async (c) => {
    const { rows } = c.get('actor');
    const { entry_ids: ids, status, starred } = await readBody(c, StatusChange);
    if (status !== undefined) await markEntries(rows, ids, { read: status === 'read' });
    if (starred !== undefined) await (starred ? starEntries : unstarEntries)(rows, ids);
    return c.body(null, 204);
  });

  add('get', '/entries/{id}', async (c) => sendEntry(c, () => true));

  add('get', '/feeds/{id}/entries/{entry}', async (c) => {
    const feedId = pathId(c);
    return sendEntry(c, (entry) => entry.feedId === feedId, 'entry');
  });

  add('get', '/categories/{id}/entries/{entry}', async (c) => {
    const { rows } = c.get('actor');
    const { id } = await rows.groups.get(pathId(c));
    const ofGroup = new Set(
      (await allFeeds(rows)).filter(({ groupId }) => groupId === id).map((feed) => feed.id),
    );
    return sendEntry(c, ({ feedId }) => ofGroup.has(feedId), 'entry');
  });

  for (const word of ['bookmark', 'star'])
    add('put', `/entries/{id}/${word}`, async (c) => {
      const { rows } = c.get('actor');
      const { id, bookmarkId } = await rows.entries.get(pathId(c));
      await (bookmarkId === null ? starEntries : unstarEntries)(rows, [id]);
      return c.body(null, 204);
    });

  // What Miniflux hands to another service goes into our library.
  add('post', '/entries/{id}/save', async (c) => {
    const { rows } = c.get('actor');
    const { link } = await rows.entries.get(pathId(c));
    if (!isPageAddress(link)) throw new Invalid('the entry has no address of a page that could be saved');
    await saveItem(rows, { url: link });
    return c.body(null, 202);
  });

  add('get', '/enclosures/{id}', async (c) => {
    const { rows, user } = c.get('actor');
    const { entryId, place } = placeOfEnclosure(pathId(c));
    const [entry] = await rows.entries.getMany([entryId]);
    if (!entry?.enclosures[place]) throw new NotFound('enclosure');
    return c.json(toEnclosure(user, entry, place));
  });

  async function find(
    { rows, user }: Actor,
    { query, search, isEmpty }: EntryFilter,
    over: Partial<EntryFilter['query']>,
  ): Promise<{ ids: readonly number[]; total: number }> {
    if (isEmpty) return { ids: [], total: 0 };
    const hits =
      search &&
      (
        await searchText(
          { store, now },
          { userId: user.id, q: search, kinds: ['entry'], limit: searchedEntries },
        )
      ).hits;
    const among = hits ? hits.map(({ refId }) => refId) : undefined;
    return rows.entryQueries.find({ ...query, among, ...over });
  }

  async function sendEntries(c: AppContext, scope: { feedId?: number; groupId?: number }): Promise<Response> {
    const actor = c.get('actor');
    const filter = parseEntryFilter(queryOf(c));
    await requireScope(actor, filter);
    const { ids, total } = await find(actor, filter, scope);
    return sendParts(c, jsonType, list(actor, ids, total));
  }
}

async function* list(actor: Actor, ids: readonly number[], total: number): AsyncGenerator<string> {
  yield `{"total":${total},"entries":`;
  yield* jsonList(bodiesOf(actor, inPortions(actor.rows, ids)));
  yield '}';
}

/** A feed or category that the query names, and that is not theirs, is the query's fault. */
async function requireScope({ rows }: Actor, { query: { feedId, groupId } }: EntryFilter): Promise<void> {
  const refuse = (name: string) => (error: unknown) => {
    throw error instanceof NotFound
      ? new Invalid(`${name}: there is none with this id`, { cause: error })
      : error;
  };
  if (feedId !== undefined) await rows.feeds.get(feedId).catch(refuse('feed_id'));
  if (groupId !== undefined) await rows.groups.get(groupId).catch(refuse('category_id'));
}

async function sendEntry(c: AppContext, belongs: (entry: Entry) => boolean, name = 'id'): Promise<Response> {
  const actor = c.get('actor');
  const entry = await actor.rows.entries.get(pathId(c, name));
  if (!belongs(entry)) throw new NotFound('item');
  const [bodies = []] = await Array.fromAsync(bodiesOf(actor, [[entry]]));
  if (!bodies[0]) throw new NotFound('item');
  return c.json(bodies[0]);
}

/** Entries with their feeds, each of which is read and written once. */
async function* bodiesOf(
  actor: Actor,
  portions: Iterable<readonly Entry[]> | AsyncIterable<readonly Entry[]>,
) {
  const { rows, user } = actor;
  const context = await feedContext(actor);
  const feeds = new Map<number, ReturnType<typeof toFeed>>();
  for await (const entries of portions) {
    const unknown = [...new Set(entries.map(({ feedId }) => feedId))].filter((id) => !feeds.has(id));
    for (const feed of await rows.feeds.getMany(unknown)) feeds.set(feed.id, toFeed(context, feed));
    // A feed that is gone since has taken its entries along.
    yield entries.flatMap((entry) => {
      const feed = feeds.get(entry.feedId);
      return feed ? [toEntry(user, entry, feed)] : [];
    });
  }
}

const queryOf = (c: AppContext) => new URL(c.req.url).searchParams;
