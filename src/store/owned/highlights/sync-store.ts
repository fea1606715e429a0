// What a sync sees of the store: the live rows of one source, and the ways to change them, all in one transaction. What is
// to be changed is decided by highlights/plan.ts.
import { sql } from 'kysely';
import { Conflict } from '../../../errors.ts';
import type { Clock, Millis } from '../../../model/glossary.ts';
import {
  type HighlightKind,
  highlightKinds,
  type Json,
  type ResourceType,
  type SyncCounts,
  type SyncKind,
  type SyncSource,
} from '../../../model/highlight.ts';
import type { Database, Writer } from '../../database.ts';
import { idList, textList } from '../../id-list.ts';
import { letOthersIn } from '../../let-others-in.ts';
import type { EnrichJobs } from '../../pending-items.ts';
import { noteAnnotations, notePending } from '../../search/pending.ts';
import type { NewRow, Row } from '../../tables.ts';
import { type Owned, rowsOf } from '../owned-rows.ts';
import { toJson } from './highlight-rows.ts';
import { liveRows, parents } from './live-rows.ts';
import { findPages, type Page, pageIn, upsertPages } from './page-resources.ts';
import { adoptOrphans, deletedByPerson, takeChangeTurn } from './replicas.ts';

export type SyncStore = ReturnType<typeof syncStore>;

/** As much of a live row as a plan needs. */
export interface LiveRecord {
  readonly id: number;
  readonly originalId: string;
  readonly fullHash: string;
  readonly parentId: number | null;
}

interface Words {
  readonly content: string;
  readonly madeAt: Millis | null;
}

export interface RecordFields {
  readonly resources: { readonly type: ResourceType; readonly title: string; readonly author: string };
  readonly annotations: {
    readonly text: string;
    readonly color: string | null;
    readonly boundary: Json;
    readonly madeAt: Millis | null;
  };
  readonly comments: Words;
  readonly notes: Words;
}

/** A row as its source has it. */
export interface SourceRecord<K extends HighlightKind = HighlightKind> {
  readonly originalId: string;
  readonly parentId: number | null;
  readonly contentHash: string;
  readonly fullHash: string;
  readonly fields: RecordFields[K];
}

export interface SyncTransaction {
  /** All that the source has here, or what is part of `parentId` or among `originalIds`; some at a time. */
  live(
    kind: HighlightKind,
    only?: { readonly parentId?: number | undefined; readonly originalIds: readonly string[] },
  ): AsyncIterable<readonly LiveRecord[]>;
  /** What a person deleted here: an import does not bring it back. */
  deletedByPerson(kind: HighlightKind): Promise<Set<string>>;
  /** The ids of their resources, in the same order; those that are not there yet are made. */
  pages(pages: readonly Page[]): Promise<{ ids: number[]; created: number }>;
  findPage(page: Page): Promise<number | undefined>;
  /** The new ids, in the same order. Takes a batch of records at a time, so that they need not all exist at once. */
  create<K extends HighlightKind>(kind: K, records: Iterable<SourceRecord<K>>): Promise<number[]>;
  update<K extends HighlightKind>(
    kind: K,
    changes: Iterable<{ readonly id: number; readonly record: SourceRecord<K> }>,
  ): Promise<void>;
  remove(kind: HighlightKind, ids: readonly number[]): Promise<void>;
}

export interface SyncOptions {
  readonly source: string;
  readonly kind: SyncKind;
  /** Does everything, and then takes it back. */
  readonly dryRun: boolean;
  readonly hashTitle: (title: string) => string;
}

const readAtOnce = 4_000;
const writtenAtOnce = 200;
/** An update or a deletion also writes a note for the journal. */
const changedAtOnce = 100;
const deletedAtOnce = 500;

/** Ends a transaction whose work is only to be looked at. */
class TakenBack<T> extends Error {
  readonly outcome: T;

  constructor(outcome: T) {
    super('a dry run is taken back');
    this.outcome = outcome;
  }
}

