// What the command line says when it is asked for help, or cannot do what it was asked. `serve` runs in a process of its
// own, all other commands in this one.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { CommandResult } from '../support/command-line.ts';
import { type Ended, type LecternEnv, mainEntry, useLectern } from '../support/lectern-process.ts';

const lectern = useLectern(afterAll, mainEntry);
const folder = mkdtempSync(join(tmpdir(), 'lectern-e2e-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (command: string, env: LecternEnv = {}): Promise<CommandResult> =>
  lectern.run(
    command.split(' ').filter((word) => word !== ''),
    { env },
  );

/** The command fails with exit code 1 and one line, which is returned. */
const failure = async (command: string, env: LecternEnv) => lineOf(await run(command, env));
const serveFailure = async (env: LecternEnv) => lineOf(await lectern.spawn(['serve'], { env }));

function lineOf({ code, stdout, stderr }: Pick<Ended, 'code' | 'stdout' | 'stderr'>): string {
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^[^\n]+\n$/);
  return stderr.trim();
}

describe.concurrent('help', () => {
  it.each([
    ['--help', ['serve', 'user', 'token', 'Examples:']],
    ['serve --help', ['--role', 'worker']],
    ['user --help', ['add', 'list', 'password']],
    ['user add --help', ['<name>', '--password-stdin', '--json']],
    ['user list --help', ['--json']],
    ['user password --help', ['<name>', '--password-stdin']],
    ['token --help', ['create', 'list', 'revoke']],
    ['token create --help', ['--name', '--scope', 'read', 'write', '--user', '--json']],
    ['token list --help', ['--user', '--json']],
    ['token revoke --help', ['<id>']],
  ])('is there for lectern %s', async (command, words) => {
    const { code, stdout, stderr } = await run(command);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const word of words) expect(stdout).toContain(word);
  });

  it('needs no configuration that is right', async () => {
    expect(await run('user add --help', { LECTERN_PORT: 'nonsense' })).toMatchObject({ code: 0 });
  });

  it.each([
    [''],
    ['user'],
    ['token'],
    ['nosuch'],
    ['user nosuch'],
    ['user add'],
    ['user add two names'],
    ['user list --nosuch'],
    ['token create --name only'],
    ['token create --name phone --scope everything'],
    ['serve --role nosuch'],
  ])('is pointed to, with exit code 2, by lectern %s', async (command) => {
    const { code, stdout, stderr } = await run(command);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/--help/);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe.concurrent('a setting that is wrong', () => {
  it.each([
    ['LECTERN_PORT', 'eighty'],
    ['LECTERN_PORT', '70000'],
    ['LECTERN_PUBLIC_URL', 'example.org'],
    ['LECTERN_LOGIN_WINDOW', 'soon'],
    ['LECTERN_TRUSTED_PROXIES', '10.0.0.0/99'],
    ['LECTERN_CORS_ALLOWED_ORIGINS', 'https://a.example/path'],
    ['LECTERN_LOG_LEVEL', 'loud'],
    ['LECTERN_DATABASE_URL', 'sqlite:'],
  ])('stops a command with one line that names it: %s=%s', async (name, value) => {
    const line = await failure('user list', { [name]: value });
    expect(line.startsWith(`${name}: expected `)).toBe(true);
    expect(line).toContain(value);
  });

  it('stops the server with one line that names it', async () => {
    expect(await serveFailure({ LECTERN_PORT: 'eighty' })).toMatch(/^LECTERN_PORT: expected .*eighty/);
  });

  it('is never shown when it may hold a password', async () => {
    const line = await failure('user list', { LECTERN_DATABASE_URL: 'mysql://anna:hush-hush@db.example/x' });
    expect(line).toMatch(/^LECTERN_DATABASE_URL: expected /);
    expect(line).not.toContain('hush-hush');
    expect(await serveFailure({ LECTERN_PASSWORD: 'hushed' })).toBe(
      'LECTERN_PASSWORD: at least 8 characters are needed',
    );
  });

  it('is only warned of when its name is not known', async () => {
    const { code, stderr } = await run('user list', { LECTERN_PASWORD: 'mistyped' });
    expect(code).toBe(0);
    expect(stderr).toContain('LECTERN_PASWORD is not a setting of Lectern');
    expect(stderr).toContain('did you mean LECTERN_PASSWORD?');
    expect(stderr).not.toContain('mistyped');
  });
});

describe.concurrent('a place that cannot be used', () => {
  it('is named: a port that is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    try {
      const line = await serveFailure({ LECTERN_PORT: String(port) });
      expect(line).toMatch(new RegExp(`^LECTERN_PORT: ${port} is taken`));
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });

  it('is named: an address that is not of this machine', async () => {
    expect(await serveFailure({ LECTERN_HOST: '192.0.2.1' })).toMatch(/^LECTERN_HOST: 192\.0\.2\.1 /);
  });

  it('is named: a file that is not a SQLite database, which is left as it is', async () => {
    const path = join(folder, 'diary.txt');
    const text = 'Dear diary, '.repeat(1000);
    writeFileSync(path, text);
    const line = await serveFailure({ LECTERN_DATABASE_URL: `sqlite:${path}` });
    expect(line).toContain(`LECTERN_DATABASE_URL: cannot open ${path}`);
    expect(line).toContain('is a SQLite file');
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('is named: a folder in place of a file, and a file in place of a folder', async () => {
    const asFile = join(folder, 'folder');
    mkdirSync(asFile);
    writeFileSync(join(folder, 'file'), '');
    expect(await failure('user list', { LECTERN_DATABASE_URL: `sqlite:${asFile}` })).toContain(asFile);
    const below = join(folder, 'file', 'home');
    expect(await failure('user list', { LECTERN_HOME: below })).toContain(below);
  });

  it('is named: a PostgreSQL that is not there, without the password', async () => {
    const url = 'postgres://anna:hush-hush@127.0.0.1:1/lectern';
    const line = await serveFailure({ LECTERN_DATABASE_URL: url });
    expect(line).toMatch(/^LECTERN_DATABASE_URL: cannot open postgres:\/\/anna@127\.0\.0\.1:1\/lectern /);
    expect(line).not.toContain('hush-hush');
  });

  it('is named: a host of PostgreSQL that nobody knows', async () => {
    const url = 'postgres://anna@nosuch.invalid/lectern';
    const line = await failure('user list', { LECTERN_DATABASE_URL: url, DB_PASSWORD: 'hush-hush' });
    expect(line).toContain('LECTERN_DATABASE_URL: cannot open postgres://anna@nosuch.invalid/lectern');
    expect(line).not.toContain('hush-hush');
  });
});
