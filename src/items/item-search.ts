// Saved items as documents that can be found: what is known of the page, and the text of its kept copy.
import { createHash } from 'node:crypto';
import type { Files } from '../library/files/files.ts';
import type { SearchSource, SearchText } from '../model/search.ts';
import type { ItemText, ItemTexts } from '../store/item-texts.ts';
import { itemFacts } from './item-facts.ts';
import { isPageAddress, savedUrl } from './save-url.ts';

export type TextFiles = Pick<Files, 'get'>;

/** More than the words that are indexed of one document take up. */
const indexedBytes = 4 * 1024 * 1024;
/** A snippet is cut from the first pages. */
const shownBytes = 512 * 1024;
const readAtOnce = 8;
/** An excerpt is from the first pages, where it is from the text at all. */
const excerptWithin = 20_000;

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
      const readCopy = async ({ snapshotKey, raindropId, raindropTextSha256 }: ItemText) => {
        const folder = snapshotKey ?? (raindropId === null ? null : `raindrops/${raindropId}`);
        if (folder === null) return '';
        const key = `${folder}/plain.txt`;
        const text = atHand?.get(key);
        if (text !== undefined) return text;
        // What is not as its row says is not to be found: the check of the library tells of it.
        const sha256 = snapshotKey === null ? raindropTextSha256 : null;
        if (ofUser === undefined) return readText(files, key, { atMostBytes: indexedBytes, sha256 });
        // What was found is shown even while the library cannot be read.
        return readText(files, key, { atMostBytes: shownBytes, sha256: null }).catch(() => '');
      };
      return eachOf(rows, async (row) => toText(row, await readCopy(row)));
    },
  };
}

function toText(item: ItemText, copy: string): SearchText {
  const { id, userId, url, title, publishedAt, author, siteName } = item;
  const facts = itemFacts(item);
  return {
    userId,
    refId: id,
    title,
    ...wordsOf(item, copy),
    beside: [author, siteName, facts.tags.join(' ')].filter((line) => line !== '').join('\n'),
    // By the rules of today, as for entries and bookmarks: the key of the row may be of older ones.
    ...(isPageAddress(url)
      ? { url, urlKey: savedUrl(url).key, site: new URL(url).hostname }
      : { url: '', urlKey: null, site: null }),
    publishedAt,
    facts: {
      ...facts,
      states: [
        ...facts.states,
        ...(item.status === 'unread' ? (['unread'] as const) : []),
        ...(item.isBookmarked ? (['bookmarked'] as const) : []),
      ],
      isRaindrop: item.raindropId !== null,
    },
  };
}

/** Copies begin with the title, and most excerpts are what they go on with: neither needs to be read twice. */
function wordsOf({ title, excerpt, raindropNote }: ItemText, copy: string): Pick<SearchText, 'text'> {
  const body = copy.trimStart();
  const isHeading =
    title !== '' &&
    body.startsWith(title) &&
    /^[^\S\n]*(?:\n|$)/u.test(body.slice(title.length, title.length + 200));
  const rest = isHeading ? body.slice(title.length).trimStart() : body;
  const wanted = onOneLine(excerpt.replace(/(?:…|\.{3})$/u, ''));
  const isInCopy = onOneLine(rest.slice(0, excerptWithin)).includes(wanted);
  const lines = [isInCopy ? '' : excerpt, raindropNote ?? '', rest];
  return { text: lines.filter((line) => line !== '').join('\n') };
}

const onOneLine = (text: string) => text.replace(/\s+/gu, ' ').trim();

/** How a file begins; a missing one is as no text, and so is one that has another hash than it must have. */
async function readText(
  files: TextFiles,
  key: string,
  { atMostBytes, sha256 }: { readonly atMostBytes: number; readonly sha256: string | null },
): Promise<string> {
  const file = await files.get(key);
  if (!file) return '';
  const decoder = new TextDecoder();
  const hash = sha256 === null ? undefined : createHash('sha256');
  let text = '';
  let bytes = 0;
  for await (const chunk of file.body) {
    hash?.update(chunk);
    const left = Math.max(0, atMostBytes - bytes);
    bytes += chunk.length;
    text += decoder.decode(chunk.subarray(0, left), { stream: true });
    if (bytes >= atMostBytes && !hash) break;
  }
  return hash && hash.digest('hex') !== sha256 ? '' : text;
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
