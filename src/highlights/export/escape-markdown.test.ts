import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { propertyRuns } from '../../../test/support/depth.ts';
import { escapeInline, escapeLines, linkTarget } from './escape-markdown.ts';

describe('a text in Markdown', () => {
  it.each<[text: string, expected: string[]]>([
    ['Plain words, as they are (mostly): 3 - 2 = 1!', ['Plain words, as they are (mostly): 3 - 2 = 1!']],
    ['*a* _b_ `c` ~~d~~', ['\\*a\\* \\_b\\_ \\`c\\` \\~\\~d\\~\\~']],
    ['# heading', ['\\# heading']],
    ['- item', ['\\- item']],
    ['+ item', ['\\+ item']],
    ['12. item', ['12\\. item']],
    ['3) item', ['3\\) item']],
    ['1984 was', ['1984 was']],
    ['> quote', ['\\> quote']],
    ['one\n---', ['one\\', '\\---']],
    ['one\n===', ['one\\', '\\=\\=\\=']],
    ['    code', ['code']],
    ['\tcode', ['code']],
    ['<script>alert(1)</script>', ['\\<script\\>alert(1)\\</script\\>']],
    ['[a](javascript:x)', ['\\[a\\](javascript:x)']],
    ['![a](b)', ['!\\[a\\](b)']],
    ['&lt; &copy;', ['\\&lt; \\&copy;']],
    [
      'see https://a.example/ or www.b.example, c@d.example',
      ['see https\\://a.example/ or www\\.b.example, c\\@d.example'],
    ],
    ['a | b', ['a \\| b']],
    ['$x$ ==y== %%z%% #tag [[w]] ^id', ['\\$x\\$ \\=\\=y\\=\\= \\%\\%z\\%\\% \\#tag \\[\\[w\\]\\] \\^id']],
    [':smile: at 10:30', ['\\:smile: at 10:30']],
    ['a\\b', ['a\\\\b']],
    ['one\r\ntwo\n\n\n\nthree\u2028four', ['one\\', 'two', '', 'three\\', 'four']],
    ['a\0b\x1bc', ['abc']],
    ['', ['']],
  ])('%j', (text, expected) => {
    expect(escapeLines(text)).toEqual(expected);
  });

  const special = fc.constantFrom(
    ...'\\`*_[]<>&|~$#^@={}%:-+.!()123 \t\n\r',
    'www.',
    'http://',
    '1. ',
    'word',
    '```',
    '---',
    '\u2028',
  );
  const anyText = fc.oneof(
    fc.array(special).map((parts) => parts.join('')),
    fc.string({ unit: anyCharacter }),
  );

  it('has nothing left that means something', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const line of escapeLines(text)) {
          // What a backslash stands before is as it is written.
          const bare = line.replace(/\\[!-/:-@[-`{-~]/g, '\0').replace(/\\$/, '');
          expect(bare).not.toMatch(/[\\`*_[\]<>&|~$#^@\r\n\u2028]/);
          expect(bare).not.toMatch(/==|%%|\{\{|\{%|:\/\/|\bwww\./i);
          expect(bare).not.toMatch(/^(?:[-+=:%\s]|\d{1,9}[.)])/);
        }
      }),
      propertyRuns(1_000),
    );
  });

  it('says what it said before', () => {
    fc.assert(
      fc.property(fc.array(special), (parts) => {
        const text = parts.join('');
        const said = escapeLines(text)
          .map((line) => line.replace(/\\([!-/:-@[-`{-~])|\\$/g, '$1'))
          .filter((line) => line !== '');
        const meant = text
          .split(/[\r\n\u2028]/)
          .map((line) => line.trim())
          .filter((line) => line !== '');
        expect(said).toEqual(meant);
      }),
      propertyRuns(1_000),
    );
  });

  it('stays on one line where it must', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(escapeInline(text)).not.toMatch(/[\r\n\v\f\u2028\u2029]/);
      }),
    );
  });

  it.each<[url: string, expected: string]>([
    ['https://a.example/x y?z=(1)', '<https://a.example/x%20y?z=(1)>'],
    ['https://a.example/?a=>x)<\\&copy;', '<https://a.example/?a=%3Ex)%3C%5C&amp;copy;>'],
    ['https://a.example/\n[x](y)', '<https://a.example/[x](y)>'],
  ])('links to %j', (url, expected) => {
    expect(linkTarget(url)).toBe(expected);
  });
});
