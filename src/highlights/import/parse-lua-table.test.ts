import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { propertyRuns } from '../../../test/support/depth.ts';
import { Invalid } from '../../errors.ts';
import { type LuaValue, parseLuaTable } from './parse-lua-table.ts';

const plain = (value: LuaValue): unknown =>
  value instanceof Map ? Object.fromEntries([...value].map(([key, inner]) => [key, plain(inner)])) : value;
const parse = (text: string) => plain(parseLuaTable(text));

describe('a table of Lua', () => {
  it.each<[text: string, expected: unknown]>([
    ['return {}', {}],
    ['-- /mnt/us/book.epub\nreturn {\n    ["a"] = 1,\n}\n', { a: 1 }],
    ['return { [1] = "x", [2] = { ["b"] = true } }', { 1: 'x', 2: { b: true } }],
    ['return { "x", "y"; z = 3 }', { 1: 'x', 2: 'y', z: 3 }],
    [
      'return { a = -1.5e+3, b = 0x1F, c = .5, d = 3., e = -0x10 }',
      { a: -1500, b: 31, c: 0.5, d: 3, e: -16 },
    ],
    ['return { a = inf, b = -nan, c = nil, d = 1e999 }', {}],
    ['return { a = nil --[[ LOOP:\n^------- ]], b = false }', { b: false }],
    [String.raw`return { "say \"hi\" \\ \'x\'", 'it"s' }`, { 1: `say "hi" \\ 'x'`, 2: 'it"s' }],
    ['return { "one\\\ntwo\\\r\nthree\\nfour\\t\\0\\13" }', { 1: 'one\ntwo\nthree\nfour\t\0\r' }],
    [String.raw`return { "na\195\175ve \228\189\160" }`, { 1: 'naïve 你' }],
    ['return { [[\nlong [x] ]], [==[a]]b]==] }', { 1: 'long [x] ', 2: 'a]]b' }],
    [
      'return { ["__proto__"] = { x = 1 }, ["constructor"] = 2 }',
      JSON.parse('{"__proto__":{"x":1},"constructor":2}'),
    ],
    ['return { true_ = 1, ["return"] = "function() end" }', { true_: 1, return: 'function() end' }],
  ])('%j', (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it.each<[text: string, message: string]>([
    ['', 'line 1: there is no "return" before the table'],
    ['x = {}', 'line 1: there is no "return" before the table'],
    ['return', 'line 1: a table is expected here'],
    ['return os.execute("x")', 'line 1: a table is expected here'],
    ['return {\n a = os.execute("x") }', 'line 2: a text, a number or a table is expected here'],
    ['return {\n\n a = function() end }', 'line 3: a text, a number or a table is expected here'],
    ['return { a = 1 + 1 }', 'line 1: a comma or the end of the table is expected here'],
    ['return { a = "x" .. "y" }', 'line 1: a comma or the end of the table is expected here'],
    ['return { a = 1 } print(1)', 'line 1: there is something after the table'],
    ['return { [{}] = 1 }', 'line 1: a text, a number or a table is expected here'],
    ['return { [true] = 1 }', 'line 1: a key is neither a text nor a number'],
    ['return { a = {', 'line 1: a text, a number or a table is expected here'],
    ['return {\n"x', 'line 2: a text has no end'],
    ['return {\n"x\ny" }', 'line 2: a text has no end'],
    ['return {\n[[x }', 'line 2: a long text has no end'],
    ['return { "\\300" }', 'line 1: a text has a byte above 255'],
    [`return ${'{'.repeat(100)}`, 'line 1: tables are nested more than 64 deep'],
  ])('is refused where it is none: %j', (text, message) => {
    expect(() => parseLuaTable(text)).toThrow(new Invalid(message));
  });

  const anyValue = fc.letrec<{ value: unknown; table: Record<string, unknown> }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: anyCharacter }),
      fc.boolean(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
      tie('table'),
    ),
    table: fc.dictionary(fc.string(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
  }));
  const quote = (text: string) =>
    `"${text
      .replace(/[\\"\n]/g, '\\$&')
      .replaceAll('\r', '\\r')
      .replaceAll('\0', '\\0')}"`;
  const write = (value: unknown): string =>
    typeof value === 'string'
      ? quote(value)
      : typeof value === 'object' && value !== null
        ? `{${Object.entries(value)
            .map(([key, inner]) => `\n[${quote(key)}] = ${write(inner)},`)
            .join('')}}`
        : String(value);

  it('comes back as it was written', () => {
    fc.assert(
      fc.property(anyValue.table, (table) => {
        // A zero and a digit behind it would be another byte.
        fc.pre(!/\0\d/.test(JSON.stringify(table).replaceAll('\\u0000', '\0')));
        expect(parse(`return ${write(table)}`)).toEqual(table);
      }),
    );
  });

  it('is a table, or Invalid', () => {
    const pieces = fc.constantFrom(
      'return ',
      '{',
      '}',
      '[',
      ']',
      '=',
      '"',
      "'",
      '\\',
      '--',
      '\n',
      'a',
      '1',
      ',',
      '[[',
      ']]',
      '-',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
        try {
          parseLuaTable(`return {${parts.join('')}`);
        } catch (error) {
          expect(error).toBeInstanceOf(Invalid);
        }
      }),
      propertyRuns(1_000),
    );
  });
});
