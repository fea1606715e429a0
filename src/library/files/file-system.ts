// The few operations that a folder library asks of the file system, apart so that tests can break each of them.
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, rename, rmdir, unlink } from 'node:fs/promises';
import type { Millis } from '../../model/glossary.ts';

export type EntryKind = 'file' | 'folder' | 'link' | 'other';

export interface EntryStat {
  readonly kind: EntryKind;
  readonly sizeBytes: number;
  readonly modifiedAt: Millis;
}

export interface WritableFile {
  /** All of the chunk. */
  write(chunk: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface ReadableFile {
  stat(): Promise<EntryStat>;
  /** How many bytes were read into the buffer; 0 at the end. */
  read(buffer: Uint8Array): Promise<number>;
  close(): Promise<void>;
}

/** Every function rejects as node:fs does: an Error with a `code` such as ENOENT. No function follows links. */
export interface FileSystem {
  /** A new file, readable by its owner alone; EEXIST when there is one. */
  createFile(path: string): Promise<WritableFile>;
  openFile(path: string): Promise<ReadableFile>;
  rename(from: string, to: string): Promise<void>;
  removeFile(path: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  removeFolder(path: string): Promise<void>;
  /** Makes what was created, renamed or removed in this folder survive a power loss. */
  syncFolder(path: string): Promise<void>;
  readFolder(path: string): Promise<{ readonly name: string; readonly kind: EntryKind }[]>;
  stat(path: string): Promise<EntryStat>;
  realPath(path: string): Promise<string>;
}

export const nodeFileSystem: FileSystem = {
  async createFile(path) {
    const handle = await open(path, 'wx', 0o600);
    return {
      async write(chunk) {
        for (let at = 0; at < chunk.byteLength; ) {
          at += (await handle.write(chunk, at, chunk.byteLength - at)).bytesWritten;
        }
      },
      sync: () => handle.sync(),
      close: () => handle.close(),
    };
  },
  async openFile(path) {
    // Windows has no O_NOFOLLOW; there the check before this call is all there is.
    const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    return {
      stat: async () => statOf(await handle.stat()),
      read: async (buffer) => (await handle.read(buffer, 0, buffer.byteLength, null)).bytesRead,
      close: () => handle.close(),
    };
  },
  rename,
  removeFile: unlink,
  makeFolder: async (path) => void (await mkdir(path, 0o700)),
  removeFolder: (path) => rmdir(path),
  async syncFolder(path) {
    // Windows cannot open a folder to sync it; NTFS journals its entries itself.
    if (process.platform === 'win32') return;
    const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  async readFolder(path) {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  },
  stat: async (path) => statOf(await lstat(path)),
  realPath: (path) => realpath(path),
};

/**
 * The same for a command that has the process to itself: each call waits for the disk, and none of them for a thread, which
 * for small files takes many times as long.
 */
export const blockingFileSystem: FileSystem = {
  ...nodeFileSystem,
  async openFile(path) {
    const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    return {
      stat: async () => statOf(fstatSync(file)),
      read: async (buffer) => readSync(file, buffer, 0, buffer.byteLength, null),
      close: async () => closeSync(file),
    };
  },
  async readFolder(path) {
    return readdirSync(path, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      kind: kindOf(entry),
    }));
  },
  stat: async (path) => statOf(lstatSync(path)),
};

/** The system's name for what went wrong, such as ENOENT; undefined for errors that the system did not raise. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

interface Kinds {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

function kindOf(entry: Kinds): EntryKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

function statOf(stats: Kinds & { size: number; mtimeMs: number }): EntryStat {
  return { kind: kindOf(stats), sizeBytes: stats.size, modifiedAt: Math.floor(stats.mtimeMs) };
}
