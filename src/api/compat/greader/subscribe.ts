// Following, changing and leaving feeds by the Google Reader API.
import type { z } from 'zod';
import { Conflict, Invalid, LecternError, NotFound } from '../../../errors.ts';
import { requestRefresh } from '../../../feeds/pull-jobs.ts';
import type { Feed, NewFeed } from '../../../model/feed.ts';
import { DEFAULT_GROUP_ID } from '../../../model/group.ts';
import type { UserRows } from '../../../store/store.ts';
import type { ApiDeps } from '../../context.ts';
import { address } from '../../routes/feeds.ts';
import { nameText } from '../../schemas.ts';
import { findFeedId, findGroup } from './selection.ts';
import { feedStream, parseStreamId } from './stream-id.ts';

type Rows = Pick<UserRows, 'feeds' | 'groups'>;
type Deps = Pick<ApiDeps, 'store' | 'discoverFeeds'>;

export const labelName = nameText(200);
const feedName = nameText(500);

export interface Edit {
  /** As it was sent: `feed/` and an id or an address. */
  readonly stream: string;
  readonly title: string;
  /** The label to put it under. */
  readonly add: string | undefined;
  /** The label to take it from. */
  readonly remove: string | undefined;
}

export async function subscribe(deps: Deps, rows: Rows, edit: Edit): Promise<void> {
  const named = feedOf(edit.stream);
  const link = checked('s', address, String(named));
  const id = await findFeedId(rows, link);
  if (id !== undefined) return editFeed(rows, id, edit);
  const name = edit.title === '' ? link : checked('t', feedName, edit.title);
  const groupId = edit.add === undefined ? DEFAULT_GROUP_ID : await groupNamed(rows, edit.add);
  await follow(deps, rows, { link, name, groupId, siteUrl: '', proxy: '' });
}

export async function unsubscribe(rows: Rows, { stream }: Pick<Edit, 'stream'>): Promise<void> {
  await rows.feeds.delete(await getFeedId(rows, stream));
}

export async function editSubscription(rows: Rows, edit: Edit): Promise<void> {
  await editFeed(rows, await getFeedId(rows, edit.stream), edit);
}

export interface QuickAdded {
  readonly query: string;
  readonly numResults: 0 | 1;
  readonly streamId?: string;
  readonly streamName?: string;
  readonly error?: string;
}

/** The first feed that is found at an address of whatever kind. That there is none is an answer, not an error. */
export async function quickAdd(deps: Deps, rows: Rows, text: string): Promise<QuickAdded> {
  const query = text.trim().replace(/^(feed\/)+/, '');
  if (query === '') throw new Invalid('quickadd: expected an address');
  try {
    const feed = await followFound(deps, rows, query);
    return { query, numResults: 1, streamId: feedStream(feed.id), streamName: feed.name };
  } catch (error) {
    if (!(error instanceof LecternError) || (error.status !== 400 && error.status !== 502)) throw error;
    return { query, numResults: 0, error: error.message };
  }
}

async function followFound(deps: Deps, rows: Rows, query: string): Promise<Feed> {
  const known = await findFeedId(rows, query);
  if (known !== undefined) return rows.feeds.get(known);
  const [found] = await deps.discoverFeeds(query);
  if (!found) throw new Invalid(`No feed was found at ${query}.`);
  const { title, siteUrl } = found;
  const link = checked('quickadd', address, found.link);
  const site = address.safeParse(siteUrl ?? '');
  const name = feedName.safeParse(title);
  return follow(deps, rows, {
    link,
    name: name.success ? name.data : link,
    groupId: DEFAULT_GROUP_ID,
    siteUrl: site.success ? site.data : '',
    proxy: '',
  });
}

/** One that is followed already is as good. */
async function follow({ store }: Deps, rows: Rows, feed: NewFeed): Promise<Feed> {
  let created: Feed;
  try {
    created = await rows.feeds.create(feed);
  } catch (error) {
    const id = error instanceof Conflict ? await findFeedId(rows, feed.link) : undefined;
    if (id === undefined) throw error;
    return rows.feeds.get(id);
  }
  if (created.fetchState.lastSuccessAt === 0)
    await requestRefresh(store.pulls, created, { evenSuspended: false });
  return created;
}

/** A feed has one group: one more label takes it out of the other, and without any it is in the default group. */
async function editFeed(rows: Rows, id: number, { title, add, remove }: Edit): Promise<void> {
  const name = title === '' ? undefined : checked('t', feedName, title);
  let groupId: number | undefined;
  if (add !== undefined) groupId = await groupNamed(rows, add);
  else if (remove !== undefined) {
    const feed = await rows.feeds.get(id);
    if ((await findGroup(rows, labelOf('r', remove)))?.id === feed.groupId) groupId = DEFAULT_GROUP_ID;
  }
  if (name !== undefined || groupId !== undefined) await rows.feeds.update(id, { name, groupId });
}

/** A label is there as soon as something is put under it: there is no other way to make one. */
async function groupNamed(rows: Rows, text: string): Promise<number> {
  const name = checked('a', labelName, labelOf('a', text));
  const found = await findGroup(rows, name);
  if (found) return found.id;
  try {
    return (await rows.groups.create({ name })).id;
  } catch (error) {
    const other = error instanceof Conflict ? await findGroup(rows, name) : undefined;
    if (!other) throw error;
    return other.id;
  }
}

export function labelOf(field: string, text: string): string {
  const stream = parseStreamId(text);
  if (stream?.kind !== 'label') throw new Invalid(`${field}: expected user/-/label/NAME`);
  return stream.name;
}

export function checked<T>(field: string, schema: z.ZodType<T>, text: string): T {
  const result = schema.safeParse(text);
  if (result.success) return result.data;
  throw new Invalid(`${field}: ${result.error.issues[0]?.message ?? 'not as expected'}`);
}

function feedOf(text: string): number | string {
  const stream = parseStreamId(text);
  if (stream?.kind !== 'feed') throw new Invalid('s: expected feed/ and an address or an id');
  return stream.feed;
}

async function getFeedId(rows: Rows, text: string): Promise<number> {
  const id = await findFeedId(rows, feedOf(text));
  if (id === undefined) throw new NotFound('feed');
  return id;
}
