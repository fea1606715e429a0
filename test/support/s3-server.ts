// Starts s3-server-process.ts, and makes buckets in it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { send } from '../../src/library/files/s3-request.ts';
import { parseS3Url } from '../../src/library/files/s3-url.ts';
import { Secret } from '../../src/model/secret.ts';

/** The one account that s3rver knows. */
const account = 'S3RVER:S3RVER';

export interface S3Server {
  readonly url: string;
  createBucket(bucket: string): Promise<void>;
  libraryUrl(bucket: string, prefix?: string): Secret;
  stop(): Promise<void>;
}

export async function startS3Server(): Promise<S3Server> {
  const child = spawn(
    process.execPath,
    ['--openssl-legacy-provider', fileURLToPath(new URL('s3-server-process.ts', import.meta.url))],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit');
  const [line] = await Promise.race([
    once(child.stdout, 'data'),
    ended.then(() => Promise.reject(new Error('the S3 server ended at once'))),
  ]);
  const url = `http://127.0.0.1:${Number(String(line).trim())}`;
  const libraryUrl = s3LibraryUrl(url, account);
  return {
    url,
    libraryUrl,
    createBucket: (bucket) => createBucketAt(libraryUrl, bucket),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

export function s3LibraryUrl(url: string, credentials: string): S3Server['libraryUrl'] {
  return (bucket, prefix = '') =>
    new Secret(`s3://${credentials}@${bucket}/${prefix}?endpoint=${encodeURIComponent(url)}`);
}

export async function createBucketAt(libraryUrl: S3Server['libraryUrl'], bucket: string): Promise<void> {
  const deps = { now: Date.now, pause: async () => {} };
  await send(deps, parseS3Url(libraryUrl(bucket)), { method: 'PUT' }, (response) => response.body?.cancel());
}
