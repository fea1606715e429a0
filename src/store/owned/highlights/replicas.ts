// The one door to highlights which were deleted: their history, what other tools must hear of, having one back
// (restore-replica.ts), and letting go of old ones. Nothing else may read them; a test sees to it.
import { type RawBuilder, sql } from 'kysely';
import { Invalid } from '../../../errors.ts';
import type { Clock, Millis } from '../../../model/glossary.ts';
import {
  type HighlightKind,
  type HighlightRows,
  highlightKinds,
  importSources,
  type Resource,
  restoredSource,
} from '../../../model/highlight.ts';
import type { Database, Reader, Writer } from '../../database.ts';
import { idList } from '../../id-list.ts';
import { letOthersIn } from '../../let-others-in.ts';
import type { NewRow, Row } from '../../tables.ts';
import { type Owned, rowsOf } from '../owned-rows.ts';
import { anyRows, getAnyRow } from './any-rows.ts';
import { toHighlight } from './highlight-rows.ts';
import { liveRows, names, parents } from './live-rows.ts';
import { type RestoreDeps, restoreReplica } from './restore-replica.ts';

export type ReplicaStore = ReturnType<typeof replicaStore>;

export interface ChangedAfter {
  readonly updatedAt: Millis;
  readonly id: number;
}

interface WriteDeps {
  readonly db: Database;
  readonly trx: Writer;
  readonly userId: number;
  readonly at: Millis;
}

const purgedAtOnce = 500;

