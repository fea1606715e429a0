import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Invalid } from '../../errors.ts';
import { parseReadwiseCsv as parse } from './parse-readwise-csv.ts';

const header =
  'Highlight,Book Title,Book Author,Amazon Book ID,Note,Color,Tags,Location Type,Location,Highlighted at,Document tags';
const csv = (...rows: string[]) => [header, ...rows].join('\r\n');
const row =
  '"Attention is trained,\nnot given.",The Slow Book,Mara Ellison,B00X,"Key ""idea""",yellow,".favorite, Deep Work",page,12,2020-10-05 10:15:30+00:00,';

describe('an export of Readwise', () => {
  it('is books, highlights and what was noted to them', () => {
    const { snapshot, skipped } = parse(csv(row));
    const [{ originalId: resource } = { originalId: '' }] = snapshot.resources;
    const [{ originalId: annotation } = { originalId: '' }] = snapshot.annotations;
    const madeAt = Date.UTC(2020, 9, 5, 10, 15, 30);
    expect(snapshot).toEqual({
      resources: [{ originalId: resource, type: 'book', title: 'The Slow Book', author: 'Mara Ellison' }],
      annotations: [
        {
          originalId: annotation,
          resource,
          text: 'Attention is trained,\nnot given.',
          color: 'yellow',
          boundary: { locationType: 'page', location: '12', tags: ['.favorite', 'Deep Work'] },
          madeAt,
        },
      ],
      comments: [{ originalId: expect.any(String), annotation, content: 'Key "idea"', madeAt }],
      notes: [],
    });
    expect(skipped).toEqual([]);
  });

  it('has columns in any order, and some of them not', () => {
    const { snapshot } = parse('book title, HIGHLIGHT\nT,one\n');
    expect(snapshot.annotations).toMatchObject([{ text: 'one', color: null, boundary: {}, madeAt: null }]);
    expect(snapshot.resources).toEqual([{ originalId: expect.any(String), type: 'book', title: 'T' }]);
  });

  it('has pages of the web where it has addresses', () => {
    const file = 'Highlight,Title,Author,URL,Note,Location,Date\none,T,A,https://a.example/x,,1,2020-01-01\n';
    expect(parse(file).snapshot.resources).toMatchObject([{ type: 'website', url: 'https://a.example/x' }]);
    const harmful = file.replace('https://a.example/x', 'javascript:alert(1)');
    expect(parse(harmful).snapshot.resources[0]).not.toHaveProperty('url');
  });

  it('has a note about the book where there is no highlight', () => {
    const { snapshot } = parse(csv(',T,A,,What I think,,,,,,'));
    expect(snapshot.notes).toMatchObject([{ content: 'What I think' }]);
    expect(snapshot.annotations).toEqual([]);
  });

  it('names the line of what it leaves out', () => {
    const { snapshot, skipped } = parse(csv(row, row, ',T,A,,,,,,,,', `${'x'.repeat(200_001)},T`, 'ok,T'));
    expect(snapshot.annotations).toHaveLength(2);
    expect(skipped).toEqual([
      { place: 'line 6', why: 'it has neither a highlight nor a note' },
      { place: 'line 7', why: 'one of its texts is longer than 200,000 characters' },
      { place: 'line 4', why: 'it is in the file twice' },
    ]);
  });

  it('has the ids that it had when a title was corrected, and another for another text at the same place', () => {
    const ids = (file: string) =>
      [...parse(file).snapshot.resources, ...parse(file).snapshot.annotations].map(
        ({ originalId }) => originalId,
      );
    const [book, highlight] = ids(csv(row));
    expect(ids(csv(row.replace('The Slow', 'A Slow')))).toEqual([book, highlight]);
    const [same, other] = ids(csv(row.replace('trained', 'learned')));
    expect(same).toBe(book);
    expect(other).not.toBe(highlight);
  });

  it.each<[text: string, message: string]>([
    ['', 'line 1: the file is empty: there are no names of columns'],
    ['a,b\nc,d', 'line 1: there is no column "Highlight", which every export of Readwise has'],
    ['\nHighlight\nx', 'line 2: there is no column "Book Title", which every export of Readwise has'],
    [csv('"x'), 'line 2: a field begins with a quotation mark and has none at its end'],
  ])('that is none is refused: %j', (text, message) => {
    expect(() => parse(text)).toThrow(new Invalid(message));
  });

  it('has the same ids in whatever order its rows stand', () => {
    const anyRow = fc
      .tuple(
        fc.constantFrom('a', 'b', ''),
        fc.constantFrom('T', 'U'),
        fc.constantFrom('', 'B00X'),
        fc.constantFrom('n', ''),
        fc.constantFrom('1', '2', ''),
        fc.constantFrom('2020-01-01', ''),
      )
      .map(([text, title, asin, note, location, date]) =>
        [text, title, 'A', asin, note, '', '', 'page', location, date, ''].join(','),
      );
    const ids = (rows: readonly string[]) =>
      Object.values(parse(csv(...rows)).snapshot).map((all: { originalId: string }[]) =>
        all.map(({ originalId }) => originalId).sort(),
      );
    fc.assert(
      fc.property(
        fc
          .array(anyRow, { maxLength: 10 })
          .chain((rows) =>
            fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
          ),
        ([rows, shuffled]) => {
          expect(ids(shuffled)).toEqual(ids(rows));
        },
      ),
    );
  });
});
