// The objects of a raindrop, as the layout of the library names them.
import { type CopyState, copyStates, type MirroredRaindrop, type Objects, type TextChunk } from './host.ts';
import { factsOf, isObject, isRaw, type RawRaindrop } from './raindrop.ts';

export const objectNames = ['raw.json', 'permacopy.html', 'plain.txt', 'meta.json', 'chunks.jsonl'] as const;
export type ObjectName = (typeof objectNames)[number];

export const raindropsPrefix = 'raindrops/';
export const keyOf = (id: number, name: ObjectName) => `${raindropsPrefix}${id}/${name}`;

/** The first four are of the permanent copy, and null without one. */
export interface Meta {
  readonly sha256: string | null;
  readonly content_type: string | null;
  readonly content_length: number | null;
  readonly fetched_at: string | null;
  readonly text_sha256: string;
  readonly raw_sha256: string;
  readonly chunks_sha256: string;
  /** Of plain.txt. */
  readonly word_count: number;
  readonly copy: CopyState;
  /** When Raindrop made the copy that is kept here: another time is another copy. */
  readonly copy_created: string | null;
  readonly removed_at: string | null;
}

/** What is wrong with the objects of one raindrop; the others are not touched by it. */
export class DamagedRaindrop extends Error {}

export async function readMeta(objects: Pick<Objects, 'read'>, id: number): Promise<Meta | undefined> {
  const bytes = await objects.read(keyOf(id, 'meta.json'));
  const meta = bytes && parse(bytes);
  return isMeta(meta) ? meta : undefined;
}

export async function readRaw(objects: Pick<Objects, 'read'>, id: number): Promise<RawRaindrop | undefined> {
  const bytes = await objects.read(keyOf(id, 'raw.json'));
  const raw = bytes && parse(bytes);
  return isRaw(raw) && raw._id === id ? raw : undefined;
}

/** Whole, and each as its hash says; throws DamagedRaindrop otherwise. `copies`: the permanent copy is compared too. */
export async function loadRaindrop(
  objects: Pick<Objects, 'read' | 'sha256' | 'digest'>,
  id: number,
  { copies }: { readonly copies: boolean },
): Promise<MirroredRaindrop> {
  const [rawBytes, metaBytes, textBytes] = await Promise.all(
    (['raw.json', 'meta.json', 'plain.txt'] as const).map((name) => objects.read(keyOf(id, name))),
  );
  if (!rawBytes || !metaBytes || !textBytes) throw new DamagedRaindrop('an object is missing');
  const raw = parse(rawBytes);
  const meta = parse(metaBytes);
  if (!isRaw(raw) || raw._id !== id) throw new DamagedRaindrop('raw.json cannot be read');
  if (!isMeta(meta)) throw new DamagedRaindrop('meta.json cannot be read');
  const [rawSha256, textSha256, metaSha256] = await Promise.all(
    [rawBytes, textBytes, metaBytes].map((bytes) => objects.digest?.(bytes) ?? sha256Of(bytes)),
  );
  if (rawSha256 !== meta.raw_sha256) throw new DamagedRaindrop('raw.json is not what meta.json says it is');
  if (textSha256 !== meta.text_sha256)
    throw new DamagedRaindrop('plain.txt is not what meta.json says it is');
  if (copies && meta.sha256 !== null && (await objects.sha256(keyOf(id, 'permacopy.html'))) !== meta.sha256)
    throw new DamagedRaindrop('permacopy.html is not what meta.json says it is');
  const text = decoder.decode(textBytes);
  const { cache: _, ...facts } = factsOf(raw);
  return {
    ...facts,
    text,
    textSha256: meta.text_sha256,
    wordCount: meta.word_count,
    copy: meta.copy,
    rawSha256: meta.raw_sha256,
    removedAt: meta.removed_at,
    files: {
      'raw.json': meta.raw_sha256,
      'plain.txt': meta.text_sha256,
      'chunks.jsonl': meta.chunks_sha256,
      'meta.json': metaSha256 as string,
      ...(meta.sha256 !== null && { 'permacopy.html': meta.sha256 }),
    },
  };
}

export interface Damage {
  readonly id: number;
  readonly what: string;
}

/** Side by side, in the order of the ids; those that are damaged apart. */
export async function loadAll(
  objects: Pick<Objects, 'read' | 'sha256' | 'digest'>,
  ids: readonly number[],
  options: { readonly copies: boolean },
): Promise<{ readonly raindrops: readonly MirroredRaindrop[]; readonly damaged: readonly Damage[] }> {
  const loaded: (MirroredRaindrop | undefined)[] = [];
  const damaged: Damage[] = [];
  const left = ids.entries();
  const turn = async () => {
    for (const [n, id] of left) {
      try {
        loaded[n] = await loadRaindrop(objects, id, options);
      } catch (error) {
        if (!(error instanceof DamagedRaindrop)) throw error;
        damaged.push({ id, what: error.message });
      }
    }
  };
  await Promise.all(Array.from({ length: readAtOnce }, turn));
  return { raindrops: loaded.filter((raindrop) => raindrop !== undefined), damaged };
}

const readAtOnce = 16;

/** As meta.json says that they are; throws DamagedRaindrop otherwise. */
export async function readChunks(
  objects: Pick<Objects, 'read' | 'digest'>,
  id: number,
): Promise<TextChunk[]> {
  const bytes = await objects.read(keyOf(id, 'chunks.jsonl'));
  const meta = await readMeta(objects, id);
  if (!bytes || (objects.digest?.(bytes) ?? (await sha256Of(bytes))) !== meta?.chunks_sha256)
    throw new DamagedRaindrop('chunks.jsonl is not what meta.json says it is');
  return decoder
    .decode(bytes)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as TextChunk);
}

export async function sha256Of(data: Uint8Array | string): Promise<string> {
  const bytes = typeof data === 'string' ? encoder.encode(data) : data;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
  let hex = '';
  for (const byte of digest) hex += byte.toString(16).padStart(2, '0');
  return hex;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}

function isMeta(value: unknown): value is Meta {
  if (!isObject(value)) return false;
  const isText = (name: keyof Meta) => typeof value[name] === 'string';
  const isTextOrNull = (name: keyof Meta) => value[name] === null || isText(name);
  const texts = ['text_sha256', 'raw_sha256', 'chunks_sha256'] as const;
  const others = ['sha256', 'content_type', 'fetched_at', 'copy_created', 'removed_at'] as const;
  return (
    texts.every(isText) &&
    others.every(isTextOrNull) &&
    Number.isSafeInteger(value.word_count) &&
    copyStates.includes(value.copy as CopyState) &&
    (value.removed_at === null || !Number.isNaN(Date.parse(value.removed_at as string)))
  );
}
