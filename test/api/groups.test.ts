import { beforeAll, describe, expect, it } from 'vitest';
import { answerOf, type Client, jsonOf, openApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';

interface GroupBody {
  id: number;
  name: string;
  created_at: number;
  updated_at: number;
}

onEachEngine('the groups API', (engine) => {
  let api: TestApi;
  let anna: Client;
  let ben: Client;
  let counter = 0;

  beforeAll(async () => {
    api = await openApi(engine);
    await api.addUser('anna');
    await api.addUser('ben');
    anna = await api.logIn('anna');
    ben = await api.program('ben', 'write');
    return () => api.close();
  });

  const newName = () => `Group ${counter++}`;
  const seconds = () => Math.floor(api.clock.now() / 1000);

  async function create(name = newName()): Promise<GroupBody> {
    return (await jsonOf<{ data: GroupBody }>(await anna.post('/api/groups', { name }))).data;
  }

  async function names(client: Client): Promise<string[]> {
    const { data } = await jsonOf<{ data: GroupBody[] }>(await client.get('/api/groups'));
    return data.map(({ name }) => name);
  }

  it('lists the default group, under the id 1, before anything is added', async () => {
    const at = seconds();
    expect(await answerOf(await ben.get('/api/groups'))).toEqual({
      status: 200,
      body: { data: [{ id: 1, name: 'Default', created_at: at, updated_at: at }], total: 1 },
    });
  });

  it('answers 200 and the group when one is added', async () => {
    const response = await anna.post('/api/groups', { name: 'News' });
    const body = {
      data: { id: expect.any(Number), name: 'News', created_at: seconds(), updated_at: seconds() },
    };
    expect(await answerOf(response)).toEqual({ status: 200, body });
    expect(await names(anna)).toContain('News');
  });

  it('counts in total what it lists', async () => {
    await create();
    const body = await jsonOf<{ data: GroupBody[]; total: number }>(await anna.get('/api/groups'));
    expect(body.total).toBe(body.data.length);
    expect(body.total).toBeGreaterThan(1);
  });

  it('gets one group', async () => {
    const group = await create();
    const response = await anna.get(`/api/groups/${group.id}`);
    expect(await answerOf(response)).toEqual({ status: 200, body: { data: group } });
  });

  it('renames a group, and notes when, in whole seconds', async () => {
    const group = await create();
    api.clock.advance(5_999);
    const response = await anna.patch(`/api/groups/${group.id}`, { name: ' Papers ' });
    const renamed = { ...group, name: 'Papers', updated_at: group.created_at + 5 };
    expect(await answerOf(response)).toEqual({ status: 200, body: { data: renamed } });
    expect(await jsonOf(await anna.get(`/api/groups/${group.id}`))).toEqual({ data: renamed });
  });

  it('renames the default group', async () => {
    expect((await ben.patch('/api/groups/1', { name: 'Everything' })).status).toBe(200);
    expect(await names(ben)).toEqual(['Everything']);
  });

  it('renames a group to the name that it has', async () => {
    const group = await create();
    expect((await anna.patch(`/api/groups/${group.id}`, { name: group.name })).status).toBe(200);
  });

  it('deletes a group, once', async () => {
    const { id } = await create();
    expect(await answerOf(await anna.delete(`/api/groups/${id}`))).toEqual({ status: 204, body: undefined });
    for (const again of [await anna.delete(`/api/groups/${id}`), await anna.get(`/api/groups/${id}`)]) {
      expect(await answerOf(again)).toEqual({ status: 404, body: { error: 'group not found' } });
    }
  });

  it('does not delete the default group', async () => {
    const response = await anna.delete('/api/groups/1');
    expect(response.status).toBe(400);
    expect(await jsonOf(response)).toEqual({ error: 'the default group cannot be deleted' });
    expect((await anna.get('/api/groups/1')).status).toBe(200);
  });

  it("keeps every user's groups apart", async () => {
    const { name } = await create();
    expect(await names(ben)).not.toContain(name);
    expect((await ben.post('/api/groups', { name })).status).toBe(200);
  });

  describe('a name', () => {
    it('that the user has already is refused', async () => {
      const [one, other] = [await create(), await create()];
      const answers = [
        await anna.post('/api/groups', { name: one.name }),
        await anna.post('/api/groups', { name: `  ${one.name}\n` }),
        await anna.patch(`/api/groups/${other.id}`, { name: one.name }),
      ];
      for (const answer of answers) {
        expect(answer.status).toBe(409);
        expect(await jsonOf(answer)).toEqual({ error: expect.stringContaining(one.name) });
      }
    });

    it.each([
      { what: 'with space around it', sent: '  Science \t', kept: 'Science' },
      { what: 'of 200 characters', sent: 'n'.repeat(200), kept: 'n'.repeat(200) },
      { what: 'of 200 characters and space around', sent: ` ${'m'.repeat(200)} `, kept: 'm'.repeat(200) },
      { what: 'in other scripts', sent: '新聞 📰 أخبار', kept: '新聞 📰 أخبار' },
      { what: 'with markup', sent: '<b onclick=x>&amp;</b>', kept: '<b onclick=x>&amp;</b>' },
      { what: 'with quotes', sent: `a'; DROP TABLE "groups"; --`, kept: `a'; DROP TABLE "groups"; --` },
      { what: 'with U+0000 inside', sent: 'nul\0inside', kept: 'nulinside' },
      { what: 'with U+0000 and space at the end', sent: 'nul at the end \0 ', kept: 'nul at the end' },
      { what: 'with half a surrogate pair', sent: 'half \ud83d pair', kept: 'half \ufffd pair' },
    ])('$what is kept as it should be', async ({ sent, kept }) => {
      const { id, name } = await create(sent);
      expect(name).toBe(kept);
      expect(await jsonOf(await anna.get(`/api/groups/${id}`))).toMatchObject({ data: { name: kept } });
      const renamed = await anna.patch(`/api/groups/${id}`, { name: sent });
      expect(await jsonOf(renamed)).toMatchObject({ data: { name: kept } });
    });

    it.each([
      { what: 'empty', name: '' },
      { what: 'space only', name: ' \t\n\u3000' },
      { what: 'U+0000 only', name: '\0 \0' },
      { what: 'of 201 characters', name: 'n'.repeat(201) },
      { what: 'a number', name: 7 },
      { what: 'null', name: null },
      { what: 'a list', name: ['News'] },
      { what: 'an object', name: { toString: 'News' } },
      { what: 'missing', name: undefined },
    ])('that is $what is refused', async ({ name }) => {
      const { id } = await create();
      const before = await names(anna);
      const answers = [
        await anna.post('/api/groups', { name }),
        await anna.patch(`/api/groups/${id}`, { name }),
      ];
      for (const answer of answers) {
        expect(answer.status).toBe(400);
        expect(await jsonOf(answer)).toEqual({ error: expect.stringMatching(/^name: /) });
      }
      expect(await names(anna)).toEqual(before);
    });
  });

  it.each([
    { id: '0', status: 404 },
    { id: '999999999', status: 404 },
    { id: '999999999999999', status: 404 },
    { id: '9007199254740993', status: 400 },
    { id: '-1', status: 400 },
    { id: '1.0', status: 400 },
    { id: '1e3', status: 400 },
    { id: 'abc', status: 400 },
    { id: '%00', status: 400 },
    { id: '1%20OR%201=1', status: 400 },
    { id: '%ff', status: 400 },
    { id: '%D9%A1', status: 400 },
  ])('answers $status for the id $id', async ({ id, status }) => {
    expect((await anna.get(`/api/groups/${id}`)).status).toBe(status);
    expect((await anna.patch(`/api/groups/${id}`, { name: newName() })).status).toBe(status);
    expect((await anna.delete(`/api/groups/${id}`)).status).toBe(status);
  });
});
