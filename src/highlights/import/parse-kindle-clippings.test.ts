import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { largeSize } from '../../../test/support/depth.ts';
import { Invalid } from '../../errors.ts';
import { importLimits } from './import-limits.ts';
import { splitTitle } from './kindle-clippings.ts';
import { parseKindleClippings as parse } from './parse-kindle-clippings.ts';

const book = 'Dune (Frank Herbert)';
const told = (kind: 'Highlight' | 'Note' | 'Bookmark', location: string, minute = 0) =>
  `- Your ${kind} on Location ${location} | Added on Monday, January 1, 2024 10:${String(minute).padStart(2, '0')}:00 AM`;
const clip = (line: string, text: string, title = book) =>
  `${title}\r\n${line}\r\n\r\n${text}\r\n==========\r\n`;
const highlight = (location: string, text: string, minute = 0, title = book) =>
  clip(told('Highlight', location, minute), text, title);
const note = (location: string, text: string, minute = 0) => clip(told('Note', location, minute), text);
const texts = (file: string) => parse(file).snapshot.annotations.map(({ text }) => text);
const tenOClock = Date.UTC(2024, 0, 1, 10);

describe('a title line', () => {
  it.each<[line: string, title: string, author: string]>([
    ['Dune (Frank Herbert)', 'Dune', 'Frank Herbert'],
    ['\uFEFFDune (Frank Herbert)  ', 'Dune', 'Frank Herbert'],
    ['Levels of Life (Vintage) (Barnes, Julian)', 'Levels of Life (Vintage)', 'Barnes, Julian'],
    ['铁道之旅 ((德)沃尔夫冈·希弗尔布施)', '铁道之旅', '(德)沃尔夫冈·希弗尔布施'],
    ['规模（杰弗里·韦斯特）', '规模', '杰弗里·韦斯特'],
    ['Notes', 'Notes', ''],
    ['(untitled)', '(untitled)', ''],
    ['A :) smile)', 'A :) smile)', ''],
    ['Empty ()', 'Empty', ''],
  ])('%$: %s', (line, title, author) => {
    expect(splitTitle(line)).toEqual({ title, author });
  });
});

