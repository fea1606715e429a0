// An account at Raindrop: what is in it, and what a person and Raindrop itself do with it. Raindrops are replaced and never
// changed, so what a test was given stays as it was.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { sampleRaindrops } from './raindrop-samples.ts';
import type { RaindropSwitches } from './raindrop-switches.ts';

export const unsorted = -1;
export const trash = -99;

const owner = { _id: 4711, name: 'reader', avatar: '', email: 'reader@example.org' };

export type CacheStatus = 'ready' | FailedCache;
export type FailedCache = 'retry' | 'failed' | 'invalid-origin' | 'invalid-timeout' | 'invalid-size';

export interface RaindropHighlight {
  readonly _id: string;
  readonly text: string;
  readonly note: string;
  readonly color: string;
  readonly created: string;
  readonly lastUpdate: string;
  readonly creatorRef: number;
}

/** In the shape that was recorded. */
export interface Raindrop {
  readonly _id: number;
  readonly link: string;
  readonly title: string;
  readonly excerpt: string;
  readonly note: string;
  readonly type: string;
  readonly user: { readonly $ref: 'users'; readonly $id: number };
  readonly cover: string;
  readonly tags: readonly string[];
  readonly removed: boolean;
  readonly collection: { readonly $ref: 'collections'; readonly $id: number; readonly oid: number };
  readonly media: readonly { readonly link: string; readonly type: string }[];
  readonly created: string;
  readonly lastUpdate: string;
  readonly domain: string;
  readonly creatorRef: typeof owner;
  readonly sort: number;
  readonly highlights: readonly RaindropHighlight[];
  readonly collectionId: number;
  readonly important?: true;
  readonly broken?: true;
  readonly cache?: { readonly status: CacheStatus; readonly size?: number; readonly created?: string };
}

/** HTML, unless it says otherwise. */
export type CopySource =
  | { readonly html: string; readonly type?: string }
  | { readonly bytes: Uint8Array; readonly type: string };

export interface PermanentCopy {
  readonly type: string;
  readonly gzip: Buffer;
}

export interface RaindropChanges {
  readonly link?: string;
  readonly title?: string;
  readonly excerpt?: string;
  readonly note?: string;
  readonly type?: string;
  readonly cover?: string;
  readonly tags?: readonly string[];
  readonly domain?: string;
  readonly important?: boolean;
  readonly broken?: boolean;
  readonly collectionId?: number;
  /** ISO, or milliseconds. */
  readonly created?: string | number;
  readonly lastUpdate?: string | number;
}

export interface RaindropFields extends RaindropChanges {
  readonly id?: number;
  readonly copy?: CopySource;
  readonly cacheStatus?: FailedCache;
}

/** As in a PUT: with an `_id` it changes the one that there is, and without text then deletes it. */
export interface HighlightChanges {
  readonly _id?: string;
  readonly text?: string;
  readonly note?: string;
  readonly color?: string;
  readonly created?: string | number;
}

export interface RaindropCollection {
  readonly _id: number;
  readonly title: string;
  readonly parentId: number | undefined;
  readonly created: string;
  readonly lastUpdate: string;
}

export type RaindropAccount = ReturnType<typeof createRaindropAccount>;

