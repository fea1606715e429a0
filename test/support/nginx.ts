// nginx with the configuration of docs/scale.md, on the loopback, in front of the given ports.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until.ts';

export interface Nginx {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startNginx(apiPorts: readonly number[]): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-nginx-'));
  const port = await freePort();
  const configuration = join(folder, 'nginx.conf');
  writeFileSync(configuration, wholeConfiguration(folder, localConfiguration(port, apiPorts)));
  const child = spawn('nginx', ['-p', folder, '-c', configuration, '-e', join(folder, 'error.log')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await until('nginx listens', async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${complaint}`);
    return isListening(port);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The configuration of docs/scale.md for these ports and without TLS. */
function localConfiguration(port: number, apiPorts: readonly number[]): string {
  const guide = readFileSync(new URL('../../docs/scale.md', import.meta.url), 'utf8');
  const [, configuration] = /```nginx\n([\s\S]*?)```/.exec(guide) ?? [];
  if (configuration === undefined) throw new Error('docs/scale.md has no configuration of nginx');
  const ports = [...apiPorts];
  return configuration
    .replace(/^ *(ssl_|server_name ).*\n/gm, '')
    .replace(/listen 443[^;]*;/, `listen 127.0.0.1:${port};`)
    .replace(/server 10\.0\.0\.\d+:8484/g, () => `server 127.0.0.1:${ports.shift()}`);
}

function wholeConfiguration(folder: string, inHttp: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join('\n');
  // As root, nginx would give its processes to a user who cannot enter the folder.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  return `${user}
daemon off;
worker_processes 2;
pid ${join(folder, 'nginx.pid')};
events { worker_connections 1024; }
http {
access_log off;
${temporary}
${inHttp}
}
`;
}

/** A port that no process listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
