// The triggers that note every change of a durable row, in the transaction that makes it: the one hidden side
// effect that the database has. Generated, so that no table can have them half.
import { type DurableTable, noteColumns } from '../durable.ts';

/** All triggers of ours begin with this, and nothing else does. */
export const triggerPrefix = 'journal_';

interface TableShape {
  readonly table: DurableTable;
  /** Every column that the table has at the present schema. */
  readonly columns: readonly string[];
}

export function sqliteTriggers({ table, columns }: TableShape): string[] {
  const notes = noteColumns(table.key);
  const note = (row: 'new' | 'old') =>
    `INSERT INTO journal_dirty (tbl, ${notes.map(({ note }) => note).join(', ')})
       VALUES (${table.id}, ${notes.map(({ column }) => `${row}.${column}`).join(', ')})`;
  const watched = watchedColumns(table, columns);
  const keyMoved = notes.map(({ column }) => `old.${column} IS NOT new.${column}`).join(' OR ');
  const keyColumns = notes.map(({ column }) => column).join(', ');
  const on = (what: string, name: string, when: string, then: string) =>
    `CREATE TRIGGER ${triggerPrefix}${table.name}_${name} AFTER ${what} ON ${table.name}${when} BEGIN ${then}; END`;
  return [
    on('INSERT', 'insert', '', note('new')),
    on(watched ? `UPDATE OF ${watched.join(', ')}` : 'UPDATE', 'update', '', note('new')),
    on(`UPDATE OF ${keyColumns}`, 'move', ` WHEN ${keyMoved}`, note('old')),
    on('DELETE', 'delete', '', note('old')),
  ];
}

/**
 * Once for a statement, not for a row: measured, the difference for 100,000 rows is one half. Only a key that
 * moves is watched row by row, since it hardly ever does.
 */
export function postgresTriggers({ table, columns }: TableShape): string[] {
  const notes = noteColumns(table.key);
  const target = `journal_dirty (tbl, ${notes.map(({ note }) => note).join(', ')})`;
  const keyOf = (row: string) => notes.map(({ column }) => `${row}.${column}`).join(', ');
  const watched = watchedColumns(table, columns);
  const sameKey = notes.map(({ column }) => `o.${column} = n.${column}`).join(' AND ');
  // A trigger with transition tables cannot be limited to columns, so what changed is compared here; a row without
  // an old one under its key has moved there.
  const onlyWatched = watched
    ? ` LEFT JOIN old_rows o ON ${sameKey} WHERE o.${notes[0]?.column} IS NULL OR (${watched.map((c) => `n.${c}`).join(', ')}) IS DISTINCT FROM (${watched.map((c) => `o.${c}`).join(', ')})`
    : '';
  const name = (what: string) => `${triggerPrefix}${table.name}_${what}`;
  const fn = (what: string, body: string) =>
    `CREATE OR REPLACE FUNCTION ${name(what)}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; RETURN NULL; END $$`;
  const statementTrigger = (what: string, event: string, tables: string) =>
    `CREATE TRIGGER ${name(what)} AFTER ${event} ON ${table.name} REFERENCING ${tables} FOR EACH STATEMENT EXECUTE FUNCTION ${name(what)}()`;
  const insertFrom = (rows: string, rest = '') =>
    `INSERT INTO ${target} SELECT ${table.id}, ${keyOf('n')} FROM ${rows} n${rest}`;
  const keyMoved = notes.map(({ column }) => `OLD.${column} IS DISTINCT FROM NEW.${column}`).join(' OR ');
  return [
    fn('insert', insertFrom('new_rows')),
    statementTrigger('insert', 'INSERT', 'NEW TABLE AS new_rows'),
    fn('update', insertFrom('new_rows', onlyWatched)),
    statementTrigger('update', 'UPDATE', 'OLD TABLE AS old_rows NEW TABLE AS new_rows'),
    fn('move', `INSERT INTO ${target} VALUES (${table.id}, ${keyOf('OLD')})`),
    `CREATE TRIGGER ${name('move')} AFTER UPDATE OF ${notes.map(({ column }) => column).join(', ')} ON ${table.name}
       FOR EACH ROW WHEN (${keyMoved}) EXECUTE FUNCTION ${name('move')}()`,
    fn('delete', insertFrom('old_rows')),
    statementTrigger('delete', 'DELETE', 'OLD TABLE AS old_rows'),
  ];
}

/** As if every row of the table had just changed. */
export function noteAllRowsOf({ id, name, key }: DurableTable): string {
  const notes = noteColumns(key);
  return `INSERT INTO journal_dirty (tbl, ${notes.map(({ note }) => note).join(', ')})
    SELECT ${id}, ${notes.map(({ column }) => column).join(', ')} FROM ${name}`;
}

/** Undefined when every column counts. */
function watchedColumns(table: DurableTable, columns: readonly string[]): string[] | undefined {
  if (!table.volatile || table.volatile.length === 0) return undefined;
  return columns.filter((column) => !table.volatile?.includes(column));
}
