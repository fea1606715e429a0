// RFC 4180: fields between commas, in quotes where they hold commas, quotes or line ends.
import { Invalid } from '../../errors.ts';

export interface CsvRow {
  /** Where it begins, from 1: a field may go over several lines. */
  readonly line: number;
  readonly fields: readonly string[];
}

const mostFields = 1_000;

/** Row by row. Lines without anything on them are none. Throws Invalid, which names the line. */
export function* parseCsv(text: string): Generator<CsvRow> {
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const begun = line;
    const fields: string[] = [];
    for (;;) {
      const field = text[at] === '"' ? quoted(text, at, line) : plain(text, at);
      fields.push(field.value);
      if (fields.length > mostFields)
        throw new Invalid(`line ${begun}: there are more than ${mostFields} fields`);
      at = field.end;
      line += field.lines;
      if (text[at] !== ',') break;
      at++;
    }
    // What follows a field that is no comma is a line end, or the end of the file.
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    line++;
    if (fields.length > 1 || fields[0] !== '') yield { line: begun, fields };
  }
}

interface Field {
  readonly value: string;
  /** Where the next character is that is not of it. */
  readonly end: number;
  readonly lines: number;
}

const ends = /[,\r\n]/g;

function plain(text: string, from: number): Field {
  ends.lastIndex = from;
  const end = ends.exec(text)?.index ?? text.length;
  return { value: text.slice(from, end), end, lines: 0 };
}

function quoted(text: string, from: number, line: number): Field {
  let end = text.indexOf('"', from + 1);
  // Two of them stand for one.
  while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  if (end < 0)
    throw new Invalid(`line ${line}: a field begins with a quotation mark and has none at its end`);
  const value = text.slice(from + 1, end).replaceAll('""', '"');
  const lines = countLines(text, from, end);
  const next = text[end + 1];
  if (next !== undefined && next !== ',' && next !== '\r' && next !== '\n')
    throw new Invalid(`line ${line + lines}: there is text between a closing quotation mark and the comma`);
  return { value, end: end + 1, lines };
}

function countLines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) count++;
  }
  return count;
}
