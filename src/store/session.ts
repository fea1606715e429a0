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
      : "SELECT 1 AS found FROM information_schema.tables WHERE table_schema = 'public' AND table_name = $1";
  return (await session.rows(sql, [name])).length > 0;
}

export async function columnsOf(session: Session, table: string): Promise<string[]> {
  const sql =
    session.engine === 'sqlite'
      ? 'SELECT name FROM pragma_table_info($1) ORDER BY cid'
      : "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1 ORDER BY ordinal_position";
  return (await session.rows<{ name: string }>(sql, [table])).map((row) => row.name);
}
