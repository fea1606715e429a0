// What holds for every format, and what each of them looks like.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { largeSize } from '../../../test/support/depth.ts';
import type { Annotation, Comment, Json, Note, Resource } from '../../model/highlight.ts';
import type { ExportedResource } from './exported-resource.ts';
import { type HighlightWriter, writeAsTheyCome } from './highlight-writer.ts';
import { jsonWriter } from './write-json.ts';
import { markdownWriter } from './write-markdown.ts';
import { webAnnotationWriter } from './write-web-annotations.ts';

function* writeWith(writer: HighlightWriter, resources: Iterable<ExportedResource>): Generator<string> {
  yield* writer.begin();
  for (const exported of resources) yield* writer.write(exported);
  yield* writer.end();
}
const writeMarkdown = (all: Iterable<ExportedResource>) => writeWith(markdownWriter(), all);
const writeJson = (all: Iterable<ExportedResource>) => writeWith(jsonWriter(), all);
const writeWebAnnotations = (all: Iterable<ExportedResource>) => writeWith(webAnnotationWriter(), all);

const at = Date.UTC(2024, 2, 5, 9, 12, 45);
const kept = (id: number) => ({
  id,
  source: 'lectern',
  originalId: String(id),
  contentHash: '',
  createdAt: at,
  updatedAt: at + 1_000,
  deletedAt: null,
});
const resource = (more: Partial<Resource> = {}): Resource => ({
  ...kept(1),
  type: 'website',
  title: 'A [page]',
  author: 'Somebody',
  url: 'https://a.example/x',
  config: {},
  itemId: null,
  ...more,
});
const annotation = (more: Partial<Annotation> = {}): Annotation => ({
  ...kept(2),
  resourceId: 1,
  text: 'marked *words*\nand more',
  color: 'yellow',
  boundary: {},
  madeAt: at,
  ...more,
});
const comment = (content = 'I think so'): Comment => ({ ...kept(3), annotationId: 2, content, madeAt: at });
const note = (content = 'Of it all'): Note => ({ ...kept(4), resourceId: 1, content, madeAt: at });
const one: ExportedResource = {
  resource: resource(),
  annotations: [{ annotation: annotation(), comments: [comment()] }],
  notes: [note()],
};
const text = (pieces: Iterable<string>) => [...pieces].join('');

