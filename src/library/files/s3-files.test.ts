import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CrashError, forEachFault } from '../../../test/support/faults.ts';
import { faultyFetch } from '../../../test/support/faulty-files.ts';
import { type S3Server, startS3Server } from '../../../test/support/s3-server.ts';
import { StartupError } from '../../errors.ts';
import { Secret } from '../../model/secret.ts';
import { openS3Files } from './s3-files.ts';
import type { S3Deps } from './s3-request.ts';

const deps: S3Deps = { now: Date.now, pause: async () => {} };

describe('the library on a real S3 server', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await startS3Server();
    return () => server.stop();
  });
  let bucket: string;
  let count = 0;
  beforeEach(async () => {
    bucket = `bucket-${count++}`;
    await server.createBucket(bucket);
  });
  const open = (overrides: Partial<S3Deps> = {}) =>
    openS3Files({ url: server.libraryUrl(bucket, 'p') }, { ...deps, ...overrides });

  it.each(['before', 'after'] as const)(
    'does all its work although any one connection breaks, %s the server acted',
    async (moment) => {
      const fired = await forEachFault({ kind: 'ECONNRESET', moment }, async (faults, at) => {
        const files = await open({ fetch: faultyFetch(faults) });
        await files.put(`${at}/one`, 'first');
        await files.put(`${at}/one`, 'second');
        await files.put(`${at}/two`, 'x');
        await files.delete(`${at}/two`);
        expect(Buffer.from((await files.read(`${at}/one`)) ?? []).toString()).toBe('second');
        expect(await files.stat(`${at}/one`)).toMatchObject({ sizeBytes: 6 });
        expect((await files.list(`${at}/`)).files.map(({ key }) => key)).toEqual([`${at}/one`]);
      });
      expect(fired).toBe(8);
    },
  );

  it('has the old or the new object after a crash at any request', async () => {
    const fired = await forEachFault({ kind: 'crash', moment: 'after' }, async (faults, at) => {
      const before = await open();
      await before.put(`${at}/key`, 'old');
      const work = async () => {
        const files = await open({ fetch: faultyFetch(faults) });
        await files.put(`${at}/key`, 'new');
        await files.delete(`${at}/key`);
      };
      if (at <= 3) await expect(work()).rejects.toThrow(CrashError);
      else await work();
      const found = await before.read(`${at}/key`);
      expect(found && Buffer.from(found).toString()).toBe({ 1: 'old', 2: 'new' }[at]);
    });
    expect(fired).toBe(3);
  });

  it('keeps its prefix apart from the rest of the bucket', async () => {
    const outer = await openS3Files({ url: server.libraryUrl(bucket) }, deps);
    const inner = await open();
    await outer.put('p-not', 'x');
    await outer.put('a', 'x');
    await outer.put('q/b', 'x');
    await inner.put('c', 'x');
    expect((await inner.list('')).files.map(({ key }) => key)).toEqual(['c']);
    expect((await outer.list('')).files.map(({ key }) => key)).toEqual(['a', 'p-not', 'p/c', 'q/b']);
  });

  it('keeps the SHA-256 with the object', async () => {
    const files = await open();
    const { sha256 } = await files.put('a', 'x');
    expect(await files.stat('a')).toMatchObject({ sha256 });
  });

  it('lets a large stream wait in a file and removes it, whatever becomes of the stream', async () => {
    const spoolFolder = mkdtempSync(join(tmpdir(), 'lectern-spool-'));
    const files = await open({ spoolFolder });
    const spooled: number[] = [];
    const source = async function* (pieces: number, error?: Error) {
      for (let i = 0; i < pieces; i++) {
        yield Buffer.alloc(1 << 20, i);
        spooled.push(readdirSync(spoolFolder).length);
      }
      if (error) throw error;
    };
    await files.put('large', source(10));
    expect(Math.max(...spooled)).toBe(1);
    expect(await files.stat('large')).toMatchObject({ sizeBytes: 10 << 20 });
    await expect(files.put('large', source(10, new Error('broke')))).rejects.toThrow('broke');
    expect(readdirSync(spoolFolder)).toEqual([]);
    rmSync(spoolFolder, { recursive: true });
  });

  it.each([
    ['a wrong secret', () => server.libraryUrl(bucket).reveal().replace(':S3RVER@', ':hush-hush@')],
    ['an unknown key id', () => server.libraryUrl(bucket).reveal().replace('S3RVER:', 'unknown:')],
  ])('does not open with %s, and says so without the secret', async (_, url) => {
    const error = await openS3Files({ url: new Secret(url()) }, deps).catch((reason) => reason);
    expect(error).toBeInstanceOf(StartupError);
    expect(error.message).toMatch(
      /^LECTERN_LIBRARY_URL: s3:\/\/bucket-\d+ at http:\/\/127.0.0.1:\d+ refuses the key id and secret, .*\(403 \w+\)$/,
    );
    expect(inspect(error, { depth: 9 })).not.toContain('hush-hush');
  });

  it('does not open a bucket that is not there', async () => {
    const error = await openS3Files({ url: server.libraryUrl('no-such-bucket') }, deps).catch(
      (reason) => reason,
    );
    expect(error).toBeInstanceOf(StartupError);
    expect(error.message).toMatch(
      /^LECTERN_LIBRARY_URL: there is no bucket "no-such-bucket" \(.*404 NoSuchBucket\)$/,
    );
  });
});
