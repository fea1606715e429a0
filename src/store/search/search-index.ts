// The writing side of search: what is pending, and the documents of all users as the indexer puts them in.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database, Reader, Writer } from '../database.ts';
import { type Lease, requireLease } from '../lease-store.ts';
import { dropChunksOf, noteOrphans } from './chunk-index.ts';
import {
  type DocChange,
  type PendingDoc,
  type Plan,
  planChanges,
  type ReadyChange,
  readyChanges,
} from './doc-plan.ts';
import {
  createNext,
  dropGeneration,
  type Generation,
  hasPendingNext,
  isRebuilding,
  live,
  next,
  swap,
} from './generation.ts';
import { notePending } from './pending.ts';
import { termWriter } from './term-writer.ts';
import { noteTwins } from './twins.ts';

const maxRows = 200;
/** When nobody waits: fewer commits, each of which leaves a segment to be merged. */
const rowsAlone = 500;
/** A transaction should end within this time: others wait for the lock. */
const boxMs = 8;
const mostCharacters = 300_000;
const fewestCharacters = 36_000;
const pauseMs = 2;
/** Each commit leaves a segment; FTS5 itself would merge sixteen of them at once, in somebody's commit. */
const commitsBetweenMerges = 8;
/** What is not merged then is merged the next time: a stop should not have to wait for it. */
const mostMergeSteps = 1_000;
/** Of a merge step that nobody waits for. */
const pagesAlone = 500;

export type SearchIndex = ReturnType<typeof searchIndex>;

/** The index that answers. */
export function searchIndex(db: Database) {
  return {
    ...indexOf(db, live),

    /** Begins a rebuild: an index beside this one, which answers nobody yet. What changes from now on is noted for both. */
    async beginNext(lease: Lease): Promise<NextIndex> {
      await db.write(async (trx) => {
        await requireLease(db, trx, lease);
        await createNext(db, trx, lease.epoch);
      });
      return indexOf(db, next);
    },

    /**
     * The other index takes the place of this one. `leases` are that of the rebuild and that of the indexer, so that nothing
     * is written meanwhile. False when there is something left to write into it first.
     */
    async takeNext(leases: readonly Lease[], progress: ReadonlyMap<string, string>): Promise<boolean> {
      const isTaken = await db.write(async (trx) => {
        for (const lease of leases) await requireLease(db, trx, lease);
        if (await hasPendingNext(trx)) return false;
        await swap(db, trx);
        // Documents may have gone while it was filled.
        await noteOrphans(trx);
        for (const [kind, to] of progress) await writeProgress(trx, kind, to);
        return true;
      });
      // Apart: to let go of a large index takes a while.
      if (isTaken) await db.write((trx) => dropGeneration(trx, 'old'));
      return isTaken;
    },

    /** Gives a rebuild up. */
    async dropNext(lease: Lease): Promise<void> {
      await db.write(async (trx) => {
        await requireLease(db, trx, lease);
        await dropGeneration(trx, 'next');
      });
    },
  };
}

export type NextIndex = ReturnType<typeof indexOf>;