describe('highlights in Markdown', () => {
  it('are a document for people', () => {
    expect(text(writeMarkdown([one]))).toBe(`# Highlights

## [A \\[page\\]](<https://a.example/x>)

by Somebody

> marked \\*words\\*\\
> and more

*yellow, 2024-03-05*

- *2024-03-05* I think so

### Notes

- *2024-03-05* Of it all
`);
  });

  it('have pages, paragraphs, and no link to what is none', () => {
    const exported: ExportedResource = {
      resource: resource({ type: 'pdf', title: ' ', author: '', url: 'javascript:alert(1)' }),
      annotations: [
        {
          annotation: annotation({ text: 'a\n\nb', color: null, boundary: { pageNumber: 3 } }),
          comments: [comment('x\ny\n\n- z')],
        },
      ],
      notes: [],
    };
    expect(text(writeMarkdown([exported]))).toBe(`# Highlights

## Untitled

> a
>
> b

*page 3, 2024-03-05*

- *2024-03-05* x\\
  y

  \\- z
`);
  });

  it('have every line in its place, whatever is in them', () => {
    const anyText = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.stringMatching(/^[#>\-*`|<\n\r 1.[\]]{0,30}$/),
    );
    fc.assert(
      fc.property(anyText, anyText, anyText, (title, quote, said) => {
        const exported: ExportedResource = {
          resource: resource({ title, author: said }),
          annotations: [{ annotation: annotation({ text: quote, color: title }), comments: [comment(said)] }],
          notes: [note(said)],
        };
        for (const line of text(writeMarkdown([exported])).split('\n'))
          expect(line).toMatch(
            /^($|# Highlights$|## \[|by |>( |$)|\*.*\*$|- \*2024-03-05\*| {2}\S|### Notes$)/,
          );
      }),
    );
  });
});

describe('highlights in JSON', () => {
  it('are all that is known of them', () => {
    const times = {
      createdAt: '2024-03-05T09:12:45.000Z',
      updatedAt: '2024-03-05T09:12:46.000Z',
      deletedAt: null,
    };
    const madeAt = '2024-03-05T09:12:45.000Z';
    expect(JSON.parse(text(writeJson([one, one])))).toEqual({
      format: 'lectern-highlights',
      version: 1,
      resources: Array(2).fill({
        id: 1,
        source: 'lectern',
        originalId: '1',
        ...times,
        type: 'website',
        title: 'A [page]',
        author: 'Somebody',
        url: 'https://a.example/x',
        config: {},
        notes: [{ id: 4, source: 'lectern', originalId: '4', ...times, content: 'Of it all', madeAt }],
        annotations: [
          {
            id: 2,
            source: 'lectern',
            originalId: '2',
            ...times,
            text: 'marked *words*\nand more',
            color: 'yellow',
            boundary: {},
            madeAt,
            comments: [
              { id: 3, source: 'lectern', originalId: '3', ...times, content: 'I think so', madeAt },
            ],
          },
        ],
      }),
    });
  });
});

describe('highlights as Web Annotations', () => {
  const items = (...all: ExportedResource[]) => {
    const { first, total } = JSON.parse(text(writeWebAnnotations(all)));
    expect(total).toBe(first.items.length);
    return first.items as Record<string, never>[];
  };

  it('are a collection', () => {
    expect(JSON.parse(text(writeWebAnnotations([one])))).toEqual({
      '@context': ['http://www.w3.org/ns/anno.jsonld', { color: 'urn:lectern:color' }],
      id: 'urn:lectern:highlights',
      type: 'AnnotationCollection',
      label: 'Highlights',
      total: 2,
      first: {
        id: 'urn:lectern:highlights:1',
        type: 'AnnotationPage',
        partOf: 'urn:lectern:highlights',
        startIndex: 0,
        items: [
          {
            id: 'urn:lectern:annotation:2',
            type: 'Annotation',
            motivation: ['highlighting', 'commenting'],
            created: '2024-03-05T09:12:45.000Z',
            modified: '2024-03-05T09:12:46.000Z',
            color: 'yellow',
            body: [
              {
                id: 'urn:lectern:comment:3',
                type: 'TextualBody',
                value: 'I think so',
                format: 'text/plain',
                purpose: 'commenting',
                created: '2024-03-05T09:12:45.000Z',
                modified: '2024-03-05T09:12:46.000Z',
              },
            ],
            target: {
              type: 'SpecificResource',
              source: 'https://a.example/x',
              'dcterms:title': 'A [page]',
              selector: [{ type: 'TextQuoteSelector', exact: 'marked *words*\nand more' }],
            },
          },
          {
            id: 'urn:lectern:note:4',
            type: 'Annotation',
            motivation: 'commenting',
            created: '2024-03-05T09:12:45.000Z',
            modified: '2024-03-05T09:12:46.000Z',
            body: { type: 'TextualBody', value: 'Of it all', format: 'text/plain', purpose: 'commenting' },
            target: {
              type: 'SpecificResource',
              source: 'https://a.example/x',
              'dcterms:title': 'A [page]',
            },
          },
        ],
      },
    });
  });

  it.each<[what: string, type: Resource['type'], boundary: Json, expected: object[]]>([
    [
      'a quote and a position',
      'website',
      { quote: { exact: 'e', prefix: 'p ', suffix: ' s' }, position: { start: 1, end: 2 } },
      [
        { type: 'TextQuoteSelector', exact: 'e', prefix: 'p ', suffix: ' s' },
        { type: 'TextPositionSelector', start: 1, end: 2 },
      ],
    ],
    [
      'a page of a PDF',
      'pdf',
      { pageNumber: 3, position: { boundingRect: {} }, source: 'research' },
      [
        { type: 'TextQuoteSelector', exact: 't' },
        { type: 'FragmentSelector', conformsTo: 'http://tools.ietf.org/rfc/rfc3778', value: 'page=3' },
      ],
    ],
    ['a page of a book', 'book', { page: '12' }, [{ type: 'TextQuoteSelector', exact: 't' }]],
    ['a page that is no number', 'pdf', { page: 'xii' }, [{ type: 'TextQuoteSelector', exact: 't' }]],
    [
      'a position that is none',
      'website',
      { position: { start: 3, end: 2 } },
      [{ type: 'TextQuoteSelector', exact: 't' }],
    ],
    ['nothing', 'website', null, [{ type: 'TextQuoteSelector', exact: 't' }]],
    ['a list', 'website', [1], [{ type: 'TextQuoteSelector', exact: 't' }]],
  ])('say where they are by %s', (_what, type, boundary, expected) => {
    const [item] = items({
      resource: resource({ type }),
      annotations: [{ annotation: annotation({ text: 't', boundary }), comments: [] }],
      notes: [],
    });
    expect(item).toMatchObject({ motivation: 'highlighting', target: { selector: expected } });
    expect(item).not.toHaveProperty('body');
  });

  it('are of a name of ours where there is no address', () => {
    const [item] = items({ ...one, resource: resource({ url: '' }) });
    expect(item).toMatchObject({ target: { source: 'urn:lectern:resource:1' } });
  });
});

describe.each([
  ['Markdown', writeMarkdown, markdownWriter],
  ['JSON', writeJson, jsonWriter],
  ['Web Annotations', writeWebAnnotations, webAnnotationWriter],
] as const)('the writer of %s', (name, write, writer) => {
  it('writes what there is when there is nothing', () => {
    const written = text(write([]));
    expect(written.endsWith('\n')).toBe(true);
    if (name !== 'Markdown') expect(JSON.parse(written)).toBeTypeOf('object');
  });

  it('writes many piece by piece, and asks for the next when it needs it', () => {
    const resources = largeSize(1_000);
    let asked = 0;
    function* many() {
      for (; asked < resources; asked++)
        yield { ...one, annotations: Array(100).fill(one.annotations[0]) } as ExportedResource;
    }
    let longest = 0;
    let annotations = 0;
    for (const piece of write(many())) {
      longest = Math.max(longest, piece.length);
      if (piece.includes('marked')) annotations++;
    }
    expect(annotations).toBe(resources * 100);
    expect(longest).toBeLessThan(2_000);
    const pieces = write(
      (function* () {
        yield one;
        throw new Error('asked for too early');
      })(),
    );
    expect([pieces.next().value, pieces.next().value].every((piece) => piece)).toBe(true);
  });

  it('writes the same of what comes in its own time', async () => {
    const pieces: string[] = [];
    async function* slowly() {
      yield one;
      yield one;
    }
    for await (const piece of writeAsTheyCome(writer(), slowly())) pieces.push(piece);
    expect(pieces.join('')).toBe(text(write([one, one])));
  });

  it('writes whatever there is, and what is JSON can be read', () => {
    const anyResource = fc
      .record({
        words: fc.string({ unit: anyCharacter }),
        boundary: fc.jsonValue() as fc.Arbitrary<Json>,
        color: fc.option(fc.string()),
        madeAt: fc.oneof(fc.integer(), fc.constantFrom(Number.NaN, 1e300)),
        type: fc.constantFrom('website' as const, 'pdf' as const, 'book' as const),
      })
      .map(
        ({ words, boundary, color, madeAt, type }): ExportedResource => ({
          resource: resource({ title: words, url: `https://a.example/${words}`, type }),
          annotations: [
            { annotation: annotation({ text: words, boundary, color, madeAt }), comments: [comment(words)] },
          ],
          notes: [note(words)],
        }),
      );
    fc.assert(
      fc.property(fc.array(anyResource), (resources) => {
        const written = text(write(resources));
        expect(resources.length === 0 || written.length > 0).toBe(true);
        if (name !== 'Markdown') expect(JSON.stringify(JSON.parse(written))).toContain('{');
      }),
    );
  });
});
