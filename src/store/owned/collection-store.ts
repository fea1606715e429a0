import { type RawBuilder, sql } from 'kysely';
import { Conflict, Invalid, NotFound } from '../../errors.ts';
import type { Clock } from '../../model/glossary.ts';
import type { Collection } from '../../model/item.ts';
import { isUniqueViolation } from '../constraint.ts';
import type { Reader, Writer } from '../database.ts';
import { idList } from '../id-list.ts';
import { letOthersIn } from '../let-others-in.ts';
import { requireCollection, tree } from './collection-rows.ts';
import { dropItems } from './item-routes.ts';
import { type Owned, rowsOf } from './owned-rows.ts';

/** Items that one statement changes. */
const itemBatchSize = 200;

export type CollectionStore = ReturnType<typeof collectionStore>;

export interface NewCollection {
  readonly name: string;
  readonly description: string;
  readonly parentId: number | null;
}

export type CollectionChange = { readonly [K in keyof NewCollection]?: NewCollection[K] | undefined };

export function collectionStore(owned: Owned, now: Clock) {
  const { db, userId } = owned;

  return {
    async list(): Promise<Collection[]> {
      const { rows } = await selectCollections(userId, sql``).execute(db.heavyRead);
      return rows.map(toCollection);
    },

    get: (id: number): Promise<Collection> => getCollection(db.heavyRead, userId, id),

    async create({ name, description, parentId }: NewCollection): Promise<Collection> {
      return db
        .write(async (trx) => {
          await takeTurn(trx);
          const rows = rowsOf(trx, userId);
          if (parentId !== null) await requireCollection(db, rows, parentId, 'parentId');
          const at = now();
          const { id } = await rows
            .insert('collections', { name, description, parent_id: parentId, created_at: at, updated_at: at })
            .returning('id')
            .executeTakeFirstOrThrow();
          return getCollection(trx, userId, id);
        })
        .catch(nameTaken(name));
    },

    async update(id: number, { name, description, parentId }: CollectionChange): Promise<Collection> {
      return db
        .write(async (trx) => {
          await takeTurn(trx);
          const rows = rowsOf(trx, userId);
          const before = await getCollection(trx, userId, id);
          if (parentId !== undefined && parentId !== null) {
            await requireCollection(db, rows, parentId, 'parentId');
            if ((await below(trx, id)).includes(parentId))
              throw new Invalid('parentId: a collection cannot be inside itself');
          }
          await rows
            .update('collections')
            .set({
              name: name ?? before.name,
              description: description ?? before.description,
              parent_id: parentId === undefined ? before.parentId : parentId,
              updated_at: now(),
            })
            .where('id', '=', id)
            .execute();
          return getCollection(trx, userId, id);
        })
        .catch(nameTaken(name ?? 'this name'));
    },

    /** Its items stay, in none; what is inside it moves up to where it was. */
    async delete(id: number): Promise<void> {
      await emptied(
        async (trx) => [(await getCollection(trx, userId, id)).id],
        async (trx, ids) => detach(trx, ids),
        async (trx) => {
          await moveUp(trx, await getCollection(trx, userId, id));
          await rowsOf(trx, userId).delete('collections').where('id', '=', id).execute();
        },
      );
    },

    /** With all that is inside it. Its items can be had back, in none. */
    async deleteWithItems(id: number): Promise<void> {
      await emptied(
        async (trx) => {
          await getCollection(trx, userId, id);
          return below(trx, id);
        },
        async (trx, ids) => {
          await dropItems(db, trx, userId, ids, now());
          await detach(trx, ids);
        },
        async (trx, collections) => {
          await sql`DELETE FROM collections WHERE user_id = ${userId} AND id IN ${idList(db, collections)}`.execute(
            trx,
          );
        },
      );
    },
  };

  /**
   * Empties collections and ends in the same transaction, so that a crash leaves all of it or nothing. The batches let the
   * event loop turn between statements. On SQLite other writers wait until the end: 20,000 items take 0.1 to 0.8 s, so more
   * than about 25,000 can keep a writer waiting for longer than the second that is the limit elsewhere.
   */
  async function emptied(
    find: (trx: Writer) => Promise<number[]>,
    take: (trx: Writer, itemIds: readonly number[]) => Promise<void>,
    end: (trx: Writer, collections: readonly number[]) => Promise<void>,
  ): Promise<void> {
    await db.write(async (trx) => {
      await takeTurn(trx);
      const collections = await find(trx);
      // A save into one of them either commits first, or finds the collection gone.
      if (db.engine === 'postgres')
        await sql`SELECT id FROM collections WHERE user_id = ${userId} AND id IN ${idList(db, collections)}
          ORDER BY id FOR UPDATE`.execute(trx);
      for await (const items of batches(trx, collections, sql`deleted_at IS NULL`)) await take(trx, items);
      const isInBin = sql`deleted_at IS NOT NULL AND purged_at IS NULL`;
      for await (const deleted of batches(trx, collections, isInBin)) await detach(trx, deleted);
      await end(trx, collections);
    });
  }

  /** Ids in rising order. `id > last` spares PostgreSQL the old versions of the rows that this transaction has changed. */
  async function* batches(
    trx: Writer,
    collections: readonly number[],
    which: RawBuilder<unknown>,
  ): AsyncGenerator<number[]> {
    for (let last: number | undefined = 0; last !== undefined; ) {
      const { rows } = await sql<{ id: number }>`
        SELECT id FROM items WHERE user_id = ${userId} AND ${which} AND collection_id IN ${idList(db, collections)}
          AND id > ${last}
        ORDER BY id LIMIT ${sql.lit(itemBatchSize)} ${db.engine === 'postgres' ? sql`FOR UPDATE` : sql``}`.execute(
        trx,
      );
      if (rows.length > 0) yield rows.map(({ id }) => id);
      last = rows.at(-1)?.id;
      await letOthersIn();
    }
  }

  async function detach(trx: Writer, itemIds: readonly number[]): Promise<void> {
    await sql`UPDATE items SET collection_id = NULL, updated_at = ${now()}
      WHERE user_id + 0 = ${userId} AND id IN ${idList(db, itemIds)}`.execute(trx);
  }

  /** Under a name that is free there. */
  async function moveUp(trx: Writer, { id, parentId }: Collection): Promise<void> {
    const { rows } = await selectCollections(userId, sql``).execute(trx);
    const taken = new Set(
      rows.filter((row) => row.parent_id === parentId && row.id !== id).map(({ name }) => name),
    );
    // Its own name is free from now on, also for one that is inside it.
    await rowsOf(trx, userId)
      .update('collections')
      .set({ name: `\u0001${id}` })
      .where('id', '=', id)
      .execute();
    for (const child of rows.filter((row) => row.parent_id === id)) {
      let name = child.name;
      for (let n = 2; taken.has(name); n += 1) name = `${child.name} (${n})`;
      taken.add(name);
      await rowsOf(trx, userId)
        .update('collections')
        .set({ parent_id: parentId, name, updated_at: now() })
        .where('id', '=', child.id)
        .execute();
    }
  }

  /** It and all that is inside it. */
  async function below(trx: Writer, id: number): Promise<number[]> {
    const { rows } = await sql<{
      id: number;
    }>`WITH RECURSIVE ${tree(userId, id)} SELECT id FROM tree`.execute(trx);
    return rows.map((row) => row.id);
  }

  /** One after the other: two that move at once could each end inside the other. */
  async function takeTurn(trx: Writer): Promise<void> {
    if (db.engine === 'postgres')
      await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`collections of ${userId}`}, 0))`.execute(
        trx,
      );
  }
}

interface CollectionRow {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly parent_id: number | null;
  readonly items: number;
  readonly created_at: number;
  readonly updated_at: number;
}

function selectCollections(userId: number, where: RawBuilder<unknown>) {
  return sql<CollectionRow>`
    SELECT c.id, c.name, c.description, c.parent_id, c.created_at, c.updated_at,
      (SELECT count(*) FROM items i
        WHERE i.user_id = ${userId} AND i.collection_id = c.id AND i.deleted_at IS NULL) AS items
    FROM collections c WHERE c.user_id = ${userId} ${where} ORDER BY c.name, c.id`;
}

async function getCollection(reader: Reader | Writer, userId: number, id: number): Promise<Collection> {
  const { rows } = await selectCollections(userId, sql`AND c.id = ${id}`).execute(reader);
  if (!rows[0]) throw new NotFound('collection');
  return toCollection(rows[0]);
}

function toCollection(row: CollectionRow): Collection {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    parentId: row.parent_id,
    itemCount: Number(row.items),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function nameTaken(name: string) {
  return (error: unknown): never => {
    if (isUniqueViolation(error))
      throw new Conflict(`name: a collection named "${name}" is there already`, { cause: error });
    throw error;
  };
}
