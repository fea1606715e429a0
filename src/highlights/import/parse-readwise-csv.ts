// The CSV that Readwise exports, and the one that it takes, which has other names for the same columns.
import { Invalid } from '../../errors.ts';
import { parseDate } from '../../html/parse-date.ts';
import type { Json } from '../../model/highlight.ts';
import { addComments } from './add-comments.ts';
import { collectImport, type Imported, isTooLong, requireFew, thereTwice, tooLong } from './imported.ts';
import { parseCsv } from './parse-csv.ts';
import { idsOf, stableId } from './stable-id.ts';

const columns = {
  text: ['highlight'],
  title: ['book title', 'title'],
  author: ['book author', 'author'],
  asin: ['amazon book id'],
  url: ['url', 'source url', 'book url'],
  note: ['note'],
  color: ['color'],
  tags: ['tags'],
  locationType: ['location type'],
  location: ['location'],
  date: ['highlighted at', 'date'],
} as const;

type Column = keyof typeof columns;

interface Row extends Readonly<Record<Column, string>> {
  readonly line: number;
}

/** Throws Invalid, and nothing else. */
export function parseReadwiseCsv(text: string): Imported {
  const result = collectImport();
  const rows: Row[] = [];
  let find: ((column: Column, fields: readonly string[]) => string) | undefined;
  for (const { line, fields } of parseCsv(text)) {
    if (!find) {
      find = columnsOf(line, fields);
      continue;
    }
    requireFew(rows.length + 1);
    const row = { line } as Record<Column, string> & { line: number };
    for (const column of Object.keys(columns) as Column[]) row[column] = find(column, fields);
    if (isTooLong(...fields)) result.skip(`line ${line}`, tooLong);
    else if (row.text === '' && row.note === '')
      result.skip(`line ${line}`, 'it has neither a highlight nor a note');
    else rows.push(row);
  }
  if (!find) throw new Invalid('line 1: the file is empty: there are no names of columns');
  addRows(result, rows);
  return result.imported();
}

function columnsOf(line: number, header: readonly string[]) {
  const names = header.map((name) => name.trim().toLowerCase());
  const places = new Map(
    Object.entries(columns).map(([column, known]) => [
      column,
      names.findIndex((name) => (known as readonly string[]).includes(name)),
    ]),
  );
  const missing = (['text', 'title'] as const).find((column) => (places.get(column) ?? -1) < 0);
  if (missing)
    throw new Invalid(
      `line ${line}: there is no column "${missing === 'text' ? 'Highlight' : 'Book Title'}", which every export of Readwise has`,
    );
  return (column: Column, fields: readonly string[]) => (fields[places.get(column) ?? -1] ?? '').trim();
}

function addRows(result: ReturnType<typeof collectImport>, rows: readonly Row[]): void {
  const ids = idsOf(rows, (row) => {
    const place = [
      resourceId(row),
      row.text === '' ? 'note' : 'highlight',
      row.locationType,
      row.location,
      row.date,
    ];
    // With the text: of two at one place, either may be missing from the next file.
    return {
      key: [...place, row.text || row.note],
      text: row.text || row.note,
      madeAt: parseDate(row.date),
    };
  });
  for (const row of rows) {
    const resource = resourceId(row);
    const originalId = ids.get(row) as string;
    const madeAt = parseDate(row.date);
    result.addResource({
      originalId: resource,
      type: isWeb(row.url) ? 'website' : 'book',
      title: row.title || row.url || 'Untitled',
      ...(row.author === '' ? {} : { author: row.author }),
      ...(isWeb(row.url) ? { url: row.url } : {}),
    });
    if (row.text === '') {
      if (!result.addNote({ originalId, resource, content: row.note, madeAt }))
        result.skip(`line ${row.line}`, thereTwice);
      continue;
    }
    const color = row.color === '' ? null : row.color;
    if (
      !result.addAnnotation({
        originalId,
        resource,
        text: row.text,
        color,
        boundary: boundaryOf(row),
        madeAt,
      })
    )
      result.skip(`line ${row.line}`, thereTwice);
  }
  addComments(
    result,
    rows
      .filter(({ text }) => text !== '')
      .map((row) => ({
        annotation: ids.get(row) as string,
        content: row.note,
        madeAt: parseDate(row.date),
      })),
  );
}

/** What Amazon or the web calls it stays when somebody corrects its title. */
function resourceId({ asin, url, title, author }: Row): string {
  if (asin !== '') return stableId('asin', asin);
  return isWeb(url) ? stableId('url', url) : stableId('book', title, author);
}

function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

function boundaryOf({ locationType, location, tags }: Row): Json {
  const named = tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return {
    ...(locationType === '' ? {} : { locationType }),
    ...(location === '' ? {} : { location }),
    ...(named.length === 0 ? {} : { tags: named }),
  };
}
