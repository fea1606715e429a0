import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Collection, Item } from '../../web/src/lib/api-types.ts';
import { belongs, inOrder } from '../../web/src/library/belongs.ts';
import { idsWithin, pathOf, treeRows } from '../../web/src/library/collection-tree.ts';
import { findAddresses } from '../../web/src/library/find-addresses.ts';
import { gridOf } from '../../web/src/library/grid.ts';
import { type ItemAction, takingBack, withAction } from '../../web/src/library/item-action.ts';
import { readingMinutes, siteOf, titleOf } from '../../web/src/library/item-text.ts';
import {
  everything,
  listQuery,
  type Origin,
  origins,
  type Place,
  parsePlace,
  placeHref,
  views,
  withTag,
} from '../../web/src/library/place.ts';
import { extendTo, nothing, toggle, within } from '../../web/src/library/selection.ts';
import { tagName, tagNames } from '../../web/src/library/tag-name.ts';

const item = (changes: Partial<Item> = {}, details: Partial<Item['details']> = {}): Item => ({
  id: '1',
  url: 'https://example.org/a',
  normalizedUrl: 'https://example.org/a',
  title: 'A',
  excerpt: null,
  status: 'unread',
  isFavorite: false,
  collectionId: null,
  tags: [],
  createdAt: '2026-03-12T14:05:00.000Z',
  updatedAt: '2026-03-12T14:05:00.000Z',
  thumbnailUrl: null,
  enrichmentStatus: 'succeeded',
  enrichmentError: null,
  enrichedAt: null,
  ...changes,
  details: {
    author: '',
    siteName: '',
    language: '',
    publishedAt: null,
    canonicalUrl: '',
    wordCount: 0,
    origins: ['manual'],
    hasContent: false,
    hasPermanentCopy: false,
    hasIcon: false,
    bookmarkId: null,
    deletedAt: null,
    link: null,
    ...details,
  },
});

