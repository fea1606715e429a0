// What holds for files of every kind: a sound snapshot or Invalid with a sentence, and soon.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { largeSize, propertyRuns } from '../../../test/support/depth.ts';
import { Invalid } from '../../errors.ts';
import { type ImportKind, importKinds, parseHighlights } from './import-kinds.ts';
import { importLimits } from './import-limits.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string, order: 'le' | 'be') => {
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le');
  return new Uint8Array(order === 'le' ? bytes : bytes.swap16());
};

const samples: Readonly<Record<ImportKind, string>> = {
  kindle:
    'Käfer (Ä. Ö)\r\n- Your Highlight on Location 1-2 | Added on Monday, January 1, 2024 10:00:00 AM\r\n\r\nÜber 你好\r\n==========\r\n',
  readwise: 'Highlight,Book Title,Note\r\n"Über, 你好",Käfer,eins\r\n',
  hypothesis: JSON.stringify([
    {
      id: 'a',
      uri: 'https://a.example/',
      text: 'eins',
      target: [{ selector: [{ type: 'TextQuoteSelector', exact: 'Über 你好' }] }],
    },
  ]),
  koreader: JSON.stringify({ title: 'Käfer', entries: [{ text: 'Über 你好', note: 'eins', time: 1 }] }),
};

