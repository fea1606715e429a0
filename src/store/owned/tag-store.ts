// Tags as a person sees them: names with the items that have them. A tag is there as long as an item has it.
import { sql } from 'kysely';
import { NotFound } from '../../errors.ts';
import type { Clock } from '../../model/glossary.ts';
import type { Writer } from '../database.ts';
import { idList } from '../id-list.ts';
import { letOthersIn } from '../let-others-in.ts';
import { noteItemFacts } from '../search/pending.ts';
import { tagsAreOf } from './item-tags.ts';
import type { Owned } from './owned-rows.ts';

/** What one transaction changes. */
const itemsAtOnce = 200;

export type TagStore = ReturnType<typeof tagStore>;

export interface Tag {
  readonly name: string;
  readonly itemCount: number;
}

export interface TagFilter {
  /** What the name has in it. */
  readonly part?: string | undefined;
  readonly sort: 'name' | 'count';
  readonly after?: Tag | undefined;
  readonly limit: number;
}

export function tagStore({ db, userId }: Owned, now: Clock) {
  return {
    /** By name, or those with the most items first. One more than the page has, when there is one. */
    async list({ part = '', sort, after, limit }: TagFilter): Promise<Tag[]> {
      const position = db.engine === 'sqlite' ? sql`instr(t.name, ${part})` : sql`strpos(t.name, ${part})`;
      const matches = part === '' ? sql`` : sql`AND ${position} > 0`;
      const beyond = !after
        ? sql``
        : sort === 'name'
          ? sql`AND name > ${after.name}`
          : sql`AND (n < ${after.itemCount} OR (n = ${after.itemCount} AND name > ${after.name}))`;
      // Deleted items keep their tags, and are few: to take them off the count is less than to ask for each item.
      const { rows } = await sql<{ name: string; n: number }>`
        SELECT name, n FROM (
          SELECT name, sum(n) AS n FROM (
            SELECT t.name, count(*) AS n FROM item_tags t WHERE t.user_id = ${userId} ${matches} GROUP BY t.name
            UNION ALL
            SELECT t.name, -count(*) AS n FROM items i CROSS JOIN item_tags t
            WHERE i.user_id = ${userId} AND i.deleted_at IS NOT NULL AND t.user_id + 0 = ${userId} AND t.item_id = i.id ${matches}
            GROUP BY t.name) AS parts
          GROUP BY name) AS counted
        WHERE n > 0 ${beyond}
        ORDER BY ${sort === 'name' ? sql`name` : sql`n DESC, name`} LIMIT ${limit + 1}`.execute(db.heavyRead);
      return rows.map(({ name, n }) => ({ name, itemCount: Number(n) }));
    },

    /** Where an item has both, it has one after. Returns how many items were changed. */
    rename: (name: string, newName: string): Promise<number> =>
      inPortions(name, async (trx, ids) => {
        if (newName === name) return false;
        await sql`
          INSERT INTO item_tags (item_id, name, user_id, created_at)
          SELECT item_id, CAST(${newName} AS text), user_id, created_at FROM item_tags
          WHERE ${tagsAreOf(db, userId)} AND item_id IN ${idList(db, ids)} AND name = ${name}
          ON CONFLICT (item_id, name) DO NOTHING`.execute(trx);
        return remove(trx, name, ids);
      }),

    delete: (name: string): Promise<number> => inPortions(name, (trx, ids) => remove(trx, name, ids)),
  };

  async function remove(trx: Writer, name: string, ids: readonly number[]): Promise<true> {
    await sql`DELETE FROM item_tags WHERE ${tagsAreOf(db, userId)} AND item_id IN ${idList(db, ids)} AND name = ${name}`.execute(
      trx,
    );
    return true;
  }

  /** Until no item has it. In small transactions: nobody waits for long. */
  async function inPortions(
    name: string,
    work: (trx: Writer, ids: readonly number[]) => Promise<boolean>,
  ): Promise<number> {
    if (!(await isThere(name))) throw new NotFound('tag');
    let changed = 0;
    for (let goesOn = true; goesOn; ) {
      await letOthersIn();
      goesOn = await db.write(async (trx) => {
        const { rows } = await sql<{ id: number; is_live: number }>`
          SELECT i.id, CASE WHEN i.deleted_at IS NULL THEN 1 ELSE 0 END AS is_live
          FROM items i WHERE i.user_id + 0 = ${userId} AND i.id IN (SELECT item_id FROM item_tags
            WHERE user_id = ${userId} AND name = ${name} ORDER BY created_at LIMIT ${sql.lit(itemsAtOnce)})
          ORDER BY i.id ${db.engine === 'postgres' ? sql`FOR UPDATE` : sql``}`.execute(trx);
        if (rows.length === 0) return false;
        const ids = rows.map(({ id }) => id);
        if (!(await work(trx, ids))) return false;
        await sql`UPDATE items SET updated_at = ${now()}
          WHERE user_id + 0 = ${userId} AND id IN ${idList(db, ids)}`.execute(trx);
        await noteItemFacts(trx, ids);
        changed += rows.filter(({ is_live }) => is_live === 1).length;
        return true;
      });
    }
    return changed;
  }

  async function isThere(name: string): Promise<boolean> {
    const { rows } = await sql`SELECT 1 FROM item_tags t CROSS JOIN items i
      WHERE t.user_id = ${userId} AND t.name = ${name} AND i.id = t.item_id AND i.deleted_at IS NULL LIMIT 1`.execute(
      db.read,
    );
    return rows.length > 0;
  }
}
