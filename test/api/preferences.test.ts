import { beforeEach, expect, it } from 'vitest';
import { answerOf, type Client, jsonOf, openEmptyApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';

const path = '/api/me/preferences';

onEachEngine('preferences', (engine) => {
  let api: TestApi;
  let anna: Client;

  beforeEach(async () => {
    api = await openEmptyApi(engine);
    await api.addUser('anna');
    anna = await api.program('anna', 'write');
  });

  const all = async (client = anna) =>
    (await jsonOf<{ data: Record<string, unknown> }>(await client.get(path))).data;

  it('are set, changed and taken away by name, and the others stay', async () => {
    expect(await all()).toEqual({});
    const values = {
      theme: 'sepia',
      'reading.size': 19,
      panes: { list: 320, hidden: ['rail'] },
      sounds: false,
    };
    expect(await answerOf(await anna.patch(path, values))).toEqual({ status: 200, body: { data: values } });
    const answer = await answerOf(await anna.patch(path, { theme: 'dark', sounds: null, never: null }));
    const { sounds: _, ...rest } = values;
    expect(answer).toEqual({ status: 200, body: { data: { ...rest, theme: 'dark' } } });
    expect(await all()).toEqual({ ...rest, theme: 'dark' });
    expect((await anna.patch(path, {})).status).toBe(200);
  });

  it('keep every kind of JSON as it was', async () => {
    const values = { a: '\u0000"\ud800', constructor: [], b: [1.5, null, ''], c: { __proto__x: {} }, d: 0 };
    await anna.patch(path, values);
    expect(await all()).toEqual(values);
  });

  it('lose nothing when many tabs change different names at once', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `tab${n}`);
    await Promise.all(names.map((name, n) => anna.patch(path, { [name]: n, shared: n })));
    expect(await all()).toMatchObject(Object.fromEntries(names.map((name, n) => [name, n])));
  });

  it("are a user's own", async () => {
    await api.addUser('ben');
    await anna.patch(path, { theme: 'dark' });
    const ben = await api.program('ben', 'write');
    await ben.patch(path, { theme: null });
    expect(await all(ben)).toEqual({});
    expect(await all()).toEqual({ theme: 'dark' });
  });

  it.each([
    ['a name with capitals', { Theme: 1 }],
    ['a name that begins with a digit', { '1a': 1 }],
    ['an empty name', { '': 1 }],
    ['a name of 65 letters', { ['a'.repeat(65)]: 1 }],
    ['a value of more than 4 KB', { a: 'é'.repeat(2_048) }],
    ['a list', []],
    ['101 names', Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`n${n}`, 1]))],
  ])('refuse %s', async (_what, body) => {
    expect((await anna.patch(path, body)).status).toBe(400);
    expect(await all()).toEqual({});
  });

  it('refuse a value that is nested without end', async () => {
    const deep = `{"a": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    const headers = { 'Content-Type': 'application/json' };
    expect((await anna.send('PATCH', path, { body: deep, headers })).status).toBe(400);
  });

  it('are never more than a hundred, even when they come at once, and a change that is refused changes nothing', async () => {
    const some = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${from + n}`, 'x'.repeat(4_000)]));
    expect((await anna.patch(path, some(0, 99))).status).toBe(200);
    const answers = await Promise.all(
      [0, 1, 2, 3].map((n) => anna.patch(path, { [`m${n}`]: n, n0: 'changed' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
    expect(Object.keys(await all())).toHaveLength(100);
    expect((await anna.patch(path, { z: 1, n1: null })).status).toBe(200);
  });
});
