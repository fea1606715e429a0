// The raindrops of a user, each a route to the item of its page.
import { sql } from 'kysely';
import type { Clock, Millis } from '../../../model/glossary.ts';
import {
  type CopyStatus,
  copyStatuses,
  type HighlightedRaindrop,
  type KeptRaindrop,
  type RaindropCounts,
  type SourceCollection,
} from '../../../model/raindrop.ts';
import type { Writer } from '../../database.ts';
import { idList } from '../../id-list.ts';
import { type Lease, requireLease } from '../../lease-store.ts';
import type { NewRow } from '../../tables.ts';
import { type Owned, rowsOf } from '../owned-rows.ts';
import { keepCollections, raindropSource } from './raindrop-collections.ts';
import {
  insertNewItems,
  leaveItem,
  type RaindropBefore,
  type RouteDeps,
  routeToItem,
} from './raindrop-items.ts';

export type RaindropStore = ReturnType<typeof raindropStore>;

const rowsAtOnce = 50;
const rowsAlone = 200;
const idsAtOnce = 1_000;

export function raindropStore(owned: Owned, now: Clock) {
  const { db, userId } = owned;

  return {
    /** Of these, those that are live. */
    async known(ids: readonly number[]): Promise<Set<number>> {
      const { rows } = await sql<{ id: number }>`
        SELECT id FROM raindrops WHERE user_id + 0 = ${userId} AND id IN ${idList(db, ids)} AND removed_at IS NULL`.execute(
        db.read,
      );
      return new Set(rows.map(({ id }) => id));
    },

    /** What the texts of those must hash to that there are, removed ones too. */
    async textHashes(ids: readonly number[]): Promise<Map<number, string>> {
      const { rows } = await sql<{ id: number; hash: string }>`
        SELECT id, text_sha256 AS hash FROM raindrops WHERE user_id + 0 = ${userId} AND id IN ${idList(db, ids)}`.execute(
        db.read,
      );
      return new Map(rows.map(({ id, hash }) => [id, hash]));
    },

    /** With a lease, nothing is written once it has moved on; without one, nobody else waits for the index. */
    async upsert(raindrops: readonly KeptRaindrop[], lease?: Lease): Promise<void> {
      const atOnce = lease ? rowsAtOnce : rowsAlone;
      // Of two with one id the last holds.
      const distinct = [...new Map(raindrops.map((raindrop) => [raindrop.id, raindrop])).values()];
      for (let n = 0; n < distinct.length; n += atOnce)
        await db.write(async (trx) => {
          if (lease) await requireLease(db, trx, lease);
          await upsertSome(trx, distinct.slice(n, n + atOnce), now());
        });
    },

    async setCollections(collections: readonly SourceCollection[], lease?: Lease): Promise<void> {
      await db.write(async (trx) => {
        if (lease) await requireLease(db, trx, lease);
        await keepCollections(db, trx, userId, collections, now());
      });
    },

    /** Live ones with an id above that. */
    async ids(after: number): Promise<number[]> {
      const { rows } = await sql<{ id: number }>`
        SELECT id FROM raindrops WHERE user_id + 0 = ${userId} AND id > ${after} AND removed_at IS NULL
        ORDER BY id LIMIT ${sql.lit(idsAtOnce)}`.execute(db.read);
      return rows.map(({ id }) => id);
    },

    async counts(): Promise<RaindropCounts> {
      const { rows } = await sql<{ status: CopyStatus; removed: number; n: number }>`
        SELECT cache_status AS status, CASE WHEN removed_at IS NULL THEN 0 ELSE 1 END AS removed, count(*) AS n
        FROM raindrops WHERE user_id = ${userId} GROUP BY 1, 2`.execute(db.heavyRead);
      const sum = (wanted: (row: (typeof rows)[number]) => boolean) =>
        rows.filter(wanted).reduce((total, { n }) => total + Number(n), 0);
      const copies = copyStatuses.map((status) => [
        status,
        sum((row) => row.status === status && Number(row.removed) === 0),
      ]);
      return {
        live: sum(({ removed }) => Number(removed) === 0),
        removed: sum(({ removed }) => Number(removed) === 1),
        copies: Object.fromEntries(copies) as Record<CopyStatus, number>,
      };
    },

    async count(): Promise<number> {
      const { rows } = await sql<{ n: number }>`
        SELECT count(*) AS n FROM raindrops WHERE user_id = ${userId} AND removed_at IS NULL`.execute(
        db.heavyRead,
      );
      return Number(rows[0]?.n ?? 0);
    },

    /** Those with highlights, all of them: what is not among them has none. */
    async highlighted(): Promise<HighlightedRaindrop[]> {
      const { rows } = await sql<HighlightedRaindrop>`
        SELECT id, link, title, highlights FROM raindrops
        WHERE user_id = ${userId} AND removed_at IS NULL AND highlights <> '[]' ORDER BY id`.execute(
        db.heavyRead,
      );
      return rows;
    },
  };

  async function upsertSome(trx: Writer, raindrops: readonly KeptRaindrop[], at: Millis): Promise<void> {
    const deps: RouteDeps = { db, trx, userId, at, collections: await collectionsOf(trx) };
    const before = await findBefore(
      trx,
      raindrops.map(({ id }) => id),
    );
    const fresh = raindrops.filter(
      (raindrop): raindrop is KeptRaindrop & { saved: NonNullable<KeptRaindrop['saved']> } =>
        !before.has(raindrop.id) && raindrop.removedAt === null && raindrop.saved !== null,
    );
    const newItems = await insertNewItems(deps, fresh);
    // Whose item came with another raindrop of the same page finds it there.
    const brought = new Set<string>();
    const rows: Omit<NewRow<'raindrops'>, 'user_id'>[] = [];
    const left: RaindropBefore[] = [];
    for (const raindrop of raindrops) {
      const known = before.get(raindrop.id);
      const key = raindrop.saved?.key ?? '';
      const isNew = !known && raindrop.removedAt === null && newItems.has(key) && !brought.has(key);
      if (isNew) brought.add(key);
      const itemId = isNew
        ? (newItems.get(key) as number)
        : raindrop.removedAt === null
          ? await routeToItem(deps, raindrop, known)
          : (known?.item_id ?? null);
      rows.push(toRow(raindrop, itemId, known));
      if (known && known.removed_at === null && (raindrop.removedAt !== null || known.item_id !== itemId))
        left.push(known);
    }
    await rowsOf(trx, userId)
      .insertMany('raindrops', rows)
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((e) => {
          const columns = Object.keys(rows[0] ?? {}).filter((name) => name !== 'id');
          return Object.fromEntries(columns.map((name) => [name, e.ref(`excluded.${name}` as never)]));
        }),
      )
      .execute();
    // The rows first: an item goes only when no live raindrop is left of it.
    for (const one of left) await leaveItem(deps, one);
  }

  async function findBefore(trx: Writer, ids: readonly number[]): Promise<Map<number, RaindropBefore>> {
    const rows = await rowsOf(trx, userId)
      .select('raindrops')
      .select(['id', 'item_id', 'tags', 'is_important', 'removed_at', 'collection_id', 'cover', 'cover_at'])
      .where('id', 'in', idList(db, ids) as never)
      .execute();
    return new Map(rows.map((row) => [row.id, row]));
  }

  async function collectionsOf(trx: Writer): Promise<Map<number, number>> {
    const rows = await rowsOf(trx, userId)
      .select('collections')
      .select(['id', 'external_id'])
      .where('source', '=', raindropSource)
      .execute();
    return new Map(rows.map(({ id, external_id }) => [Number(external_id), id]));
  }
}

function toRow(
  raindrop: KeptRaindrop,
  itemId: number | null,
  before: RaindropBefore | undefined,
): Omit<NewRow<'raindrops'>, 'user_id'> {
  return {
    id: raindrop.id,
    item_id: itemId,
    link: raindrop.link,
    title: raindrop.title,
    excerpt: raindrop.excerpt,
    note: raindrop.note,
    domain: raindrop.domain,
    tags: JSON.stringify(raindrop.item.tags),
    highlights: raindrop.highlights,
    collection_id: raindrop.collectionId,
    is_important: raindrop.isImportant ? 1 : 0,
    cover: raindrop.cover,
    cover_at: before?.cover === raindrop.cover ? before.cover_at : null,
    cache_status: raindrop.copy,
    raw_sha256: raindrop.rawSha256,
    text_sha256: raindrop.textSha256,
    word_count: raindrop.wordCount,
    files: raindrop.files,
    created_at: raindrop.createdAt,
    updated_at: raindrop.updatedAt,
    removed_at: raindrop.removedAt,
  };
}
