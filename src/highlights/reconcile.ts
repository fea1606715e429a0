// A sync: the whole state of a source against what is here of it, in one transaction. What its source deleted stays as a
// replica.
import { enrichJobs } from '../items/save-item.ts';
import {
  type Counts,
  type HighlightKind,
  highlightKinds,
  type Snapshot,
  type SyncKind,
} from '../model/highlight.ts';
import { letOthersIn } from '../store/let-others-in.ts';
import type { SourceRecord, SyncTransaction } from '../store/owned/highlights/sync-store.ts';
import type { UserRows } from '../store/store.ts';
import { contentHash, hashTitle } from './hash.ts';
import { type PackedSnapshot, unpackSnapshot } from './pack-snapshot.ts';
import { type Plan, startPlan } from './plan.ts';
import { type Prepared, type PreparedSnapshot, pageOf, prepare } from './prepare.ts';

/** What a source has: as objects, or packed by another thread. */
export type SentSnapshot = Snapshot | PackedSnapshot;

export interface SyncRequest<S extends SentSnapshot = Snapshot> {
  readonly source: string;
  readonly kind: SyncKind;
  readonly snapshot: S;
  /** The address of the one page that this is all of; what is elsewhere is not touched. */
  readonly scope?: string | undefined;
  /** `all`: what is not in the snapshot has gone. `some`: it says nothing about what is not in it. */
  readonly extent: 'all' | 'some';
  /** What becomes of a record that is part of something else now: see plan.ts. */
  readonly onMove: 'update' | 'recreate';
  /** Which kinds the source has; of others it has nothing to say. */
  readonly kinds?: readonly HighlightKind[];
  readonly dryRun: boolean;
}

type SyncRules = Omit<SyncRequest, 'snapshot'>;
type MutableCounts = Record<HighlightKind, { -readonly [C in keyof Counts]: Counts[C] }>;

export interface SyncOutcome {
  readonly counts: MutableCounts;
  /** What people deleted here and an import would have brought back. */
  readonly leftOut: number;
  /** By kind: what is done to which external ids. */
  readonly plan: Readonly<Record<HighlightKind, PlannedIds>>;
}

export interface PlannedIds {
  readonly create: readonly string[];
  readonly update: readonly string[];
  readonly delete: readonly string[];
}

/** Rows by the ids that they have at the source. */
type Ids = Map<string, number>;

export async function reconcile(
  { syncs }: Pick<UserRows, 'syncs'>,
  request: SyncRequest<SentSnapshot>,
): Promise<SyncOutcome> {
  const { source, kind, dryRun } = request;
  const { snapshot } = request;
  const prepared = await ('records' in snapshot ? unpackSnapshot(snapshot) : prepare(snapshot));
  return syncs.sync({ source, kind, dryRun, hashTitle }, enrichJobs, (sync) =>
    reconcileAll(sync, request, prepared),
  );
}

/** Parents before what is part of them: a plan needs the rows that its records are part of. */
async function reconcileAll(
  sync: SyncTransaction,
  request: SyncRules,
  snapshot: PreparedSnapshot,
): Promise<SyncOutcome> {
  const work: Work = { sync, request, counts: noCounts(), planned: {} as never, leftOut: { n: 0 } };
  const wanted = await wantedParentsOf(work, snapshot);
  const { ids: pageIds, created } = await sync.pages([...wanted.pages.values()]);
  const pages: Ids = new Map([...wanted.pages.keys()].map((id, n) => [id, pageIds[n] as number]));
  const scopeId = request.scope === undefined ? undefined : await sync.findPage(pageOf(request.scope, ''));
  const resources = await reconcileKind(work, 'resources', wanted.resources, { scopeId, isParent: true });
  work.counts.resources.created += created;
  const parentIds = pages.size === 0 ? resources : new Map([...pages, ...resources]);
  const annotations = await reconcileKind(work, 'annotations', snapshot.annotations, {
    parentIds,
    scopeId,
    isParent: snapshot.comments.size > 0,
  });
  await reconcileKind(work, 'comments', snapshot.comments, { parentIds: annotations, scopeId });
  await reconcileKind(work, 'notes', snapshot.notes, { parentIds, scopeId });
  return { counts: work.counts, leftOut: work.leftOut.n, plan: work.planned };
}

interface Work {
  readonly sync: SyncTransaction;
  readonly request: SyncRules;
  readonly counts: MutableCounts;
  readonly planned: Record<HighlightKind, PlannedIds>;
  readonly leftOut: { n: number };
}

interface Place {
  readonly parentIds?: Ids;
  /** The resource of the page that a sync is limited to. */
  readonly scopeId: number | undefined;
  /** Whether anything is part of these, and asks for their rows. */
  readonly isParent?: boolean;
}

