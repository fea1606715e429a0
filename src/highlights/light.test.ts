import { describe, expect, it } from 'vitest';
import { Invalid } from '../errors.ts';
import { counters, parseLightBody, parseLightSync, shownPlan } from './light.ts';

const url = 'https://example.com/article';
const highlight = {
  groupID: 1766149301308,
  repr: 'highlighted text',
  chunks: ['text snippet 1', 'text snippet 2'],
  date: '2025-12-19T13:01:41.308Z',
  url,
};
const given = (over: object = {}, highlights: unknown = { [url]: [{ ...highlight, ...over }] }) =>
  parseLightSync({ source: 'light-macbook', highlights });

describe('what Light sends', () => {
  it('is pages by their addresses, and passages that keep every field', async () => {
    expect(await given()).toEqual({
      source: 'light-macbook',
      scope: undefined,
      snapshot: {
        resources: [{ originalId: url, type: 'website', title: '', url }],
        annotations: [
          {
            originalId: '1766149301308',
            resource: url,
            text: 'highlighted text',
            color: null,
            boundary: {
              groupID: 1766149301308,
              date: '2025-12-19T13:01:41.308Z',
              chunks: ['text snippet 1', 'text snippet 2'],
              url,
            },
            madeAt: Date.UTC(2025, 11, 19, 13, 1, 41, 308),
          },
        ],
        comments: [],
        notes: [],
      },
    });
  });

  it('needs no more than an id and a text', async () => {
    const { snapshot } = await given({}, { [url]: [{ groupID: 'x', repr: '' }] });
    expect(snapshot.annotations).toEqual([
      {
        originalId: 'x',
        resource: url,
        text: '',
        color: null,
        boundary: { groupID: 'x', date: null, chunks: [], url },
        madeAt: null,
      },
    ]);
  });

  it('has a date that may be any text', async () => {
    for (const date of ['', 'yesterday', '2025-02-31T99:99'])
      expect((await given({ date })).snapshot.annotations[0]?.madeAt).toBeNull();
  });

  it.each([
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [-1, '-1'],
    [0, '0'],
    ['9007199254740993', '9007199254740993'],
    [' 7 ', ' 7 '],
    ['__proto__', '__proto__'],
  ])('may call a passage %j', async (groupID, originalId) => {
    expect((await given({ groupID })).snapshot.annotations[0]?.originalId).toBe(originalId);
  });

  it.each([2 ** 53, 1e300, 1.5, Number.NaN, '', '  ', 'x'.repeat(201), null, true, [], {}, undefined])(
    'may not call a passage that: %# %j',
    async (groupID) => {
      await expect(given({ groupID })).rejects.toThrow(
        `highlights["${url}"][0].groupID: expected a whole number`,
      );
    },
  );

  it.each([
    [{ repr: undefined }, 'repr'],
    [{ repr: 7 }, 'repr'],
    [{ repr: 'x'.repeat(1_000_001) }, 'repr'],
    [{ chunks: 'text' }, 'chunks'],
    [{ chunks: [1] }, 'chunks'],
    [{ date: 7 }, 'date'],
    [{ date: 'x'.repeat(101) }, 'date'],
    [{ url: 7 }, 'url'],
    [{ color: 7 }, 'color'],
  ])('is refused for a wrong field, which is named: %#', async (over, field) => {
    await expect(given(over)).rejects.toThrow(`highlights["${url}"][0].${field}: expected`);
  });

  it.each([undefined, null, [], [[]], '', '{}', 0, true])(
    'is refused without highlights: %# %j',
    async (highlights) => {
      await expect(parseLightSync({ source: 'a', highlights })).rejects.toThrow(
        'highlights: expected an object',
      );
    },
  );

  it.each([
    { [url]: null },
    { [url]: {} },
    { [url]: 'x' },
    { [url]: [null] },
    { [url]: [[]] },
    { ' ': [] },
    { '': [] },
  ])('is refused when what is at an address makes no sense: %j', async (highlights) => {
    await expect(given({}, highlights)).rejects.toThrow('highlights["');
  });

  it('may say that there are none', async () => {
    const { snapshot } = await given({}, {});
    expect(snapshot).toEqual({ resources: [], annotations: [], comments: [], notes: [] });
  });

  it.each([undefined, null, 7, '', '  ', 'x'.repeat(201), 'a\u0000', 'a\nb', '\ud800', []])(
    'is refused from nobody: %# %j',
    async (source) => {
      await expect(parseLightSync({ source, highlights: {} })).rejects.toThrow('source: expected');
    },
  );

  it.each(['lectern', 'restored', 'web', 'research', 'kindle', 'readwise', 'hypothesis', 'koreader'])(
    'cannot be taken for what %s is called here',
    async (source) => {
      await expect(parseLightSync({ source, highlights: {} })).rejects.toThrow(`source: "${source}"`);
    },
  );

  it.each(['light', 'a_', '%', 'a:b', '__proto__', 'Lectern', '\u202eRTL', '\u{1f468}\u200d\u{1f469}'])(
    'may come from %s',
    async (source) => {
      expect((await parseLightSync({ source, highlights: {} })).source).toBe(source);
    },
  );

  it('may be about one page, in whatever spelling, and then about no other', async () => {
    const scope = 'http://example.com/article/?utm_source=x';
    const within = { source: 'a', scope, highlights: { [url]: [highlight] } };
    expect((await parseLightSync(within)).scope).toBe(scope);
    const elsewhere = { ...within, highlights: { 'https://example.com/other': [] } };
    await expect(parseLightSync(elsewhere)).rejects.toThrow('is not within the scope');
    for (const wrong of ['', ' ', 7, [], 'x'.repeat(8_001)])
      await expect(parseLightSync({ ...within, scope: wrong })).rejects.toThrow('scope: expected');
    for (const none of [undefined, null])
      expect((await parseLightSync({ ...within, scope: none })).scope).toBeUndefined();
  });

  it('may be of addresses that are names of an object, or no addresses at all', async () => {
    const highlights = JSON.parse(
      `{"__proto__": [{"groupID": 1, "repr": "x"}], "constructor": [], "file:///a": []}`,
    );
    const { snapshot } = await given({}, highlights);
    expect(snapshot.resources.map(({ originalId }) => originalId)).toEqual([
      '__proto__',
      'constructor',
      'file:///a',
    ]);
    expect(snapshot.annotations[0]?.resource).toBe('__proto__');
  });
});

