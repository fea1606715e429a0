// One connection, spoken to in plain SQL: for what happens before the store is open, such as migrations.
// Parameters are written $1, $2, ... on both engines.
export interface Session {
  readonly engine: 'sqlite' | 'postgres';
  run(sql: string): Promise<void>;
  rows<R>(sql: string, parameters?: readonly (string | number | null)[]): Promise<R[]>;
}

export async function tableExists(session: Session, name: string): Promise<boolean> {
  const sql =
    session.engine === 'sqlite'
      ? "SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = $1"
      : "SELECT 1 AS found WHERE to_regclass('public.' || quote_ident($1)) IS NOT NULL";
  return (await session.rows(sql, [name])).length > 0;
}

/** The names of the columns of every table, in their order. PostgreSQL's information_schema takes ten times as long. */
export async function readColumns(session: Session): Promise<Map<string, string[]>> {
  const sql =
    session.engine === 'sqlite'
      ? `SELECT t.name AS tbl, c.name AS col FROM sqlite_schema t CROSS JOIN pragma_table_info(t.name) c
         WHERE t.type = 'table' ORDER BY t.name, c.cid`
      : `SELECT t.relname::text AS tbl, c.attname::text AS col
         FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid
         WHERE t.relnamespace = 'public'::regnamespace AND t.relkind = 'r' AND c.attnum > 0 AND NOT c.attisdropped
         ORDER BY t.relname, c.attnum`;
  const columns = new Map<string, string[]>();
  for (const { tbl, col } of await session.rows<{ tbl: string; col: string }>(sql)) {
    const ofTable = columns.get(tbl);
    if (ofTable) ofTable.push(col);
    else columns.set(tbl, [col]);
  }
  return columns;
}