/** Parents that are there, ids that are there once. */
function expectSound(kind: ImportKind, bytes: Uint8Array): void {
  let first: ReturnType<typeof parseHighlights>;
  try {
    first = parseHighlights(kind, bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(Invalid);
    expect((error as Error).message).toMatch(/^(line \d+|document \d+|the file)\b/);
    return;
  }
  // Comparing what was made of many MB takes longer than making it.
  if (bytes.length < 100_000) expect(parseHighlights(kind, bytes)).toEqual(first);
  const { resources, annotations, comments, notes } = first.snapshot;
  const [books, marks] = [resources, annotations].map(
    (rows) => new Set(rows.map(({ originalId }) => originalId)),
  );
  for (const rows of [resources, annotations, comments, notes])
    expect(new Set(rows.map(({ originalId }) => originalId)).size).toBe(rows.length);
  expect([...annotations, ...notes].every(({ resource }) => books?.has(resource))).toBe(true);
  expect(comments.every(({ annotation }) => marks?.has(annotation))).toBe(true);
  expect(resources.every(({ url, type }) => type === 'website' || url === undefined)).toBe(true);
}

describe.each(importKinds)('a file of %s', (kind) => {
  const sample = samples[kind];

  it('is read as UTF-8 and UTF-16', () => {
    const expected = parseHighlights(kind, encode(sample));
    expect(expected.snapshot.annotations.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Über,? 你好$/),
    ]);
    expect(parseHighlights(kind, encode(`\uFEFF${sample}`))).toEqual(expected);
    expect(parseHighlights(kind, utf16(sample, 'le'))).toEqual(expected);
    expect(parseHighlights(kind, utf16(sample, 'be'))).toEqual(expected);
  });

  it('in another encoding is refused, and where is said', () => {
    expect(() => parseHighlights(kind, Buffer.concat([encode('a\nb'), Buffer.from([0xfc])]))).toThrow(
      new Invalid('line 2: the file is not UTF-8 text: save it as UTF-8'),
    );
    expect(() => parseHighlights(kind, Buffer.from([0xff, 0xfe, 0x41]))).toThrow(
      new Invalid('line 1: the file is not UTF-16 text: save it as UTF-8'),
    );
  });

  it.each(['', '\uFEFF', ' \r\n '])('with nothing in it is refused: %j', (text) => {
    expect(() => parseHighlights(kind, encode(text))).toThrow(new Invalid('the file is empty'));
  });

  it('that is too large is refused', () => {
    expect(() => parseHighlights(kind, new Uint8Array(importLimits.fileBytes + 1))).toThrow(
      new Invalid('the file is larger than 64 MB'),
    );
  });

  it('that is anything is read soundly, or refused with a sentence', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.string({ unit: anyCharacter }).map(encode)), (bytes) => {
        expectSound(kind, bytes);
      }),
    );
  });

  it('that was cut and patched is read soundly, or refused with a sentence', () => {
    const text = sample.repeat(2);
    fc.assert(
      fc.property(
        fc.nat(text.length),
        fc.nat(20),
        fc.oneof(
          fc.constantFrom('', '"', '\n', '==========', ',', '{', '\\', '- ', '\uFEFF', '\uD800'),
          fc.string(),
        ),
        (at, length, patch) => {
          expectSound(kind, encode(text.slice(0, at) + patch + text.slice(at + length)));
        },
      ),
      propertyRuns(300),
    );
  });

  it.each(Object.entries(samples).filter(([other]) => other !== kind))('is not one of %s', (_other, text) => {
    expect(() => parseHighlights(kind, encode(text))).toThrow(Invalid);
  });

  /** Each so large that what goes over it again and again would not end within the test. */
  it.each<[what: string, piece: string]>([
    ['line ends', '\n'],
    ['carriage returns', '\r'],
    ['equals signs', '='],
    ['separators', '==========\n'],
    ['separators without line ends', '==========\r'],
    ['quotation marks', '"'],
    ['quoted quotation marks', '"",'],
    ['brackets', '['],
    ['braces', '{'],
    ['assignments', 'a = {'],
    ['backslashes', '\\'],
    ['comments', '--\n'],
    ['beginnings of comments', '--[['],
    ['parentheses', ')('],
    ['clippings without an end', 'T\n- Your Highlight on page 1 | x\n'],
    ['titles', `${')'.repeat(100)}\n- Your Highlight on page 1 | x\n\nx\n==========\n`],
    ['blanks', ' x'],
  ])('of many MB is read in one pass: %s', (_what, piece) => {
    const heads = { kindle: '', readwise: 'Highlight,Book Title\n', hypothesis: '', koreader: 'return {' };
    const text = heads[kind] + piece.repeat(Math.floor(largeSize(2_000_000) / piece.length));
    expectSound(kind, encode(text));
  });

  it('of many small records is read in a moment', () => {
    const many: Readonly<Record<ImportKind, (n: number) => string>> = {
      kindle: (n) =>
        `T\n- Your Highlight on Location ${n % 50} | Added on Monday, January 1, 2024 10:00:00 AM\n\nx${n}.\n==========\n`,
      readwise: (n) => `x${n},T,1\n`,
      hypothesis: (n) => `${n ? ',' : ''}{"uri":"https://a.example/${n % 9}","text":"x${n}"}`,
      koreader: (n) => `${n ? ',' : ''}{"text":"x${n}","time":1}`,
    };
    const frame = {
      kindle: ['', ''],
      readwise: ['Highlight,Book Title,Location\n', ''],
      hypothesis: ['[', ']'],
      koreader: ['{"title":"T","entries":[', ']}'],
    }[kind];
    const text = Array.from({ length: largeSize(30_000) }, (_, n) => many[kind](n)).join('');
    const { annotations, notes } = parseHighlights(kind, encode(frame[0] + text + frame[1])).snapshot;
    expect(annotations.length + notes.length).toBe(largeSize(30_000));
  });
});

it('of too many records is refused', () => {
  const text = `Highlight,Book Title\n${'a,b\n'.repeat(importLimits.records + 1)}`;
  expect(() => parseHighlights('readwise', encode(text))).toThrow(
    new Invalid('the file has more than 500,000 records'),
  );
});

it('tells of the first thousand that it leaves out, and how many more there were', () => {
  const { skipped } = parseHighlights('readwise', encode(`Highlight,Book Title\n${',b\n'.repeat(1_005)}`));
  expect(skipped).toHaveLength(1_001);
  expect(skipped.at(-1)).toEqual({ place: 'the file', why: '5 more records were left out' });
});
