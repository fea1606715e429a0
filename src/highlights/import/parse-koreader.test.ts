import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Invalid } from '../../errors.ts';
import { parseKoreader } from './parse-koreader.ts';

const entry = (text: string, more: object = {}) => ({
  sort: 'highlight',
  page: 40,
  time: 1_759_990_000,
  text,
  chapter: 'Three',
  drawer: 'lighten',
  color: 'yellow',
  pn_xp: '/body/DocFragment[3]/body/p/text().0',
  ...more,
});
const document = (entries: unknown, more: object = {}) => ({
  title: 'Moby-Dick',
  author: 'Herman Melville\nSomebody Else',
  file: '/mnt/onboard/Books/moby.epub',
  entries,
  ...more,
});
const parse = (value: unknown) => parseKoreader(JSON.stringify(value));

describe('the JSON of KOReader', () => {
  it('is a book, its highlights, and what was noted to them', () => {
    const { snapshot, skipped } = parse(document([entry('A white whale', { note: 'rose' })]));
    const [{ originalId: resource } = { originalId: '' }] = snapshot.resources;
    const [{ originalId: annotation } = { originalId: '' }] = snapshot.annotations;
    expect(snapshot).toEqual({
      resources: [
        { originalId: resource, type: 'book', title: 'Moby-Dick', author: 'Herman Melville, Somebody Else' },
      ],
      annotations: [
        {
          originalId: annotation,
          resource,
          text: 'A white whale',
          color: 'yellow',
          boundary: {
            page: 40,
            position: '/body/DocFragment[3]/body/p/text().0',
            chapter: 'Three',
            drawer: 'lighten',
          },
          madeAt: 1_759_990_000_000,
        },
      ],
      comments: [{ originalId: expect.any(String), annotation, content: 'rose', madeAt: 1_759_990_000_000 }],
      notes: [],
    });
    expect(skipped).toEqual([]);
  });

  it('has several books', () => {
    const pdf = document([entry('two')], { title: '', author: '', file: '/x/A paper.pdf' });
    const { snapshot } = parse({
      version: 'json/1.0.0',
      documents: [document([entry('one')]), pdf, document({})],
    });
    expect(snapshot.resources).toMatchObject([
      { type: 'book', title: 'Moby-Dick' },
      { type: 'pdf', title: 'A paper' },
    ]);
    expect(snapshot.annotations).toHaveLength(2);
  });

  it('names what it leaves out', () => {
    const { snapshot, skipped } = parse({
      documents: [
        document([
          entry('one'),
          entry('one'),
          entry(''),
          7,
          entry('b', { sort: 'bookmark' }),
          entry('x'.repeat(200_001)),
          entry('a thought', { sort: 'note' }),
        ]),
      ],
    });
    expect(snapshot.notes).toMatchObject([{ content: 'a thought' }]);
    expect(skipped).toEqual([
      { place: 'document 1, entry 3', why: 'it has no text' },
      { place: 'document 1, entry 4', why: 'it has no text' },
      { place: 'document 1, entry 5', why: 'it is a bookmark, which has no text' },
      { place: 'document 1, entry 6', why: 'one of its texts is longer than 200,000 characters' },
      { place: 'document 1, entry 2', why: 'it is in the file twice' },
    ]);
  });

  it('keeps both notes of what is in it twice', () => {
    const { comments } = parse(
      document([entry('one'), entry('one', { note: 'a' }), entry('one', { note: 'b' })]),
    ).snapshot;
    expect(comments.map(({ content }) => content)).toEqual(['a', 'b']);
  });

  it('keeps the id of what was made at a time, though the page and the text were changed', () => {
    const [before, after] = [entry('one'), entry('one, corrected', { page: 41 })].map(
      (one) => parse(document([one])).snapshot.annotations[0],
    );
    expect(after?.originalId).toBe(before?.originalId);
  });

  it.each<[text: string, message: RegExp]>([
    ['{', /not JSON/],
    ['{"documents": [{}]}', /^document 1: this is no export of KOReader/],
    ['{"rows": []}', /^document 1: this is no export of KOReader/],
    ['[1]', /^document 1: this is no export of KOReader/],
  ])('that is none is refused: %j', (text, message) => {
    expect(() => parseKoreader(text)).toThrow(message);
  });

  it('has the same ids in whatever order its entries stand', () => {
    const anyEntry = fc
      .tuple(
        fc.constantFrom('a', 'b', 'c'),
        fc.constantFrom(1_700_000_000, 1_700_000_001, 0),
        fc.constantFrom('', 'n'),
      )
      .map(([text, time, note]) => entry(text, { time, note }));
    const ids = (entries: unknown[]) =>
      Object.values(parse(document(entries)).snapshot).map((all: { originalId: string }[]) =>
        all.map(({ originalId }) => originalId).sort(),
      );
    fc.assert(
      fc.property(
        fc
          .array(anyEntry, { maxLength: 8 })
          .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          expect(ids(shuffled)).toEqual(ids(all));
        },
      ),
    );
  });

  it('is sound, or Invalid, whatever its fields are', () => {
    const anyEntry = fc.record(
      {
        text: fc.anything(),
        note: fc.anything(),
        time: fc.anything(),
        page: fc.anything(),
        chapter: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(anyEntry), fc.anything(), (entries, title) => {
        let text: string;
        try {
          text = JSON.stringify({ title, entries });
        } catch {
          return;
        }
        const { annotations } = parseKoreader(text).snapshot;
        expect(annotations.every(({ text }) => text !== '')).toBe(true);
      }),
    );
  });
});

