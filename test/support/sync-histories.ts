// Random histories of sources that are synced, and of a person beside them, with a model of what must be there: one map.
import fc from 'fast-check';
import { reconcile, type SyncRequest } from '../../src/highlights/reconcile.ts';
import type { HighlightKind, Snapshot } from '../../src/model/highlight.ts';
import { highlightKinds, restoredSource } from '../../src/model/highlight.ts';
import type { Database } from '../../src/store/database.ts';
import type { UserRows } from '../../src/store/store.ts';

/** Names that a pattern, a comparison without case or a split at the colon would take for one another. */
export const lightSources = ['a', 'a_', 'A', 'a:b', '%'] as const;
export const researchSources = ['research', 'Research', 'r_search'] as const;

/** Addresses, by the page that they are of. Some pages no item can be of. */
export const pages: readonly (readonly string[])[] = [
  ['https://example.org/0', 'http://EXAMPLE.org/0/', 'https://example.org:443/0?utm_source=x#part'],
  ['https://example.org/1', ' https://example.org/1/ ', 'https://example.org/1?utm_medium=y'],
  ['file:///home/anna/a%20b.pdf', ' file:///home/anna/a%20b.pdf'],
  ['about:reader?url=x'],
];
export const pageOfUrl = (url: string) =>
  pages.findIndex((all) => all.some((one) => one.trim() === url.trim()));

/** Mostly the first, so that records often differ in one field alone. */
const mostly = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
const few = fc.nat(2);
const texts = mostly('text', 'text ', 'Text', 'ab\u0301\u{1f468}\u200d\u{1f469}', '');
const colors = mostly<string | null>(null, '', 'red', 'c');
const boundaries = mostly(0, 1, 2);
const madeAts = mostly<number | null>(1, null, 2);

const lightRecord = fc.record({
  id: fc.nat(4),
  page: fc.nat(pages.length - 1),
  spelling: few,
  text: texts,
  color: colors,
  boundary: boundaries,
  madeAt: madeAts,
});
export type LightRecord = typeof lightRecord extends fc.Arbitrary<infer T> ? T : never;
export const lightRecords = fc.uniqueArray(lightRecord, { selector: ({ id }) => id, maxLength: 5 });

const words = fc.record({ id: fc.nat(3), parent: few, text: texts, madeAt: madeAts });
const byId = { selector: ({ id }: { id: number }) => id, maxLength: 4 } as const;
export const researchState = fc.record({
  resources: fc.uniqueArray(fc.record({ id: few, title: texts, author: texts }), {
    ...byId,
    maxLength: 3,
  }),
  annotations: fc.uniqueArray(
    fc.record({
      id: fc.nat(3),
      parent: few,
      text: texts,
      color: colors,
      boundary: boundaries,
      madeAt: madeAts,
    }),
    byId,
  ),
  comments: fc.uniqueArray(words, byId),
  notes: fc.uniqueArray(words, byId),
});
export type ResearchState = typeof researchState extends fc.Arbitrary<infer T> ? T : never;

/** What must be there, by its name: `kind|source|id`. A page is `page|number`. */
export type Known = Map<
  string,
  { readonly source: string; readonly parent: string; readonly fields: object }
>;
const nameOf = (kind: HighlightKind, source: string, id: string | number) => `${kind}|${source}|${id}`;

export const lightRequest = (
  source: string,
  records: readonly LightRecord[],
  scope?: number,
): SyncRequest => ({
  source,
  kind: 'light',
  snapshot: {
    resources: records.map((record) => {
      const url = addressOf(record);
      return { originalId: url, type: 'website', title: '', url };
    }),
    annotations: records.map((record) => ({
      originalId: String(record.id),
      resource: addressOf(record),
      text: record.text,
      color: record.color,
      boundary: { n: record.boundary },
      madeAt: record.madeAt,
    })),
    comments: [],
    notes: [],
  },
  scope: scope === undefined ? undefined : pages[scope]?.[0],
  extent: 'all',
  onMove: 'recreate',
  dryRun: false,
});

export function addressOf({ page, spelling }: Pick<LightRecord, 'page' | 'spelling'>): string {
  const all = pages[page % pages.length] ?? [];
  return all[spelling % all.length] as string;
}

/** Resource 2 of every one is a page, which is nobody's row. Parents are picked by index, so that fewer can do. */
export function researchRequest(source: string, state: ResearchState): SyncRequest {
  const idOf = (list: readonly { readonly id: number }[], pick: number) =>
    list.length === 0 ? 'none' : String(list[pick % list.length]?.id);
  const snapshot: Snapshot = {
    resources: state.resources.map(({ id, title, author }) =>
      id === 2
        ? { originalId: '2', type: 'website', title, url: pages[0]?.[0] as string }
        : { originalId: String(id), type: 'pdf', title, author },
    ),
    annotations: state.annotations.map(({ id, parent, text, color, boundary, madeAt }) => ({
      originalId: String(id),
      resource: idOf(state.resources, parent),
      text,
      color,
      boundary: { n: boundary },
      madeAt,
    })),
    comments: state.comments.map(({ id, parent, text, madeAt }) => ({
      originalId: String(id),
      annotation: idOf(state.annotations, parent),
      content: text,
      madeAt,
    })),
    notes: state.notes.map(({ id, parent, text, madeAt }) => ({
      originalId: String(id),
      resource: idOf(state.resources, parent),
      content: text,
      madeAt,
    })),
  };
  return { source, kind: 'research', snapshot, extent: 'all', onMove: 'update', dryRun: false };
}

