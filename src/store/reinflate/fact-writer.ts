// Writes facts into tables by plain SQL: the columns are the row's own, since a fact may be older than our types.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { DurableTable } from '../durable.ts';
import type { Fact } from '../journal-store.ts';
import type { Session } from '../session.ts';

/** Works inside the caller's transaction. */
export interface FactWriter {
  removeKeys(facts: readonly Fact[]): Promise<void>;
  /** Facts that are null are left to `removeKeys`. */
  putRows(facts: readonly Fact[]): Promise<void>;
}

type FindTable = (name: string) => DurableTable;

/** Row by row, with prepared statements: nothing is faster in the same process. */
export function sqliteFactWriter(db: DatabaseSync, findTable: FindTable): FactWriter {
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string) => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = db.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const shapes = new Map<string, { columns: string[]; statement: StatementSync }>();

  return {
    async removeKeys(facts) {
      for (const { table, key } of facts) {
        const where = findTable(table)
          .key.map(({ column }) => `${column} = ?`)
          .join(' AND ');
        prepare(`DELETE FROM ${table} WHERE ${where}`).run(...(key as SQLInputValue[]));
      }
    },
    async putRows(facts) {
      for (const { table, row } of facts) {
        if (!row) continue;
        let shape = shapes.get(table);
        const columns = Object.keys(row);
        if (
          !shape ||
          shape.columns.length !== columns.length ||
          !columns.every((c, i) => shape?.columns[i] === c)
        ) {
          const places = columns.map(() => '?').join(', ');
          const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})${orUpdate(findTable(table), columns)}`;
          shape = { columns, statement: prepare(sql) };
          shapes.set(table, shape);
        }
        shape.statement.run(...(Object.values(row) as SQLInputValue[]));
      }
    },
  };
}

/** Many rows in one statement, as JSON: a round trip for each would be most of the time. */
export function postgresFactWriter(session: Session, findTable: FindTable): FactWriter {
  return {
    async removeKeys(facts) {
      for (const [name, some] of grouped(facts, ({ table }) => table)) {
        const { key } = findTable(name);
        const types = key
          .map(({ column, type }) => `${column} ${type === 'integer' ? 'bigint' : 'text'}`)
          .join(', ');
        const same = key.map(({ column }) => `t.${column} = k.${column}`).join(' AND ');
        const keys = some.map((fact) =>
          Object.fromEntries(key.map(({ column }, i) => [column, fact.key[i]])),
        );
        await session.rows(
          `DELETE FROM ${name} t USING jsonb_to_recordset($1::jsonb) AS k(${types}) WHERE ${same}`,
          [JSON.stringify(keys)],
        );
      }
    },
    async putRows(facts) {
      // A statement cannot touch one row twice, so the last fact of a key stands for it.
      const rows = new Map(
        facts.filter(({ row }) => row).map((fact) => [JSON.stringify([fact.table, fact.key]), fact]),
      );
      const shapeOf = ({ table, row }: Fact) => `${table}:${Object.keys(row ?? {}).join(',')}`;
      for (const [, some] of grouped([...rows.values()], shapeOf)) {
        const [{ table, row }] = some as [Fact];
        const columns = Object.keys(row ?? {});
        const list = columns.join(', ');
        await session.rows(
          `INSERT INTO ${table} (${list}) SELECT ${list} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)${orUpdate(findTable(table), columns)}`,
          [JSON.stringify(some.map((fact) => fact.row))],
        );
      }
    },
  };
}

function orUpdate({ key }: DurableTable, columns: readonly string[]): string {
  const keys = key.map(({ column }) => column);
  const others = columns.filter((column) => !keys.includes(column));
  const action =
    others.length > 0 ? `UPDATE SET ${others.map((c) => `${c} = excluded.${c}`).join(', ')}` : 'NOTHING';
  return ` ON CONFLICT (${keys.join(', ')}) DO ${action}`;
}

function grouped<T>(values: readonly T[], by: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(by(value));
    if (group) group.push(value);
    else groups.set(by(value), [value]);
  }
  return groups;
}