const tags = fc.stringMatching(/^[a-zäß0-9][a-zäß0-9 &+#=%-]{0,10}[a-z0-9]$/);
const ids = fc.integer({ min: 1, max: 1e12 }).map(String);
const places: fc.Arbitrary<Place> = fc.record({
  scope: fc.oneof(
    fc.constantFrom(...views).map((kind) => ({ kind })),
    ids.map((id) => ({ kind: 'collection' as const, id })),
  ),
  tags: fc.uniqueArray(tags, { maxLength: 5 }),
  favourite: fc.boolean(),
  origin: fc.constantFrom(null, ...(Object.keys(origins) as Origin[])),
  sort: fc.constantFrom('newest' as const, 'oldest' as const),
  item: fc.option(ids),
  choosing: fc.constant(false),
});

describe('a place of the library', () => {
  it('and its address lead to each other', () => {
    fc.assert(
      fc.property(places, (place) => {
        expect(parsePlace(new URL(placeHref(place), 'http://here').search)).toEqual(place);
      }),
    );
  });

  it('leaves out of an address what makes no sense', () => {
    for (const search of ['', '?view=elsewhere', '?collection=-1', '?item=1e3', '?origin=stolen', '?tag=%20'])
      expect(parsePlace(search)).toEqual(everything);
    expect(parsePlace('?tag=A&tag=a&tag= b ').tags).toEqual(['a', 'b']);
    expect(parsePlace('?view=places')).toEqual({ ...everything, choosing: true });
  });

  it('asks the server for what it shows', () => {
    const asked = (search: string) => decodeURIComponent(listQuery(parsePlace(search)).toString());
    expect(asked('')).toBe('include=details');
    expect(asked('?view=archive&sort=oldest')).toBe('include=details&status=archived&sort=oldest');
    expect(asked('?view=unsorted&tag=a&tag=b')).toBe('include=details&collectionId=none&tag=a&tag=b');
    expect(asked('?collection=7&origin=starred&favourite=1')).toBe(
      'include=details&collectionId=7&nested=true&isFavorite=true&origin=bookmark',
    );
    expect(asked('?origin=raindrop')).toBe('include=details&origin=raindrop');
    expect(asked('?view=bin')).toBe('include=details&deleted=true');
    expect(asked('?view=dead')).toBe('include=details&link=dead');
  });

  it('takes a tag in and lets it go', () => {
    const one = withTag(parsePlace('?view=unread&item=4'), 'tea');
    expect(placeHref(one)).toBe('/library?view=unread&tag=tea');
    expect(placeHref(withTag(one, 'tea'))).toBe('/library?view=unread');
  });
});

describe('whether an item belongs to a place', () => {
  const none = new Set<string>();
  const at = (search: string, one: Item, collections = none) => belongs(one, parsePlace(search), collections);

  const cases: [string, Item, boolean][] = [
    ['', item(), true],
    ['', item({}, { deletedAt: '2026-03-12T14:05:00.000Z' }), false],
    ['?view=bin', item({}, { deletedAt: '2026-03-12T14:05:00.000Z' }), true],
    ['?view=bin', item(), false],
    ['?view=unread', item({ status: 'archived' }), false],
    ['?view=archive', item({ status: 'archived' }), true],
    ['?view=favourites', item(), false],
    ['?view=favourites', item({ isFavorite: true }), true],
    ['?favourite=1', item(), false],
    ['?view=unsorted', item({ collectionId: '3' }), false],
    ['?view=failed', item({ enrichmentStatus: 'failed' }), true],
    ['?view=failed', item({ enrichmentStatus: 'pending' }), false],
    ['?view=dead', item(), false],
    ['?tag=a&tag=b', item({ tags: ['a', 'b', 'c'] }), true],
    ['?tag=a&tag=b', item({ tags: ['a'] }), false],
    ['?origin=starred', item(), false],
    ['?origin=starred', item({}, { origins: ['manual', 'bookmark'] }), true],
  ];
  it('follows from what it is', () => {
    for (const [search, one, expected] of cases)
      expect([search, at(search, one)]).toEqual([search, expected]);
  });

  it('counts what lies in a collection within it', () => {
    const ids = new Set(['3', '4']);
    expect(at('?collection=3', item({ collectionId: '4' }), ids)).toBe(true);
    expect(at('?collection=3', item({ collectionId: '5' }), ids)).toBe(false);
    expect(at('?collection=3', item(), ids)).toBe(false);
  });

  it('lists the newest first, and of one moment the one that was added last', () => {
    const later = item({ id: '2', createdAt: '2026-03-12T14:05:00.001Z' });
    const list = [item({ id: '9' }), item({ id: '10' }), later];
    expect([...list].sort((a, b) => inOrder(a, b, everything)).map(({ id }) => id)).toEqual(['2', '10', '9']);
    const deleted = list.map((one, n) => item(one, { deletedAt: `2026-03-1${3 - n}T00:00:00.000Z` }));
    expect([...deleted].sort((a, b) => inOrder(a, b, parsePlace('?view=bin'))).map(({ id }) => id)).toEqual([
      '9',
      '10',
      '2',
    ]);
    expect([...list].sort((a, b) => inOrder(a, b, parsePlace('?sort=oldest'))).map(({ id }) => id)).toEqual([
      '9',
      '10',
      '2',
    ]);
  });
});

describe('what is done to items', () => {
  const some = fc.array(
    fc.record({
      status: fc.constantFrom('unread' as const, 'archived' as const),
      isFavorite: fc.boolean(),
      collectionId: fc.constantFrom(null, '1', '2'),
      tags: fc.subarray(['a', 'b', 'c']),
      deletedAt: fc.constantFrom(null, '2026-01-01T00:00:00.000Z'),
    }),
    { maxLength: 8 },
  );
  const actions: fc.Arbitrary<ItemAction> = fc.oneof(
    fc
      .constantFrom('archive', 'unarchive', 'favorite', 'unfavorite', 'delete', 'restore')
      .map((action) => ({ action }) as ItemAction),
    fc
      .tuple(fc.constantFrom('addTags' as const, 'removeTags' as const), fc.subarray(['a', 'b', 'd']))
      .map(([action, names]) => ({ action, tags: names })),
    fc.constantFrom(null, '1', '2').map((collectionId) => ({ action: 'move', collectionId }) as ItemAction),
  );

  it('can be taken back, to the last of them', () => {
    fc.assert(
      fc.property(some, actions, (fields, action) => {
        const at = '2026-01-01T00:00:00.000Z';
        const items = fields.map(({ deletedAt, ...rest }, n) =>
          item({ id: `${n + 1}`, ...rest }, { deletedAt }),
        );
        const before = items.filter((one) => withAction(one, action, at) !== one);
        let now = items.map((one) => withAction(one, action, at));
        for (const { ids: changed, action: back } of takingBack(before, action))
          now = now.map((one) => (changed.includes(one.id) ? withAction(one, back, at) : one));
        expect(now).toEqual(items);
      }),
    );
  });

  it('offers nothing for what cannot be taken back', () => {
    expect(takingBack([item()], { action: 'enrich' })).toEqual([]);
    expect(
      withAction(item({ enrichmentStatus: 'failed', enrichmentError: 'no' }), { action: 'enrich' }, ''),
    ).toEqual(item({ enrichmentStatus: 'pending' }));
  });
});

describe('addresses in what was pasted', () => {
  const urls = (text: string) => findAddresses(text).map(({ url }) => url);

  it.each([
    ['https://example.org/a', ['https://example.org/a']],
    ['  example.org/a?b=c  ', ['https://example.org/a?b=c']],
    [
      'https://a.example/\nhttps://b.example/\r\nhttps://a.example/',
      ['https://a.example/', 'https://b.example/'],
    ],
    ['a.example, b.example c.example', ['https://a.example/', 'https://b.example/', 'https://c.example/']],
    [
      'See https://en.example.org/wiki/Tea_(drink), and (https://b.example/x).\nThen go home.',
      ['https://en.example.org/wiki/Tea_(drink)', 'https://b.example/x'],
    ],
    [
      '[a title](https://a.example/x) and <https://b.example/y>',
      ['https://a.example/x', 'https://b.example/y'],
    ],
    ['https://müsli.example/brötchen', ['https://xn--msli-0ra.example/br%C3%B6tchen']],
    ['http://127.0.0.1:8080/x', ['http://127.0.0.1:8080/x']],
    ['not an address', [undefined]],
    ['3.14', [undefined]],
    ['javascript:alert(1)', [undefined]],
    ['ftp://example.org/a', [undefined]],
    ['https://', [undefined]],
    ['', []],
    ['https://a.example/\nnonsense', ['https://a.example/', undefined]],
  ])('%j', (text, expected) => expect(urls(text)).toEqual(expected));

  it('are always addresses of web pages, whatever was pasted', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('https://a.example/x?y=1', 'b.example'), (text, url) => {
        for (const found of urls(`${text} ${url}\n${text}`))
          if (found !== undefined) expect(new URL(found).protocol).toMatch(/^https?:$/);
      }),
    );
  });
});

