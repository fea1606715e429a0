// Puts the journal's triggers in place, and takes them off again while the schema changes.
import { type DurableTable, durableTables } from '../durable.ts';
import { readColumns, type Session, tableExists } from '../session.ts';
import { noteAllRowsOf, postgresTriggers, sqliteTriggers, triggerPrefix } from './triggers.ts';

/** In meta: the triggers that are in place, by table, so that a start changes only what differs. */
const installedKey = 'journal_triggers';

/**
 * Makes the triggers what they should be, inside the caller's transaction. The rows of a table that was not
 * journaled before are all noted: they are as durable as those to come.
 */
export async function installTriggers(
  session: Session,
  tables: readonly DurableTable[] = durableTables,
): Promise<void> {
  const wanted = await wantedTriggers(session, tables);
  const installed = await installedTriggers(session);
  if (JSON.stringify(installed) === JSON.stringify(wanted)) return;

  await dropTriggers(session);
  for (const statement of Object.values(wanted).flat()) await session.run(statement);
  for (const table of tables) {
    if (wanted[table.name] && !installed[table.name]) await session.run(noteAllRowsOf(table));
  }
  await remember(session, wanted);
}

export async function areTriggersInstalled(
  session: Session,
  tables: readonly DurableTable[] = durableTables,
): Promise<boolean> {
  const [wanted, installed] = [await wantedTriggers(session, tables), await installedTriggers(session)];
  return JSON.stringify(installed) === JSON.stringify(wanted);
}

/** While a migration or a reinflate runs, what it changes is no news: the library says the same already. */
export async function suspendTriggers(session: Session): Promise<void> {
  if (!(await tableExists(session, 'journal_dirty'))) return;
  await dropTriggers(session);
  const installed = await installedTriggers(session);
  if (Object.keys(installed).length === 0) return;
  // The names stay: these tables have been journaled, so their rows are not to be noted all over again.
  const names = Object.keys(installed);
  await remember(session, Object.fromEntries(names.map((name) => [name, []])));
}

/** Says of all durable tables that their rows stand in the library already. */
export async function markJournaled(
  session: Session,
  tables: readonly DurableTable[] = durableTables,
): Promise<void> {
  await remember(session, Object.fromEntries(tables.map((table) => [table.name, []])));
}

async function wantedTriggers(session: Session, tables: readonly DurableTable[]) {
  const wanted: Record<string, string[]> = {};
  const allColumns = await readColumns(session);
  for (const table of tables) {
    const columns = allColumns.get(table.name);
    if (!columns) continue;
    const shape = { table, columns };
    wanted[table.name] = session.engine === 'sqlite' ? sqliteTriggers(shape) : postgresTriggers(shape);
  }
  return wanted;
}

async function installedTriggers(session: Session): Promise<Record<string, string[]>> {
  const [stored] = await session.rows<{ value: string }>('SELECT value FROM meta WHERE key = $1', [
    installedKey,
  ]);
  return stored ? JSON.parse(stored.value) : {};
}

async function remember(session: Session, installed: Record<string, string[]>): Promise<void> {
  await session.rows(
    'INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    [installedKey, JSON.stringify(installed)],
  );
}

async function dropTriggers(session: Session): Promise<void> {
  const escaped = triggerPrefix.replaceAll('_', '\\_');
  if (session.engine === 'sqlite') {
    const found = await session.rows<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '${escaped}%' ESCAPE '\\'`,
    );
    for (const { name } of found) await session.run(`DROP TRIGGER ${name}`);
    return;
  }
  const found = await session.rows<{ name: string }>(
    `SELECT p.oid::regprocedure::text AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE n.nspname = 'public' AND p.proname LIKE '${escaped}%' AND p.prorettype = 'trigger'::regtype`,
  );
  for (const { name } of found) await session.run(`DROP FUNCTION ${name} CASCADE`);
}