export function syncStore({ db, userId }: Owned, now: Clock) {
  return {
    /** All of a sync or nothing of it. Syncs of one user follow one another. */
    async sync<T extends { readonly counts: SyncCounts }, P>(
      options: SyncOptions,
      jobs: EnrichJobs<P>,
      work: (sync: SyncTransaction) => Promise<T>,
    ): Promise<T> {
      return db
        .write(async (trx) => {
          const at = await takeChangeTurn(db, trx, userId, now);
          await requireKind(trx, userId, options);
          const outcome = await work(
            syncTransaction({ db, trx, userId, at, jobs, options, notedItems: new Set() }),
          );
          if (options.dryRun) throw new TakenBack(outcome);
          await noteSync(trx, userId, options, { at: now(), counts: outcome.counts });
          return outcome;
        })
        .catch((error: unknown) => {
          if (error instanceof TakenBack) return error.outcome as T;
          throw error;
        });
    },

    /** That it went wrong, and why; what it has here stays as it is. */
    async noteFailure({ source, kind }: Pick<SyncOptions, 'source' | 'kind'>, why: string): Promise<void> {
      await db.write(async (trx) => {
        const at = now();
        const failure = { last_error: why, last_error_at: at };
        await rowsOf(trx, userId)
          .insert('sync_sources', { source, kind, created_at: at, ...failure })
          .onConflict((conflict) =>
            conflict
              .columns(['user_id', 'source'])
              .doUpdateSet(failure)
              .where('sync_sources.kind', '=', kind),
          )
          .execute();
      });
    },

    async sources(): Promise<SyncSource[]> {
      const rows = await rowsOf(db.read, userId)
        .select('sync_sources')
        .selectAll()
        .orderBy('source')
        .execute();
      return rows.map(toSource);
    },

    async findSource(source: string): Promise<SyncSource | undefined> {
      const row = await rowsOf(db.read, userId)
        .select('sync_sources')
        .selectAll()
        .where('source', '=', source)
        .executeTakeFirst();
      return row && toSource(row);
    },

    async configure({ source, kind }: Pick<SyncOptions, 'source' | 'kind'>, config: Json): Promise<void> {
      const text = JSON.stringify(config);
      await db.write((trx) =>
        rowsOf(trx, userId)
          .insert('sync_sources', { source, kind, config: text, created_at: now() })
          .onConflict((conflict) => conflict.columns(['user_id', 'source']).doUpdateSet({ config: text }))
          .execute(),
      );
    },
  };
}

interface SyncDeps<P> {
  readonly db: Database;
  readonly trx: Writer;
  readonly userId: number;
  readonly at: Millis;
  readonly jobs: EnrichJobs<P>;
  readonly options: SyncOptions;
  /** Items that this transaction has noted for search. */
  readonly notedItems: Set<number>;
}

function syncTransaction<P>(deps: SyncDeps<P>): SyncTransaction {
  const { db, trx, userId, at, options, notedItems } = deps;
  const { source, hashTitle } = options;
  const rows = liveRows(trx, userId);

  return {
    live: (kind, only) => liveOf(deps, kind, only),

    deletedByPerson: (kind) => deletedByPerson(trx, userId, kind, source),

    pages: (pages) =>
      upsertPages({ db, trx, userId, jobs: deps.jobs, at, hashTitle, by: 'sync', notedItems }, pages),

    async findPage({ saved }) {
      return pageIn(await findPages(db, trx, userId, [saved]), saved);
    },

    async create(kind, records) {
      const ids: number[] = [];
      const originalIds: string[] = [];
      for (const some of batches(records, writtenAtOnce)) {
        const values = some.map((record) => ({
          ...toColumns(kind, record, at, { isNew: true }),
          source,
          created_at: at,
        }));
        const inserted = await rowsOf(trx, userId)
          .insertMany(kind as 'annotations', values as unknown as NewRow<'annotations'>[])
          .returning(['id', 'original_id'])
          .execute();
        const byOriginal = new Map(inserted.map(({ id, original_id }) => [original_id, id]));
        const added = some.map(({ originalId }) => byOriginal.get(originalId) as number);
        for (const id of added) ids.push(id);
        for (const { originalId } of some) originalIds.push(originalId);
        await letOthersIn();
        // After each batch, and each item once: a page of SQLite that changes again after it left the cache makes the commit read
        // back all that the transaction wrote.
        if (kind !== 'resources') await noteSearch(deps, kind, added);
        await letOthersIn();
      }
      await adoptOrphans({ db, trx, userId, at }, { kind, source }, { ids, originalIds });
      return ids;
    },

    async update(kind, changes) {
      const ids: number[] = [];
      for (const some of batches(changes, changedAtOnce)) {
        // What was said about another passage before is no longer found by that one.
        if (kind === 'comments')
          await noteSearch(
            deps,
            kind,
            some.map(({ id }) => id),
          );
        for (const { id, record } of some) {
          ids.push(id);
          await rows
            .update(kind as 'annotations')
            .set(toColumns(kind, record, at, { isNew: false }) as Partial<NewRow<'annotations'>>)
            .where('id', '=', id)
            .execute();
        }
        await letOthersIn();
      }
      await noteSearch(deps, kind, ids);
    },

    async remove(kind, ids) {
      await noteSearch(deps, kind, ids);
      for (const some of batches(ids, deletedAtOnce)) {
        await rows
          .update(kind as 'annotations')
          .set({ deleted_at: at, deleted_by: 'source', updated_at: at })
          .where('id', 'in', idList(db, some) as never)
          .execute();
        await letOthersIn();
      }
    },
  };
}

/** In portions: on SQLite a long read would hold up everybody. */
async function* liveOf<P>(
  deps: SyncDeps<P>,
  kind: HighlightKind,
  only: Parameters<SyncTransaction['live']>[1],
): AsyncGenerator<readonly LiveRecord[]> {
  const { db } = deps;
  const column = parents[kind]?.column as 'resource_id' | undefined;
  for (let after: string | undefined; ; ) {
    const page = await selectLive(deps, kind)
      .$if(after !== undefined, (query) => query.where('original_id', '>', after as string))
      .$if(only !== undefined, (query) =>
        query.where((e) =>
          e.or([
            e('original_id', 'in', textList(db, only?.originalIds ?? []) as never),
            ...(column && only?.parentId !== undefined ? [e(column, '=', only.parentId)] : []),
          ]),
        ),
      )
      .orderBy('original_id')
      .limit(readAtOnce)
      .execute();
    yield page as readonly LiveRecord[];
    if (page.length < readAtOnce) return;
    after = page.at(-1)?.originalId;
    await letOthersIn();
  }
}

