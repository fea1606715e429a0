// Saved items to try things on, as the API and the job that enriches them leave them.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { saveItem as saveByHand } from '../../src/items/save-item.ts';
import { savedUrl } from '../../src/items/save-url.ts';
import type { Files } from '../../src/library/files/files.ts';
import type { Database } from '../../src/store/database.ts';
import { upsertItem } from '../../src/store/owned/item-rows.ts';
import { notePending } from '../../src/store/search/pending.ts';
import type { Store } from '../../src/store/store.ts';
import type { Row } from '../../src/store/tables.ts';

export type ItemColumns = Partial<Row<'items'>> & { readonly tags?: readonly string[] };

/** Saved by hand, unless the columns say otherwise. */
export async function saveItem(
  database: Database,
  userId: number,
  url: string,
  { tags = [], ...columns }: ItemColumns = {},
): Promise<number> {
  return database.write(async (trx) => {
    const at = columns.created_at ?? 1_700_000_000_000;
    const fields = { title: '', titleFrom: 'person', enrichment: 'pending', savedAt: at } as const;
    const { id } = await upsertItem(database, trx, userId, savedUrl(url), fields, at);
    if (Object.keys(columns).length > 0)
      await trx.updateTable('items').set(columns).where('id', '=', id).execute();
    for (const name of tags)
      await trx
        .insertInto('item_tags')
        .values({ item_id: id, name, user_id: userId, created_at: at })
        .execute();
    await notePending(trx, 'item', [id]);
    return id;
  });
}

export async function changeItem(database: Database, id: number, columns: ItemColumns): Promise<void> {
  await database.write(async (trx) => {
    await trx.updateTable('items').set(columns).where('id', '=', id).execute();
    await notePending(trx, 'item', [id]);
  });
}

export const findItem = (database: Database, id: number): Promise<Row<'items'>> =>
  database.read.selectFrom('items').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Files first, as everywhere: the columns that name them are returned. */
export async function keepCopy(
  files: Files,
  { id, userId }: { readonly id: number; readonly userId: number },
  { text, thumbnail }: { readonly text: string; readonly thumbnail?: string },
): Promise<ItemColumns> {
  const copy = {
    'readable.html': `<p>${text}</p>`,
    'plain.txt': text,
    'meta.json': '{}',
    'chunks.jsonl': '',
  };
  for (const [name, data] of Object.entries(copy)) await files.put(`items/${id}/${name}`, data);
  if (thumbnail !== undefined) await files.put(`thumbnails/${userId}/${id}.jpg`, thumbnail);
  return {
    snapshot_key: `items/${id}`,
    snapshot_files: JSON.stringify(
      Object.fromEntries(Object.entries(copy).map(([name, data]) => [name, sha256(data)])),
    ),
    text_sha256: sha256(text),
    ...(thumbnail !== undefined && {
      thumbnail_key: `${userId}/${id}.jpg`,
      thumbnail_sha256: sha256(thumbnail),
    }),
  };
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');

interface Opened {
  readonly store: Store;
  readonly database: Database;
  readonly files: Files;
}

export const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 0xff, 0xd9]);

/** An item as enrichment leaves it: with a copy, a picture and the icon of its site. */
export async function addEnriched(
  { store, database, files }: Opened,
  userId: number,
  url: string,
): Promise<number> {
  const { item } = await saveByHand(store.forUser(userId), { url });
  const { id } = item;
  const readable = '<p>What the page says.</p>';
  await files.put(`items/${id}/readable.html`, readable);
  await files.put(`thumbnails/${userId}/${id}.jpg`, jpeg);
  await database.write(async (trx) => {
    await sql`UPDATE items SET enrichment_status = 'succeeded', enriched_at = updated_at, snapshot_key = ${`items/${id}`},
      snapshot_files = ${JSON.stringify({ 'readable.html': sha256(readable) })},
      thumbnail_key = ${`${userId}/${id}.jpg`}, thumbnail_sha256 = ${sha256(jpeg)} WHERE id = ${id}`.execute(
      trx,
    );
    await sql`INSERT INTO site_icons (origin, type, etag, tried_at, failures, bytes)
      VALUES (${new URL(url).origin}, 'image/png', '"1"', 0, 0, ${new Uint8Array([1])})
      ON CONFLICT DO NOTHING`.execute(trx);
  });
  return id;
}

/** An item as the API shows it. */
export interface ItemJson {
  readonly id: string;
  readonly url: string;
  readonly normalizedUrl: string;
  readonly title: string | null;
  readonly excerpt: string | null;
  readonly status: string;
  readonly isFavorite: boolean;
  readonly collectionId: string | null;
  readonly tags: string[];
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly thumbnailUrl: string | null;
  readonly enrichmentStatus: string;
  readonly enrichmentError: string | null;
  readonly enrichedAt: string | null;
  readonly details?: Record<string, unknown>;
}

export interface Jobs {
  readonly name: string;
  readonly payload: Record<string, string>;
  readonly lane: number;
  readonly state: number;
}

/** What waits in the queue for an item, or what has been there. */
export async function jobsOf(database: Database, itemId: string): Promise<Jobs[]> {
  const { rows } = await sql<Omit<Jobs, 'payload'> & { payload: string }>`
    SELECT name, lane, state, payload FROM jobs WHERE unique_key = ${`enrich ${itemId}`} ORDER BY id`.execute(
    database.read,
  );
  return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) }));
}

/** Many at once, without a job: `https://many.example/0` is the oldest. Returns their ids. */
export async function addMany(
  database: Database,
  userId: number,
  count: number,
  { tag, collectionId = null }: { tag?: string; collectionId?: number | null } = {},
): Promise<number[]> {
  return database.write(async (trx) => {
    const rows = Array.from({ length: count }, (_, n) => ({
      user_id: userId,
      url: `https://many.example/${n}`,
      url_key: `1:many.example/${n}`,
      collection_id: collectionId,
      enrichment_status: 'succeeded' as const,
      saved_at: n,
      created_at: n,
      updated_at: n,
    }));
    const added = await trx.insertInto('items').values(rows).returning(['id', 'created_at']).execute();
    if (tag !== undefined)
      await trx
        .insertInto('item_tags')
        .values(added.map(({ id, created_at }) => ({ item_id: id, name: tag, user_id: userId, created_at })))
        .execute();
    return added.map(({ id }) => id);
  });
}
