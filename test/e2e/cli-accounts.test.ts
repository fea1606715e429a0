// `lectern user` and `lectern token`, beside a running server.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CommandResult } from '../support/command-line.ts';
import { onEachEngine } from '../support/engines.ts';
import { databaseUrl, type LecternProcess, useLectern } from '../support/lectern-process.ts';

const passwords = ['anna keeps this one', 'anna changed it to this', 'ben has another'] as const;
const [annas, annasNext, bens] = passwords;

onEachEngine('users and tokens on the command line', (engine) => {
  const lectern = useLectern(afterAll);
  const written: string[] = [];
  let env: Record<string, string>;
  let server: LecternProcess;

  async function run(command: string, stdin?: string): Promise<CommandResult> {
    const ended = await lectern.run(command.split(' '), { env, ...(stdin !== undefined && { stdin }) });
    written.push(ended.stdout, ended.stderr);
    return ended;
  }

  async function json(command: string, stdin?: string) {
    const { code, stdout, stderr } = await run(command, stdin);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout);
  }

  function logIn(username: string, password: string): Promise<Response> {
    return server.request('/api/sessions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username, password }),
    });
  }

  const withToken = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

  beforeAll(async () => {
    env = { LECTERN_DATABASE_URL: databaseUrl(await engine.freshTarget({ empty: true })) };
    server = await lectern.serve({ env });
  });

  it('says what to do while there is nobody', async () => {
    expect(await run('user list')).toMatchObject({ code: 0, stdout: expect.stringContaining('user add') });
    expect(await json('user list --json')).toEqual([]);
    expect(await run('token list')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('token create'),
    });
    expect(await run('token create --name phone --scope read')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'there is no user yet: add the first with "lectern user add NAME"\n',
    });
  });

  it('adds the first user as the owner and others as members, who can log in', async () => {
    expect(await run('user add Anna --password-stdin', `${annas}\n`)).toMatchObject({
      code: 0,
      stdout: 'Added anna as owner.\n',
      stderr: '',
    });
    expect(await json('user add ben --password-stdin --json', bens)).toMatchObject({
      username: 'ben',
      role: 'member',
    });
    expect((await logIn('anna', annas)).status).toBe(200);
    expect((await logIn('ben', bens)).status).toBe(200);
  });

  it('lists the users as a table and as JSON', async () => {
    const { stdout } = await run('user list');
    expect(stdout).toMatch(
      /^ID +USERNAME +ROLE +DISABLED +SINGLE_SIGN_ON +CREATED\n\d+ +anna +owner +no +no .*\n\d+ +ben +member +no +no .*\n$/,
    );
    expect(await json('user list --json')).toMatchObject([
      { username: 'anna', role: 'owner', created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) },
      { username: 'ben', role: 'member' },
    ]);
  });

  it('refuses a name that is taken or not possible, and a password that is too short', async () => {
    const refused = async (command: string, message: string, stdin = bens as string) =>
      expect(await run(command, stdin)).toMatchObject({ code: 1, stdout: '', stderr: `${message}\n` });
    await refused('user add ANNA --password-stdin', 'username: "anna" exists already');
    await refused(
      'user add no/slash --password-stdin',
      'username: expected 1 to 64 of the characters a-z, 0-9 and . _ @ + -, beginning with a letter or digit',
    );
    await refused('user add carl --password-stdin', 'password: at least 8 characters are needed', 'short');
    await refused('user add carl --password-stdin', 'password: at least 8 characters are needed', '');
    expect(await json('user list --json')).toHaveLength(2);
  });

  it('does not wait for a password that nobody can type', async () => {
    expect(await run('user add carl', annas)).toMatchObject({
      code: 1,
      stderr: 'there is no terminal to ask for the password: pipe it in and add --password-stdin\n',
    });
  });

  it('sets a password, which ends the sessions of that user', async () => {
    const session = (await logIn('anna', annas)).headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const me = () => server.request('/api/me', { headers: { Cookie: session } });
    expect((await me()).status).toBe(200);
    expect(await run('user password anna --password-stdin', `${annasNext}\r\n`)).toMatchObject({ code: 0 });
    expect((await me()).status).toBe(401);
    expect((await logIn('anna', annas)).status).toBe(401);
    expect((await logIn('anna', annasNext)).status).toBe(200);
  });

  it('disables a member, whose tokens are refused, and enables them again', async () => {
    const { token } = (await json('token create --name phone --scope read --user ben --json')) as {
      token: string;
    };
    const me = async () =>
      (await server.request('/api/me', { headers: { Authorization: `Bearer ${token}` } })).status;
    expect(await me()).toBe(200);
    expect(await run('user disable ben')).toMatchObject({
      code: 0,
      stdout: 'ben is disabled. To undo: lectern user enable ben\n',
    });
    expect(await me()).toBe(403);
    expect((await logIn('ben', bens)).status).toBe(403);
    expect(await run('user list')).toMatchObject({ stdout: expect.stringMatching(/ben +member +yes/) });
    expect(await run('user disable anna')).toMatchObject({
      code: 1,
      stderr: 'the owner cannot be disabled\n',
    });
    expect(await run('user enable ben')).toMatchObject({ code: 0, stdout: 'ben is enabled.\n' });
    expect(await me()).toBe(200);
    expect(await run('user password ben --password-stdin --keep-tokens', bens)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Tokens revoked: 0.'),
    });
    expect(await me()).toBe(200);
    expect(await run('user password ben --password-stdin', bens)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Tokens revoked: 1.'),
    });
    expect(await me()).toBe(401);
  });

  it('names the user that is not known', async () => {
    for (const command of [
      'user password nobody --password-stdin',
      'user disable nobody',
      'user enable nobody',
      'token create --name phone --scope read --user nobody',
      'token list --user nobody',
    ]) {
      expect(await run(command, annas)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: 'user "nobody" not found\n',
      });
    }
  });

  it('makes tokens that work, lists them without their secret, and revokes them', async () => {
    const made = await json('token create --name phone --scope read --json');
    expect(made).toEqual({
      id: expect.any(Number),
      name: 'phone',
      scope: 'read',
      username: 'anna',
      token: expect.stringMatching(/^lectern_/),
    });
    const plain = await run('token create --name laptop --scope write --user ben');
    expect(plain).toMatchObject({ code: 0, stderr: '' });
    const bensToken = plain.stdout.split('\n')[0] ?? '';
    expect((await server.request('/api/me', withToken(made.token))).status).toBe(200);
    expect(await (await server.request('/api/me', withToken(bensToken))).json()).toMatchObject({
      data: { username: 'ben', role: 'member' },
    });

    const table = (await run('token list')).stdout;
    const list = await json('token list --json');
    expect(table).toMatch(/^ID +USERNAME +NAME +SCOPE +CREATED\n/);
    expect(list).toMatchObject([
      { id: made.id, username: 'anna', name: 'phone', scope: 'read' },
      { username: 'ben', name: 'laptop', scope: 'write' },
    ]);
    expect(await json('token list --user ben --json')).toEqual([list[1]]);
    for (const secret of [made.token, bensToken]) expect(table + JSON.stringify(list)).not.toContain(secret);

    expect(await run(`token revoke ${made.id}`)).toMatchObject({
      code: 0,
      stdout: `Token ${made.id} is revoked.\n`,
    });
    expect((await server.request('/api/me', withToken(made.token))).status).toBe(401);
    expect((await server.request('/api/me', withToken(bensToken))).status).toBe(200);
    for (const id of [made.id, 'x']) {
      expect(await run(`token revoke ${id}`)).toMatchObject({ code: 1, stderr: `token ${id} not found\n` });
    }
  });

  it('wrote no password and no stack in all of this', async () => {
    await server.stop();
    const all = [...written, server.output.stdout, server.output.stderr].join('\n');
    for (const password of passwords) expect(all).not.toContain(password);
    expect(all).not.toMatch(/^\s+at /m);
  });
});