describe('a text that is made to be slow', () => {
  it.each([
    ['dots', `https://a.example/${'.'.repeat(100_000)}x`],
    ['brackets', `https://a.example/${')'.repeat(100_000)}`],
    ['letters', 'a'.repeat(200_000)],
    ['names', 'a.'.repeat(100_000)],
  ])('is looked through: %s', (_, text) => expect(findAddresses(text)).toHaveLength(1));
});

describe('collections', () => {
  const make = (id: string, parentId: string | null, itemCount = 0): Collection => ({
    id,
    name: `c${id}`,
    description: null,
    parentId,
    itemCount,
  });
  const all = [
    make('3', '1', 4),
    make('1', null, 1),
    make('2', null, 2),
    make('4', '3', 8),
    make('9', '77', 16),
  ];

  it('lie in each other, with the sum of what is in them', () => {
    const rows = treeRows(all, new Set());
    expect(rows.map(({ collection: { id }, depth, count }) => [id, depth, count])).toEqual([
      ['1', 0, 13],
      ['3', 1, 12],
      ['4', 2, 8],
      ['2', 0, 2],
      ['9', 0, 16],
    ]);
    expect(
      treeRows(all, new Set(['3', '2'])).map(({ collection: { id }, isFolded }) => [id, isFolded]),
    ).toEqual([
      ['1', false],
      ['3', true],
      ['2', false],
      ['9', false],
    ]);
  });

  it('know what is within them, and where they are, also if they should lie in a circle', () => {
    expect([...idsWithin('1', all)].sort()).toEqual(['1', '3', '4']);
    expect(pathOf('4', all)).toBe('c1 › c3 › c4');
    const circle = [make('5', '6'), make('6', '5')];
    expect([...idsWithin('5', circle)].sort()).toEqual(['5', '6']);
    expect(pathOf('5', circle)).toBe('c6 › c5');
    expect(treeRows(circle, new Set())).toEqual([]);
  });
});

it('cards fill the width, and are as high as their picture and text', () => {
  const size = { leastWidth: 220, gap: 20, textHeight: 80, rowGap: 20 };
  expect(gridOf({ ...size, width: 700 })).toEqual({ columns: 3, cardWidth: 220, rowHeight: 247 });
  expect(gridOf({ ...size, width: 699 }).columns).toBe(2);
  expect(gridOf({ ...size, width: 0 })).toEqual({ columns: 1, cardWidth: 0, rowHeight: 100 });
});

it('a selection grows by clicks and ranges, and forgets what is gone', () => {
  const order = ['a', 'b', 'c', 'd', 'e'];
  const one = toggle(nothing, 'b');
  const range = extendTo(one, 'd', order);
  expect([...range.ids]).toEqual(['b', 'c', 'd']);
  expect([...extendTo(range, 'a', order).ids].sort()).toEqual(['a', 'b', 'c', 'd']);
  expect([...toggle(range, 'c').ids]).toEqual(['b', 'd']);
  expect([...extendTo(nothing, 'd', order).ids]).toEqual(['d']);
  expect(within(range, new Set(['c', 'x']))).toEqual({ ids: new Set(['c']), anchor: null });
});

it('tags are written as the server writes them', () => {
  expect(tagName('  #Slow   Reads ')).toBe('slow reads');
  for (const typed of ['', ' ', '#', 'a,b', 'x'.repeat(51), 'a\u0007b'])
    expect(tagName(typed)).toBeUndefined();
  expect(tagNames('Tea, tea , ,coffee')).toEqual(['tea', 'coffee']);
});

it('an item without a title is called by its address', () => {
  expect(titleOf(item({ title: null, url: 'https://www.example.org/t%C3%A9/' }))).toBe('example.org/té');
  expect(titleOf(item({ title: null, url: 'https://example.org/%E2%80%AEx' }))).toBe(
    'example.org/%E2%80%AEx',
  );
  expect(titleOf(item({ title: null, url: 'https://example.org/%' }))).toBe('example.org/%');
  expect(siteOf(item())).toBe('example.org');
  expect(siteOf(item({}, { siteName: 'The Example' }))).toBe('The Example');
  expect([0, 40, 230, 2300].map(readingMinutes)).toEqual([0, 1, 1, 10]);
});
