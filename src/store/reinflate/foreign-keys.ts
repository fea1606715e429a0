// While facts come in, a row may arrive before the row it names. SQLite can be told to look away for that long;
// from PostgreSQL the constraints are taken, written down, and put back, which checks them.
import { StartupError } from '../../errors.ts';
import { derivedTables, durableTables } from '../durable.ts';
import type { Session } from '../session.ts';

const takenKey = 'reinflate_foreign_keys';

export async function dropForeignKeys(session: Session): Promise<void> {
  if (session.engine === 'sqlite') {
    await session.run('PRAGMA foreign_keys = OFF');
    return;
  }
  const found = await session.rows<{ tbl: string; name: string; def: string }>(
    `SELECT conrelid::regclass::text AS tbl, conname AS name, pg_get_constraintdef(oid) AS def
     FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace ORDER BY 1, 2`,
  );
  const ours = found.filter(
    ({ tbl }) => durableTables.some(({ name }) => name === tbl) || derivedTables.some((name) => name === tbl),
  );
  if (ours.length === 0) return;
  await session.run('BEGIN');
  for (const { tbl, name } of ours) await session.run(`ALTER TABLE ${tbl} DROP CONSTRAINT ${name}`);
  await session.rows(
    'INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    [takenKey, JSON.stringify(ours)],
  );
  await session.run('COMMIT');
}

export async function readdForeignKeys(session: Session): Promise<void> {
  if (session.engine === 'sqlite') {
    const broken = await session.rows<{ table: string }>('PRAGMA foreign_key_check');
    if (broken.length > 0) {
      throw new StartupError(
        `The library is not whole: ${broken.length} rows of ${broken[0]?.table} name rows that are missing.`,
      );
    }
    await session.run('PRAGMA foreign_keys = ON');
    return;
  }
  const [row] = await session
    .rows<{ value: string }>('SELECT value FROM meta WHERE key = $1', [takenKey])
    .catch(() => []);
  if (!row) return;
  await session.run('BEGIN');
  for (const { tbl, name, def } of JSON.parse(row.value)) {
    await session.run(`ALTER TABLE ${tbl} ADD CONSTRAINT ${name} ${def}`);
  }
  await session.rows('DELETE FROM meta WHERE key = $1', [takenKey]);
  await session.run('COMMIT');
}
