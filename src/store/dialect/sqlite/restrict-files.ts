import { chmodSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Lets only the owner read the index and the files beside it: WAL, backups, replaced indexes. New files are made so by the umask;
 * earlier versions left them readable to everybody.
 */
export function restrictFiles(path: string): void {
  const [folder, name] = [dirname(path), basename(path)];
  for (const entry of readdirSync(folder)) {
    if (entry !== name && !entry.startsWith(`${name}-`) && !entry.startsWith(`${name}.`)) continue;
    const file = join(folder, entry);
    try {
      const { mode } = statSync(file);
      if ((mode & 0o077) !== 0) chmodSync(file, mode & 0o700);
    } catch (error) {
      // Another process has removed it, another user owns it, or the file system has no permissions. Lectern can start all the same.
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    }
  }
}