describe('the answer', () => {
  it('has its counters by the names of kinds', () => {
    const none = { created: 0, updated: 0, deleted: 0, unchanged: 0 };
    const counts = { annotations: none, notes: { ...none, deleted: 2 } };
    expect(counters({ counts } as never, ['annotations', 'notes'])).toEqual({
      annotations_created: 0,
      annotations_updated: 0,
      annotations_deleted: 0,
      annotations_unchanged: 0,
      notes_created: 0,
      notes_updated: 0,
      notes_deleted: 2,
      notes_unchanged: 0,
    });
  });

  it('shows no more of a plan than a person would look through', () => {
    const ids = Array.from({ length: 500 }, (_, n) => `a:${n}`);
    const planned = { create: ids, update: [], delete: ids };
    const shown = shownPlan({ annotations: planned } as never, ['annotations']);
    expect(shown.annotations?.create).toHaveLength(200);
    expect(shown.annotations?.delete).toEqual(ids.slice(0, 200));
  });
});

describe('the body of a Light sync', () => {
  const bodyOf = (body: object) => Buffer.from(JSON.stringify({ source: 'light', highlights: {}, ...body }));

  it('is JSON in UTF-8, and no dry run unless it says so', async () => {
    expect((await parseLightBody(bodyOf({}))).dryRun).toBe(false);
    expect((await parseLightBody(bodyOf({ dry_run: true }))).dryRun).toBe(true);
  });

  it.each([
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'the body is not UTF-8'],
    ['no JSON', Buffer.from('{"source":'), 'the body is not JSON'],
    ['empty', Buffer.from(''), 'the body is not JSON'],
    ['a list', Buffer.from('[]'), 'body: expected an object'],
    ['null', Buffer.from('null'), 'body: expected an object'],
    ['a dry run that is text', bodyOf({ dry_run: 'true' }), 'dry_run: expected true or false'],
  ])('is refused when it is %s', async (_name, bytes, message) => {
    await expect(parseLightBody(bytes)).rejects.toThrow(new Invalid(message));
  });

  it.each([
    ['too many chunks', { chunks: Array.from({ length: 10_001 }, () => '') }],
    ['chunks that are too long in all', { chunks: ['x'.repeat(600_000), 'x'.repeat(600_000)] }],
  ])('is refused when a highlight has %s', async (_name, over) => {
    await expect(given(over)).rejects.toThrow(`highlights["${url}"][0].chunks: expected at most`);
  });

  it('is refused when it has too many highlights or pages', async () => {
    const many = Array.from({ length: 500_001 }, () => highlight);
    await expect(given({}, { [url]: many })).rejects.toThrow('highlights: at most 500000 are taken');
    const pages = Object.fromEntries(
      Array.from({ length: 100_001 }, (_, n) => [`https://example.org/${n}`, []]),
    );
    await expect(given({}, pages)).rejects.toThrow('highlights: at most 100000 pages are taken');
  });
});
