// The files of a saved page: its copy and its picture. They are written before the row that names them, and meta.json,
// which names them too, is taken away first and put back last: so whoever finds what a worker that ended has left behind
// can tell whether it is whole.
import { type Files, sha256Of } from '../library/files/files.ts';
import type { Millis } from '../model/glossary.ts';
import type { ItemRef, NamedFiles } from '../store/enrichment-store.ts';
import type { PageFacts } from './page/page-facts.ts';

export interface PageToKeep {
  readonly url: string;
  /** Where the redirects led. */
  readonly finalUrl: string;
  readonly mediaType: string;
  readonly fetchedAt: Millis;
  readonly facts: Omit<PageFacts, 'imageUrls' | 'iconUrls'>;
  readonly html: string;
  readonly text: string;
  readonly wordCount: number;
  readonly chunks: readonly object[];
}

export interface KeptItem extends ItemRef {
  /** What its row names. */
  readonly files: NamedFiles;
}

interface FileFact {
  readonly sha256: string;
  readonly bytes: number;
}

interface Meta {
  readonly fetchedAt: string;
  readonly files: Readonly<Record<string, FileFact>>;
  readonly thumbnail: FileFact | null;
}

const metaName = 'meta.json';
const copyNames = ['readable.html', 'plain.txt', 'chunks.jsonl'] as const;

const folderOf = ({ itemId }: ItemRef) => `items/${itemId}`;
const keyOf = (item: ItemRef, name: string) => `${folderOf(item)}/${name}`;
const thumbnailKey = ({ userId, itemId }: ItemRef) => `thumbnails/${userId}/${itemId}.jpg`;

/**
 * Writes what has changed, and returns what the row is to name. What is missing this time, such as a picture that the
 * page has no more, is kept as it was.
 */
export async function keepCopy(
  files: Files,
  before: KeptItem,
  { page, thumbnail }: { page: PageToKeep | undefined; thumbnail: Uint8Array | undefined },
  signal: AbortSignal,
): Promise<NamedFiles> {
  const item = { ...before, files: (await findLeftFiles(files, before)) ?? before.files };
  await removeUnnamed(files, item);
  if (!page) return item.files.snapshot ? item.files : keepThumbnail(files, item, thumbnail);
  const contents = contentsOf(page);
  const picture = thumbnail ? factOf(thumbnail) : await presentThumbnail(files, item);
  const meta = metaOf(page, contents, picture);
  if (await isUnchanged(files, item, meta)) return item.files;

  signal.throwIfAborted();
  await files.delete(keyOf(item, metaName));
  signal.throwIfAborted();
  await allEnded([
    ...[...contents].map(([name, bytes]) => files.put(keyOf(item, name), bytes)),
    ...(thumbnail ? [files.put(thumbnailKey(item), thumbnail)] : []),
  ]);
  signal.throwIfAborted();
  const { sha256 } = await files.put(keyOf(item, metaName), `${JSON.stringify(meta, null, 2)}\n`);
  return { snapshot: { ...hashesOf(meta), [metaName]: sha256 }, thumbnail: picture?.sha256 ?? null };
}

async function keepThumbnail(
  files: Files,
  item: KeptItem,
  thumbnail: Uint8Array | undefined,
): Promise<NamedFiles> {
  if (!thumbnail) return item.files;
  const { sha256 } = await files.put(thumbnailKey(item), thumbnail);
  return { snapshot: null, thumbnail: sha256 };
}

/**
 * What the row is to name when a worker ended between the files and the row; undefined when it is right as it is. Reads
 * only, so that whoever has no lease may ask.
 */
export async function findLeftFiles(files: Files, item: KeptItem): Promise<NamedFiles | undefined> {
  const { snapshot, thumbnail } = item.files;
  const meta = await files.read(keyOf(item, metaName));
  if (meta) return sha256Of(meta) === snapshot?.[metaName] ? undefined : namedBy(meta, thumbnail);
  if (snapshot) return nameWhatIsThere(files, item);
  const found = thumbnail === null ? undefined : await hashOf(files, thumbnailKey(item));
  return found === undefined || found === thumbnail ? undefined : { snapshot, thumbnail: found };
}

/** Takes away what the row does not name. Only for whoever has the lease: nobody else is writing it then. */
export async function removeUnnamed(files: Files, item: KeptItem): Promise<void> {
  const { snapshot, thumbnail } = item.files;
  if (snapshot) return;
  for (const { key } of (await files.list(`${folderOf(item)}/`)).files) await files.delete(key);
  if (thumbnail === null) await files.delete(thumbnailKey(item));
}

