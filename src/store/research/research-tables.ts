// The tables of Research, from rows to a snapshot. Where a row is not as it should be, there is no snapshot at all: what is
// missing from one would be taken for deleted.
import type { DatabaseSync } from 'node:sqlite';
import { Invalid } from '../../errors.ts';
import type {
  Snapshot,
  SourceAnnotation,
  SourceComment,
  SourceNote,
  SourceResource,
} from '../../model/highlight.ts';
import { damaged } from './research-failures.ts';
import { selectLive } from './research-sql.ts';
import {
  boundaryIn,
  colorIn,
  idIn,
  madeAtIn,
  type Place,
  type ResearchRow,
  textIn,
  textInJson,
} from './research-values.ts';

const needed = {
  items: ['id', 'title'],
  annotations: ['id', 'item_id', 'content', 'color', 'position'],
  comments: ['id', 'annotation_id', 'content'],
  notes: ['id', 'item_id', 'content'],
} as const;

type Table = keyof typeof needed;
const tables = Object.keys(needed) as Table[];
const dates = ['created_at', 'updated_at'];

export function readTables(db: DatabaseSync, path: string): Snapshot {
  const columns = new Map(tables.map((table) => [table, columnsOf(db, path, table)]));
  requireWhole(db, path);
  const rowsOf = (table: Table) => rows(db, path, table, columns.get(table) ?? new Set());

  const resources = new Map<string, SourceResource>();
  for (const { id, row, place } of rowsOf('items'))
    resources.set(id, { originalId: id, type: 'pdf', title: textIn(row, 'title', place) });

  const annotations = new Map<string, SourceAnnotation>();
  for (const { id, row, place } of rowsOf('annotations')) {
    const resource = idIn(row, 'item_id', place);
    if (!resources.has(resource)) continue;
    annotations.set(id, {
      originalId: id,
      resource,
      text: textInJson(row, 'content', place),
      color: colorIn(row, place),
      boundary: boundaryIn(row, place),
      madeAt: madeAtIn(row),
    });
  }

  const comments: SourceComment[] = [];
  for (const { id, row, place } of rowsOf('comments')) {
    const annotation = idIn(row, 'annotation_id', place);
    if (annotations.has(annotation))
      comments.push({
        originalId: id,
        annotation,
        content: textIn(row, 'content', place),
        madeAt: madeAtIn(row),
      });
  }

  const notes: SourceNote[] = [];
  for (const { id, row, place } of rowsOf('notes')) {
    const resource = idIn(row, 'item_id', place);
    if (resources.has(resource))
      notes.push({ originalId: id, resource, content: textIn(row, 'content', place), madeAt: madeAtIn(row) });
  }
  return { resources: [...resources.values()], annotations: [...annotations.values()], comments, notes };
}

function columnsOf(db: DatabaseSync, path: string, table: Table): ReadonlySet<string> {
  const isTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table);
  if (!isTable) throw older(path, `has no table "${table}"`);
  const found = db.prepare('SELECT name FROM pragma_table_xinfo(?)').all(table) as { name: string }[];
  const columns = new Set(found.map(({ name }) => name));
  const missing = needed[table].find((column) => !columns.has(column));
  if (missing !== undefined) throw older(path, `has no column "${missing}" in its table "${table}"`);
  return columns;
}

function older(path: string, why: string): Invalid {
  return new Invalid(
    `${path} ${why}: it is no database of Research, or of an older version; open it once in the present one`,
  );
}

/** Of the whole file: a table whose upper pages are damaged may look like one that ends early, with the rest lost to nobody. */
function requireWhole(db: DatabaseSync, path: string): void {
  const found = db.prepare('PRAGMA quick_check').all() as { quick_check: string }[];
  const fault = found.find(({ quick_check }) => quick_check !== 'ok' && !isAboutValues(quick_check));
  if (fault) throw damaged(path, new Error(fault.quick_check));
}

/** It also looks at what columns may hold. A live row that breaks such a rule gets a sentence of its own when it is read. */
function isAboutValues(fault: string): boolean {
  return /^(NULL value in|NUMERIC value in|TEXT value in|non-\w+ value in|CHECK constraint failed in)\b/.test(
    fault,
  );
}

function* rows(
  db: DatabaseSync,
  path: string,
  table: Table,
  columns: ReadonlySet<string>,
): Generator<{ readonly id: string; readonly row: ResearchRow; readonly place: Place }> {
  const wanted = [...needed[table], ...dates.filter((column) => columns.has(column))];
  const statement = db.prepare(selectLive(table, wanted, columns));
  // An id may be any number that SQLite has.
  statement.setReadBigInts(true);
  const seen = new Set<string>();
  for (const row of statement.iterate() as Iterable<ResearchRow>) {
    const id = idIn(row, 'id', { path, table, id: undefined });
    if (seen.has(id))
      throw new Invalid(
        `${path}: its table "${table}" has two rows with the id "${id}": it was written only in part`,
      );
    seen.add(id);
    yield { id, row, place: { path, table, id } };
  }
}
