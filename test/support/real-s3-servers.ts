// S3 servers that people run, each in a folder and on a loopback port of its own, for as long as a suite needs it.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBucketAt, type S3Server, s3LibraryUrl } from './s3-server.ts';
import { until } from './until.ts';

interface Program {
  readonly args: (address: string, folder: string) => readonly string[];
  readonly env: (keyId: string, secret: string) => Readonly<Record<string, string>>;
}

const programs = {
  versitygw: {
    args: (address, folder) => ['--port', address, '--quiet', 'posix', folder],
    env: (keyId, secret) => ({ ROOT_ACCESS_KEY: keyId, ROOT_SECRET_KEY: secret }),
  },
  minio: {
    args: (address, folder) => ['server', '--quiet', '--address', address, folder],
    env: (keyId, secret) => ({
      MINIO_ROOT_USER: keyId,
      MINIO_ROOT_PASSWORD: secret,
      MINIO_BROWSER: 'off',
      MINIO_UPDATE: 'off',
    }),
  },
} satisfies Record<string, Program>;

export type RealS3Server = keyof typeof programs;
export const realS3Servers = Object.keys(programs) as RealS3Server[];

export async function startRealS3Server(name: RealS3Server): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), `lectern-${name}-`));
  const address = `127.0.0.1:${await freePort()}`;
  const [keyId, secret] = ['lectern-tests', randomBytes(12).toString('hex')];
  const child = spawn(name, programs[name].args(address, folder), {
    env: { PATH: process.env.PATH, HOME: folder, ...programs[name].env(keyId, secret) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => output.push(String(text)));
  const ended = once(child, 'exit');
  const url = `http://${address}`;
  const libraryUrl = s3LibraryUrl(url, `${keyId}:${secret}`);
  await until(`${name} answers`, () => {
    if (child.exitCode !== null) throw new Error(`${name} has ended: ${output.join('')}`);
    return createBucketAt(libraryUrl, 'first-bucket').then(
      () => true,
      () => false,
    );
  });
  return {
    url,
    libraryUrl,
    createBucket: (bucket) => createBucketAt(libraryUrl, bucket),
    async stop() {
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
