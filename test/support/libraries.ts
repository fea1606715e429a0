// Suites that run on both kinds of library: a folder, and a bucket of an S3 server. A deep run adds the servers that people use.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import type { Files } from '../../src/library/files/files.ts';
import { type FilesDeps, type LibraryTarget, openFiles } from '../../src/library/files/open-files.ts';
import { Secret } from '../../src/model/secret.ts';
import { isDeep } from './depth.ts';
import { missingPrograms } from './installed.ts';
import { realS3Servers, startRealS3Server } from './real-s3-servers.ts';
import { type S3Server, startS3Server } from './s3-server.ts';

export const libraryKinds = ['folder', 's3'] as const;
export type LibraryKind = (typeof libraryKinds)[number];

export interface LibraryEngine {
  readonly kind: LibraryKind;
  /** Where a library can be that nothing else uses. */
  freshTarget(): Promise<LibraryTarget>;
  /** What is kept there that is not a file of the library. */
  leftoversAt(target: LibraryTarget): Promise<string[]>;
}

const prefix = 'some/prefix';

/** Runs the suite once for each kind. suite-rules.ts fails the run when one was left out. */
export function onEachLibrary(title: string, suite: (library: LibraryEngine) => void): void {
  for (const kind of libraryKinds)
    describe(`${kind}: ${title}`, () => suite(useLibrary(kind, startS3Server)));
  for (const server of isDeep ? realS3Servers : []) {
    const missing = missingPrograms(server);
    describe(`${server}: ${title}`, () => {
      if (missing) it('runs', ({ skip }) => skip(missing));
      else suite(useLibrary('s3', () => startRealS3Server(server)));
    });
  }
}

/** Retries do not wait, so that a suite does not either. */
export const testFilesDeps: FilesDeps = {
  now: Date.now,
  randomText: (bytes) => randomBytes(bytes).toString('base64url'),
  pause: async () => {},
};

export async function openFreshFiles(library: LibraryEngine, deps: Partial<FilesDeps> = {}): Promise<Files> {
  return openFiles(await library.freshTarget(), { ...testFilesDeps, ...deps });
}

function useLibrary(kind: LibraryKind, startServer: () => Promise<S3Server>): LibraryEngine {
  const folders: string[] = [];
  let server: Promise<S3Server> | undefined;
  afterAll(async () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    await (await server)?.stop();
  });

  return {
    kind,
    async freshTarget() {
      if (kind === 'folder') {
        const folder = mkdtempSync(join(tmpdir(), 'lectern-library-'));
        folders.push(folder);
        return { kind, path: join(folder, 'library') };
      }
      server ??= startServer();
      const { createBucket, libraryUrl } = await server;
      const bucket = `test-${randomUUID()}`;
      await createBucket(bucket);
      return { kind, url: libraryUrl(bucket, prefix), shown: `s3://${bucket}/${prefix}` };
    },
    async leftoversAt(target) {
      if (target.kind === 'folder') return readdirSync(join(target.path, '.tmp'));
      const url = new Secret(target.url.reveal().replace(`/${prefix}?`, '/?'));
      const bucket = await openFiles({ ...target, url }, testFilesDeps);
      const keys = (await Array.fromAsync(bucket.listAll(''))).map(({ key }) => key);
      return keys.filter((key) => !key.startsWith(`${prefix}/`));
    },
  };
}
