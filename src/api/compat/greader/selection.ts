// Which entries a stream, an included and an excluded target mean, in the words of the store.
import { NotFound } from '../../../errors.ts';
import type { Group } from '../../../model/group.ts';
import type { StreamFilter } from '../../../store/owned/entry-stream.ts';
import type { UserRows } from '../../../store/store.ts';
import { allFeeds } from '../../feed-portions.ts';
import { feedStream, labelStream, parseStreamId, stateStream } from './stream-id.ts';

type Rows = Pick<UserRows, 'feeds' | 'groups'>;

export type Selection = Pick<
  StreamFilter,
  'feedId' | 'groupId' | 'unread' | 'starred' | 'exceptFeedIds' | 'arrivedFrom' | 'arrivedBefore'
>;

/** What can never be met: an entry is not in two feeds, nor read and unread. */
export const nothing = 'nothing';

export interface Stream {
  readonly id: string;
  readonly title: string;
  readonly selection: Selection | typeof nothing;
  readonly siteUrl?: string;
}

/** Throws NotFound for what this user does not have. */
export async function getStream(rows: Rows, text: string): Promise<Stream> {
  const id = parseStreamId(text);
  switch (id?.kind) {
    case 'feed': {
      const feedId = typeof id.feed === 'number' ? id.feed : await findFeedId(rows, id.feed);
      const [feed] = feedId === undefined ? [] : await rows.feeds.getMany([feedId]);
      if (!feed) throw new NotFound('stream');
      return {
        id: feedStream(feed.id),
        title: feed.name,
        selection: { feedId: feed.id },
        siteUrl: feed.siteUrl,
      };
    }
    case 'label': {
      const group = await findGroup(rows, id.name);
      if (!group) throw new NotFound('stream');
      return { id: labelStream(group.name), title: group.name, selection: { groupId: group.id } };
    }
    case 'state': {
      const selection = selectionOf(id.state);
      if (!selection) throw new NotFound('stream');
      return { id: stateStream(id.state), title: id.state, selection };
    }
    default:
      throw new NotFound('stream');
  }
}

export async function findFeedId(rows: Rows, feed: number | string): Promise<number | undefined> {
  if (typeof feed === 'number') return (await rows.feeds.getMany([feed]))[0]?.id;
  const links = [feed, ...(URL.canParse(feed) ? [new URL(feed).href] : [])];
  const [found] = (await rows.feeds.findByLinks(links)).values();
  return found;
}

/** Labels are groups; the default group is one like the others. */
export async function findGroup({ groups }: Rows, name: string): Promise<Group | undefined> {
  return (await groups.list()).find((group) => group.name === name);
}

function selectionOf(state: string): Selection | typeof nothing | undefined {
  switch (state) {
    case 'reading-list':
      return {};
    case 'read':
      return { unread: false };
    case 'unread':
    case 'kept-unread':
    case 'fresh':
      return { unread: true };
    case 'starred':
      return { starred: true };
    case 'tracking-kept-unread':
    case 'like':
    case 'broadcast':
    case 'broadcast-friends':
    case 'created':
      // What Google had for sharing: known, and nothing is in it.
      return nothing;
    default:
      return undefined;
  }
}

/** What is in both. */
export function both(a: Selection | typeof nothing, b: Selection | typeof nothing): typeof a {
  if (a === nothing || b === nothing) return nothing;
  for (const key of ['feedId', 'groupId', 'unread', 'starred'] as const) {
    if (a[key] !== undefined && b[key] !== undefined && a[key] !== b[key]) return nothing;
  }
  return { ...a, ...b, exceptFeedIds: [...(a.exceptFeedIds ?? []), ...(b.exceptFeedIds ?? [])] };
}

/** What is not in it. Of what is not there, that is everything. */
export async function allBut(rows: Rows, text: string): Promise<Selection | typeof nothing> {
  const { selection } = await getStream(rows, text).catch(nobodys);
  if (selection === nothing) return {};
  if (selection.feedId !== undefined) return { exceptFeedIds: [selection.feedId] };
  if (selection.groupId !== undefined) {
    const feeds = (await allFeeds(rows)).filter(({ groupId }) => groupId === selection.groupId);
    return { exceptFeedIds: feeds.map(({ id }) => id) };
  }
  if (selection.unread !== undefined) return { unread: !selection.unread };
  if (selection.starred !== undefined) return { starred: !selection.starred };
  return nothing;
}

export async function onlyOf(rows: Rows, text: string): Promise<Selection | typeof nothing> {
  return (await getStream(rows, text).catch(nobodys)).selection;
}

function nobodys(error: unknown): Pick<Stream, 'selection'> {
  if (error instanceof NotFound) return { selection: nothing };
  throw error;
}
