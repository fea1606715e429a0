// Highlights of KOReader: the file of its JSON exporter, or the one that it keeps beside a book.
import { addComments } from './add-comments.ts';
import { collectImport, type Imported, isTooLong, requireFew, thereTwice, tooLong } from './imported.ts';
import type { KoreaderDocument, KoreaderEntry } from './koreader-document.ts';
import { readKoreaderJson } from './koreader-json.ts';
import { readKoreaderSidecar } from './koreader-sidecar.ts';
import { idsOf, stableId } from './stable-id.ts';

/** Throws Invalid, and nothing else. */
export function parseKoreader(text: string): Imported {
  const isJson = /^[\s\uFEFF]*[[{]/.test(text);
  const documents = isJson ? readKoreaderJson(text) : [readKoreaderSidecar(text)];
  requireFew(documents.reduce((sum, { entries }) => sum + entries.length, 0));
  const result = collectImport();
  // Two files of one book are one book here.
  const byBook = Map.groupBy(documents, resourceId);
  for (const [resource, same] of byBook) addDocument(result, resource, same);
  return result.imported();
}

/** Not by the path of the file: the same book may be elsewhere on the next device. */
function resourceId({ title, author }: KoreaderDocument): string {
  return stableId('book', title, author);
}

function addDocument(
  result: ReturnType<typeof collectImport>,
  resource: string,
  documents: readonly KoreaderDocument[],
): void {
  const [document] = documents;
  if (!document) return;
  const kept = documents.flatMap(({ entries }) => entries.filter((entry) => isKept(result, entry)));
  if (isTooLong(document.title, document.author)) {
    for (const { place } of kept) result.skip(place, tooLong);
    return;
  }
  const ids = idsOf(kept, ({ kind, text, boundary, madeAt }) => ({
    // When it was made is never changed there; pages are counted anew whenever the letters get larger.
    key: madeAt === null ? [resource, kind, text, JSON.stringify(boundary)] : [resource, kind, madeAt],
    text,
    madeAt,
  }));
  if (kept.length > 0) {
    const { title, author, file } = document;
    const type = /\.pdf$/i.test(file) ? 'pdf' : 'book';
    result.addResource({ originalId: resource, type, title, ...(author === '' ? {} : { author }) });
  }
  for (const entry of kept) addEntry(result, resource, ids.get(entry) as string, entry);
  addComments(
    result,
    kept
      .filter(({ kind }) => kind === 'highlight')
      .map((entry) => ({ annotation: ids.get(entry) as string, content: entry.note, madeAt: entry.madeAt })),
  );
}

function isKept(result: ReturnType<typeof collectImport>, entry: KoreaderEntry): boolean {
  const { kind, place, text, note, color, boundary } = entry;
  const why =
    kind === 'bookmark'
      ? 'it is a bookmark, which has no text'
      : text === ''
        ? 'it has no text'
        : isTooLong(text, note, color ?? '', JSON.stringify(boundary))
          ? tooLong
          : undefined;
  if (why !== undefined) result.skip(place, why);
  return why === undefined;
}

function addEntry(
  result: ReturnType<typeof collectImport>,
  resource: string,
  originalId: string,
  { kind, place, text, color, boundary, madeAt }: KoreaderEntry,
): void {
  const isNew =
    kind === 'note'
      ? result.addNote({ originalId, resource, content: text, madeAt })
      : result.addAnnotation({ originalId, resource, text, color, boundary, madeAt });
  if (!isNew) result.skip(place, thereTwice);
}