describe('My Clippings.txt', () => {
  it('is books, highlights, and notes about what they end with', () => {
    const { snapshot, skipped } = parse(
      `\uFEFF${highlight('10-12', 'Fear is the\r\nmind-killer.', 1)}${note('12', 'a litany', 2)}` +
        `${note('40', 'about nothing in particular', 3)}${clip(told('Bookmark', '50'), '')}`,
    );
    const [resource] = snapshot.resources;
    const [annotation] = snapshot.annotations;
    expect(snapshot).toEqual({
      resources: [{ originalId: expect.any(String), type: 'book', title: 'Dune', author: 'Frank Herbert' }],
      annotations: [
        {
          originalId: expect.any(String),
          resource: resource?.originalId,
          text: 'Fear is the\nmind-killer.',
          color: null,
          boundary: { location: { start: 10, end: 12 } },
          madeAt: tenOClock + 60_000,
        },
      ],
      comments: [
        {
          originalId: expect.any(String),
          annotation: annotation?.originalId,
          content: 'a litany',
          madeAt: tenOClock + 120_000,
        },
      ],
      notes: [
        {
          originalId: expect.any(String),
          resource: resource?.originalId,
          content: 'about nothing in particular',
          madeAt: tenOClock + 180_000,
        },
      ],
    });
    expect(skipped).toEqual([{ place: 'line 17', why: 'it is a bookmark, which has no text' }]);
  });

  it('is the same with other line ends, and without a separator at its end', () => {
    const file = highlight('1-2', 'one') + highlight('3-4', 'two');
    const expected = parse(file).snapshot;
    expect(parse(file.replaceAll('\r\n', '\n')).snapshot).toEqual(expected);
    expect(parse(file.replaceAll('\r\n', '\r')).snapshot).toEqual(expected);
    expect(parse(file.replace(/==========\r\n$/, '')).snapshot).toEqual(expected);
  });

  it('names the line of what it could not read, and goes on', () => {
    const { snapshot, skipped } = parse(
      `${highlight('1-2', 'one')}A title alone\r\n==========\r\n${clip('- nothing known', 'x')}` +
        `${highlight('3-4', '')}${highlight('5-6', 'x'.repeat(importLimits.recordChars + 1))}${highlight('7-8', 'two')}`,
    );
    expect(snapshot.annotations.map(({ text }) => text)).toEqual(['one', 'two']);
    expect(skipped.map(({ place }) => place)).toEqual(['line 6', 'line 8', 'line 13', 'line 18']);
  });

  it.each<[what: string, text: string, expected: string[]]>([
    ['in place of the text', '<You have reached the clipping limit for this item>', []],
    ['in Chinese', ' <您已达到本内容的剪贴上限>', []],
    ['in Portuguese', 'Pensar <Você alcançou o limite de recortes para este item>', ['Pensar']],
    [
      'after what was allowed',
      'The first words <You have reached the clipping limit set by the publisher, P>',
      ['The first words'],
    ],
    ['which it is not', 'if a < b, then b > a', ['if a < b, then b > a']],
    ['which it is not, in brackets', 'He wrote <so>', ['He wrote <so>']],
  ])('leaves out the notice of the clipping limit, %s', (_what, text, expected) => {
    expect(texts(highlight('1-2', text))).toEqual(expected);
  });

  describe('of a highlight that was made longer or shorter on the device', () => {
    it.each<[what: string, file: string, expected: string[]]>([
      ['longer', highlight('10-11', 'a b', 1) + highlight('10-12', 'a b c', 2), ['a b c']],
      ['shorter', highlight('10-12', 'a b c', 1) + highlight('11-12', 'b c', 2), ['b c']],
      ['in another order', highlight('11-12', 'b c', 2) + highlight('10-12', 'a b c', 1), ['b c']],
      ['on both sides', highlight('11-11', 'b', 1) + highlight('10-12', 'a b c', 2), ['a b c']],
      [
        'again and again',
        highlight('1-1', 'a', 1) + highlight('1-2', 'a b', 2) + highlight('2-2', 'b', 3),
        ['b'],
      ],
      ['the same twice', highlight('10-11', 'a b', 1) + highlight('10-11', 'a b', 2), ['a b']],
      ['the same at the same time', highlight('10-11', 'a b') + highlight('10-11', 'a b'), ['a b']],
      ['elsewhere', highlight('10-11', 'a b', 1) + highlight('12-13', 'a b c', 2), ['a b', 'a b c']],
      ['other words', highlight('10-11', 'a b', 1) + highlight('11-12', 'x y', 2), ['a b', 'x y']],
      [
        'in another book',
        highlight('10-11', 'a', 1) + highlight('10-11', 'a b', 2, 'Emma (Jane Austen)'),
        ['a', 'a b'],
      ],
      [
        'by pages',
        clip('- Your Highlight on page 5-5 | Added on Monday, January 1, 2024 10:00:00 AM', 'a') +
          clip('- Your Highlight on page 5-6 | Added on Monday, January 1, 2024 10:01:00 AM', 'a b'),
        ['a b'],
      ],
    ])('keeps the later: %s', (_what, file, expected) => {
      expect(texts(file)).toEqual(expected);
    });

    it('keeps its note, though that stands where it ended before', () => {
      const file = highlight('10-11', 'a b', 1) + note('11', 'why?', 1) + highlight('10-13', 'a b c d', 2);
      const { annotations, comments } = parse(file).snapshot;
      expect(comments).toMatchObject([{ annotation: annotations[0]?.originalId, content: 'why?' }]);
    });
  });

  it('gives a note to the highlight that was made with it, of those that end there', () => {
    const file =
      highlight('10-12', 'first', 1) +
      highlight('11-12', 'second', 5) +
      note('12', 'n', 5) +
      note('12', 'm', 1);
    const { annotations, comments } = parse(file).snapshot;
    const idOf = (text: string) => annotations.find((one) => one.text === text)?.originalId;
    expect(comments).toMatchObject([
      { content: 'n', annotation: idOf('second') },
      { content: 'm', annotation: idOf('first') },
    ]);
  });

  it('keeps an id when more is written behind, even at the same location', () => {
    const before = highlight('10-10', 'one', 1);
    const after = before + highlight('10-10', 'two', 2) + note('10', 'three', 3);
    const [id] = parse(before).snapshot.annotations.map(({ originalId }) => originalId);
    const ids = parse(after).snapshot.annotations.map(({ originalId }) => originalId);
    expect(ids).toEqual([id, expect.not.stringMatching(`^${id}$`)]);
  });

  it('has another id for another text at the same location, also in another file', () => {
    const [alpha] = parse(highlight('10-10', 'alpha', 1)).snapshot.annotations;
    const [beta] = parse(highlight('10-10', 'beta', 1)).snapshot.annotations;
    expect(beta?.originalId).not.toBe(alpha?.originalId);
  });

  it.each([
    '',
    '\uFEFF',
    'no clippings at all',
    '{"rows": []}',
    '==========\r\n==========\r\n',
    'a\n- b\n\nc\n==========',
  ])('that is none is refused: %j', (text) => {
    expect(() => parse(text)).toThrow(Invalid);
  });

  const anyClip = fc
    .record({
      kind: fc.constantFrom('Highlight' as const, 'Note' as const, 'Bookmark' as const),
      start: fc.integer({ min: 1, max: 8 }),
      length: fc.integer({ min: 0, max: 3 }),
      text: fc.stringMatching(/^[ab ]{0,6}$/),
      minute: fc.integer({ min: 0, max: 59 }),
      title: fc.constantFrom(book, 'Emma (Jane Austen)', 'Notes'),
    })
    .map(({ kind, start, length, text, minute, title }) =>
      clip(told(kind, `${start}-${start + length}`, minute), text, title),
    );

  it('has the same content in whatever order it was written', () => {
    const content = (file: string) => {
      const { resources, annotations, comments, notes } = parse(file).snapshot;
      return [resources, annotations, comments, notes].map((rows) =>
        rows.map((row) => JSON.stringify(row)).sort(),
      );
    };
    fc.assert(
      fc.property(
        fc
          .array(anyClip, { minLength: 1, maxLength: 12 })
          .chain((clips) =>
            fc.tuple(fc.constant(clips), fc.shuffledSubarray(clips, { minLength: clips.length })),
          ),
        ([clips, shuffled]) => {
          expect(content(shuffled.join(''))).toEqual(content(clips.join('')));
        },
      ),
    );
  });

  it('is read to the end when everything in it overlaps', () => {
    const many = Array.from({ length: largeSize(3_000) }, (_, n) =>
      highlight('1-9', `${'a'.repeat(2_000)}${n}`, n % 60),
    );
    expect(texts(many.join('')).length).toBeGreaterThan(0);
  });
});