function selectLive<P>({ trx, userId, options }: SyncDeps<P>, kind: HighlightKind) {
  const column = parents[kind]?.column as 'resource_id' | undefined;
  return liveRows(trx, userId)
    .select(kind as 'annotations')
    .select([
      'id',
      'original_id as originalId',
      'full_hash as fullHash',
      sql<number | null>`${column ? sql.ref(column) : sql`NULL`}`.as('parentId'),
    ])
    .where('source', '=', options.source);
}

const fieldColumns: { readonly [K in HighlightKind]: (fields: RecordFields[K]) => object } = {
  resources: ({ type, title, author }) => ({ type, title, author }),
  annotations: ({ text, color, boundary }) => ({ text, color, boundary: toJson(boundary) }),
  comments: ({ content }) => ({ content }),
  notes: ({ content }) => ({ content }),
};

/** A date that the source does not know is when it came here, and stays that. */
function toColumns<K extends HighlightKind>(
  kind: K,
  { originalId, parentId, contentHash, fullHash, fields }: SourceRecord<K>,
  at: Millis,
  { isNew }: { isNew: boolean },
): object {
  const parent = parents[kind];
  const madeAt = 'madeAt' in fields ? (fields.madeAt ?? (isNew ? at : null)) : null;
  return {
    ...fieldColumns[kind](fields),
    ...(madeAt !== null && { made_at: madeAt }),
    ...(parent && { [parent.column]: parentId }),
    original_id: originalId,
    content_hash: contentHash,
    full_hash: fullHash,
    updated_at: at,
  };
}

/** A passage is found by what was said about it, and by what it stands in. */
async function noteSearch<P>(
  { db, trx, userId, notedItems }: Pick<SyncDeps<P>, 'db' | 'trx' | 'userId' | 'notedItems'>,
  kind: HighlightKind,
  ids: readonly number[],
): Promise<void> {
  if (kind === 'annotations') return noteAnnotations(trx, ids, notedItems);
  if (kind === 'notes') return notePending(trx, 'note', ids);
  if (ids.length === 0) return;
  const rows = liveRows(trx, userId);
  const found =
    kind === 'comments'
      ? rows
          .select('comments')
          .select('annotation_id as id')
          .where('id', 'in', idList(db, ids) as never)
      : rows
          .select('annotations')
          .select('id')
          .where('resource_id', 'in', idList(db, ids) as never);
  const passages = await found.execute();
  if (kind === 'resources') {
    const notes = await rows
      .select('notes')
      .select('id')
      .where('resource_id', 'in', idList(db, ids) as never)
      .execute();
    await notePending(
      trx,
      'note',
      notes.map(({ id }) => id),
    );
  }
  await notePending(
    trx,
    'annotation',
    passages.map(({ id }) => id),
  );
}

async function requireKind(trx: Writer, userId: number, { source, kind }: SyncOptions): Promise<void> {
  const row = await rowsOf(trx, userId)
    .select('sync_sources')
    .select('kind')
    .where('source', '=', source)
    .executeTakeFirst();
  if (row && row.kind !== kind)
    throw new Conflict(`source: "${source}" is kept in step by ${row.kind}; choose another name`);
  if (row || !(kind === 'light' || kind === 'research')) return;
  // What others have made under that name, the first sync would take for what the source has deleted.
  for (const table of highlightKinds) {
    const [other] = await liveRows(trx, userId)
      .select(table as 'annotations')
      .select('id')
      .where('source', '=', source)
      .limit(1)
      .execute();
    if (other)
      throw new Conflict(
        `source: "${source}" has ${table} that were not made by a sync; choose another name`,
      );
  }
}

async function noteSync(
  trx: Writer,
  userId: number,
  { source, kind }: SyncOptions,
  { at, counts }: { at: Millis; counts: SyncCounts },
): Promise<void> {
  const done = { last_sync_at: at, last_counts: JSON.stringify(counts), last_error: '', last_error_at: null };
  await rowsOf(trx, userId)
    .insert('sync_sources', { source, kind, created_at: at, ...done })
    .onConflict((conflict) => conflict.columns(['user_id', 'source']).doUpdateSet(done))
    .execute();
}

function toSource(row: Row<'sync_sources'>): SyncSource {
  return {
    source: row.source,
    kind: row.kind as SyncKind,
    config: JSON.parse(row.config) as Json,
    lastSyncAt: row.last_sync_at,
    lastCounts: row.last_counts === null ? null : (JSON.parse(row.last_counts) as SyncCounts),
    lastError: row.last_error,
    lastErrorAt: row.last_error_at,
  };
}

function* batches<T>(all: Iterable<T>, size: number): Generator<readonly T[]> {
  let batch: T[] = [];
  for (const one of all) {
    batch.push(one);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
