// The few operations that replacing a database asks of the file system, apart so that tests can break each of them.
import { constants } from 'node:fs';
import { chmod, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { backup, type DatabaseSync } from 'node:sqlite';

export interface SwapFiles {
  /** A whole copy of an open database, as a file of its own. Never by reading the file: closing it would unlock it. */
  copy(from: DatabaseSync, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** No matter if there is none. */
  remove(path: string): Promise<void>;
  sync(path: string): Promise<void>;
  /** Makes what was created, renamed or removed in this folder survive a power loss. */
  syncFolder(path: string): Promise<void>;
  /** Whoever may read the one may read the other. */
  copyMode(from: string, to: string): Promise<void>;
  list(folder: string): Promise<string[]>;
  /** 0 where there is none. */
  sizeBytes(path: string): Promise<number>;
  freeBytes(folder: string): Promise<number>;
}

export const nodeSwapFiles: SwapFiles = {
  copy: async (from, to) => void (await backup(from, to)),
  rename,
  remove: (path) => rm(path, { force: true }),
  sync: (path) => syncAt(path, constants.O_RDONLY),
  async syncFolder(path) {
    // Windows cannot open a folder to sync it; NTFS journals its entries itself.
    if (process.platform !== 'win32') await syncAt(path, constants.O_RDONLY | constants.O_DIRECTORY);
  },
  copyMode: async (from, to) => chmod(to, (await stat(from)).mode & 0o777),
  list: (folder) => readdir(folder),
  async sizeBytes(path) {
    try {
      return (await stat(path)).size;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
      throw error;
    }
  },
  async freeBytes(folder) {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  },
};

async function syncAt(path: string, flags: number): Promise<void> {
  await using handle = await open(path, flags);
  await handle.sync();
}
