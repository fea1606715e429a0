// The collections of Raindrop beside those of a person: kept apart by their source, so that one name may be there twice.
import { sql } from 'kysely';
import type { Millis } from '../../../model/glossary.ts';
import { itemLimits } from '../../../model/item.ts';
import type { SourceCollection } from '../../../model/raindrop.ts';
import type { Database, Writer } from '../../database.ts';
import { textList } from '../../id-list.ts';
import { rowsOf } from '../owned-rows.ts';

export const raindropSource = 'raindrop';

/** All that there are. One that is gone at Raindrop goes, and its items are in none. */
export async function keepCollections(
  db: Database,
  trx: Writer,
  userId: number,
  collections: readonly SourceCollection[],
  at: Millis,
): Promise<void> {
  const rows = rowsOf(trx, userId);
  const known = await rows
    .select('collections')
    .select(['id', 'external_id', 'name', 'parent_id'])
    .where('source', '=', raindropSource)
    .execute();
  const byExternal = new Map(known.map((row) => [row.external_id, row]));
  const ids = new Map<number, number>();
  for (const { id, title } of collections) {
    const present = byExternal.get(String(id));
    ids.set(id, present?.id ?? (await insert(String(id), nameOf(title))));
  }
  for (const { id, title, parentId } of collections) {
    const present = byExternal.get(String(id));
    // One whose parent is not told of stands by itself.
    const parent =
      parentId === null || isInside(collections, parentId, id) ? null : (ids.get(parentId) ?? null);
    if (present && present.name === nameOf(title) && present.parent_id === parent) continue;
    await rows
      .update('collections')
      .set({ name: nameOf(title), parent_id: parent, updated_at: at })
      .where('id', '=', ids.get(id) as number)
      .execute();
  }
  const gone = known.filter(({ external_id }) => !ids.has(Number(external_id)));
  for (const { id } of gone) {
    await rows
      .update('items')
      .set({ collection_id: null, updated_at: at })
      .where('collection_id', '=', id)
      .execute();
    await rows.update('collections').set({ parent_id: null }).where('parent_id', '=', id).execute();
  }
  await sql`DELETE FROM collections WHERE user_id = ${userId} AND source = ${raindropSource}
    AND external_id IN ${textList(
      db,
      gone.map(({ external_id }) => external_id),
    )}`.execute(trx);

  async function insert(externalId: string, name: string): Promise<number> {
    const row = { name, parent_id: null, source: raindropSource, external_id: externalId };
    const { id } = await rows
      .insert('collections', { ...row, created_at: at, updated_at: at })
      .returning('id')
      .executeTakeFirstOrThrow();
    // Those that came before their collection did, and that nobody has put elsewhere.
    await sql`UPDATE items SET collection_id = ${id}, updated_at = ${at}
      WHERE user_id = ${userId} AND collection_id IS NULL AND deleted_at IS NULL AND id IN (
        SELECT item_id FROM raindrops WHERE user_id = ${userId} AND collection_id = ${Number(externalId)}
          AND removed_at IS NULL AND item_id IS NOT NULL)`.execute(trx);
    return id;
  }
}

function nameOf(title: string): string {
  const name = title.replace(/\s+/g, ' ').trim();
  if (name === '') return 'Untitled';
  return name.slice(0, itemLimits.collectionName).replace(/[\ud800-\udbff]$/, '');
}

/** Whether `id` is `inner`, or has it inside: a circle is no tree. */
function isInside(collections: readonly SourceCollection[], inner: number, id: number): boolean {
  const parents = new Map(collections.map((one) => [one.id, one.parentId]));
  let steps = 0;
  for (
    let at: number | null = inner;
    at !== null && steps <= parents.size;
    at = parents.get(at) ?? null, steps++
  )
    if (at === id) return true;
  return false;
}