export function createRaindropAccount(now: () => number, switches: RaindropSwitches) {
  const raindrops = new Map<number, Raindrop>();
  const copies = new Map<number, PermanentCopy>();
  const collections = new Map<number, RaindropCollection>();
  /** Where those in the trash came from. */
  const origins = new Map<number, number>();
  let lastId = 1000;
  let lastCollectionId = 500;
  let highlightsMade = 0;
  let changedAt = now();

  const isoNow = () => iso(now());

  function get(id: number): Raindrop {
    const raindrop = raindrops.get(id);
    if (!raindrop) throw new Error(`there is no raindrop ${id}`);
    return raindrop;
  }

  function put(raindrop: Raindrop): Raindrop {
    raindrops.set(raindrop._id, raindrop);
    return raindrop;
  }

  const touched = (touches: boolean) => {
    changedAt = now();
    return touches ? { lastUpdate: isoNow() } : {};
  };

  /** The cache that goes with it, as the raindrop tells it. */
  function keepCopy(id: number, copy: CopySource | FailedCache | undefined) {
    copies.delete(id);
    if (copy === undefined) return {};
    if (typeof copy === 'string') return { cache: { status: copy } };
    const gzip = gzipSync('html' in copy ? copy.html : copy.bytes);
    copies.set(id, { type: copy.type ?? 'text/html; charset=utf-8', gzip });
    return { cache: { status: 'ready' as const, size: gzip.length, created: isoNow() } };
  }

  function add({ id = lastId + 1, copy, cacheStatus, created = now(), ...fields }: RaindropFields): Raindrop {
    if (raindrops.has(id)) throw new Error(`there is a raindrop ${id} already`);
    lastId = Math.max(lastId, id);
    changedAt = now();
    const blank = emptyRaindrop(id, iso(created));
    return put({ ...changed(blank, fields), ...keepCopy(id, copy ?? cacheStatus) });
  }

  function edit(id: number, changes: RaindropChanges): Raindrop {
    return put(changed({ ...get(id), ...touched(true) }, changes));
  }

  /** Of many at once, as by renaming a tag: see `retagTouches`. */
  function retag(id: number, tags: readonly string[]): Raindrop {
    const before = changedAt;
    const raindrop = put({ ...get(id), tags: [...tags], ...touched(switches.retagTouches) });
    if (switches.changedDate === 'not-tags') changedAt = before;
    return raindrop;
  }

  function moveToTrash(id: number): Raindrop {
    const raindrop = get(id);
    if (!raindrop.removed) origins.set(id, raindrop.collectionId);
    return put({ ...inCollection(raindrop, trash), removed: true, ...touched(switches.trashTouches) });
  }

  function restore(id: number): Raindrop {
    const origin = origins.get(id) ?? unsorted;
    origins.delete(id);
    return put({ ...inCollection(get(id), origin), removed: false, ...touched(switches.trashTouches) });
  }

  /** For good, in the trash or not. */
  function purge(id: number): void {
    get(id);
    changedAt = now();
    for (const map of [raindrops, copies, origins]) map.delete(id);
  }

  function highlight(id: number, { _id, created, ...changes }: HighlightChanges): RaindropHighlight {
    const raindrop = get(id);
    const known = raindrop.highlights.find((one) => one._id === _id);
    if (_id !== undefined && !known) throw new Error(`raindrop ${id} has no highlight ${_id}`);
    const blank = known ?? emptyHighlight(objectId(++highlightsMade), iso(created ?? now()));
    const made: RaindropHighlight = { ...blank, ...changes, lastUpdate: known ? isoNow() : blank.lastUpdate };
    const highlights = known
      ? raindrop.highlights.map((one) => (one === known ? made : one))
      : [...raindrop.highlights, made];
    put({
      ...raindrop,
      highlights: highlights.filter(({ text }) => text !== ''),
      ...touched(switches.highlightTouches),
    });
    return made;
  }

  /** What Raindrop has made of the page, later than the raindrop: a copy, why there is none, or nothing at all. */
  function setCopy(id: number, copy: CopySource | FailedCache | undefined): Raindrop {
    const { cache: _, ...raindrop } = get(id);
    return put({ ...raindrop, ...keepCopy(id, copy), ...(switches.copyTouches ? touched(true) : {}) });
  }

  function addCollection({ title, parentId }: { title: string; parentId?: number | undefined }) {
    if (parentId !== undefined && !collections.has(parentId)) throw new Error(`no collection ${parentId}`);
    const made = { _id: ++lastCollectionId, title, parentId, created: isoNow(), lastUpdate: isoNow() };
    collections.set(made._id, made);
    return made;
  }

  function renameCollection(id: number, title: string): void {
    const collection = collections.get(id);
    if (!collection) throw new Error(`no collection ${id}`);
    collections.set(id, { ...collection, title, lastUpdate: isoNow() });
  }

  /** It and those inside of it; what was in them goes into the trash. */
  function removeCollection(id: number): void {
    for (const gone of withChildren(id)) {
      collections.delete(gone);
      for (const { _id, collectionId } of all()) if (collectionId === gone) moveToTrash(_id);
    }
  }

  function withChildren(id: number): number[] {
    const children = [...collections.values()].filter(({ parentId }) => parentId === id);
    return [id, ...children.flatMap((child) => withChildren(child._id))];
  }

  /** By id, with those in the trash. */
  const all = (): Raindrop[] => [...raindrops.values()].sort((one, other) => one._id - other._id);

  function fillWith(count: number, seed = 1): Raindrop[] {
    const samples = sampleRaindrops({ count, seed, now: now(), addCollection });
    return samples.map(({ highlights, ...fields }) => {
      const { _id, lastUpdate } = add(fields);
      for (const one of highlights) highlight(_id, { ...one, created: lastUpdate });
      // A highlight may have touched it, and the samples say when they were changed.
      return put({ ...get(_id), lastUpdate });
    });
  }

  return {
    add,
    edit,
    retag,
    trash: moveToTrash,
    restore,
    purge,
    highlight,
    setCopy,
    addCollection,
    renameCollection,
    removeCollection,
    fillWith,
    all,
    get,
    find: (id: number) => raindrops.get(id),
    copyOf: (id: number) => copies.get(id),
    collections: (): RaindropCollection[] => [...collections.values()],
    withChildren,
    changedAt: () => changedAt,
    owner,
  };
}

