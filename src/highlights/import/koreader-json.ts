// What the JSON exporter of KOReader writes: one document, or several in a list.
import { Invalid } from '../../errors.ts';
import { isObject, type JsonObject, listOf, parseJson, textOf } from './json-value.ts';
import { authorOf, type KoreaderDocument, type KoreaderEntry, timeOf, titleOf } from './koreader-document.ts';

export function readKoreaderJson(text: string): KoreaderDocument[] {
  const top = parseJson(text);
  const documents =
    isObject(top) && 'documents' in top ? listOf(top.documents) : Array.isArray(top) ? top : [top];
  return documents.map((value, index) => {
    const place = `document ${index + 1}`;
    if (!isObject(value) || !('entries' in value))
      throw new Invalid(`${place}: this is no export of KOReader: there is no list "entries"`);
    return readDocument(value, place);
  });
}

function readDocument(value: JsonObject, place: string): KoreaderDocument {
  const file = textOf(value.file);
  return {
    title: titleOf(textOf(value.title), file),
    author: authorOf(textOf(value.author)),
    file,
    entries: listOf(value.entries).map((entry, index) => readEntry(entry, `${place}, entry ${index + 1}`)),
  };
}

function readEntry(value: unknown, place: string): KoreaderEntry {
  const entry = isObject(value) ? value : {};
  const position = textOf(entry.pn_xp);
  const chapter = textOf(entry.chapter);
  const drawer = textOf(entry.drawer);
  const page = typeof entry.page === 'number' ? entry.page : textOf(entry.page);
  return {
    place,
    kind: entry.sort === 'bookmark' || entry.sort === 'note' ? entry.sort : 'highlight',
    text: textOf(entry.text),
    note: textOf(entry.note),
    color: textOf(entry.color) || null,
    boundary: {
      ...(page === '' ? {} : { page }),
      ...(position === '' ? {} : { position }),
      ...(chapter === '' ? {} : { chapter }),
      ...(drawer === '' ? {} : { drawer }),
    },
    madeAt: timeOf(entry.time),
  };
}
