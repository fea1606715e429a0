// `metadata.*.lua`, which KOReader keeps beside each book. Since 2024 all is in `annotations`; before, what was marked stood
// in `highlight`, by page, and what was said about it in `bookmarks`.
import { Invalid } from '../../errors.ts';
import type { Json } from '../../model/highlight.ts';
import { authorOf, type KoreaderDocument, type KoreaderEntry, timeOf, titleOf } from './koreader-document.ts';
import { type LuaTable, type LuaValue, parseLuaTable } from './parse-lua-table.ts';

export function readKoreaderSidecar(text: string): KoreaderDocument {
  const top = parseLuaTable(text);
  const props = tableOf(top.get('doc_props'));
  const stats = tableOf(top.get('stats'));
  const file = textOf(top.get('doc_path'));
  const entries = top.has('annotations')
    ? rowsOf(top.get('annotations')).map(([key, row]) => readAnnotation(row, `annotation ${key}`))
    : top.has('highlight')
      ? readOld(top)
      : undefined;
  if (!entries && !top.has('doc_props') && !top.has('doc_path'))
    throw new Invalid(
      'the file is no metadata.*.lua of KOReader: its table has neither "annotations" nor "doc_props"',
    );
  return {
    title: titleOf(textOf(props.get('title')) || textOf(stats.get('title')), file),
    author: authorOf(textOf(props.get('authors')) || textOf(stats.get('authors'))),
    file,
    entries: entries ?? [],
  };
}

function readAnnotation(row: LuaTable, place: string): KoreaderEntry {
  const isMarked = row.has('drawer');
  const note = textOf(row.get('note'));
  return {
    place,
    // Of a bookmark `text` says which page it is on; what somebody wrote to it is a note about the book.
    kind: isMarked ? 'highlight' : note === '' ? 'bookmark' : 'note',
    text: isMarked ? textOf(row.get('text')) : note,
    note: isMarked ? note : '',
    color: textOf(row.get('color')) || null,
    boundary: boundaryOf(row, row.get('pageref') ?? row.get('pageno')),
    madeAt: timeOf(row.get('datetime')),
  };
}

function readOld(top: LuaTable): KoreaderEntry[] {
  const notes = new Map<string, string>();
  for (const [, bookmark] of rowsOf(top.get('bookmarks'))) {
    const text = textOf(bookmark.get('text'));
    const isAutomatic = / @ \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text.slice(-40));
    if (text !== '' && !isAutomatic && text !== textOf(bookmark.get('notes')))
      notes.set(textOf(bookmark.get('datetime')), text);
  }
  return rowsOf(top.get('highlight')).flatMap(([page, rows]) =>
    rowsOf(rows).map(([key, row]): KoreaderEntry => {
      const note = notes.get(textOf(row.get('datetime'))) ?? '';
      const text = textOf(row.get('text'));
      return {
        place: `highlight ${key} of page ${page}`,
        kind: 'highlight',
        text,
        note: note === text ? '' : note,
        color: textOf(row.get('color')) || null,
        boundary: boundaryOf(row, page),
        madeAt: timeOf(row.get('datetime')),
      };
    }),
  );
}

function boundaryOf(row: LuaTable, page: LuaValue | undefined): KoreaderEntry['boundary'] {
  const [start, end] = ['pos0', 'pos1'].map((key) => positionOf(row.get(key)));
  const chapter = textOf(row.get('chapter'));
  const drawer = textOf(row.get('drawer'));
  return {
    ...(typeof page === 'number' || (typeof page === 'string' && page !== '') ? { page } : {}),
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    ...(chapter === '' ? {} : { chapter }),
    ...(drawer === '' ? {} : { drawer }),
  };
}

/** In a book that flows it is a path, on fixed pages a point. */
function positionOf(value: LuaValue | undefined): Json | undefined {
  if (typeof value === 'string') return value;
  const numbers = ['page', 'x', 'y'].map((key) => [key, tableOf(value).get(key)] as const);
  const known = numbers.filter((pair): pair is [string, number] => typeof pair[1] === 'number');
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

function rowsOf(value: LuaValue | undefined): (readonly [key: string | number, row: LuaTable])[] {
  return [...tableOf(value)].flatMap(([key, row]) => (row instanceof Map ? [[key, row] as const] : []));
}

function tableOf(value: LuaValue | undefined): LuaTable {
  return value instanceof Map ? value : new Map();
}

function textOf(value: LuaValue | undefined): string {
  return typeof value === 'string' ? value.trim() : '';
}