/** The rows that a snapshot stands for. What has no parent in it is none. */
export function rowsOf({ source, snapshot }: Pick<SyncRequest, 'source' | 'snapshot'>): Known {
  const known: Known = new Map();
  const places = new Map<string, string>();
  for (const { originalId, type, title, author = '', url } of snapshot.resources) {
    const name = url === undefined ? nameOf('resources', source, originalId) : `page|${pageOfUrl(url)}`;
    places.set(originalId, name);
    if (url === undefined) known.set(name, { source, parent: '', fields: { type, title, author } });
  }
  const put = (kind: HighlightKind, id: string, parent: string | undefined, fields: object) => {
    if (parent !== undefined) known.set(nameOf(kind, source, id), { source, parent, fields });
  };
  for (const { originalId, resource, ...fields } of snapshot.annotations)
    put('annotations', originalId, places.get(resource), fields);
  for (const { originalId, annotation, ...fields } of snapshot.comments) {
    const parent = nameOf('annotations', source, annotation);
    put('comments', originalId, known.has(parent) ? parent : undefined, fields);
  }
  for (const { originalId, resource, ...fields } of snapshot.notes)
    put('notes', originalId, places.get(resource), fields);
  return known;
}

/** The whole model of a sync: what the source had goes, on one page or everywhere, and what it has comes. */
export function applySync(known: Known, request: SyncRequest, scope?: number): void {
  for (const [name, row] of known)
    if (row.source === request.source && (scope === undefined || row.parent === `page|${scope}`))
      known.delete(name);
  for (const [name, row] of rowsOf(request)) known.set(name, row);
}

export function applyDelete(known: Known, name: string): void {
  known.delete(name);
  for (const [child, { parent }] of known) if (parent === name) applyDelete(known, child);
}

export const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('light' as const),
      source: fc.constantFrom(...lightSources),
      records: lightRecords,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('scoped' as const),
      source: fc.constantFrom(...lightSources),
      page: fc.nat(pages.length - 1),
      records: lightRecords,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('research' as const),
      source: fc.constantFrom(...researchSources),
      state: researchState,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('delete' as const, 'restore' as const),
      kind: fc.constantFrom(...highlightKinds),
      which: fc.nat(1000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('say' as const), which: fc.nat(1000) }) },
);
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
/** Whose, and how the clock moves before it: it may be set back. */
export const turn = fc.record({
  who: fc.constantFrom(0, 0, 0, 1),
  waitMs: fc.constantFrom(1, 1_000, 0, -5_000),
  step,
});
export type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

export const pick = <T>(all: readonly T[], which: number): T | undefined => all[which % all.length];

export function requestOf(step: Step): { request: SyncRequest; scope?: number } | undefined {
  if (step.do === 'light') return { request: lightRequest(step.source, step.records) };
  if (step.do === 'research') return { request: researchRequest(step.source, step.state) };
  if (step.do !== 'scoped') return undefined;
  const here = step.records.map((record) => ({ ...record, page: step.page }));
  return { request: lightRequest(step.source, here, step.page), scope: step.page };
}

export const sync = (rows: UserRows, request: SyncRequest) => reconcile(rows, request);

export interface AnyRow {
  readonly kind: HighlightKind;
  readonly id: number;
  readonly source: string;
  readonly original_id: string;
  readonly deleted_at: number | null;
  readonly updated_at: number;
  readonly [column: string]: unknown;
}

/** Every row of a user, deleted or not, as the tables have it. */
export async function allRows(database: Database, userId: number): Promise<AnyRow[]> {
  const found: AnyRow[] = [];
  for (const kind of highlightKinds) {
    const rows = await database.read
      .selectFrom(kind as 'annotations')
      .selectAll()
      .where('user_id', '=', userId)
      .orderBy('id')
      .execute();
    for (const row of rows) found.push({ ...row, kind } as unknown as AnyRow);
  }
  return found;
}

const isOurs = ({ source }: AnyRow) => source === 'web' || source === 'lectern' || source === restoredSource;

export function parentOf(row: AnyRow, all: readonly AnyRow[]): AnyRow | undefined {
  if (row.kind === 'resources') return undefined;
  const [kind, column] =
    row.kind === 'comments' ? ['annotations', 'annotation_id'] : ['resources', 'resource_id'];
  return all.find((one) => one.kind === kind && one.id === row[column as string]);
}

export const nameOfRow = (row: AnyRow) =>
  row.source === 'web' ? `page|${pageOfUrl(String(row.url))}` : nameOf(row.kind, row.source, row.original_id);

/** What the sources have here, in the words of the model. */
export function liveOf(all: readonly AnyRow[]): Known {
  const live = all.filter((row) => row.deleted_at === null && !isOurs(row));
  return new Map(
    live.map((row) => {
      const parent = parentOf(row, all);
      return [
        nameOfRow(row),
        {
          source: row.source,
          parent: parent ? `${nameOfRow(parent)}${parent.deleted_at === null ? '' : ' deleted'}` : '',
          fields: fieldsOf(row),
        },
      ];
    }),
  );
}

function fieldsOf(row: AnyRow): object {
  const { text, color, content, type, title, author } = row;
  if (row.kind === 'resources') return { type, title, author };
  if (row.kind !== 'annotations') return { content, madeAt: row.made_at };
  return { text, color, boundary: JSON.parse(String(row.boundary)), madeAt: row.made_at };
}

/** A source that does not know when something was made leaves that to Lectern: then the model does not know either. */
export function sorted(known: Known, like: Known = known): unknown[] {
  const isDated = (name: string) => (like.get(name)?.fields as { madeAt?: unknown })?.madeAt !== null;
  return [...known]
    .map(([name, { fields, ...rest }]) => ({
      name,
      ...rest,
      fields: isDated(name) ? fields : { ...fields, madeAt: null },
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
