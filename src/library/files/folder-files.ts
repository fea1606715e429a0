// The library in a folder. A file is written beside, synced, renamed into place, and its folders synced: a
// reader and a power loss see the old content or the new, never half of it.
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { Conflict, StartupError, TemporaryFailure } from '../../errors.ts';
import type { Clock, RandomText } from '../../model/glossary.ts';
import {
  codeOf,
  type EntryStat,
  type FileSystem,
  nodeFileSystem,
  type ReadableFile,
  type WritableFile,
} from './file-system.ts';
import { chunksOf, type FileData, type Files, maxPageSize, type Written } from './files.ts';
import { doing, failure } from './folder-failure.ts';
import { linkRefused, unlessGone, walkFolder } from './folder-walk.ts';
import { checkKey, checkPrefix, isSegment } from './key.ts';
import { checkLimit, takePage } from './page.ts';

export interface FolderDeps {
  readonly now: Clock;
  readonly randomText: RandomText;
  readonly fileSystem?: FileSystem;
}

const temporaryFolder = '.tmp';
/** What is older was left by a process that ended in the middle of a put. */
const leftoverAgeMs = 86_400_000;
const readBytes = 256 * 1024;

/** Opens the library in the folder, which is made if it is not there. */
export async function openFolderFiles(path: string, deps: FolderDeps): Promise<Files> {
  const fileSystem = deps.fileSystem ?? nodeFileSystem;
  try {
    await makeFolders(fileSystem, path);
    const root = await fileSystem.realPath(path);
    const temporary = join(root, temporaryFolder);
    // Made last: while it is missing, no opening has come to its end, and the way to the root may be unsynced.
    if ((await unlessGone(fileSystem.stat(temporary))) === undefined) {
      await syncWayTo(fileSystem, root);
      await makeFolders(fileSystem, temporary);
      await fileSystem.syncFolder(root);
    }
    if ((await fileSystem.stat(temporary)).kind !== 'folder') throw linkRefused(temporaryFolder);
    await removeLeftovers(fileSystem, temporary, deps.now() - leftoverAgeMs);
    return folderFiles({ fileSystem, root, temporary, randomText: deps.randomText });
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw new StartupError(
      `LECTERN_LIBRARY_URL: cannot open the folder ${path} (${(error as Error).message}). ` +
        'Check that it is a folder which Lectern may write.',
      { cause: error },
    );
  }
}

interface Folder {
  readonly fileSystem: FileSystem;
  readonly root: string;
  readonly temporary: string;
  readonly randomText: RandomText;
}

function folderFiles(folder: Folder): Files {
  const { fileSystem, root } = folder;

  const files: Files = {
    kind: 'folder',

    async put(key, data, { signal } = {}) {
      const path = join(root, checkKey(key));
      await find(folder, key);
      // Not made again when it is missing: the disk was unmounted, and we would fill its mount point.
      const temporary = join(folder.temporary, folder.randomText(18));
      try {
        const written = await writeTemporary(fileSystem, temporary, data);
        signal?.throwIfAborted();
        await doing('write', () => moveIntoPlace(folder, { temporary, path, key }));
        return written;
      } catch (error) {
        // The first error is the one to report; if this fails too, the next start removes what is left.
        await fileSystem.removeFile(temporary).catch(() => {});
        throw error;
      }
    },

    async get(key) {
      const file = await openFound(folder, key);
      if (file === undefined) return undefined;
      try {
        const { sizeBytes, modifiedAt } = await doing('read', () => file.stat());
        return { key, sizeBytes, modifiedAt, body: bodyOf(file, { key, sizeBytes }) };
      } catch (error) {
        await closeQuietly(file);
        throw error;
      }
    },

    async read(key) {
      const file = await openFound(folder, key);
      if (file === undefined) return undefined;
      try {
        return await doing('read', () => readWhole(file, key));
      } finally {
        await closeQuietly(file);
      }
    },

    async stat(key) {
      const found = await find(folder, checkKey(key));
      if (found?.kind !== 'file') return undefined;
      return { key, sizeBytes: found.sizeBytes, modifiedAt: found.modifiedAt };
    },

    async delete(key) {
      const path = join(root, checkKey(key));
      const found = await find(folder, key);
      if (found !== undefined && found.kind !== 'file') return;
      await doing('delete', async () => {
        if (found) await unlessGone(fileSystem.removeFile(path));
        // Also when it was gone already: the one who removed it may have ended before this.
        await unlessGone(fileSystem.syncFolder(dirname(path)));
        await removeEmptyFolders(folder, dirname(path));
      });
    },

    list: async (prefix, { after, limit = maxPageSize } = {}) => {
      checkLimit(limit);
      return takePage(files.listAll(prefix, after === undefined ? {} : { after }), limit);
    },

    async *listAll(prefix, { after } = {}) {
      checkPrefix(prefix);
      if (after !== undefined) checkKey(after);
      const folderKey = prefix.slice(0, prefix.lastIndexOf('/') + 1);
      if (folderKey !== '' && (await find(folder, folderKey.slice(0, -1)))?.kind !== 'folder') return;
      try {
        yield* walkFolder(
          { fileSystem, prefix, after: after ?? '' },
          join(root, folderKey.slice(0, -1)),
          folderKey,
        );
      } catch (error) {
        throw failure('list', error);
      }
    },

    async *folders(prefix) {
      const key = checkPrefix(prefix).slice(0, -1);
      if ((await find(folder, key))?.kind !== 'folder') return;
      const entries = await doing('list', () => unlessGone(fileSystem.readFolder(join(root, key))));
      for (const { name, kind } of entries ?? []) if (kind === 'folder' && isSegment(name)) yield name;
    },
  };
  return files;
}