export function replicaStore({ db, userId }: Owned, now: Clock) {
  const all = (kind: HighlightKind, reader: Reader | Writer = db.read) => anyRows(reader, userId, kind);
  const getAny = (reader: Reader | Writer, kind: HighlightKind, id: number) =>
    getAnyRow(reader, userId, kind, id);
  const toRows = <K extends HighlightKind>(kind: K, rows: readonly unknown[]) =>
    rows.map((row) => (toHighlight[kind] as (row: unknown) => HighlightRows[K])(row));

  return {
    /** In the order in which they changed; deleted ones too if they are wanted. */
    async changedAfter<K extends HighlightKind>(
      kind: K,
      { updatedAt, id }: ChangedAfter,
      { includeDeleted, limit }: { includeDeleted: boolean; limit: number },
    ): Promise<HighlightRows[K][]> {
      const rows = await all(kind)
        .selectAll()
        .where(sql<boolean>`(updated_at, id) > (${updatedAt}, ${id})`)
        .$if(!includeDeleted, (query) => query.where('deleted_at', 'is', null))
        .orderBy('updated_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      return toRows(kind, rows);
    },

    /** The last deleted first, without those that came back under the same name or were restored. */
    async deleted<K extends HighlightKind>(
      kind: K,
      before: { readonly deletedAt: Millis; readonly id: number } | undefined,
      limit: number,
    ): Promise<HighlightRows[K][]> {
      const rows = await all(kind, db.heavyRead)
        .selectAll()
        .where('deleted_at', 'is not', null)
        .$if(before !== undefined, (query) =>
          query.where(sql<boolean>`(deleted_at, id) < (${before?.deletedAt}, ${before?.id})`),
        )
        .where(hasNotComeBack(kind))
        .orderBy('deleted_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return toRows(kind, rows);
    },

    /** Deleted ones about which something is said that is not deleted: resources, and annotations with comments. */
    async stillSpokenOf(): Promise<{ resourceIds: number[]; annotations: HighlightRows['annotations'][] }> {
      const hasLive = (table: HighlightKind, child: HighlightKind) =>
        sql<boolean>`EXISTS (SELECT 1 FROM ${sql.table(child)} AS part
          WHERE ${sql.ref(`part.${parents[child]?.column}`)} = ${sql.ref(`${table}.id`)} AND part.deleted_at IS NULL)`;
      const resources = await all('resources', db.heavyRead)
        .select('id')
        .where('deleted_at', 'is not', null)
        .where((e) => e.or([hasLive('resources', 'annotations'), hasLive('resources', 'notes')]))
        .orderBy('id')
        .execute();
      const annotations = await all('annotations', db.heavyRead)
        .selectAll()
        .where('deleted_at', 'is not', null)
        .where(hasLive('annotations', 'comments'))
        .orderBy('id')
        .execute();
      return { resourceIds: resources.map(({ id }) => id), annotations: toRows('annotations', annotations) };
    },

    async countDeleted(): Promise<number> {
      const { n } = await all('annotations', db.heavyRead)
        .select((e) => e.fn.countAll<number>().as('n'))
        .where('deleted_at', 'is not', null)
        .where(hasNotComeBack('annotations'))
        .executeTakeFirstOrThrow();
      return Number(n);
    },

    /** Every row that its source called the same, the newest first. */
    async history<K extends HighlightKind>(kind: K, id: number): Promise<HighlightRows[K][]> {
      const row = await getAny(db.read, kind, id);
      const rows = await all(kind)
        .selectAll()
        .where('source', '=', row.source)
        .where('original_id', '=', row.original_id)
        .orderBy('id', 'desc')
        .execute();
      return toRows(kind, rows);
    },

    /**
     * A copy that no sync deletes. What it is part of is restored with it if it has gone, and what went with it comes
     * back with it. Asked again, it answers with the copy that there is.
     */
    async restore<K extends HighlightKind, P>(
      kind: K,
      id: number,
      deps: RestoreDeps<P>,
    ): Promise<{ row: HighlightRows[K]; isNew: boolean }> {
      return db.write(async (trx) => {
        const at = await takeChangeTurn(db, trx, userId, now);
        const row = await getAny(trx, kind, id);
        if (row.deleted_at === null) throw new Invalid(`this ${names[kind]} was not deleted`);
        const { id: copyId, isNew } = await restoreReplica(
          { db, trx, userId, at, ...(deps as RestoreDeps<unknown>) },
          kind,
          row,
        );
        const copy = await getAny(trx, kind, copyId);
        return { row: toHighlight[kind](copy as never), isNew };
      });
    },

    /**
     * Lets go of replicas that were deleted before then and that nothing live stands on. Returns how many. What a person
     * deleted of an import stays, since the next import would bring it back.
     */
    async purge(before: Millis, { dryRun }: { dryRun: boolean }): Promise<Record<HighlightKind, number>> {
      const purged = { resources: 0, annotations: 0, comments: 0, notes: 0 };
      // Children first: a row that another stands on stays.
      for (const kind of ['comments', 'notes', 'annotations', 'resources'] as const) {
        for (let after = 0; ; ) {
          const ids = await db.write(async (trx) => {
            // Nobody says anything meanwhile about what is let go of.
            await takeChangeTurn(db, trx, userId, now);
            const found = await all(kind, trx)
              .select('id')
              .where(mayGo(kind, before))
              .where('id', '>', after)
              .where(standsAlone(kind, before))
              .orderBy('id')
              .limit(purgedAtOnce)
              .execute();
            if (!dryRun && found.length > 0)
              await rowsOf(trx, userId)
                .delete(kind as 'annotations')
                .where(
                  'id',
                  'in',
                  idList(
                    db,
                    found.map((row) => row.id),
                  ) as never,
                )
                .execute();
            return found.map((row) => row.id);
          });
          purged[kind] += ids.length;
          after = ids.at(-1) ?? after;
          if (ids.length < purgedAtOnce) break;
          await letOthersIn();
        }
      }
      return purged;
    },
  };

  /** Neither under its own name nor as a copy; a copy that was deleted in turn stands for it. */
  function hasNotComeBack(kind: HighlightKind) {
    const own = (column: string) => sql.ref(`${kind}.${column}`);
    const rows = sql`SELECT 1 FROM ${sql.table(kind)} AS back WHERE back.user_id = ${userId}`;
    const isCopy = sql`back.source = ${restoredSource} AND back.original_id = CAST(${own('id')} AS text)`;
    // In three parts, each of which is a look into one index.
    return sql<boolean>`NOT EXISTS (${rows} AND back.deleted_at IS NULL
        AND back.source = ${own('source')} AND back.original_id = ${own('original_id')})
      AND NOT EXISTS (${rows} AND back.deleted_at IS NULL AND ${isCopy})
      AND NOT EXISTS (${rows} AND back.deleted_at IS NOT NULL AND ${isCopy})`;
  }

  /** That nothing stands on it but what goes, too: so that a dry run, in which nothing has gone yet, counts the same. */
  function standsAlone(kind: HighlightKind, before: Millis, name: string = kind): RawBuilder<boolean> {
    const stands = highlightKinds.flatMap((child) => {
      const parent = parents[child];
      if (parent?.kind !== kind) return [];
      const part = `${name}_${child}`;
      const own = (column: string) => sql.ref(`${part}.${column}`);
      return sql`NOT EXISTS (SELECT 1 FROM ${sql.table(child)} AS ${sql.ref(part)}
        WHERE ${own(parent.column)} = ${sql.ref(`${name}.id`)}
          AND (${own('deleted_at')} IS NULL OR NOT ${mayGo(part, before)} OR NOT ${standsAlone(child, before, part)}))`;
    });
    return stands.length === 0 ? sql<boolean>`(1 = 1)` : sql<boolean>`(${sql.join(stands, sql` AND `)})`;
  }
}

/** Of a deleted row: nobody needs it any longer. */
function mayGo(table: string, before: Millis): RawBuilder<boolean> {
  const own = (column: string) => sql.ref(`${table}.${column}`);
  return sql`(${own('deleted_at')} < ${before}
    AND (${own('deleted_by')} <> 'person' OR ${own('source')} NOT IN (${sql.join(importSources)})))`;
}

/** What a source has that a person deleted here, by the names that it has there. */
export async function deletedByPerson(
  trx: Writer,
  userId: number,
  kind: HighlightKind,
  source: string,
): Promise<Set<string>> {
  const rows = await rowsOf(trx, userId)
    .select(kind as 'annotations')
    .select('original_id')
    .where('source', '=', source)
    .where('deleted_by', '=', 'person')
    .where('deleted_at', 'is not', null)
    .execute();
  return new Set(rows.map((row) => row.original_id));
}

/**
 * What others said about rows that their source deleted goes to the rows that now have the same names: when a
 * passage moves to another page, or comes back, it is not left behind at the replica.
 */
export async function adoptOrphans(
  { db, trx, userId, at }: WriteDeps,
  { kind, source }: { kind: HighlightKind; source: string },
  { ids, originalIds }: { readonly ids: readonly number[]; readonly originalIds: readonly string[] },
): Promise<void> {
  if (ids.length === 0) return;
  for (const child of highlightKinds) {
    const parent = parents[child];
    if (parent?.kind !== kind) continue;
    const { rows } = await sql<{ id: number; original_id: string }>`
      SELECT c.id, p.original_id FROM ${sql.table(child)} AS c JOIN ${sql.table(kind)} AS p ON p.id = ${sql.ref(`c.${parent.column}`)}
      WHERE c.user_id = ${userId} AND c.deleted_at IS NULL AND c.source <> ${source}
        AND p.source = ${source} AND p.deleted_at IS NOT NULL`.execute(trx);
    if (rows.length === 0) continue;
    const newIds = new Map(originalIds.map((id, n) => [id, ids[n] as number]));
    const byParent = Map.groupBy(
      rows.filter((row) => newIds.has(row.original_id)),
      (row) => newIds.get(row.original_id) as number,
    );
    for (const [parentId, orphans] of byParent) {
      await liveRows(trx, userId)
        .update(child as 'annotations')
        .set({ [parent.column]: parentId, updated_at: at } as Partial<NewRow<'annotations'>>)
        .where(
          'id',
          'in',
          idList(
            db,
            orphans.map(({ id }) => id),
          ) as never,
        )
        .execute();
    }
  }
}

/**
 * Highlights of one user are changed by one transaction at a time, and each has a later time than all before it. So
 * whoever asks for what changed after a time that they have seen misses nothing, whatever clocks do.
 */
export async function takeChangeTurn(
  db: Pick<Database, 'engine'>,
  trx: Writer,
  userId: number,
  now: Clock,
): Promise<Millis> {
  if (db.engine === 'postgres')
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`highlights of ${userId}`}, 0))`.execute(trx);
  const latest = highlightKinds.map(
    (kind) => sql`SELECT max(updated_at) AS at FROM ${sql.table(kind)} WHERE user_id = ${userId}`,
  );
  const { rows } = await sql<{ at: number | null }>`
    SELECT max(at) AS at FROM (${sql.join(latest, sql` UNION ALL `)}) AS changes`.execute(trx);
  const last = rows[0]?.at ?? null;
  return last === null ? now() : Math.max(now(), Number(last) + 1);
}

/** Resources under the titles that their pages have by now; also one that has gone, since a replica is shown with it. */
export async function namedResources(
  db: Pick<Database, 'engine'>,
  reader: Reader | Writer,
  userId: number,
  ids: readonly number[],
): Promise<Map<number, Resource>> {
  const { rows } = await sql<Row<'resources'> & { page_title: string | null }>`
    SELECT r.*, i.title AS page_title FROM resources r LEFT JOIN items i ON i.id = r.item_id AND i.user_id = ${userId}
    WHERE r.user_id = ${userId} AND r.id IN ${idList(db, ids)}`.execute(reader);
  return new Map(
    rows.map((row) => {
      const resource = toHighlight.resources(row);
      return [resource.id, { ...resource, title: resource.title || row.page_title || resource.url }];
    }),
  );
}
