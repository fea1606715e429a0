import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Invalid } from '../../errors.ts';
import { parseCsv } from './parse-csv.ts';

const rows = (text: string) => [...parseCsv(text)].map(({ fields }) => fields);

describe('CSV', () => {
  it.each<[text: string, expected: string[][]]>([
    ['', []],
    ['a', [['a']]],
    [
      '\uFEFFa,b\r\nc,d\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['a\rb', [['a'], ['b']]],
    ['a,,\n', [['a', '', '']]],
    [',', [['', '']]],
    ['"a,b","c"', [['a,b', 'c']]],
    ['"a\r\nb",c', [['a\r\nb', 'c']]],
    ['"say ""hi""",x', [['say "hi"', 'x']]],
    ['"",""""', [['', '"']]],
    ['a"b,c', [['a"b', 'c']]],
    [' "a"', [[' "a"']]],
    ['a\n\n\nb', [['a'], ['b']]],
  ])('%j', (text, expected) => {
    expect(rows(text)).toEqual(expected);
  });

  it('knows the line on which each row begins', () => {
    const lines = [...parseCsv('a\n"b\nc"\r\n\nd,"\n\n"\ne')].map(({ line }) => line);
    expect(lines).toEqual([1, 2, 5, 8]);
  });

  it.each<[text: string, message: string]>([
    ['a\n"b', 'line 2: a field begins with a quotation mark and has none at its end'],
    ['"a\n"b', 'line 2: there is text between a closing quotation mark and the comma'],
    [','.repeat(1_000), 'line 1: there are more than 1000 fields'],
  ])('is refused where it is none: %j', (text, message) => {
    expect(() => rows(text)).toThrow(new Invalid(message));
  });

  it('comes back as it was written', () => {
    const field = fc.stringMatching(/^[a,"\r\n ]{0,6}$/);
    const row = fc.array(field, { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(row), fc.constantFrom('\n', '\r\n'), (written, end) => {
        const quote = (value: string) => `"${value.replaceAll('"', '""')}"`;
        expect(rows(written.map((fields) => fields.map(quote).join(',')).join(end))).toEqual(written);
      }),
    );
  });

  it('is rows, or Invalid', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a,"\r\n]{0,40}$/), (text) => {
        try {
          rows(text);
        } catch (error) {
          expect(error).toBeInstanceOf(Invalid);
        }
      }),
    );
  });
});
