// Having a deleted highlight back, as a copy that no sync knows.
import type { Millis } from '../../../model/glossary.ts';
import { type HighlightKind, highlightKinds, restoredSource, webSource } from '../../../model/highlight.ts';
import type { Database, Writer } from '../../database.ts';
import { idList, textList } from '../../id-list.ts';
import { letOthersIn } from '../../let-others-in.ts';
import type { EnrichJobs } from '../../pending-items.ts';
import { noteAnnotations, notePending } from '../../search/pending.ts';
import type { NewRow, Row } from '../../tables.ts';
import { rowsOf } from '../owned-rows.ts';
import { anyRows, getAnyRow } from './any-rows.ts';
import { liveRows, parents } from './live-rows.ts';
import { upsertPage } from './page-resources.ts';

/** A page that is restored is saved anew, with the job that reads it. */
export interface RestoreDeps<P> {
  readonly jobs: EnrichJobs<P>;
  readonly hashTitle: (title: string) => string;
}

export interface RestoreWork extends RestoreDeps<unknown> {
  readonly db: Database;
  readonly trx: Writer;
  readonly userId: number;
  readonly at: Millis;
}

const copiedAtOnce = 200;

/** The row of the copy: what it was part of and what went with it are there, too. */
export async function restoreReplica(
  deps: RestoreWork,
  kind: HighlightKind,
  row: Row<'annotations'>,
): Promise<{ id: number; isNew: boolean }> {
  if (kind === 'resources' && row.source === webSource) return pageAgain(deps, row);
  const { trx, userId, at } = deps;
  const present = await findCopy(deps, kind, row);
  if (present !== undefined) return { id: present, isNew: false };
  const parent = parents[kind];
  const parentId = parent && (await liveParent(deps, kind, row));
  // What it is part of may have brought it along.
  const brought = parent && (await findCopy(deps, kind, row));
  if (brought) return { id: brought, isNew: true };
  const inserted = await rowsOf(trx, userId)
    .insert(
      kind as 'annotations',
      { ...copyColumns(row, at), ...(parent && { [parent.column]: parentId }) } as NewRow<'annotations'>,
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  await bringChildren(deps, kind, new Map([[row.id, inserted.id]]), row.deleted_at);
  if (kind === 'annotations') await noteAnnotations(trx, [inserted.id]);
  if (kind === 'notes') await notePending(trx, 'note', [inserted.id]);
  return { id: inserted.id, isNew: true };
}

async function findCopy(
  { trx, userId }: RestoreWork,
  kind: HighlightKind,
  row: Row<'annotations'>,
): Promise<number | undefined> {
  const found = await liveRows(trx, userId)
    .select(kind as 'annotations')
    .select('id')
    .where('source', '=', restoredSource)
    .where('original_id', '=', String(row.id))
    .executeTakeFirst();
  return found?.id;
}

/** Pages are never copied: each is one resource, and the route to its item. */
async function pageAgain(
  deps: RestoreWork,
  row: Row<'annotations'>,
): Promise<{ id: number; isNew: boolean }> {
  const page = row as unknown as Row<'resources'>;
  const saved = { url: page.url, key: page.original_id };
  const made = await upsertPage(
    { ...deps, by: 'person' },
    { saved, isItem: page.item_id !== null, title: page.title },
  );
  if (made.isNew) await bringChildren(deps, 'resources', new Map([[row.id, made.id]]), row.deleted_at);
  return made;
}

/** The parent that it had, the one that came back under that one's name, or a copy of it. */
async function liveParent(deps: RestoreWork, kind: HighlightKind, row: Row<'annotations'>): Promise<number> {
  const parent = parents[kind];
  if (!parent) throw new Error('a resource is part of nothing');
  const parentId = (row as unknown as Record<string, number>)[parent.column] as number;
  const was = await getAnyRow(deps.trx, deps.userId, parent.kind, parentId);
  if (was.deleted_at === null) return parentId;
  const back = await liveRows(deps.trx, deps.userId)
    .select(parent.kind as 'annotations')
    .select('id')
    .where('source', '=', was.source)
    .where('original_id', '=', was.original_id)
    .executeTakeFirst();
  return back?.id ?? (await restoreReplica(deps, parent.kind, was)).id;
}

/** What went with them, and what people have said about them since. `copies`: the new ids, by those of before. */
async function bringChildren(
  deps: RestoreWork,
  kind: HighlightKind,
  copies: ReadonlyMap<number, number>,
  deletedAt: Millis | null,
): Promise<void> {
  if (copies.size === 0) return;
  const { db, trx, userId } = deps;
  const ids = idList(db, [...copies.keys()]);
  for (const child of highlightKinds) {
    const parent = parents[child];
    if (parent?.kind !== kind) continue;
    const column = parent.column as 'resource_id';
    const said = await liveRows(trx, userId)
      .select(child as 'annotations')
      .select(['id', `${column} as parentId`])
      .where(column, 'in', ids as never)
      .execute();
    for (const { id, parentId } of said) await moveChild(deps, child, id, copies.get(parentId));
    for (let after = 0; ; ) {
      const gone = await anyRows(trx, userId, child)
        .selectAll()
        .where(column, 'in', ids as never)
        .where('deleted_at', '=', deletedAt)
        .where('id', '>', after)
        .orderBy('id')
        .limit(copiedAtOnce)
        .execute();
      await copyChildren(deps, child, gone as Row<'annotations'>[], copies);
      after = gone.at(-1)?.id ?? after;
      if (gone.length < copiedAtOnce) break;
      await letOthersIn();
    }
  }
}

async function copyChildren(
  deps: RestoreWork,
  kind: HighlightKind,
  gone: readonly Row<'annotations'>[],
  parentCopies: ReadonlyMap<number, number>,
): Promise<void> {
  if (gone.length === 0) return;
  const { db, trx, userId, at } = deps;
  const column = parents[kind]?.column as 'resource_id';
  const names = gone.map(({ id }) => String(id));
  const there = await liveRows(trx, userId)
    .select(kind as 'annotations')
    .select(['id', 'original_id'])
    .where('source', '=', restoredSource)
    .where('original_id', 'in', textList(db, names) as never)
    .execute();
  const known = new Map(there.map(({ id, original_id }) => [Number(original_id), id]));
  for (const row of gone) {
    const id = known.get(row.id);
    if (id !== undefined) await moveChild(deps, kind, id, parentCopies.get(row[column]));
  }
  const missing = gone.filter(({ id }) => !known.has(id));
  if (missing.length === 0) return;
  const inserted = await rowsOf(trx, userId)
    .insertMany(
      kind as 'annotations',
      missing.map((row) => ({ ...copyColumns(row, at), [column]: parentCopies.get(row[column]) })) as never,
    )
    .returning(['id', 'original_id'])
    .execute();
  const copies = new Map(inserted.map(({ id, original_id }) => [Number(original_id), id]));
  if (kind === 'annotations') await noteAnnotations(trx, [...copies.values()]);
  if (kind === 'notes') await notePending(trx, 'note', [...copies.values()]);
  await bringChildren(deps, kind, copies, missing[0]?.deleted_at ?? null);
}

async function moveChild(
  { trx, userId, at }: RestoreWork,
  kind: HighlightKind,
  id: number,
  parentId: number | undefined,
): Promise<void> {
  await liveRows(trx, userId)
    .update(kind as 'annotations')
    .set({ [parents[kind]?.column ?? '']: parentId, updated_at: at } as Partial<NewRow<'annotations'>>)
    .where('id', '=', id)
    .execute();
}

/** As a row that no sync knows. */
function copyColumns({ id, user_id: _, ...columns }: Row<'annotations'>, at: Millis) {
  return {
    ...columns,
    source: restoredSource,
    original_id: String(id),
    deleted_at: null,
    deleted_by: '' as const,
    created_at: at,
    updated_at: at,
  };
}