describe('metadata.lua of KOReader', () => {
  const now = `-- /mnt/onboard/Books/moby.epub
return {
    ["annotations"] = {
        [1] = {
            ["chapter"] = "Three",
            ["color"] = "yellow",
            ["datetime"] = "2024-03-05 21:14:52",
            ["drawer"] = "lighten",
            ["note"] = "rose",
            ["page"] = "/body/DocFragment[3]/body/p/text().0",
            ["pageno"] = 40,
            ["pos0"] = "/body/DocFragment[3]/body/p/text().0",
            ["pos1"] = "/body/DocFragment[3]/body/p/text().9",
            ["text"] = "A \\"white\\"\\
whale",
        },
        [2] = { ["datetime"] = "2024-03-05 21:20:00", ["page"] = "/body", ["text"] = "in Three" },
        [3] = { ["datetime"] = "2024-03-05 21:30:00", ["page"] = "/body", ["text"] = "in Three", ["note"] = "here" },
    },
    ["doc_path"] = "/mnt/onboard/Books/moby.epub",
    ["doc_props"] = { ["authors"] = "Herman Melville\\
Somebody Else", ["title"] = "Moby-Dick" },
}
`;

  it('is a book, its highlights, and notes', () => {
    const { snapshot, skipped } = parseKoreader(now);
    expect(snapshot).toMatchObject({
      resources: [{ type: 'book', title: 'Moby-Dick', author: 'Herman Melville, Somebody Else' }],
      annotations: [
        {
          text: 'A "white"\nwhale',
          color: 'yellow',
          boundary: {
            page: 40,
            start: '/body/DocFragment[3]/body/p/text().0',
            end: '/body/DocFragment[3]/body/p/text().9',
            chapter: 'Three',
            drawer: 'lighten',
          },
          madeAt: Date.UTC(2024, 2, 5, 21, 14, 52),
        },
      ],
      comments: [{ content: 'rose' }],
      notes: [{ content: 'here' }],
    });
    expect(skipped).toEqual([{ place: 'annotation 2', why: 'it is a bookmark, which has no text' }]);
  });

  it('names the book as the JSON does', () => {
    expect(parseKoreader(now).snapshot.resources[0]?.originalId).toBe(
      parse(document([entry('x')])).snapshot.resources[0]?.originalId,
    );
  });

  it('of an old version has highlights and bookmarks apart', () => {
    const { snapshot } = parseKoreader(`return {
      ["bookmarks"] = {
        [1] = { ["datetime"] = "2020-01-01 10:00:00", ["highlighted"] = true, ["notes"] = "marked", ["text"] = "my note" },
        [2] = { ["datetime"] = "2020-01-01 11:00:00", ["highlighted"] = true, ["notes"] = "other",
          ["text"] = "Page 7 other @ 2020-01-01 11:00:00" },
      },
      ["highlight"] = {
        [7] = {
          [1] = { ["datetime"] = "2020-01-01 10:00:00", ["drawer"] = "lighten", ["text"] = "marked",
            ["pos0"] = { ["page"] = 7, ["x"] = 1.5, ["y"] = 2, ["zoom"] = 1 } },
          [2] = { ["datetime"] = "2020-01-01 11:00:00", ["drawer"] = "lighten", ["text"] = "other" },
        },
      },
      ["stats"] = { ["title"] = "A paper", ["authors"] = "N/A" },
    }`);
    expect(snapshot).toMatchObject({
      resources: [{ title: 'A paper' }],
      annotations: [
        { text: 'marked', boundary: { page: 7, start: { page: 7, x: 1.5, y: 2 } } },
        { text: 'other', boundary: { page: 7 } },
      ],
      comments: [{ content: 'my note' }],
    });
  });

  it('without highlights is a book without any', () => {
    expect(parseKoreader('return { ["doc_props"] = { ["title"] = "T" } }').snapshot.annotations).toEqual([]);
  });

  it.each(['', 'hello', 'return {}', 'return 1', 'return { ["annotations"] = {'])(
    'that is none is refused: %j',
    (text) => {
      expect(() => parseKoreader(text)).toThrow(Invalid);
    },
  );
});
