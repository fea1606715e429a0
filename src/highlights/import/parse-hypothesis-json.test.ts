import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Invalid } from '../../errors.ts';
import { parseHypothesisJson } from './parse-hypothesis-json.ts';

const parse = (value: unknown) => parseHypothesisJson(JSON.stringify(value));
const quote = (exact: string) => ({ type: 'TextQuoteSelector', exact, prefix: 'before ', suffix: ' after' });
const annotation = (id: string, more: object = {}) => ({
  id,
  uri: 'https://a.example/page',
  document: { title: ['A page'] },
  created: '2024-03-05T09:12:45.123456+00:00',
  updated: '2024-03-06T09:12:45.123456+00:00',
  text: '',
  tags: [],
  target: [{ source: 'https://a.example/page', selector: [quote('marked')] }],
  ...more,
});
const madeAt = Date.UTC(2024, 2, 5, 9, 12, 45, 123);

describe('annotations of Hypothesis', () => {
  it('are highlights with where they are, what was said, and answers', () => {
    const { snapshot, skipped } = parse({
      total: 3,
      rows: [
        annotation('one', {
          text: 'I think so',
          tags: ['t'],
          target: [
            {
              selector: [
                { type: 'RangeSelector', startContainer: '/p[1]' },
                { type: 'TextPositionSelector', start: 10, end: 16 },
                quote('marked'),
              ],
            },
          ],
        }),
        annotation('two', { references: ['one'], text: 'I do not', target: [{ source: 'x' }] }),
        annotation('three', { target: [{ source: 'x' }], text: 'of the whole page', tags: ['t', 'u'] }),
      ],
    });
    const [{ originalId: resource } = { originalId: '' }] = snapshot.resources;
    expect(snapshot).toEqual({
      resources: [{ originalId: resource, type: 'website', title: 'A page', url: 'https://a.example/page' }],
      annotations: [
        {
          originalId: 'one',
          resource,
          text: 'marked',
          color: null,
          boundary: {
            quote: { exact: 'marked', prefix: 'before ', suffix: ' after' },
            position: { start: 10, end: 16 },
            tags: ['t'],
          },
          madeAt,
        },
      ],
      comments: [
        { originalId: 'one', annotation: 'one', content: 'I think so', madeAt },
        { originalId: 'two', annotation: 'one', content: 'I do not', madeAt },
      ],
      notes: [{ originalId: 'three', resource, content: 'of the whole page\n\n#t #u', madeAt }],
    });
    expect(skipped).toEqual([]);
  });

  it.each<[what: string, value: unknown]>([
    ['a list', [annotation('one')]],
    ['what the sidebar exports', { export_date: '', annotations: [annotation('one')] }],
    ['answers apart', { rows: [annotation('one')], replies: [] }],
  ])('come as %s', (_what, value) => {
    expect(parse(value).snapshot.annotations).toMatchObject([{ originalId: 'one', text: 'marked' }]);
  });

  it.each<[uri: string, expected: object]>([
    ['urn:x-pdf:0123', { type: 'pdf', title: 'A page' }],
    ['file:///home/me/x.pdf', { type: 'pdf', title: 'A page' }],
    ['javascript:alert(1)', { type: 'pdf', title: 'A page' }],
    ['https://a.example/x.pdf', { type: 'website', url: 'https://a.example/x.pdf', title: 'A page' }],
  ])('are on %s', (uri, expected) => {
    expect(parse([annotation('one', { uri })]).snapshot.resources).toEqual([
      { originalId: expect.any(String), ...expected },
    ]);
  });

  it('know the page of a PDF', () => {
    const target = [{ selector: [quote('x'), { type: 'PageSelector', index: 4, label: 'v' }] }];
    expect(parse([annotation('one', { target })]).snapshot.annotations[0]?.boundary).toMatchObject({
      page: 'v',
    });
  });

  it('that were answered by answers belong to the first', () => {
    const { comments } = parse([
      annotation('one'),
      annotation('two', { references: ['one'], text: 'a', target: [] }),
      annotation('three', { references: ['one', 'two'], text: 'b', target: [] }),
    ]).snapshot;
    expect(comments.map(({ annotation }) => annotation)).toEqual(['one', 'one']);
  });

  it('to notes about a page are notes, too', () => {
    const { notes, comments } = parse([
      annotation('two', { references: ['one'], text: 'b', target: [] }),
      annotation('one', { text: 'a', target: [] }),
    ]).snapshot;
    expect(notes.map(({ originalId }) => originalId)).toEqual(['two', 'one']);
    expect(comments).toEqual([]);
  });

  it('are named where they are left out', () => {
    const { snapshot, skipped } = parse({
      total: 900,
      rows: [
        7,
        annotation('a', { uri: null }),
        annotation('b', { target: null }),
        annotation('c', { references: ['gone'], text: 'x' }),
        annotation('d', { text: 'x'.repeat(200_001) }),
        annotation('e', { updated: '2024-03-01' }),
        annotation('e', { text: 'newer' }),
      ],
    });
    expect(snapshot.comments).toMatchObject([{ content: 'newer' }]);
    expect(skipped).toEqual([
      { place: 'the file', why: 'it says that there are 900 annotations, and has 7' },
      { place: 'row 1', why: 'it is no annotation' },
      { place: 'row 2', why: 'it does not say what page it is on' },
      { place: 'row 3', why: 'it has neither a quote nor a text' },
      { place: 'row 5', why: 'one of its texts is longer than 200,000 characters' },
      { place: 'row 6', why: 'there is a newer one with the same id in the file' },
      { place: 'row 4', why: 'it answers an annotation that is not in the file' },
    ]);
  });

  it('without an id have one that follows from what they say', () => {
    const [first, second] = [parse([annotation('')]), parse([annotation('one'), annotation('')])];
    expect(second.snapshot.annotations[1]?.originalId).toBe(first.snapshot.annotations[0]?.originalId);
  });

  it.each<[text: string, message: RegExp]>([
    ['', /^the file is not JSON: it goes wrong at its end$/],
    ['{"rows": [}', /^the file is not JSON: it goes wrong near /],
    [`[${'1,'.repeat(20)}x`, /^the file is not JSON: it goes wrong near "1,1,1,1,1,x"$/],
    ['["a\n"]', /^the file is not JSON: it goes wrong at position 3 \(line 1 column 4\)$/],
    ['{"total": 0}', /at its top there is no list "rows"/],
    ['{"rows": null}', /at its top there is no list "rows"/],
    ['null', /at its top there is no list "rows"/],
  ])('that are none are refused: %j', (text, message) => {
    expect(() => parseHypothesisJson(text)).toThrow(message);
    expect(() => parseHypothesisJson(text)).toThrow(Invalid);
  });

  it('are sound, or Invalid, whatever their fields are', () => {
    const anyRow = fc.record(
      {
        id: fc.oneof(fc.constantFrom('a', 'b'), fc.anything()),
        uri: fc.oneof(fc.constantFrom('https://a.example/', 'urn:x'), fc.anything()),
        text: fc.oneof(fc.string(), fc.anything()),
        tags: fc.anything(),
        document: fc.anything(),
        created: fc.anything(),
        references: fc.oneof(fc.array(fc.constantFrom('a', 'b', 'c')), fc.anything()),
        target: fc.oneof(
          fc.array(
            fc.record({
              selector: fc.array(fc.record({ type: fc.constant('TextQuoteSelector'), exact: fc.anything() })),
            }),
          ),
          fc.anything(),
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(anyRow), (rows) => {
        let text: string;
        try {
          text = JSON.stringify(rows) ?? '[]';
        } catch {
          return;
        }
        const { annotations, comments } = parseHypothesisJson(text).snapshot;
        const ids = new Set(annotations.map(({ originalId }) => originalId));
        expect(ids.size).toBe(annotations.length);
        expect(comments.every(({ annotation }) => ids.has(annotation))).toBe(true);
      }),
    );
  });
});
