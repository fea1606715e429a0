// The values of a row: a column of SQLite takes values of every type, and a program that stops in the middle leaves any.
import { Invalid } from '../../errors.ts';
import type { Millis } from '../../model/glossary.ts';
import { isDeeper, type Json } from '../../model/highlight.ts';
import { parseLegacyDate } from '../legacy/legacy-date.ts';

export type ResearchRow = Readonly<Record<string, unknown>>;

export interface Place {
  readonly path: string;
  readonly table: string;
  readonly id: string | undefined;
}

/** Deeper than this, no position of a passage is; and what keeps JSON goes down into it. */
const deepest = 50;

function broken({ path, table, id }: Place, why: string): Invalid {
  const where = id === undefined ? 'a row' : `the row "${id}"`;
  return new Invalid(
    `${path}: in its table "${table}", ${where} ${why}: open it in Research and repair or delete that`,
  );
}

export function idIn(row: ResearchRow, column: string, place: Place): string {
  const value = row[column];
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  if (typeof value === 'string' && value !== '') return value;
  throw broken(place, `has no ${column}`);
}

/** Empty where it is NULL: nothing was written. */
export function textIn(row: ResearchRow, column: string, place: Place): string {
  const value = row[column];
  if (value === null || value === undefined) return '';
  if (value instanceof Uint8Array) throw broken(place, `has bytes in ${column}, where a text should be`);
  return String(value);
}

export function colorIn(row: ResearchRow, place: Place): string | null {
  return textIn(row, 'color', place) || null;
}

/** `$.text`. A marked picture has none. */
export function textInJson(row: ResearchRow, column: string, place: Place): string {
  const content = jsonIn(row, column, place);
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw broken(place, `has JSON in ${column} that is no object`);
  const { text } = content as { text?: Json };
  if (text === undefined || text === null) return '';
  if (typeof text !== 'string') throw broken(place, `has a text in ${column} that is none`);
  return text;
}

export function boundaryIn(row: ResearchRow, place: Place): Json {
  const position = row.position === null ? null : jsonIn(row, 'position', place);
  const pageNumber = fieldOf(fieldOf(position, 'boundingRect'), 'pageNumber');
  return { pageNumber: Number.isSafeInteger(pageNumber) ? pageNumber : null, position, source: 'research' };
}

function fieldOf(value: Json, name: string): Json {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
  return (value as { readonly [key: string]: Json })[name] ?? null;
}

function jsonIn(row: ResearchRow, column: string, place: Place): Json {
  const value = row[column];
  let parsed: Json;
  try {
    parsed = JSON.parse(typeof value === 'string' ? value : '');
  } catch {
    throw broken(place, `has ${value === null ? 'nothing' : 'malformed JSON'} in ${column}`);
  }
  if (isDeeper(parsed, deepest)) throw broken(place, `has JSON in ${column} that is nested too deep`);
  return parsed;
}

export function madeAtIn({ created_at, updated_at }: ResearchRow): Millis | null {
  return parseLegacyDate(created_at) ?? parseLegacyDate(updated_at) ?? null;
}
