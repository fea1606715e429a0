// Research's database must not be one of Lectern's own files. A process that closes any descriptor of a file loses all its POSIX
// locks on that file, so that reading our own index would unlock it for other processes. Nothing here opens a file.
import { type BigIntStats, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Invalid } from '../../errors.ts';

export interface OwnFiles {
  readonly home: string;
  readonly database: { readonly engine: 'sqlite'; readonly path: string } | { readonly engine: 'postgres' };
}

/** Compares device and inode, so that symbolic links, hard links and other spellings of a path are refused, too. */
export function refuseOwnFiles(dbPath: string, { home, database }: OwnFiles): void {
  const file = statOf(dbPath);
  const index =
    database.engine === 'sqlite' ? ['', '-wal', '-shm'].map((suffix) => database.path + suffix) : [];
  if (index.some((path) => isSame(file, statOf(path))))
    throw new Invalid("db_path: this is Lectern's own index; name the database file of Research");
  const homeFolder = statOf(home);
  for (let folder = realPathOf(dbPath); ; folder = dirname(folder)) {
    if (folder === resolve(home) || isSame(statOf(folder), homeFolder))
      throw new Invalid(
        "db_path: this is inside LECTERN_HOME, which has only Lectern's own files; move the database of Research elsewhere",
      );
    if (folder === dirname(folder)) return;
  }
}

const isSame = (a: BigIntStats | undefined, b: BigIntStats | undefined): boolean =>
  a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino;

function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true });
  } catch {
    // Missing or unreadable: reading the database reports that.
    return undefined;
  }
}

/** The part that exists, with its links resolved: the file may be created later. */
function realPathOf(path: string): string {
  const full = resolve(path);
  try {
    return realpathSync(full);
  } catch {
    const parent = dirname(full);
    return parent === full ? full : resolve(realPathOf(parent));
  }
}
