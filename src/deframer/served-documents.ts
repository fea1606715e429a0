// The documents that `/rss` sends, ready as bytes. The index is asked for one only once after it was built; whether it
// may be served is not decided here.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Millis } from '../model/glossary.ts';
import type { DeframedStore, ServedFeed } from '../store/deframer/deframed-store.ts';
import { ByteLru } from './byte-lru.ts';
import { cutFeed, filterFeed } from './feed-xml.ts';

export const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

export interface ServedDocument {
  /** Of the document that was read, which may be a later one than was asked for. */
  readonly builtAt: Millis;
  /** How many articles it has before any are left out. */
  readonly items: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The same, compressed, if that was done already; if not, somebody later has it. */
  encoded(encoding: Encoding): Uint8Array<ArrayBuffer> | undefined;
}

export interface ServedDocuments {
  /** Undefined for a feed that has none. */
  find(feed: BuiltFeed, maxScore: number | undefined): Promise<ServedDocument | undefined>;
}

type BuiltFeed = Pick<ServedFeed, 'id'> & { readonly builtAt: Millis };

interface WholeDocument extends ServedDocument {
  readonly key: string;
  /** Of its articles, the least first. */
  readonly scores: readonly number[];
}

const usualBytes = 64 * 1024 * 1024;
/** Less than this is not worth the while of either side. */
const leastToCompress = 1024;

const compress: Readonly<Record<Encoding, (bytes: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 5,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      },
    }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

export function createServedDocuments(
  store: Pick<DeframedStore, 'findDocument'>,
  { maxBytes = usualBytes } = {},
): ServedDocuments {
  const documents = new ByteLru<WholeDocument>({
    maxBytes: maxBytes / 2,
    sizeOf: ({ bytes, scores }) => bytes.byteLength + scores.length * 8,
  });
  const copies = new ByteLru<Uint8Array<ArrayBuffer>>({
    maxBytes: maxBytes / 2,
    sizeOf: ({ byteLength }) => byteLength,
  });
  const loading = new Map<string, Promise<WholeDocument | undefined>>();
  const compressing = new Set<string>();

  /** In the background: nobody waits for it. */
  const startCompressing = (key: string, encoding: Encoding, bytes: Uint8Array) => {
    if (compressing.has(key)) return;
    compressing.add(key);
    compress[encoding](bytes)
      .then((copy) => copies.set(key, copy))
      // Whoever asks gets it as it is.
      .catch(() => {})
      .finally(() => compressing.delete(key));
  };

  const toDocument = (key: string, xml: string, builtAt: Millis, scores: readonly number[]) => {
    const bytes = new Uint8Array(Buffer.from(xml));
    return {
      key,
      builtAt,
      items: scores.length,
      scores,
      bytes,
      encoded: (encoding: Encoding) => {
        if (bytes.byteLength < leastToCompress) return undefined;
        const copyKey = `${key} ${encoding}`;
        const copy = copies.get(copyKey);
        if (!copy) startCompressing(copyKey, encoding, bytes);
        return copy;
      },
    };
  };

  const load = async (id: string): Promise<WholeDocument | undefined> => {
    const found = await store.findDocument(id);
    if (!found) return undefined;
    const scores = cutFeed(found.xml)
      .items.map(({ overall }) => overall)
      .sort((a, b) => a - b);
    // By when it was built, not by what was asked for: it may have been built anew in between.
    const key = keyOf({ id, builtAt: found.builtAt });
    const whole = toDocument(key, found.xml, found.builtAt, scores);
    documents.set(key, whole);
    return whole;
  };

  const findWhole = (feed: BuiltFeed): WholeDocument | Promise<WholeDocument | undefined> => {
    const key = keyOf(feed);
    const known = documents.get(key) ?? loading.get(key);
    if (known) return known;
    const loaded = load(feed.id).finally(() => loading.delete(key));
    loading.set(key, loaded);
    return loaded;
  };

  return {
    async find(feed, maxScore) {
      const found = findWhole(feed);
      const whole = found instanceof Promise ? await found : found;
      if (!whole || maxScore === undefined) return whole;
      const kept = countUpTo(whole.scores, maxScore);
      if (kept === whole.scores.length) return whole;
      // By how many are left: strangers may think up as many scores as they like.
      const key = `${whole.key} ${kept}`;
      const known = documents.get(key);
      if (known) return known;
      const xml = filterFeed(Buffer.from(whole.bytes).toString(), maxScore);
      const filtered = toDocument(key, xml, whole.builtAt, whole.scores);
      documents.set(key, filtered);
      return filtered;
    },
  };
}

function keyOf({ id, builtAt }: BuiltFeed): string {
  return `${id} ${builtAt}`;
}

function countUpTo(sorted: readonly number[], most: number): number {
  const above = sorted.findIndex((score) => score > most);
  return above < 0 ? sorted.length : above;
}