async function openFound(folder: Folder, key: string): Promise<ReadableFile | undefined> {
  const path = join(folder.root, checkKey(key));
  if ((await find(folder, key))?.kind !== 'file') return undefined;
  return doing('read', () => unlessGone(folder.fileSystem.openFile(path)));
}

/** What is at the key, if anything. Refuses a link anywhere on the way: it could lead out of the library. */
async function find({ fileSystem, root }: Folder, key: string): Promise<EntryStat | undefined> {
  let path = root;
  let found: EntryStat | undefined;
  for (const segment of key.split('/')) {
    path = join(path, segment);
    found = await doing('read', () => unlessGone(fileSystem.stat(path)));
    if (found === undefined) return undefined;
    if (found.kind === 'link') throw linkRefused(key);
  }
  return found;
}

async function writeTemporary(fileSystem: FileSystem, path: string, data: FileData): Promise<Written> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const file = await doing('write', () => fileSystem.createFile(path));
  try {
    // Outside `doing`: an error of the source is the caller's own.
    for await (const chunk of chunksOf(data)) {
      await doing('write', () => file.write(chunk));
      hash.update(chunk);
      sizeBytes += chunk.byteLength;
    }
    await doing('write', () => file.sync());
  } catch (error) {
    await closeQuietly(file);
    throw error;
  }
  await doing('write', () => file.close());
  return { sizeBytes, sha256: hash.digest('hex') };
}

async function moveIntoPlace(
  folder: Folder,
  { temporary, path, key }: { temporary: string; path: string; key: string },
): Promise<void> {
  const { fileSystem, root } = folder;
  for (let attempt = 1; ; attempt++) {
    try {
      await makeFolders(fileSystem, dirname(path), root);
      await fileSystem.rename(temporary, path);
      break;
    } catch (error) {
      const code = codeOf(error) ?? '';
      // A delete beside us removed the folder that we just made, since it was still empty.
      if (code === 'ENOENT' && attempt < 10) continue;
      if (!['EISDIR', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(code)) throw error;
      // An empty folder at the key is what a crash left of files that it once held.
      if (attempt === 1 && (await isRemoved(fileSystem, path))) continue;
      throw new Conflict(`"${key}" cannot be both a file and a folder of files`, { cause: error });
    }
  }
  // All of them, not only those that we made: whoever made the others may not have synced them yet.
  for (let at = dirname(path); ; at = dirname(at)) {
    // Gone again, because the key was deleted meanwhile; the deleter syncs what is left.
    if (at === root) return fileSystem.syncFolder(at);
    await unlessGone(fileSystem.syncFolder(at));
  }
}

async function isRemoved(fileSystem: FileSystem, path: string): Promise<boolean> {
  try {
    await fileSystem.removeFolder(path);
    return true;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return false;
  }
}

/** Makes what is missing, up to the root when one is given, which must be there; whoever calls syncs it. */
async function makeFolders(fileSystem: FileSystem, path: string, root?: string): Promise<void> {
  if (path === root) return;
  try {
    await fileSystem.makeFolder(path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolders(fileSystem, dirname(path), root);
    await makeFolders(fileSystem, path, root);
  }
}

/** Folders above the library may be closed to us, or on a disk that is never written: then they are not new. */
async function syncWayTo(fileSystem: FileSystem, root: string): Promise<void> {
  for (let at = root; ; at = dirname(at)) {
    try {
      await fileSystem.syncFolder(at);
    } catch (error) {
      if (!['EACCES', 'EPERM', 'EINVAL', 'EROFS'].includes(codeOf(error) ?? '')) throw error;
    }
    if (at === dirname(at)) return;
  }
}

/** Tidiness only: nothing is lost when one stays. */
async function removeEmptyFolders({ fileSystem, root }: Folder, from: string): Promise<void> {
  for (let at = from; at !== root; at = dirname(at)) {
    try {
      await unlessGone(fileSystem.removeFolder(at));
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return;
    }
  }
}

async function removeLeftovers(fileSystem: FileSystem, temporary: string, before: number): Promise<void> {
  for (const { name } of await fileSystem.readFolder(temporary)) {
    const path = join(temporary, name);
    const stat = await unlessGone(fileSystem.stat(path));
    if (stat?.kind === 'file' && stat.modifiedAt < before) await unlessGone(fileSystem.removeFile(path));
  }
}

/** A stream would take longer than most files here do. */
async function readWhole(file: ReadableFile, key: string): Promise<Uint8Array> {
  const { sizeBytes } = await file.stat();
  const bytes = new Uint8Array(sizeBytes);
  let at = 0;
  while (at < sizeBytes) {
    const count = await file.read(bytes.subarray(at));
    if (count === 0) break;
    at += count;
  }
  if (at < sizeBytes) throw new TemporaryFailure(`"${key}" of the library changed while it was read`);
  return bytes;
}

function bodyOf(file: ReadableFile, { key, sizeBytes }: { key: string; sizeBytes: number }) {
  let left = sizeBytes;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const buffer = new Uint8Array(Math.min(readBytes, Math.max(left, 1)));
          const count = await doing('read', () => file.read(buffer));
          left -= count;
          if (count > 0) return controller.enqueue(buffer.subarray(0, count));
          if (left !== 0) throw new TemporaryFailure(`"${key}" of the library changed while it was read`);
          await file.close();
          controller.close();
        } catch (error) {
          await closeQuietly(file);
          throw error;
        }
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  );
}

async function closeQuietly(file: ReadableFile | WritableFile): Promise<void> {
  await file.close().catch(() => {});
}
