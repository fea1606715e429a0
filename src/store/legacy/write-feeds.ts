// Groups and feeds of an old database, as rows of a user. What the user has already stays as it is, and takes the children.
import { sql } from 'kysely';
import type { Millis } from '../../model/glossary.ts';
import { siteOriginOf } from '../../model/site-icon.ts';
import type { Reader, Writer } from '../database.ts';
import { rowsOf } from '../owned/owned-rows.ts';
import { type FetchStateChange, writeState } from '../pull-store.ts';
import { notePending } from '../search/pending.ts';
import type { MayKeep } from './reserve-ids.ts';

/** `new`: with an id of ours, since its own is another's. `present`: it was there, and is left alone. */
export type Put = 'kept' | 'new' | 'present';

export interface GroupToPut {
  /** Undefined for one that cannot be kept. */
  readonly id: number | undefined;
  readonly isDefault: boolean;
  readonly name: string;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

export interface FeedToPut {
  readonly id: number | undefined;
  readonly groupId: number;
  readonly name: string;
  readonly link: string;
  readonly siteUrl: string;
  readonly suspended: boolean;
  readonly proxy: string;
  readonly readThroughId: number;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  readonly state: FetchStateChange;
}

interface Place {
  readonly userId: number;
  readonly mayKeep: MayKeep;
  readonly dryRun: boolean;
}

/** The id of its row; 0 in a dry run that would make one. */
export async function putGroup(
  trx: Writer,
  { userId, mayKeep, dryRun }: Place,
  group: GroupToPut,
  { isFirst }: { isFirst: boolean },
): Promise<{ id: number; put: Put }> {
  const rows = rowsOf(trx, userId);
  const { name, isDefault } = group;
  const own = rows.select('groups').select(['id', 'is_default']);
  const found = await (isDefault
    ? own.where('is_default', '=', 1)
    : own.where('name', '=', name)
  ).executeTakeFirst();
  const times = { created_at: group.createdAt, updated_at: group.updatedAt };
  if (found) {
    // The default group is made with its user. Into an index that was made for the import it comes by its old name.
    if (isDefault && isFirst && !dryRun)
      await rows
        .update('groups')
        .set({ name, ...times })
        .where('id', '=', found.id)
        .execute();
    return { id: found.id, put: isDefault && isFirst ? 'kept' : 'present' };
  }
  const id = (await isFree(trx, 'groups', group.id, mayKeep)) ? group.id : undefined;
  if (dryRun) return { id: 0, put: id === undefined ? 'new' : 'kept' };
  const { id: rowId } = await rows
    .insert('groups', { ...(id !== undefined && { id }), name, is_default: 0, ...times })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id: rowId, put: id === undefined ? 'new' : 'kept' };
}

export async function putFeed(
  trx: Writer,
  { userId, mayKeep, dryRun }: Place,
  feed: FeedToPut,
): Promise<{ id: number; put: Put }> {
  const rows = rowsOf(trx, userId);
  const found = await rows.select('feeds').select('id').where('link', '=', feed.link).executeTakeFirst();
  if (found) return { id: found.id, put: 'present' };
  const id = (await isFree(trx, 'feeds', feed.id, mayKeep)) ? feed.id : undefined;
  const put = id === undefined ? 'new' : 'kept';
  if (dryRun) return { id: 0, put };
  const { id: rowId } = await rows
    .insert('feeds', {
      ...(id !== undefined && { id }),
      group_id: feed.groupId,
      name: feed.name,
      link: feed.link,
      site_url: feed.siteUrl,
      suspended: feed.suspended ? 1 : 0,
      proxy: feed.proxy,
      read_through_id: feed.readThroughId,
      gone_at: null,
      moved_at: null,
      keep_entries: null,
      deleted_at: null,
      created_at: feed.createdAt,
      updated_at: feed.updatedAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await writeState(trx, rowId, { ...feed.state, site_origin: siteOriginOf(feed) }, feed.updatedAt);
  await notePending(trx, 'feed', [rowId]);
  return { id: rowId, put };
}

export interface FinishedFeed {
  readonly id: number;
  /** When it would have been pulled, had the import not ended. */
  readonly heldUntil: Millis;
  readonly nextCheckAt: Millis;
}

/** Once its entries are here. One that somebody had pulled meanwhile has its next time from that. */
export async function finishFeed(trx: Writer, { id, heldUntil, nextCheckAt }: FinishedFeed): Promise<void> {
  await noteNewest(trx, id);
  await sql`UPDATE feed_fetch_state SET next_check_at = ${nextCheckAt}
    WHERE feed_id = ${id} AND next_check_at = ${heldUntil}`.execute(trx);
}

/** Whoever follows one of these feeds next starts with what is newest here, until a pull says what the feed has. */
async function noteNewest(trx: Writer, feedId: number): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM entries WHERE feed_id = ${feedId} ORDER BY pub_date DESC, id DESC LIMIT 20`.execute(trx);
  const ids = JSON.stringify(rows.map(({ id }) => id));
  await sql`UPDATE feed_fetch_state SET document_entries = ${ids}
    WHERE feed_id = ${feedId} AND document_entries = '[]'`.execute(trx);
}

/** Ids are one range for all users. */
export async function isFree(
  reader: Reader | Writer,
  table: 'groups' | 'feeds' | 'bookmarks',
  id: number | undefined,
  mayKeep: MayKeep,
): Promise<boolean> {
  if (id === undefined || !mayKeep(table, id)) return false;
  const { rows } = await sql`SELECT 1 FROM ${sql.table(table)} WHERE id = ${id}`.execute(reader);
  return rows.length === 0;
}
