// Annotations of Hypothesis: what its API answers to a search, what its sidebar exports, or a bare list of them.
import { Invalid } from '../../errors.ts';
import { parseDate } from '../../html/parse-date.ts';
import type { Millis } from '../../model/glossary.ts';
import type { Json } from '../../model/highlight.ts';
import { type Anchor, anchorOf } from './hypothesis-anchor.ts';
import { collectImport, type Imported, isTooLong, requireFew, tooLong } from './imported.ts';
import { isObject, type JsonObject, listOf, objectOf, parseJson, textOf } from './json-value.ts';
import { stableId } from './stable-id.ts';

interface Row {
  readonly place: string;
  readonly id: string;
  readonly uri: string;
  readonly title: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly anchor: Anchor;
  /** What it answers, from the first to the last. */
  readonly references: readonly string[];
  readonly madeAt: Millis | null;
  readonly updatedAt: Millis;
}

type Result = ReturnType<typeof collectImport>;

/** Throws Invalid, and nothing else. */
export function parseHypothesisJson(text: string): Imported {
  const result = collectImport();
  const found = rowsOf(parseJson(text));
  requireFew(found.rows.length);
  // A search answers with 200 at most. Whoever takes what is missing for deleted should know.
  if (found.total > found.rows.length)
    result.skip(
      'the file',
      `it says that there are ${found.total} annotations, and has ${found.rows.length}`,
    );
  const rows = new Map<string, Row>();
  for (const [index, value] of found.rows.entries()) {
    const place = `row ${index + 1}`;
    const row = isObject(value) ? readRow(place, value) : 'it is no annotation';
    if (typeof row === 'string') result.skip(place, row);
    else keepNewer(result, rows, row);
  }
  const titles = titlesOf(rows.values());
  for (const row of rows.values()) addRow(result, rows, titles, row);
  return result.imported();
}

function rowsOf(value: unknown): { readonly rows: readonly unknown[]; readonly total: number } {
  if (Array.isArray(value)) return { rows: value, total: 0 };
  const { rows, annotations, replies, total } = objectOf(value);
  const list = Array.isArray(rows) ? rows : annotations;
  if (!Array.isArray(list))
    throw new Invalid(
      'the file is no export of Hypothesis: at its top there is no list "rows" or "annotations"',
    );
  return { rows: [...list, ...listOf(replies)], total: typeof total === 'number' ? total : 0 };
}

function readRow(place: string, value: JsonObject): Row | string {
  const uri = textOf(value.uri);
  const text = textOf(value.text);
  const titles = objectOf(value.document).title;
  const title = textOf(Array.isArray(titles) ? titles[0] : titles);
  const anchor = anchorOf(value.target);
  const tags = listOf(value.tags)
    .map(textOf)
    .filter((tag) => tag !== '');
  const references = listOf(value.references)
    .map(textOf)
    .filter((id) => id !== '');
  if (uri === '') return 'it does not say what page it is on';
  if (isTooLong(uri, text, title, anchor.text, tags.join(' '), JSON.stringify(anchor.boundary)))
    return tooLong;
  if (anchor.text === '' && text === '' && tags.length === 0) return 'it has neither a quote nor a text';
  const given = textOf(value.id);
  const isId = given !== '' && given.length <= 200;
  const id = isId ? given : stableId(uri, anchor.text, text, textOf(value.created), ...references);
  const madeAt = parseDate(textOf(value.created));
  const updatedAt = parseDate(textOf(value.updated)) ?? madeAt ?? 0;
  return { place, id, uri, title, text, tags, anchor, references, madeAt, updatedAt };
}

function keepNewer(result: Result, rows: Map<string, Row>, row: Row): void {
  const known = rows.get(row.id);
  const isNewer = !known || (row.updatedAt - known.updatedAt || (row.text > known.text ? 1 : -1)) > 0;
  if (isNewer) rows.set(row.id, row);
  const dropped = isNewer ? known : row;
  if (dropped) result.skip(dropped.place, 'there is a newer one with the same id in the file');
}

/** Of the rows of a page, some may not know its title. */
function titlesOf(rows: Iterable<Row>): Map<string, string> {
  const titles = new Map<string, string>();
  for (const { uri, title } of rows) if (title !== '' && !titles.has(uri)) titles.set(uri, title);
  return titles;
}

function addRow(
  result: Result,
  rows: ReadonlyMap<string, Row>,
  titles: ReadonlyMap<string, string>,
  row: Row,
): void {
  const { id, text, tags, anchor, madeAt } = row;
  const root = row.references[0] === undefined ? row : rows.get(row.references[0]);
  if (!root || root.references.length > 0) {
    result.skip(row.place, 'it answers an annotation that is not in the file');
    return;
  }
  const resource = addResource(result, titles, root.uri);
  if (root === row && anchor.text !== '') {
    const boundary: Json = { ...anchor.boundary, ...(tags.length === 0 ? {} : { tags }) };
    result.addAnnotation({ originalId: id, resource, text: anchor.text, color: null, boundary, madeAt });
    if (text !== '') result.addComment({ originalId: id, annotation: id, content: text, madeAt });
    return;
  }
  // What is said about a page, or in answer to somebody, has no place for tags but the text.
  const content = [text, tags.map((tag) => `#${tag}`).join(' ')].filter((part) => part !== '').join('\n\n');
  if (content === '') result.skip(row.place, 'it has no text');
  else if (root.anchor.text === '') result.addNote({ originalId: id, resource, content, madeAt });
  else result.addComment({ originalId: id, annotation: root.id, content, madeAt });
}

/** What is no page of the web is a file that was opened in a browser: `urn:x-pdf:...`, `file://...`. */
function addResource(result: Result, titles: ReadonlyMap<string, string>, uri: string): string {
  const originalId = stableId('uri', uri);
  const isWeb = /^https?:\/\//i.test(uri) && URL.canParse(uri);
  const title = titles.get(uri) ?? uri;
  result.addResource({ originalId, type: isWeb ? 'website' : 'pdf', title, ...(isWeb ? { url: uri } : {}) });
  return originalId;
}