function emptyRaindrop(id: number, created: string): Raindrop {
  const link = `https://example.org/${id}`;
  return {
    _id: id,
    link,
    title: `Raindrop ${id}`,
    excerpt: '',
    note: '',
    type: 'link',
    user: { $ref: 'users', $id: owner._id },
    cover: '',
    tags: [],
    removed: false,
    collection: { $ref: 'collections', $id: unsorted, oid: unsorted },
    media: [],
    created,
    lastUpdate: created,
    domain: 'example.org',
    creatorRef: owner,
    sort: id,
    highlights: [],
    collectionId: unsorted,
  };
}

function emptyHighlight(_id: string, created: string): RaindropHighlight {
  return { _id, text: '', note: '', color: 'yellow', created, lastUpdate: created, creatorRef: owner._id };
}

function changed(raindrop: Raindrop, changes: RaindropChanges): Raindrop {
  const { important, broken, collectionId, created, lastUpdate, tags, ...texts } = changes;
  const { important: wasImportant = false, broken: wasBroken = false, ...before } = raindrop;
  const after: Raindrop = {
    ...before,
    ...(texts.link !== undefined && { domain: new URL(texts.link).hostname.replace(/^www\./, '') }),
    ...(texts.cover && { media: [{ link: texts.cover, type: 'image' }] }),
    ...texts,
    ...(tags && { tags: [...tags] }),
    ...(created !== undefined && { created: iso(created) }),
    ...(lastUpdate !== undefined && { lastUpdate: iso(lastUpdate) }),
    ...((important ?? wasImportant) && { important: true as const }),
    ...((broken ?? wasBroken) && { broken: true as const }),
  };
  return collectionId === undefined ? after : inCollection(after, collectionId);
}

function inCollection(raindrop: Raindrop, id: number): Raindrop {
  return { ...raindrop, collection: { $ref: 'collections', $id: id, oid: id }, collectionId: id };
}

const iso = (at: string | number) => new Date(at).toISOString();

/** Twenty-four hexadecimal digits, as MongoDB has them. */
function objectId(nth: number): string {
  return createHash('sha256').update(`highlight ${nth}`).digest('hex').slice(0, 24);
}
