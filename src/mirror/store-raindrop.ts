// One raindrop, from Raindrop to its objects. Repeated, it writes the same again: meta.json comes last, and whoever finds it
// as it should be finds the others so too.
import { chunkKey, countWords, cutText } from '../items/page/cut-text.ts';
import type { CopyState, MirrorHost, TextChunk } from './host.ts';
import { keyOf, type Meta, readMeta, sha256Of } from './objects-of.ts';
import { pageText } from './page-text.ts';
import { factsOf, iso, type RaindropFacts, type RawRaindrop } from './raindrop.ts';
import type { CopyOutcome, RaindropApi } from './raindrop-api.ts';

export interface Stored {
  readonly id: number;
  readonly facts: RaindropFacts;
  readonly copy: CopyState;
  readonly removedAt: string | null;
  /** Whether it is worth another try before Raindrop has changed it. */
  readonly retry: boolean;
}

type Deps = Pick<MirrorHost, 'objects' | 'now'>;

/** What is kept of a copy. */
type CopyFacts = Pick<
  Meta,
  'sha256' | 'content_type' | 'content_length' | 'fetched_at' | 'copy' | 'copy_created'
>;

type TextFacts = Pick<Meta, 'text_sha256' | 'chunks_sha256' | 'word_count'>;

const pickText = ({ text_sha256, chunks_sha256, word_count }: Meta): TextFacts => ({
  ...{ text_sha256, chunks_sha256, word_count },
});

const noCopy: Omit<CopyFacts, 'copy'> = {
  sha256: null,
  content_type: null,
  content_length: null,
  fetched_at: null,
  copy_created: null,
};

/** In place of a meta.json that is lost. */
const nothingKept: Meta = {
  ...noCopy,
  copy: 'none',
  text_sha256: '',
  chunks_sha256: '',
  word_count: 0,
  raw_sha256: '',
  removed_at: null,
};

export async function storeRaindrop(
  { objects, now }: Deps,
  api: Pick<RaindropApi, 'copy'>,
  raw: RawRaindrop,
): Promise<Stored> {
  const facts = factsOf(raw);
  const { id } = facts;
  const before = await readMeta(objects, id);
  const rawText = JSON.stringify(raw);
  const { copy, text: copyText, retry } = await storeCopy({ objects, now }, api, facts, before);
  const texts =
    copyText === undefined && copy.sha256 !== null && before
      ? await keptText(objects, facts, before)
      : await storeText(objects, id, copyText ?? ownText(facts));
  await objects.put(keyOf(id, 'raw.json'), rawText, jsonType);
  const meta: Meta = {
    sha256: copy.sha256,
    content_type: copy.content_type,
    content_length: copy.content_length,
    fetched_at: copy.fetched_at,
    ...texts,
    raw_sha256: await sha256Of(rawText),
    copy: copy.copy,
    copy_created: copy.copy_created,
    removed_at: null,
  };
  await objects.put(keyOf(id, 'meta.json'), JSON.stringify(meta), jsonType);
  return { id, facts, copy: copy.copy, removedAt: null, retry };
}

const jsonType = 'application/json';

/** One that Raindrop has no more. What it was stays, and what of it was damaged is what there is of it now. */
export async function storeRemoval(
  { objects, now }: Deps,
  id: number,
  facts: RaindropFacts,
): Promise<Stored> {
  const before = (await readMeta(objects, id)) ?? nothingKept;
  const removedAt = before.removed_at ?? iso(now());
  if (before.removed_at === null) {
    const texts = await keptText(objects, facts, before);
    const raw_sha256 = (await objects.sha256(keyOf(id, 'raw.json'))) ?? before.raw_sha256;
    const meta: Meta = { ...before, ...texts, raw_sha256, removed_at: removedAt };
    await objects.put(keyOf(id, 'meta.json'), JSON.stringify(meta), jsonType);
  }
  return { id, facts, copy: before.copy, removedAt, retry: false };
}

/** Whether the objects are of just this raindrop, and it is not taken for removed. */
export async function isStored({ objects }: Pick<Deps, 'objects'>, raw: RawRaindrop): Promise<boolean> {
  const meta = await readMeta(objects, raw._id);
  return (
    meta !== undefined &&
    meta.removed_at === null &&
    meta.raw_sha256 === (await sha256Of(JSON.stringify(raw)))
  );
}

