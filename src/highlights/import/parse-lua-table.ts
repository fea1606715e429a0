// A table as Lua writes it, read as data: nothing is run, and what is no table, text, number or truth value is refused.
import { Invalid } from '../../errors.ts';

export type LuaValue = string | number | boolean | null | LuaTable;
export type LuaTable = ReadonlyMap<string | number, LuaValue>;

const deepest = 64;
const mostValues = 2_000_000;

/** `return { ... }`, with comments before and within. Throws Invalid, which names the line. */
export function parseLuaTable(text: string): LuaTable {
  const reader = { text, at: text.startsWith('\uFEFF') ? 1 : 0, values: 0 };
  skipBlanks(reader);
  if (take(reader, /return\b/y) === undefined) fail(reader, 'there is no "return" before the table');
  skipBlanks(reader);
  const table = readTable(reader, 1);
  skipBlanks(reader);
  if (reader.at < text.length) fail(reader, 'there is something after the table');
  return table;
}

interface Reader {
  readonly text: string;
  at: number;
  values: number;
}

function fail({ text, at }: Reader, why: string): never {
  let line = 1;
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) line++;
  throw new Invalid(`line ${line}: ${why}`);
}

function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0];
  if (found !== undefined) reader.at += found.length;
  return found;
}

function skipBlanks(reader: Reader): void {
  for (;;) {
    take(reader, /\s+/y);
    if (!reader.text.startsWith('--', reader.at)) return;
    reader.at += 2;
    if (readLong(reader) === undefined) take(reader, /[^\n]*/y);
  }
}

function readTable(reader: Reader, depth: number): LuaTable {
  if (depth > deepest) fail(reader, `tables are nested more than ${deepest} deep`);
  if (take(reader, /\{/y) === undefined) fail(reader, 'a table is expected here');
  const table = new Map<string | number, LuaValue>();
  let next = 1;
  for (;;) {
    skipBlanks(reader);
    if (take(reader, /\}/y) !== undefined) return table;
    const key = readKey(reader) ?? next++;
    const value = readValue(reader, depth);
    if (++reader.values > mostValues) fail(reader, `there are more than ${mostValues} values`);
    if (value !== null) table.set(key, value);
    skipBlanks(reader);
    if (take(reader, /[,;]/y) === undefined && reader.text[reader.at] !== '}')
      fail(reader, 'a comma or the end of the table is expected here');
  }
}

/** `["name"] =`, `[1] =` or `name =`; undefined where a value stands by itself. */
function readKey(reader: Reader): string | number | undefined {
  const name = take(reader, /[A-Za-z_]\w{0,200}(?=\s{0,200}=(?!=))/y);
  if (name === undefined) {
    // Two brackets begin a text, not a key.
    if (take(reader, /\[(?![[=])/y) === undefined) return undefined;
    skipBlanks(reader);
    const key = readScalar(reader);
    if (typeof key !== 'string' && typeof key !== 'number')
      fail(reader, 'a key is neither a text nor a number');
    skipBlanks(reader);
    if (take(reader, /\]/y) === undefined) fail(reader, 'a key has no end');
    skipBlanks(reader);
    if (take(reader, /=/y) === undefined) fail(reader, 'a key has no value');
    skipBlanks(reader);
    return key;
  }
  take(reader, /\s*=/y);
  skipBlanks(reader);
  return name;
}

function readValue(reader: Reader, depth: number): LuaValue {
  return reader.text[reader.at] === '{' ? readTable(reader, depth + 1) : readScalar(reader);
}

const words: ReadonlyMap<string, LuaValue> = new Map<string, LuaValue>([
  ['true', true],
  ['false', false],
  ['nil', null],
  // As Lua prints what is no number that could be written: nothing that we could keep.
  ['inf', null],
  ['-inf', null],
  ['nan', null],
  ['-nan', null],
]);

function readScalar(reader: Reader): Exclude<LuaValue, LuaTable> {
  const first = reader.text[reader.at];
  if (first === '"' || first === "'") return readText(reader, first);
  const long = first === '[' ? readLong(reader) : undefined;
  if (long !== undefined) return long;
  const number = take(
    reader,
    /-?(?:0x[\da-f]{1,16}|\d{1,400}(?:\.\d{0,400})?(?:e[+-]?\d{1,9})?|\.\d{1,400}(?:e[+-]?\d{1,9})?)(?![\w.])/iy,
  );
  if (number !== undefined) return finite(number);
  const word = take(reader, /-?[a-z]{1,8}(?!\w)/y) ?? '';
  const value = words.get(word);
  if (value === undefined) fail(reader, 'a text, a number or a table is expected here');
  return value as Exclude<LuaValue, LuaTable>;
}

function finite(written: string): number | null {
  const isNegative = written.startsWith('-');
  const size = Number(isNegative ? written.slice(1) : written);
  if (!Number.isFinite(size)) return null;
  return isNegative ? -size : size;
}

/** `[[...]]`, `[==[...]==]`: as it stands, but for a line end at its very beginning. */
function readLong(reader: Reader): string | undefined {
  const start = reader.at;
  const opening = take(reader, /\[={0,20}\[/y);
  if (opening === undefined) return undefined;
  const closing = opening.replaceAll('[', ']');
  const end = reader.text.indexOf(closing, reader.at);
  if (end < 0) {
    reader.at = start;
    fail(reader, 'a long text has no end');
  }
  const text = reader.text.slice(reader.at, end);
  reader.at = end + closing.length;
  return text.replace(/^\r?\n/, '');
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
};

function readText(reader: Reader, quote: string): string {
  const start = reader.at;
  reader.at++;
  const parts: string[] = [];
  const plain = quote === '"' ? /[^"\\\n]+/y : /[^'\\\n]+/y;
  for (;;) {
    const some = take(reader, plain);
    if (some !== undefined) parts.push(some);
    const character = reader.text[reader.at];
    if (character === quote) {
      reader.at++;
      return parts.join('');
    }
    if (character !== '\\') {
      reader.at = start;
      fail(reader, 'a text has no end');
    }
    parts.push(readEscape(reader));
  }
}

function readEscape(reader: Reader): string {
  // A text of Lua is bytes: letters beyond ASCII may be written as several of them.
  const bytes = take(reader, /(?:\\\d{1,3})+/y);
  if (bytes !== undefined) {
    const codes = [...bytes.matchAll(/\d+/g)].map(([code]) => Number(code));
    if (codes.some((code) => code > 255)) fail(reader, 'a text has a byte above 255');
    return new TextDecoder().decode(Uint8Array.from(codes));
  }
  const character = reader.text[reader.at + 1] ?? '';
  reader.at += 1 + character.length;
  if (character === '\r' && reader.text[reader.at] === '\n') reader.at++;
  if (character === '\r' || character === '\n') return '\n';
  if (!/[\w\\"'[\]\-/ ]/.test(character)) fail(reader, 'a text has an escape that Lua does not know');
  return escapes[character] ?? character;
}