/** Undefined for what cannot be read: no worker has left that, and the check of the library has to find it. */
function namedBy(bytes: Uint8Array, thumbnail: string | null): NamedFiles | undefined {
  const meta = parseMeta(bytes);
  return (
    meta && {
      snapshot: { ...hashesOf(meta), [metaName]: sha256Of(bytes) },
      thumbnail: meta.thumbnail?.sha256 ?? thumbnail,
    }
  );
}

/** Each file is whole by itself, whoever wrote it last. One that no row names is not named here either. */
export async function nameWhatIsThere(files: Files, item: KeptItem): Promise<NamedFiles> {
  const { snapshot, thumbnail } = item.files;
  return {
    snapshot: snapshot && (await nameCopy(files, item)),
    thumbnail: (await hashOf(files, thumbnailKey(item))) ?? thumbnail,
  };
}

async function nameCopy(files: Files, item: KeptItem): Promise<Record<string, string>> {
  const hashes = await Promise.all(
    [...copyNames, metaName].map(async (name) => [name, await hashOf(files, keyOf(item, name))] as const),
  );
  return Object.fromEntries(hashes.flatMap(([name, hash]) => (hash === undefined ? [] : [[name, hash]])));
}

function contentsOf({ html, text, chunks }: PageToKeep): Map<string, Uint8Array> {
  const texts: Record<(typeof copyNames)[number], string> = {
    'readable.html': html,
    'plain.txt': text,
    'chunks.jsonl': chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join(''),
  };
  return new Map(copyNames.map((name) => [name, Buffer.from(texts[name])]));
}

function metaOf(
  page: PageToKeep,
  contents: ReadonlyMap<string, Uint8Array>,
  thumbnail: FileFact | null,
): Meta {
  const { url, finalUrl, mediaType, fetchedAt, facts, wordCount } = page;
  const { publishedAt, ...rest } = facts;
  return {
    ...{ url, finalUrl, mediaType },
    fetchedAt: new Date(fetchedAt).toISOString(),
    ...rest,
    ...{ publishedAt: publishedAt === null ? null : new Date(publishedAt).toISOString(), wordCount },
    files: Object.fromEntries([...contents].map(([name, bytes]) => [name, factOf(bytes)])),
    thumbnail,
  };
}

/** But for the time of the fetch. A copy of which a file is missing is written anew. */
async function isUnchanged(files: Files, item: KeptItem, meta: Meta): Promise<boolean> {
  const { snapshot, thumbnail } = item.files;
  if (!snapshot || thumbnail !== (meta.thumbnail?.sha256 ?? null)) return false;
  const before = await files.read(keyOf(item, metaName));
  const old = before && sha256Of(before) === snapshot[metaName] ? parseMeta(before) : undefined;
  if (!old || JSON.stringify({ ...old, fetchedAt: '' }) !== JSON.stringify({ ...meta, fetchedAt: '' }))
    return false;
  const keys = [...copyNames.map((name) => keyOf(item, name)), ...(thumbnail ? [thumbnailKey(item)] : [])];
  const stats = await Promise.all(keys.map((key) => files.stat(key)));
  return stats.every((stat) => stat !== undefined);
}

function parseMeta(bytes: Uint8Array): Meta | undefined {
  try {
    const meta = JSON.parse(Buffer.from(bytes).toString()) as Meta;
    return typeof meta.files === 'object' && meta.files !== null ? meta : undefined;
  } catch {
    return undefined;
  }
}

function hashesOf({ files }: Meta): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, { sha256 }]) => [name, sha256]));
}

function factOf(bytes: Uint8Array): FileFact {
  return { sha256: sha256Of(bytes), bytes: bytes.length };
}

async function presentThumbnail(files: Files, item: KeptItem): Promise<FileFact | null> {
  if (item.files.thumbnail === null) return null;
  const stat = await files.stat(thumbnailKey(item));
  // One that is missing is not named again.
  return stat ? { sha256: item.files.thumbnail, bytes: stat.sizeBytes } : null;
}

async function hashOf(files: Files, key: string): Promise<string | undefined> {
  const bytes = await files.read(key);
  return bytes && sha256Of(bytes);
}

/** One that fails must not leave others behind that are still being written. */
async function allEnded(puts: readonly Promise<unknown>[]): Promise<void> {
  for (const put of await Promise.allSettled(puts)) if (put.status === 'rejected') throw put.reason;
}