/** A copy that is here stays, whatever becomes of the one at Raindrop. */
async function storeCopy(
  { objects, now }: Deps,
  api: Pick<RaindropApi, 'copy'>,
  { id, cache }: RaindropFacts,
  before: Meta | undefined,
): Promise<{ copy: CopyFacts; text?: string | undefined; retry: boolean }> {
  const kept = before && (await keptCopy(objects, id, before));
  const without = (copy: CopyState, retry: boolean) =>
    kept ? { ...kept, retry } : { copy: { ...noCopy, copy }, retry };
  if (cache?.status !== 'ready') return without(stateOf(cache?.status), cache?.status === 'retry');
  const created = cache.createdAt === '' ? null : cache.createdAt;
  if (kept && created !== null && kept.copy.copy_created === created) return { ...kept, retry: false };
  const outcome: CopyOutcome = await api.copy(id, cache.size);
  if (outcome.kind === 'none') return without('none', false);
  if (outcome.kind === 'failed') return without('failed', !outcome.isForGood);
  const { bytes, contentType } = outcome;
  await objects.put(keyOf(id, 'permacopy.html'), bytes, contentType);
  const copy: CopyFacts = {
    sha256: await hashOf(objects, bytes),
    content_type: contentType,
    content_length: bytes.length,
    fetched_at: iso(now()),
    copy: 'stored',
    copy_created: created,
  };
  return { copy, text: pageText(bytes, contentType) ?? '', retry: false };
}

/** One that was written over by a batch that ended before it could say so is taken for what it is. */
async function keptCopy(
  objects: MirrorHost['objects'],
  id: number,
  { sha256, content_type, content_length, fetched_at, copy_created }: Meta,
): Promise<{ copy: CopyFacts; text?: string } | undefined> {
  if (sha256 === null) return undefined;
  const copy: CopyFacts = {
    ...{ sha256, content_type, content_length, fetched_at, copy_created },
    copy: 'stored',
  };
  const key = keyOf(id, 'permacopy.html');
  const found = await objects.sha256(key);
  if (found === sha256) return { copy };
  const bytes = found === undefined ? undefined : await objects.read(key);
  if (!bytes) return undefined;
  return {
    copy: { ...copy, sha256: await sha256Of(bytes), content_length: bytes.length, copy_created: null },
    text: pageText(bytes, content_type ?? '') ?? '',
  };
}

function stateOf(status: string | undefined): CopyState {
  if (status === undefined || status === '') return 'none';
  return status === 'retry' ? 'pending' : 'refused';
}

/** Without a copy, what Raindrop knows of it is all that there is to read. */
function ownText({ title, excerpt, note }: RaindropFacts): string {
  return [title, excerpt, note].filter((line) => line !== '').join('\n');
}

/** Those of the copy that is kept, made anew if one of them is lost or damaged: no index takes what is not as its hash says. */
async function keptText(
  objects: MirrorHost['objects'],
  facts: RaindropFacts,
  before: Meta,
): Promise<TextFacts> {
  const { id } = facts;
  const isWhole =
    (await objects.sha256(keyOf(id, 'plain.txt'))) === before.text_sha256 &&
    (await objects.sha256(keyOf(id, 'chunks.jsonl'))) === before.chunks_sha256;
  if (isWhole) return pickText(before);
  const copy = before.sha256 === null ? undefined : await objects.read(keyOf(id, 'permacopy.html'));
  const text = copy ? (pageText(copy, before.content_type ?? '') ?? '') : ownText(facts);
  return storeText(objects, id, text);
}

/** One after the other: neither is in memory as bytes while the other is made. */
async function storeText(objects: MirrorHost['objects'], id: number, text: string): Promise<TextFacts> {
  const text_sha256 = await storePlain(objects, id, text);
  const chunks_sha256 = await storeChunks(objects, id, text);
  return { text_sha256, chunks_sha256, word_count: countWords(text) };
}

async function storePlain(objects: MirrorHost['objects'], id: number, text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  await objects.put(keyOf(id, 'plain.txt'), bytes, 'text/plain; charset=utf-8');
  return hashOf(objects, bytes);
}

async function storeChunks(objects: MirrorHost['objects'], id: number, text: string): Promise<string> {
  const bytes = await joinedLines(id, text);
  await objects.put(keyOf(id, 'chunks.jsonl'), bytes, 'application/jsonl');
  return hashOf(objects, bytes);
}

/** As bytes from the first line on: a string of all of them would be in memory twice before it is bytes. */
async function joinedLines(id: number, text: string): Promise<Uint8Array> {
  const encoder = new TextEncoder();
  const lines: Uint8Array[] = [];
  let length = 0;
  for (const { text: t } of cutText(text)) {
    const chunk: TextChunk = { k: chunkKey(`rd-${id}`, lines.length), t, s: await sha256Of(t) };
    const line = encoder.encode(`${JSON.stringify(chunk)}\n`);
    lines.push(line);
    length += line.length;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const line of lines) {
    bytes.set(line, at);
    at += line.length;
  }
  return bytes;
}

/** WebCrypto takes a copy of what it is given. */
async function hashOf({ digest }: MirrorHost['objects'], bytes: Uint8Array): Promise<string> {
  return digest?.(bytes) ?? sha256Of(bytes);
}
