// Search in the mirror, in the runtime of Cloudflare: what is found, in which order, and that nothing typed is an error.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keep, sample } from './support/kept-raindrops.ts';
import { type MirrorWithRaindrop, startWithRaindrop } from './support/with-raindrop.ts';

interface Found {
  items: {
    id: number;
    title: string;
    tags: string[];
    snippet: { text: string; hits: [number, number][]; cutBefore: boolean; cutAfter: boolean } | null;
  }[];
  next: string | null;
}

let { worker, close } = {} as MirrorWithRaindrop;

beforeAll(async () => {
  ({ worker, close } = await startWithRaindrop());
  await keep(worker, sample);
});
afterAll(() => close());

const search = (parameters: Record<string, string>) =>
  worker
    .ask(`/api/search?${new URLSearchParams(parameters)}`)
    .then((answer) => answer.json() as Promise<Found>);
const idsOf = async (q: string) => (await search({ q })).items.map(({ id }) => id).sort((a, b) => a - b);

describe('search in the mirror', () => {
  it.each([
    ['sourdough', [1, 2]],
    ['sourd', [1, 2]],
    ['sour bread', []],
    ['sour* bread', [1, 2]],
    ['"sourdough bread"', [2]],
    ['"bread sourdough"', []],
    ['"sourdough brea', [2]],
    ['sourdough -rye', [1]],
    ['ownership -"borrow checker"', [6]],
    ['creme brulee', [3]],
    ['CAFÉ', [3]],
    ['bakers.example', [1]],
    ['x', []],
  ])('%s finds %j', async (q, ids) => {
    expect(await idsOf(q)).toEqual(ids);
  });

  it('words in the title count for more than words in the text', async () => {
    expect((await search({ q: 'sourdough' })).items.map(({ id }) => id)).toEqual([1, 2]);
  });

  it('nothing that is typed is an error', async () => {
    const hostile = [
      '" OR 1 --',
      '*',
      '"',
      '""',
      '-',
      '- -',
      '-"',
      '^a',
      'title:rye',
      'a AND',
      'NOT',
      'NEAR(a b, 2)',
      '{title}: a',
    ];
    const odd = [
      '(',
      ')',
      "'; DROP TABLE raindrops; --",
      '\0',
      'a\0b',
      '%',
      '\\',
      '😀',
      '日本',
      'é'.repeat(300),
      'a '.repeat(150),
      '+',
      '"a" + "b"',
    ];
    for (const q of [...hostile, ...odd])
      expect([q, (await worker.ask(`/api/search?${new URLSearchParams({ q })}`)).status]).toEqual([q, 200]);
    expect(await idsOf('" OR 1 --')).toEqual([]);
    expect((await search({})).items).toHaveLength(10);
  });

  it('words that are left out alone leave the rest', async () => {
    expect(await idsOf('-sourdough')).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('tag and domain narrow it, with words and without', async () => {
    const ids = async (parameters: Record<string, string>) =>
      (await search(parameters)).items.map(({ id }) => id);
    expect(await ids({ tag: 'bread' })).toEqual([2, 1]);
    expect(await ids({ tag: 'bread', q: 'rye' })).toEqual([2]);
    expect(await ids({ domain: 'bakers.example' })).toEqual([1]);
    expect(await ids({ domain: 'bakers.example', tag: 'rye', q: 'sourdough' })).toEqual([]);
    expect((await search({ tag: 'rye' })).items[0]?.tags).toEqual(['bread', 'rye']);
  });

  it('a snippet shows the text around the first hit', async () => {
    const [item] = (await search({ q: 'brulee' })).items;
    const { text = '', hits = [], ...cut } = item?.snippet ?? {};
    expect(text).toMatch(/^[^ ].* Crème brûlée, said she\. And .*[^ ]$/);
    expect(text.length).toBeLessThanOrEqual(240);
    expect(hits.map(([from, to]) => text.slice(from, to))).toEqual(['brûlée']);
    expect(cut).toEqual({ cutBefore: true, cutAfter: true });
    expect((await search({ q: 'society' })).items[0]?.snippet).toBeNull();
    expect((await search({ q: 'empty' })).items[0]?.snippet).toBeNull();
  });

  it.each([{ q: 'pages' }, { q: '' }, { q: '-nothing', tag: 'many' }])(
    'pages of %j have no gaps',
    async (parameters) => {
      if ((await idsOf('pages')).length === 0)
        await keep(
          worker,
          Array.from({ length: 23 }, (_, n) => ({
            id: 100 + n,
            title: 'One of many',
            text: 'pages '.repeat(1 + (n % 3)),
            tags: ['many'],
            updatedAt: n < 5 ? '2025-03-01T00:00:00Z' : `2025-02-01T00:00:0${n % 10}Z`,
          })),
        );
      const inOne = [...(await search(parameters)).items];
      const inPages: number[] = [];
      let cursor: string | null = '';
      do {
        const found: Found = await search({ ...parameters, limit: '4', cursor });
        inPages.push(...found.items.map(({ id }) => id));
        cursor = found.next;
      } while (cursor !== null);
      expect(inPages).toHaveLength('tag' in parameters || parameters.q ? 23 : 33);
      expect(new Set(inPages).size).toBe(inPages.length);
      expect(inPages.slice(0, 20)).toEqual(inOne.map(({ id }) => id));
    },
  );

  it.each([
    ['limit=0', 'limit'],
    ['limit=21', 'limit'],
    ['limit=two', 'limit'],
    ['cursor=x', 'cursor'],
    ['q=rye&cursor=WyJkYXRlIiwiMjAyNSIsMV0', 'cursor'],
    [`q=${'x'.repeat(301)}`, 'q'],
    [`tag=${'x'.repeat(201)}`, 'tag'],
  ])('%s is refused by name', async (parameters, field) => {
    const answer = await worker.ask(`/api/search?${parameters}`);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: expect.stringMatching(`^${field}: expected`) },
    ]);
  });
});