/** Returns the rows that there are afterwards, if something is part of them. */
async function reconcileKind<K extends HighlightKind>(
  work: Work,
  kind: K,
  records: ReadonlyMap<string, Prepared<K>>,
  { parentIds, scopeId, isParent = false }: Place,
): Promise<Ids> {
  const { sync, request } = work;
  const isScoped = request.scope !== undefined;
  const saysNothing = request.kinds !== undefined && !request.kinds.includes(kind);
  const parentOf = ({ parent }: Prepared<K>) => (parentIds ? parentIds.get(parent) : null);
  const wanted = await wantedOf(work, kind, records, parentOf);
  await letOthersIn();
  const planner = startPlan(wanted, {
    parentOf,
    onMove: request.onMove,
    mayDelete: (row) => request.extent === 'all' && (!isScoped || row.parentId === scopeId),
  });
  const ids: Ids = new Map();
  // Nor does a scope of what is not on a page.
  if (!saysNothing && (!isScoped || kind === 'annotations')) {
    const only = isScoped ? { parentId: scopeId, originalIds: [...wanted.keys()] } : undefined;
    for await (const rows of sync.live(kind, only)) {
      planner.meet(rows);
      if (isParent) for (const { originalId, id } of rows) ids.set(originalId, id);
    }
  }
  await letOthersIn();
  const todo = planner.finish();
  await letOthersIn();
  count(work, kind, todo);
  // What goes makes room for what comes under the same name.
  const gone = todo.delete.map(({ id }) => id);
  if (gone.length > 0) await sync.remove(kind, gone);
  const toRecord = ({ originalId, parent, fields, fullHash }: Prepared<K>): SourceRecord<K> => ({
    originalId,
    parentId: parentIds?.get(parent) ?? null,
    fields,
    fullHash,
    contentHash: contentHash[kind](fields),
  });
  if (todo.update.length > 0)
    await sync.update(
      kind,
      todo.update.values().map(({ id, record }) => ({ id, record: toRecord(record) })),
    );
  const created = todo.create.length > 0 ? await sync.create(kind, todo.create.values().map(toRecord)) : [];
  for (const { originalId } of todo.delete) ids.delete(originalId);
  if (isParent)
    for (const [n, { originalId }] of todo.create.entries()) ids.set(originalId, created[n] as number);
  return ids;
}

/**
 * An import does not bring back a page or a book either, when a person has deleted all that it has of it. One that has
 * something new in it comes back for that.
 */
async function wantedParentsOf(
  { sync, request, leftOut }: Work,
  { pages, resources, annotations, notes }: PreparedSnapshot,
): Promise<Pick<PreparedSnapshot, 'pages' | 'resources'>> {
  if (request.extent === 'all') return { pages, resources };
  const used = new Set<string>();
  const unwanted = resources.size > 0 ? await sync.deletedByPerson('resources') : new Set<string>();
  for (const [kind, records] of [['annotations', annotations] as const, ['notes', notes] as const]) {
    const deleted = await sync.deletedByPerson(kind);
    for (const { originalId, parent } of records.values())
      (deleted.has(originalId) ? unwanted : used).add(parent);
  }
  const isWanted = ([id]: readonly [string, unknown]) => used.has(id) || !unwanted.has(id);
  const wanted = {
    pages: new Map([...pages].filter(isWanted)),
    resources: new Map([...resources].filter(isWanted)),
  };
  leftOut.n += resources.size - wanted.resources.size;
  return wanted;
}

/** Without what has no parent any longer, and without what people deleted, when this is only an import. */
async function wantedOf<K extends HighlightKind>(
  { sync, request, leftOut }: Work,
  kind: K,
  records: ReadonlyMap<string, Prepared<K>>,
  parentOf: (record: Prepared<K>) => number | null | undefined,
): Promise<ReadonlyMap<string, Prepared<K>>> {
  const isImport = request.extent === 'some' && kind !== 'resources' && records.size > 0;
  const deleted = isImport ? await sync.deletedByPerson(kind) : undefined;
  const isOut = (record: Prepared<K>) => parentOf(record) === undefined || deleted?.has(record.originalId);
  const out = [...records.values()].filter(isOut);
  if (out.length === 0) return records;
  leftOut.n += out.length;
  const wanted = new Map(records);
  for (const { originalId } of out) wanted.delete(originalId);
  return wanted;
}

function count<K extends HighlightKind>(
  { counts, planned, request }: Work,
  kind: K,
  todo: Plan<Prepared<K>>,
): void {
  counts[kind].created += todo.create.length;
  counts[kind].updated += todo.update.length;
  counts[kind].deleted += todo.delete.length;
  counts[kind].unchanged += todo.unchanged;
  const external = ({ originalId }: { originalId: string }) => `${request.source}:${originalId}`;
  planned[kind] = {
    create: todo.create.map(external),
    update: todo.update.map(({ record }) => external(record)),
    delete: todo.delete.map(external),
  };
}

const noCounts = (): MutableCounts =>
  Object.fromEntries(
    highlightKinds.map((kind) => [kind, { created: 0, updated: 0, deleted: 0, unchanged: 0 }]),
  ) as MutableCounts;