function indexOf(db: Database, generation: Generation) {
  const { docs, twins, terms, pendingKind } = generation;
  const writer = termWriter(db.engine, terms);
  /** How many characters of terms fit into the box on this machine. */
  let charactersPerBox = 90_000;
  let unmerged = 0;

  const write = async (lease: Lease, kind: string, changes: readonly ReadyChange[]) => {
    let started = 0;
    const wroteTerms = await db.write(async (trx) => {
      started = performance.now();
      await requireLease(db, trx, lease);
      const plan = await planChanges(trx, docs, kind, changes);
      if (plan.removedTerms.length > 0) await writer.remove(trx, plan.removedTerms);
      if (plan.removed.length > 0) {
        // Of a rebuild, what answers meanwhile still needs them.
        if (generation === live) await dropChunksOf(trx, await goneForGood(trx, plan));
        await trx.deleteFrom(docs).where('id', 'in', plan.removed).execute();
      }
      for (const { id, ...row } of plan.updated) {
        const isSameText = sql`title = ${row.title} AND text_sha256 = ${row.text_sha256}`;
        const embedded_with = sql<string | null>`CASE WHEN ${isSameText} THEN embedded_with END`;
        await trx
          .updateTable(docs)
          .set({ ...row, embedded_with })
          .where('id', '=', id)
          .execute();
      }
      if (plan.inserted.length > 0) await trx.insertInto(docs).values(plan.inserted).execute();
      // One that has another address now, or none, is not found by the old one any more.
      const moved = plan.updated.map(({ id }) => id as number);
      await noteTwins(trx, generation, plan.touched, [...plan.removed, ...moved]);
      // Terms last: FTS5 holds them in memory until the commit, as long as nothing comes in between and ids rise; at one that is
      // lower than the last it would write a segment for every document.
      await writer.insert(
        trx,
        plan.terms.toSorted((a, b) => a.id - b.id),
      );
      await clearPending(trx, pendingKind(kind), changes);
      if (generation === live && (await isRebuilding(trx)))
        await notePending(
          trx,
          next.pendingKind(kind),
          changes.map(({ refId }) => refId),
        );
      return plan.terms.length > 0 || plan.removedTerms.length > 0;
    });
    if (wroteTerms) unmerged += 1;
    const tookMs = performance.now() - started;
    const fitted = charactersPerBox * (tookMs > boxMs ? 0.7 : 1.1);
    charactersPerBox = Math.min(mostCharacters, Math.max(fewestCharacters, fitted));
  };

  const merge = async (fewest: number, alone = false) => {
    unmerged = 0;
    for (let step = 0; step < mostMergeSteps; step++) {
      if (!(await db.write((trx) => writer.mergeStep(trx, fewest, alone ? pagesAlone : undefined)))) return;
      if (!alone) await pause(pauseMs);
    }
  };

  return {
    /** For a rebuild; features note within their own transactions. */
    note: (kind: string, refIds: readonly number[]) => db.write((trx) => notePending(trx, kind, refIds)),

    /** The newest first: what was just published is found before a rebuild is through. */
    async pending(kind: string, limit: number): Promise<PendingDoc[]> {
      const rows = await db.read
        .selectFrom('search_pending')
        .select(['ref_id', 'version'])
        .where('kind', '=', pendingKind(kind))
        .orderBy('ref_id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ ref_id, version }) => ({ refId: ref_id, version }));
    },

    /**
     * In short transactions, each under the lease: some documents, and the end of their being pending, unless they were
     * noted again since they were read.
     */
    async apply(
      lease: Lease,
      kind: string,
      changes: readonly DocChange[],
      /** When nobody else waits for the index: without the short transactions and the pauses between them. */
      { alone = false } = {},
    ): Promise<void> {
      const left = changes.length === 0 ? [] : await readyChanges(db.read, docs, kind, changes);
      while (left.length > 0) {
        const fits = alone ? Math.min(left.length, rowsAlone) : fitting(left, charactersPerBox);
        await write(lease, kind, left.splice(0, fits));
        if (unmerged >= commitsBetweenMerges) await merge(4, alone);
        if (left.length > 0 && !alone) await pause(pauseMs);
      }
    },

    /** When nothing is left to write: fewer segments make every search faster. */
    async settle({ alone = false } = {}): Promise<void> {
      if (unmerged > 0) await merge(2, alone);
    },

    /** Documents that can be found, of all users. */
    async count(): Promise<number> {
      const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM ${sql.table(docs)}`.execute(
        db.heavyRead,
      );
      return Number(rows[0]?.n ?? 0);
    },

    /** How far `kind` has been noted for a rebuild, in the words of whoever notes. */
    findProgress: (kind: string) => readProgress(db.read, kind),

    /** Nothing is found until it is indexed anew, as in an index that is new. */
    async clear(): Promise<void> {
      await db.write(async (trx) => {
        await writer.removeAll(trx);
        for (const table of [docs, twins]) await trx.deleteFrom(table).execute();
        await trx.deleteFrom('meta').where('key', 'like', progressKey('%')).execute();
        // The vectors stay: they are found again with the documents that come back.
        await noteOrphans(trx);
      });
    },

    /** Notes some documents of a rebuild, and how far it has come; nothing if it was begun anew since `from` was read. */
    async noteProgress(
      lease: Lease,
      kind: string,
      refIds: readonly number[],
      { from, to }: { from: string | undefined; to: string },
    ): Promise<void> {
      await db.write(async (trx) => {
        await requireLease(db, trx, lease);
        if ((await readProgress(trx, kind)) !== from) return;
        await notePending(trx, kind, refIds);
        await writeProgress(trx, kind, to);
      });
    },
  };
}

async function writeProgress(trx: Writer, kind: string, value: string): Promise<void> {
  await trx
    .insertInto('meta')
    .values({ key: progressKey(kind), value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

/** Not those that only get another row, since their date is another. */
async function goneForGood(trx: Writer, { removed, inserted }: Plan) {
  const docs = await trx
    .selectFrom('search_docs')
    .select(['user_id as userId', 'kind', 'ref_id as refId'])
    .where('id', 'in', removed)
    .execute();
  const named = ({ userId, kind, refId }: (typeof docs)[number]) => `${userId} ${kind} ${refId}`;
  const kept = new Set(
    inserted.map((row) => named({ userId: row.user_id, kind: row.kind, refId: row.ref_id })),
  );
  return docs.filter((doc) => !kept.has(named(doc)));
}

async function readProgress(read: Reader | Writer, kind: string): Promise<string | undefined> {
  const row = await read
    .selectFrom('meta')
    .select('value')
    .where('key', '=', progressKey(kind))
    .executeTakeFirst();
  return row?.value;
}

const progressKey = (kind: string) => `search_noted:${kind}`;

/** How many of the first changes go into one transaction: always one, however long it is. */
function fitting(changes: readonly Pick<ReadyChange, 'terms'>[], maxCharacters: number): number {
  let characters = 0;
  for (const [n, change] of changes.entries()) {
    characters += (change.terms?.text.length ?? 0) + (change.terms?.title.length ?? 0);
    if (n > 0 && (n === maxRows || characters > maxCharacters)) return n;
  }
  return changes.length;
}

async function clearPending(trx: Writer, kind: string, changes: readonly PendingDoc[]): Promise<void> {
  const noted = changes.map(({ refId, version }) => sql`(${sql.lit(refId)}, ${sql.lit(version)})`);
  await sql`DELETE FROM search_pending WHERE kind = ${kind} AND (ref_id, version) IN (VALUES ${sql.join(noted)})`.execute(
    trx,
  );
}
