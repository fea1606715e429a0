// Lists a folder in the order of keys, one folder's names in memory at a time.
import { Forbidden } from '../../errors.ts';
import { codeOf, type EntryKind, type FileSystem } from './file-system.ts';
import type { FileStat } from './files.ts';
import { isKey, isSegment } from './key.ts';

interface Walk {
  readonly fileSystem: FileSystem;
  readonly prefix: string;
  readonly after: string;
}

/** `folder` is where the keys that begin with `folderKey` ("" or "a/b/") are. */
export async function* walkFolder(
  walk: Walk,
  folder: string,
  folderKey: string,
): AsyncGenerator<FileStat, void, void> {
  for (const { name, kind } of await entriesOf(walk, folder, folderKey)) {
    const path = `${folder}/${name}`;
    const key = `${folderKey}${name}`;
    if (kind === 'folder') {
      yield* walkFolder(walk, path, `${key}/`);
      continue;
    }
    const stat = await unlessGone(walk.fileSystem.stat(path));
    if (stat?.kind === 'file') {
      yield { key, sizeBytes: stat.sizeBytes, modifiedAt: stat.modifiedAt };
    }
  }
}

/** The entries that lead to keys that were asked for. What is no key, such as .tmp, is not the library's. */
async function entriesOf(walk: Walk, folder: string, folderKey: string) {
  const all = (await unlessGone(walk.fileSystem.readFolder(folder))) ?? [];
  const wanted: { name: string; kind: EntryKind; order: string }[] = [];
  for (const { name, kind } of all) {
    // "a.txt" comes before what is in the folder "a", since "." comes before "/".
    const order = `${folderKey}${name}${kind === 'folder' ? '/' : ''}`;
    const leadsToKeys = kind === 'folder' ? isSegment(name) : isKey(order);
    if (!leadsToKeys || !isWanted(walk, kind, order)) continue;
    // To skip it would report as missing what may be there; to follow it could lead anywhere.
    if (kind === 'link') throw linkRefused(order);
    if (kind !== 'other') wanted.push({ name, kind, order });
  }
  return wanted.sort((a, b) => (a.order < b.order ? -1 : 1));
}

function isWanted({ prefix, after }: Walk, kind: EntryKind, order: string): boolean {
  if (kind !== 'folder') return order.startsWith(prefix) && order > after;
  const mayMatch = order.startsWith(prefix) || prefix.startsWith(order);
  return mayMatch && (order > after || after.startsWith(order));
}

export function linkRefused(key: string): Forbidden {
  return new Forbidden(`"${key}" is a symbolic link; the library follows none`);
}

/** Somebody may delete a file or a folder while we list. */
export async function unlessGone<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
