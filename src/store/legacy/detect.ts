// What a SQLite file is: an index of ours, a database of ReedMe or Fusion, old or present, or something else. It is only
// looked at. To be asked before this process opens the file in any other way: closing a file that is open twice gives up
// the locks of both.
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { LecternError, StartupError } from '../../errors.ts';
import { untilFree } from '../dialect/sqlite/connection.ts';

export type Detected =
  /** No file, or nothing in it yet; or one that cannot be looked at: then whoever opens it is told why. */
  | { readonly kind: 'none' }
  | { readonly kind: 'lectern' }
  | OldDatabase
  | { readonly kind: 'foreign'; readonly why: string; readonly isDamaged?: boolean };

export interface OldDatabase {
  /** `legacy`: as versions 0.x wrote it, with soft deletes. `current`: with migrations of its own. */
  readonly kind: 'legacy' | 'current';
  /** Of its own migrations; 0 for a legacy one. */
  readonly version: number;
}

/** The columns of the tables that tell, by table; and the number of its last migration. */
export interface Shape {
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  readonly version: number;
}

const newestKnown = 3;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

export async function detectDatabase(path: string): Promise<Detected> {
  for (let tries = 1; ; tries++) {
    const before = stamp(path);
    const detected = await look(path);
    // Ours is ours whoever writes to it. Anything else may have been half written when we looked.
    if (detected.kind === 'lectern' || before === stamp(path) || tries === 5) return detected;
    await pause(50);
  }
}

function stamp(path: string): string {
  return ['', '-wal']
    .map((suffix) => {
      try {
        const { ino, size, mtimeNs } = statSync(path + suffix, { bigint: true });
        return `${ino} ${size} ${mtimeNs}`;
      } catch {
        return '';
      }
    })
    .join(', ');
}

async function look(path: string): Promise<Detected> {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return { kind: 'foreign', why: 'is a folder' };
    return !stat || stat.size === 0 ? { kind: 'none' } : classify(await readShape(path));
  } catch (error) {
    if (error instanceof LecternError) throw error;
    const { errcode = 0, message } = error as { errcode?: number; message: string };
    if (errcode === SQLITE_NOTADB)
      return { kind: 'foreign', why: 'is not a SQLite database', isDamaged: true };
    if ((errcode & 0xff) === SQLITE_CORRUPT)
      return { kind: 'foreign', why: `is damaged (${message})`, isDamaged: true };
    return { kind: 'none' };
  }
}

/**
 * Without a WAL nothing is locked and no file made beside it. What a WAL holds can only be seen by opening both, which may
 * leave a `-shm` behind, as every look at such a database does.
 */
async function readShape(path: string): Promise<Shape> {
  const walBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const db = walBytes > 0 ? new DatabaseSync(path, { readOnly: true, timeout: 0 }) : openAtRest(path);
  try {
    return await untilFree(() => shapeOf(db));
  } finally {
    db.close();
  }
}

/** A file that nobody writes to: it is read without locks, and nothing is made beside it. */
export function openAtRest(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true });
}

const telling = [
  'schema_migrations',
  'users',
  'groups',
  'feeds',
  'items',
  'bookmarks',
  'feed_fetch_state',
  'sqlite_sequence',
];

export function shapeOf(db: DatabaseSync): Shape {
  const columns = new Map<string, Set<string>>();
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as {
    name: string;
  }[];
  for (const { name } of tables) {
    const found = telling.includes(name)
      ? (db.prepare('SELECT name FROM pragma_table_info(?)').all(name) as { name: string }[])
      : [];
    columns.set(name, new Set(found.map((column) => column.name)));
  }
  const versions = columns.get('schema_migrations')?.has('version')
    ? db.prepare('SELECT coalesce(max(CAST(version AS INTEGER)), 0) AS version FROM schema_migrations').get()
    : undefined;
  return { columns, version: Number(versions?.version ?? 0) };
}

const readerTables = ['groups', 'feeds', 'items'];

/** One of these columns is enough, whatever else there is: later versions have none of them. */
const legacyColumns = [
  ['groups', 'deleted_at'],
  ['feeds', 'consecutive_failures'],
  ['feeds', 'req_proxy'],
  ['items', 'bookmark'],
  ['items', 'deleted_at'],
] as const;

export function classify({ columns, version }: Shape): Detected {
  const has = (table: string, column: string) => columns.get(table)?.has(column) ?? false;
  // Ours first: it has columns of the same names.
  if (has('schema_migrations', 'name') && has('groups', 'is_default') && columns.has('users'))
    return { kind: 'lectern' };
  if ([...columns.keys()].every((name) => name.startsWith('sqlite_'))) return { kind: 'none' };
  if (!readerTables.every((name) => columns.has(name)))
    return { kind: 'foreign', why: 'is neither an index of Lectern nor a database of ReedMe or Fusion' };
  if (legacyColumns.some(([table, column]) => has(table, column))) return { kind: 'legacy', version: 0 };
  if (!has('items', 'guid') || !has('bookmarks', 'link') || version === 0)
    return { kind: 'foreign', why: 'has tables of ReedMe or Fusion, but not as any version of them has' };
  if (version > newestKnown)
    return {
      kind: 'foreign',
      why: `was last opened by a newer ReedMe or Fusion than Lectern knows (schema ${version}, known up to ${newestKnown})`,
    };
  return { kind: 'current', version };
}

/** For whoever is about to open the index of LECTERN_DATABASE_URL. */
export async function requireOwnFile(path: string): Promise<void> {
  const detected = await detectDatabase(path);
  if (detected.kind === 'foreign' && detected.isDamaged) throw damagedIndex(path, detected.why);
  if (detected.kind === 'foreign')
    throw new StartupError(
      `LECTERN_DATABASE_URL: cannot open ${path}, which ${detected.why}. It was not changed. ` +
        'Check that it is a SQLite file of Lectern, or name one that does not exist yet: then Lectern makes it.',
    );
  if (detected.kind === 'legacy' || detected.kind === 'current')
    throw new StartupError(
      `LECTERN_DATABASE_URL: ${path} is a database of ReedMe or Fusion. "lectern serve" brings it over; ` +
        'for anything else, name another file there.',
    );
}

/** Whether SQLite found the file damaged, or not to be a database at all. */
export function isDamage(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && [SQLITE_CORRUPT, SQLITE_NOTADB].includes(errcode & 0xff);
}

export class DamagedIndex extends StartupError {
  override readonly name = 'DamagedIndex';
}

export function damagedIndex(path: string, why: string, options?: ErrorOptions): DamagedIndex {
  return new DamagedIndex(
    `LECTERN_DATABASE_URL: cannot open ${path}, which ${why}. It was not changed. Check that it is a SQLite file of Lectern. ` +
      'If the index is damaged, rebuild it from the library with "lectern reinflate --force --discard"; that keeps the file aside.',
    options,
  );
}
