import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerOf, type Client, jsonOf, openApi, password, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';

interface TokenBody {
  id: number;
  name: string;
  scope: 'read' | 'write';
  created_at: number;
  token: string;
}

onEachEngine('accounts', (engine) => {
  let api: TestApi;
  /** The owner, the same throughout. */
  let anna: Client;
  /** A member, another one for each test. */
  let ben: Client;
  let nameOfBen: string;
  let counter = 0;

  beforeAll(async () => {
    api = await openApi(engine, { loginLimits: { rateLimit: 3 } });
    await api.addUser('anna');
    anna = await api.logIn('anna');
    return () => api.close();
  });

  beforeEach(async () => {
    nameOfBen = `ben${counter++}`;
    await api.addUser(nameOfBen);
    ben = await api.logIn(nameOfBen);
  });

  const seconds = () => Math.floor(api.clock.now() / 1000);

  describe('/api/me', () => {
    it('says who is asking, by cookie and by token', async () => {
      const body = {
        data: {
          id: expect.any(Number),
          username: 'anna',
          role: 'owner',
          disabled: false,
          created_at: seconds(),
          sessions: expect.any(Number),
        },
      };
      for (const client of [anna, await api.program('anna', 'read')]) {
        expect(await answerOf(await client.get('/api/me'))).toEqual({ status: 200, body });
      }
    });

    it('says that a member is a member', async () => {
      expect(await jsonOf(await ben.get('/api/me'))).toMatchObject({
        data: { username: nameOfBen, role: 'member' },
      });
    });
  });

  describe('/api/me/password', () => {
    const fresh = 'another good one';
    const change = (client: Client, current_password: string, wanted = fresh) =>
      client.put('/api/me/password', { current_password, password: wanted });
    const logInStatus = async (username: string, tried: string) =>
      (await api.visitor().post('/api/sessions', { username, password: tried })).status;

    const logInFrom = async (from: string, tried: string) =>
      (await api.visitor().post('/api/sessions', { username: nameOfBen, password: tried }, { from })).status;

    it('puts the new password in the place of the old one', async () => {
      expect((await change(ben, password)).status).toBe(204);
      expect(await logInStatus(nameOfBen, password)).toBe(401);
      expect(await logInStatus(nameOfBen, fresh)).toBe(200);
      expect(await logInStatus('anna', password)).toBe(200);
    });

    it('wants to know the present password', async () => {
      const response = await change(ben, 'wrong');
      expect(response.status).toBe(400);
      expect(await jsonOf(response)).toEqual({ error: expect.stringMatching(/^current_password: /) });
      expect(await logInStatus(nameOfBen, password)).toBe(200);
    });

    it.each(['short', 'p'.repeat(73), 'with NUL \0'])('refuses "%s" as new password', async (wanted) => {
      const response = await change(ben, password, wanted);
      expect(response.status).toBe(400);
      expect(await jsonOf(response)).toEqual({ error: expect.stringMatching(/^password: /) });
      expect(await logInStatus(nameOfBen, password)).toBe(200);
    });

    it('cannot be used to try passwords without end', async () => {
      const statuses: number[] = [];
      for (let i = 0; i < 4; i++) statuses.push((await change(ben, 'wrong')).status);
      expect(statuses).toEqual([400, 400, 400, 429]);
      expect((await change(ben, password)).status).toBe(429);
    });

    it('works while a stranger keeps the account blocked', async () => {
      for (let i = 0; i < 3; i++) await logInFrom(`203.0.113.${i}`, 'wrong');
      expect(await logInFrom('203.0.113.9', password)).toBe(429);
      expect((await change(ben, password)).status).toBe(204);
      expect(await logInFrom('203.0.113.9', fresh)).toBe(429);
    });

    it('does not keep its user from logging in when it was blocked', async () => {
      for (let i = 0; i < 3; i++) await change(ben, 'wrong');
      expect((await change(ben, password)).status).toBe(429);
      expect((await change(anna, 'wrong')).status).toBe(400);
      expect(await logInFrom('203.0.113.9', password)).toBe(200);
      expect((await change(ben, password)).status).toBe(429);
    });

    it('gives a token no session', async () => {
      const program = await api.program(nameOfBen, 'admin');
      const response = await change(program, password);
      expect(response.status).toBe(204);
      expect(response.headers.getSetCookie()).toEqual([]);
    });
  });

  describe('/api/me/sessions', () => {
    const sessionsOf = async (client: Client) =>
      (await jsonOf<{ data: { sessions: number } }>(await client.get('/api/me'))).data.sessions;

    it('logs out everywhere else, and leaves programs and other people alone', async () => {
      const others = [await api.logIn(nameOfBen), await api.logIn(nameOfBen)];
      const program = await api.program(nameOfBen, 'write');
      expect(await sessionsOf(ben)).toBe(3);
      expect((await ben.delete('/api/me/sessions')).status).toBe(204);
      expect(await sessionsOf(ben)).toBe(1);
      for (const other of others) expect((await other.get('/api/me')).status).toBe(401);
      expect(await sessionsOf(program)).toBe(1);
      expect((await anna.get('/api/me')).status).toBe(200);
    });

    it('logs out every browser when a program asks for it', async () => {
      const program = await api.program(nameOfBen, 'admin');
      expect((await program.delete('/api/me/sessions')).status).toBe(204);
      expect((await ben.get('/api/me')).status).toBe(401);
      expect(await sessionsOf(program)).toBe(0);
    });

    it('counts none that is over', async () => {
      const { users, credentials } = api.accounts.store;
      const userId = (await users.findByName(nameOfBen))?.id ?? 0;
      await credentials.createSession({ secretSha256: nameOfBen, userId, expiresAt: api.clock.now() });
      expect(await sessionsOf(ben)).toBe(1);
    });
  });

  describe('/api/users/{id}/password', () => {
    const fresh = 'another good one';
    const idOf = async (username: string) => (await api.accounts.store.users.findByName(username))?.id;
    /** From another address each time: here it is the account that is throttled. */
    const logInStatus = async (tried: string) => {
      const from = `203.0.113.${counter++}`;
      const input = { username: nameOfBen, password: tried };
      return (await api.visitor().post('/api/sessions', input, { from })).status;
    };

    it('gives a member who has tried in vain another password, and ends their sessions', async () => {
      for (let n = 0; n < 4; n++) await logInStatus('wrong');
      expect(await logInStatus(password)).toBe(429);
      const path = `/api/users/${await idOf(nameOfBen)}/password`;
      expect((await anna.put(path, { password: 'short' })).status).toBe(400);
      expect((await ben.get('/api/me')).status).toBe(200);
      expect((await anna.put(path, { password: fresh })).status).toBe(204);
      expect((await ben.get('/api/me')).status).toBe(401);
      expect(await logInStatus(fresh)).toBe(200);
      expect(await logInStatus(password)).toBe(401);
    });

    it("revokes the member's tokens, unless the owner keeps them", async () => {
      const path = `/api/users/${await idOf(nameOfBen)}/password`;
      const phone = await api.program(nameOfBen, 'read');
      const annas = await api.program('anna', 'read');
      expect((await anna.put(path, { password: fresh, keep_tokens: true })).status).toBe(204);
      expect((await phone.get('/api/me')).status).toBe(200);
      expect((await anna.put(path, { password: fresh })).status).toBe(204);
      expect((await phone.get('/api/me')).status).toBe(401);
      expect((await annas.get('/api/me')).status).toBe(200);
    });

    it('lets a member who was blocked in a known browser and where they confirm it try again at once', async () => {
      const path = `/api/users/${await idOf(nameOfBen)}/password`;
      const logIn = async (tried: string) =>
        (await ben.post('/api/sessions', { username: nameOfBen, password: tried })).status;
      const confirm = async (current_password: string) =>
        (await ben.put('/api/me/password', { current_password, password })).status;
      for (let n = 0; n < 3; n++) expect([await logIn('wrong'), await confirm('wrong')]).toEqual([401, 400]);
      expect([await logIn(password), await confirm(password)]).toEqual([429, 429]);
      expect((await anna.put(path, { password: fresh })).status).toBe(204);
      expect(await logIn(fresh)).toBe(200);
      expect(await confirm(fresh)).toBe(204);
    });

    it("is not a way around the question for the owner's present password", async () => {
      const path = `/api/users/${await idOf('anna')}/password`;
      expect((await anna.put(path, { password: fresh })).status).toBe(400);
      expect((await anna.put('/api/users/999999/password', { password: fresh })).status).toBe(404);
    });
  });

  describe('/api/tokens', () => {
    async function make(client: Client, input: object): Promise<TokenBody> {
      return (await jsonOf<{ data: TokenBody }>(await client.post('/api/tokens', input))).data;
    }

    it('makes a token and shows its secret once', async () => {
      const made = await make(ben, { name: ' phone ', scope: 'read' });
      const { token, ...shown } = made;
      expect(shown).toEqual({ id: expect.any(Number), name: 'phone', scope: 'read', created_at: seconds() });
      expect(token).toMatch(/^lectern_[\w-]{32}$/);
      expect(await answerOf(await ben.get('/api/tokens'))).toEqual({
        status: 200,
        body: { data: [shown], total: 1 },
      });
    });

    it('makes tokens that work, each as far as its scope goes', async () => {
      const reader = api.holding((await make(ben, { name: 'reader', scope: 'read' })).token);
      const writer = api.holding((await make(ben, { name: 'writer', scope: 'write' })).token);
      const input = { name: 'News' };
      expect((await reader.get('/api/groups')).status).toBe(200);
      expect((await reader.post('/api/groups', input)).status).toBe(403);
      expect((await writer.post('/api/groups', input)).status).toBe(200);
    });

    it('makes no two alike', async () => {
      const input = { name: 'same', scope: 'read' };
      expect((await make(ben, input)).token).not.toBe((await make(ben, input)).token);
    });

    it('revokes a token at once, and only that one', async () => {
      const [gone, kept] = [
        await make(ben, { name: 'gone', scope: 'write' }),
        await make(ben, { name: 'kept', scope: 'write' }),
      ];
      expect((await ben.delete(`/api/tokens/${gone.id}`)).status).toBe(204);
      expect((await api.holding(gone.token).get('/api/me')).status).toBe(401);
      expect((await api.holding(kept.token).get('/api/me')).status).toBe(200);
      expect((await ben.delete(`/api/tokens/${gone.id}`)).status).toBe(404);
    });

    it('revokes with a token the tokens it created, and those that they created', async () => {
      const parent = await make(ben, { name: 'parent', scope: 'admin' });
      const child = await make(api.holding(parent.token), { name: 'child', scope: 'admin' });
      const grandchild = await make(api.holding(child.token), { name: 'grandchild', scope: 'read' });
      const sibling = await make(ben, { name: 'sibling', scope: 'admin' });
      const status = async ({ token }: TokenBody) => (await api.holding(token).get('/api/me')).status;
      expect(await Promise.all([parent, child, grandchild, sibling].map(status))).toEqual([
        200, 200, 200, 200,
      ]);
      expect((await ben.delete(`/api/tokens/${parent.id}`)).status).toBe(204);
      expect(await Promise.all([parent, child, grandchild, sibling].map(status))).toEqual([
        401, 401, 401, 200,
      ]);
    });

    it.each(['revoked', 'disabled'])(
      'serves no request whose login was %s before its body came',
      async (how) => {
        const parent = await make(ben, { name: 'parent', scope: 'admin' });
        const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
          const id = (await api.accounts.store.users.findByName(nameOfBen))?.id;
          if (how === 'revoked') await ben.delete(`/api/tokens/${parent.id}`);
          else await anna.patch(`/api/users/${id}`, { disabled: true });
          controller.enqueue(new TextEncoder().encode(JSON.stringify({ name: 'child', scope: 'admin' })));
          controller.close();
        };
        // Sends nothing before the server reads.
        const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
        const headers = { 'Content-Type': 'application/json' };
        const response = await api.holding(parent.token).send('POST', '/api/tokens', { body, headers });
        expect(response.status).toBe(401);
        const { store } = api.accounts;
        const user = await store.users.findByName(nameOfBen);
        const names = (await store.forUser(user?.id ?? 0).tokens.list()).map(({ name }) => name);
        expect(names).not.toContain('child');
      },
    );

    it("does not show or revoke another user's tokens", async () => {
      const { id, token } = await make(anna, { name: 'private', scope: 'read' });
      expect(await jsonOf(await ben.get('/api/tokens'))).toEqual({ data: [], total: 0 });
      expect((await ben.delete(`/api/tokens/${id}`)).status).toBe(404);
      expect((await api.holding(token).get('/api/me')).status).toBe(200);
    });

    it('keeps a token when the password changes', async () => {
      const { token } = await make(ben, { name: 'phone', scope: 'read' });
      await ben.put('/api/me/password', { current_password: password, password: 'another good one' });
      expect((await api.holding(token).get('/api/me')).status).toBe(200);
    });

    it.each([
      { input: { scope: 'read' }, field: 'name' },
      { input: { name: ' ', scope: 'read' }, field: 'name' },
      { input: { name: '\0', scope: 'read' }, field: 'name' },
      { input: { name: 'n'.repeat(101), scope: 'read' }, field: 'name' },
      { input: { name: 'phone' }, field: 'scope' },
      { input: { name: 'phone', scope: 'owner' }, field: 'scope' },
      { input: { name: 'phone', scope: ['read', 'write'] }, field: 'scope' },
    ])('refuses $input and names the field', async ({ input, field }) => {
      const response = await anna.post('/api/tokens', input);
      expect(response.status).toBe(400);
      expect(await jsonOf(response)).toEqual({ error: expect.stringMatching(`^${field}: `) });
    });
  });

  describe('a disabled member', () => {
    const disabled = 'this account is disabled: ask the owner of this Lectern';
    const logIn = (tried: string) =>
      api
        .visitor()
        .post('/api/sessions', { username: nameOfBen, password: tried }, { from: `203.0.113.${counter++}` });
    const setDisabled = async (username: string, value: boolean) => {
      const id = (await api.accounts.store.users.findByName(username))?.id;
      return anna.patch(`/api/users/${id}`, { disabled: value });
    };

    it('is logged out at once, cannot log in, and is told why after the right password only', async () => {
      const phone = await api.program(nameOfBen, 'write');
      expect(await answerOf(await setDisabled(nameOfBen, true))).toMatchObject({
        status: 200,
        body: { data: { username: nameOfBen, disabled: true } },
      });
      expect((await ben.get('/api/me')).status).toBe(401);
      expect(await answerOf(await phone.get('/api/me'))).toEqual({ status: 403, body: { error: disabled } });
      expect(await answerOf(await logIn(password))).toEqual({ status: 403, body: { error: disabled } });
      expect(await answerOf(await logIn('wrong'))).toEqual({
        status: 401,
        body: { error: 'wrong username or password' },
      });
      expect((await anna.get('/api/me')).status).toBe(200);
    });

    it('can log in again once enabled, with the same tokens and everything they had', async () => {
      await ben.post('/api/groups', { name: 'Kept' });
      const phone = await api.program(nameOfBen, 'write');
      const before = await jsonOf(await ben.get('/api/groups'));
      await setDisabled(nameOfBen, true);
      expect(await answerOf(await setDisabled(nameOfBen, false))).toMatchObject({
        status: 200,
        body: { data: { disabled: false } },
      });
      expect((await ben.get('/api/me')).status).toBe(401);
      expect((await logIn(password)).status).toBe(200);
      expect(await jsonOf(await phone.get('/api/groups'))).toEqual(before);
    });

    it('gets no session that began before they were disabled', async () => {
      const { store } = api.accounts;
      const user = await store.users.findByName(nameOfBen);
      const hash = await store.users.findPasswordHash(user?.id ?? 0);
      await setDisabled(nameOfBen, true);
      const session = { secretSha256: 'late', userId: user?.id ?? 0, expiresAt: api.clock.now() + 1000 };
      await expect(store.credentials.createSession({ ...session, passwordHash: hash })).rejects.toThrow(
        disabled,
      );
    });

    it('is never the owner, and never nobody', async () => {
      expect(await answerOf(await setDisabled('anna', true))).toEqual({
        status: 400,
        body: { error: 'the owner cannot be disabled' },
      });
      expect((await anna.patch('/api/users/999999', { disabled: true })).status).toBe(404);
      expect((await ben.patch('/api/users/999999', { disabled: true })).status).toBe(403);
    });
  });

  describe('/api/users', () => {
    it('lists the users for the owner, without anything secret', async () => {
      const response = await anna.get('/api/users');
      expect(response.status).toBe(200);
      const { data, total } = await jsonOf<{ data: object[]; total: number }>(response);
      const id = expect.any(Number);
      const created_at = seconds();
      const tokens = expect.any(Number);
      expect(data.at(0)).toEqual({
        id,
        username: 'anna',
        role: 'owner',
        disabled: false,
        created_at,
        tokens,
      });
      await api.program(nameOfBen, 'read');
      const again = await jsonOf<{ data: object[] }>(await anna.get('/api/users'));
      const member = { id, username: nameOfBen, role: 'member', disabled: false, created_at };
      expect([data.at(-1), again.data.at(-1)]).toEqual([
        { ...member, tokens: 0 },
        { ...member, tokens: 1 },
      ]);
      expect(data).toHaveLength(total);
    });

    it('adds members, whatever role is asked for', async () => {
      const response = await anna.post('/api/users', { username: 'Cleo', password, role: 'owner' });
      expect(response.status).toBe(200);
      expect(await jsonOf(response)).toEqual({
        data: {
          id: expect.any(Number),
          username: 'cleo',
          role: 'member',
          disabled: false,
          created_at: seconds(),
        },
      });
      expect((await (await api.logIn('cleo')).get('/api/users')).status).toBe(403);
    });

    it.each(['anna', 'ANNA', ' anna ', 'ａｎｎａ'])(
      'refuses "%s", since there is an anna',
      async (username) => {
        const response = await anna.post('/api/users', { username, password });
        expect(response.status).toBe(409);
        expect(await jsonOf(response)).toEqual({ error: expect.stringMatching(/^username: /) });
      },
    );

    it.each([
      { input: { username: 'cleo', password: 'short' }, field: 'password' },
      { input: { username: 'cleo' }, field: 'password' },
      { input: { username: 'cleo\0', password }, field: 'username' },
      { input: { username: '../cleo', password }, field: 'username' },
      { input: { username: 'cleo\nadmin', password }, field: 'username' },
      { input: { username: null, password }, field: 'username' },
    ])('refuses $input and says which field is wrong', async ({ input, field }) => {
      const response = await anna.post('/api/users', input);
      expect(response.status).toBe(400);
      expect(await jsonOf(response)).toEqual({ error: expect.stringMatching(`^${field}: `) });
    });
  });
});
