// Two servers that start at the same instant on an index that nobody has used yet.
import { afterEach, expect, it } from 'vitest';
import { onEachEngine } from '../support/engines.ts';
import { databaseUrl, jsonRequest, type LecternEnv, useLectern } from '../support/lectern-process.ts';

onEachEngine('servers that start together', (engine) => {
  const lectern = useLectern(afterEach);

  async function emptyIndex(): Promise<LecternEnv> {
    return { LECTERN_DATABASE_URL: databaseUrl(await engine.freshTarget({ empty: true })) };
  }

  async function usersOf(env: LecternEnv): Promise<{ username: string; role: string }[]> {
    const { stdout } = await lectern.run(['user', 'list', '--json'], { env });
    return JSON.parse(stdout);
  }

  it('both come up with the configured password and make one owner', async () => {
    const env = { ...(await emptyIndex()), LECTERN_PASSWORD: 'the same for both' };
    const servers = await Promise.all([lectern.serve({ env }), lectern.serve({ env })]);

    for (const server of servers) {
      expect(server.setupSecret).toBeUndefined();
      expect((await server.request('/readyz')).status).toBe(200);
      const login = await server.request(
        '/api/sessions',
        jsonRequest('POST', { password: 'the same for both' }),
      );
      expect(login.status).toBe(200);
    }
    expect(await usersOf(env)).toMatchObject([{ username: 'owner', role: 'owner' }]);
  });

  it('both print a setup link, and using one ends both', async () => {
    const env = await emptyIndex();
    const [first, second] = await Promise.all([lectern.serve({ env }), lectern.serve({ env })]);
    expect(first.setupSecret).toMatch(/./);
    expect(second.setupSecret).toMatch(/./);
    expect(first.setupSecret).not.toBe(second.setupSecret);

    const setUp = (server: typeof first, token: string | undefined) =>
      server.request('/api/setup', jsonRequest('POST', { token, password: 'chosen in the browser' }));
    // A link is good on whichever server it is opened: they share one index.
    expect((await setUp(second, first.setupSecret)).status).toBe(200);
    for (const server of [first, second]) {
      for (const { setupSecret } of [first, second])
        expect((await setUp(server, setupSecret)).status).toBe(409);
    }
    expect(await usersOf(env)).toMatchObject([{ username: 'owner', role: 'owner' }]);
  });

  it('two links used at the same instant make one owner', async () => {
    const env = await emptyIndex();
    const servers = await Promise.all([lectern.serve({ env }), lectern.serve({ env })]);
    const answers = await Promise.all(
      servers.map((server, index) =>
        server.request(
          '/api/setup',
          jsonRequest('POST', {
            token: server.setupSecret,
            username: `owner-${index}`,
            password: 'who is first?',
          }),
        ),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);
    expect((await usersOf(env)).map((user) => user.role)).toEqual(['owner']);
  });
});
