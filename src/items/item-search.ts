// Saved items as documents that can be found: what is known of the page, and the text of its kept copy.
import type { Files } from '../library/files/files.ts';
import type { SearchSource, SearchText } from '../model/search.ts';
import type { ItemText, ItemTexts } from '../store/item-texts.ts';
import { isPageAddress, savedUrl } from './save-url.ts';

export type TextFiles = Pick<Files, 'get'>;

/** More than the words that are indexed of one document take up. */
const indexedBytes = 4 * 1024 * 1024;
/** A snippet is cut from the first pages. */
const shownBytes = 512 * 1024;
const readAtOnce = 8;

export interface ItemSourceDeps {
  readonly items: ItemTexts;
  readonly files: TextFiles;
  /** Texts that are at hand already, by their keys. */
  readonly atHand?: ReadonlyMap<string, string>;
  readonly atOnce?: number;
}

export function itemSource({ items, files, atHand, atOnce = 2 * readAtOnce }: ItemSourceDeps): SearchSource {
  return {
    kind: 'item',
    atOnce,
    list: items.list,
    async read(ids, ofUser) {
      const rows = await items.read(ids, ofUser);
      const readCopy = async ({ snapshotKey, raindropId }: ItemText) => {
        const folder = snapshotKey ?? (raindropId === null ? null : `raindrops/${raindropId}`);
        if (folder === null) return '';
        const key = `${folder}/plain.txt`;
        const text = atHand?.get(key);
        if (text !== undefined) return text;
        if (ofUser === undefined) return readText(files, key, indexedBytes);
        // What was found is shown even while the library cannot be read.
        return readText(files, key, shownBytes).catch(() => '');
      };
      return eachOf(rows, async (row) => toText(row, await readCopy(row)));
    },
  };
}

function toText(item: ItemText, copy: string): SearchText {
  const { id, userId, url, title, publishedAt, excerpt, author, siteName, tags, raindropNote } = item;
  return {
    userId,
    refId: id,
    title,
    text: [excerpt, raindropNote ?? '', copy, author, siteName, tags ?? '']
      .filter((line) => line !== '')
      .join('\n'),
    // By the rules of today, as for entries and bookmarks: the key of the row may be of older ones.
    ...(isPageAddress(url)
      ? { url, urlKey: savedUrl(url).key, site: new URL(url).hostname }
      : { url: '', urlKey: null, site: null }),
    publishedAt,
  };
}

/** How a file begins; a missing one is as no text. */
async function readText(files: TextFiles, key: string, atMostBytes: number): Promise<string> {
  const file = await files.get(key);
  if (!file) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of file.body) {
    bytes += chunk.length;
    text += decoder.decode(chunk.subarray(0, Math.max(0, chunk.length - (bytes - atMostBytes))), {
      stream: true,
    });
    if (bytes >= atMostBytes) break;
  }
  return text;
}

/** A few at a time, since each holds a file open. */
async function eachOf<T, R>(rows: readonly T[], work: (row: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = rows.entries();
  const turn = async () => {
    for (const [n, row] of left) results[n] = await work(row);
  };
  await Promise.all(Array.from({ length: readAtOnce }, turn));
  return results;
}
