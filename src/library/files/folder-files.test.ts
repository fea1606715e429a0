import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CrashError, Faults, forEachFault } from '../../../test/support/faults.ts';
import { type FaultyFileSystem, faultyFileSystem, losses } from '../../../test/support/faulty-file-system.ts';
import { StartupError, Unavailable } from '../../errors.ts';
import { nodeFileSystem } from './file-system.ts';
import type { Files } from './files.ts';
import { openFolderFiles } from './folder-files.ts';

let outside: string;
let root: string;
const disks: FaultyFileSystem[] = [];

beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'lectern-folder-'));
  root = join(outside, 'deep', 'library');
});

afterEach(() => {
  for (const disk of disks.splice(0)) disk.lose('nothing');
  rmSync(outside, { recursive: true, force: true });
});

const deps = { now: Date.now, randomText: (bytes: number) => randomBytes(bytes).toString('base64url') };
const open = () => openFolderFiles(root, deps);
const openFaulty = (faults: Faults) => {
  const disk = faultyFileSystem(faults);
  disks.push(disk);
  return { disk, opened: openFolderFiles(root, { ...deps, fileSystem: disk }) };
};
const temporaries = () => readdirSync(join(root, '.tmp'));

/** Every file of the library with its content; what is listed must be there, whole, and as long as it says. */
async function contents(files: Files): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { key, sizeBytes } of files.listAll('')) {
    const bytes = Buffer.from((await files.read(key)) ?? expect.fail(`${key} is listed and not there`));
    expect(bytes.length).toBe(sizeBytes);
    found[key] = bytes.toString();
  }
  return found;
}

const old = 'old '.repeat(1000);
const fresh = 'new content '.repeat(1000);
const changes: { name: string; change: (files: Files) => Promise<unknown>; after: Record<string, string> }[] =
  [
    {
      name: 'put a new file into new folders',
      change: (files) => files.put('new/folder/file', fresh),
      after: { 'kept/neighbour': old, 'kept/one': old, 'new/folder/file': fresh },
    },
    {
      name: 'overwrite a file',
      change: (files) => files.put('kept/one', fresh),
      after: { 'kept/neighbour': old, 'kept/one': fresh },
    },
    {
      name: 'put a stream of several pieces',
      change: (files) => files.put('kept/one', pieces(fresh, 3)),
      after: { 'kept/neighbour': old, 'kept/one': fresh.repeat(3) },
    },
    {
      name: 'delete a file that has a neighbour',
      change: (files) => files.delete('kept/one'),
      after: { 'kept/neighbour': old },
    },
    {
      name: 'delete the last file of its folders',
      change: async (files) => {
        await files.put('gone/soon/file', fresh);
        await files.delete('gone/soon/file');
      },
      after: { 'kept/neighbour': old, 'kept/one': old },
    },
  ];

async function prepare(): Promise<Record<string, string>> {
  rmSync(root, { recursive: true, force: true });
  const files = await open();
  await files.put('kept/one', old);
  await files.put('kept/neighbour', old);
  return { 'kept/neighbour': old, 'kept/one': old };
}

describe('a folder of files that crashes', () => {
  for (const { name, change, after } of changes) {
    it.each(losses)(`at each step of: ${name}; losing %s`, async (loss) => {
      const fired = await forEachFault({ kind: 'crash' }, async (faults) => {
        const before = await prepare();
        const { disk, opened } = openFaulty(faults);
        const isAcknowledged = await opened.then(change).then(
          () => true,
          (error) => {
            expect(error).toBeInstanceOf(CrashError);
            return false;
          },
        );
        expect(isAcknowledged).toBe(faults.fired === undefined);
        disk.lose(loss);

        const again = await open();
        const found = await contents(again);
        if (isAcknowledged) expect(found).toEqual(after);
        else expect(states(before, after)).toContainEqual(found);

        // Restart needs no hand: the same change works now, and what the crash left does not stay for ever.
        await change(again);
        expect(await contents(again)).toEqual(after);
        const tomorrow = () => Date.now() + 2 * 86_400_000;
        await openFolderFiles(root, { ...deps, now: tomorrow });
        expect(temporaries()).toEqual([]);
      });
      expect(fired).toBeGreaterThan(1);
    });
  }

  it.each(losses)('at each step of its first opening; losing %s', async (loss) => {
    const fired = await forEachFault({ kind: 'crash' }, async (faults) => {
      rmSync(join(outside, 'deep'), { recursive: true, force: true });
      const { disk, opened } = openFaulty(faults);
      await opened.catch((error) => expect(error).toBeInstanceOf(CrashError));
      disk.lose(loss);
      const files = await open();
      await files.put('a', 'x');
      expect(await contents(files)).toEqual({ a: 'x' });
    });
    expect(fired).toBeGreaterThan(3);
  });

  it('keeps what is put after an opening that did not come to its end, whatever that one had not synced', async () => {
    await forEachFault({ kind: 'EIO' }, async (faults) => {
      rmSync(join(outside, 'deep'), { recursive: true, force: true });
      const { disk, opened } = openFaulty(faults);
      await opened.catch((error) => expect(error).toBeInstanceOf(StartupError));
      faults.clear();
      const files = await openFolderFiles(root, { ...deps, fileSystem: disk });
      await files.put('a/b', 'x');
      disk.lose('unsynced');
      expect(await contents(await open())).toEqual({ 'a/b': 'x' });
    });
  });

  it('keeps what was put into a folder that another put had made and not yet synced', async () => {
    const { disk, opened } = openFaulty(new Faults());
    const files = await opened;
    // As if another process had made the folder and ended there.
    await disk.makeFolder(join(root, 'shared'));
    await files.put('shared/file', 'x');
    disk.lose('unsynced');
    expect(await contents(await open())).toEqual({ 'shared/file': 'x' });
  });
});

describe('a folder of files beside others that use it', () => {
  it('makes its folder again when a delete removed it just before the file came', async () => {
    let removals = 3;
    const rename = async (from: string, to: string) => {
      if (removals-- > 0) rmSync(join(root, 'a'), { recursive: true });
      return nodeFileSystem.rename(from, to);
    };
    const files = await openFolderFiles(root, { ...deps, fileSystem: { ...nodeFileSystem, rename } });
    await files.put('a/b/file', 'x');
    expect(await contents(files)).toEqual({ 'a/b/file': 'x' });
  });

  it('does not try for ever', async () => {
    const rename = (from: string, to: string) => nodeFileSystem.rename(join(from, 'gone'), to);
    const files = await openFolderFiles(root, { ...deps, fileSystem: { ...nodeFileSystem, rename } });
    await expect(files.put('a/b/file', 'x')).rejects.toThrow(
      /could not write a file|both a file and a folder/,
    );
    expect(temporaries()).toEqual([]);
  });

  it('reports no failure when its file was deleted before its folder was synced', async () => {
    const syncFolder = async (path: string) => {
      if (path === join(root, 'a')) rmSync(path, { recursive: true, force: true });
      return nodeFileSystem.syncFolder(path);
    };
    const files = await openFolderFiles(root, { ...deps, fileSystem: { ...nodeFileSystem, syncFolder } });
    await files.put('a/file', 'x');
    expect(await contents(files)).toEqual({});
  });
});

describe('a folder of files on a failing disk', () => {
  for (const { name, change, after } of changes) {
    it(`keeps old or new content when any one step fails of: ${name}`, async () => {
      await forEachFault({ kind: 'EIO' }, async (faults) => {
        const before = await prepare();
        const outcome = await openFaulty(faults)
          .opened.then(change)
          .then(
            () => 'done' as const,
            (error) => error,
          );
        const found = await contents(await open());
        if (outcome === 'done') expect(found).toEqual(after);
        else {
          expect([Unavailable, StartupError]).toContain(outcome.constructor);
          expect(states(before, after)).toContainEqual(found);
        }
        expect(temporaries()).toEqual([]);
      });
    });

    it(`never takes a failed fsync for success: ${name}`, async () => {
      const fired = await forEachFault(
        { kind: 'EIO', only: ['fsync', 'fsync-folder'] },
        async (faults, at) => {
          await prepare();
          const files = await openFaulty(faults).opened;
          const outcome = await change(files).then(
            () => undefined,
            (error) => error,
          );
          if (faults.fired === undefined) return expect(outcome).toBeUndefined();
          expect(outcome).toBeInstanceOf(Unavailable);
          expect(outcome.cause).toMatchObject({ code: 'EIO' });
          // Another sync would be a retry: after a failed fsync the second one says "fine", and the data is lost.
          expect(faults.count).toBe(at);
        },
      );
      expect(fired).toBeGreaterThan(0);
    });
  }

  it('syncs the file once and each of its folders up to the root', async () => {
    const synced: string[] = [];
    const disk = faultyFileSystem(new Faults());
    disks.push(disk);
    const watched = {
      ...disk,
      syncFolder: (path: string) => {
        synced.push(path.slice(root.length));
        return disk.syncFolder(path);
      },
    };
    const files = await openFolderFiles(root, { ...deps, fileSystem: watched });
    synced.length = 0;
    await files.put('a/b/c', 'x');
    expect(synced).toEqual(['/a/b', '/a', '']);
    synced.length = 0;
    await files.delete('a/b/c');
    expect(synced).toEqual(['/a/b']);
  });

  it.each(['create', 'write', 'fsync', 'mkdir', 'rename', 'fsync-folder'])(
    'says that the disk is full when it is at %s, and works again when there is space',
    async (operation) => {
      await prepare();
      const faults = new Faults();
      const files = await openFaulty(faults).opened;
      faults.failNext(operation, 'ENOSPC', { times: 100 });
      const error = await files.put('kept/new/one', fresh).catch((reason) => reason);
      expect(error).toBeInstanceOf(Unavailable);
      expect(error.message).toBe('the disk of the library is full; free some space, then try again');
      expect(error.cause).toMatchObject({ code: 'ENOSPC' });
      expect(await contents(files)).toMatchObject({ 'kept/one': old, 'kept/neighbour': old });
      expect(temporaries()).toEqual([]);

      faults.clear();
      await files.put('kept/new/one', fresh);
      expect(await contents(files)).toEqual({
        'kept/neighbour': old,
        'kept/new/one': fresh,
        'kept/one': old,
      });
    },
  );

  it.each([
    ['open', 'could not read a file (EIO)'],
    ['read', 'could not read a file (EIO)'],
    ['stat', 'could not read a file (EIO)'],
  ])('fails a get, and does not say "absent", when %s fails', async (operation, message) => {
    await prepare();
    const faults = new Faults();
    const files = await openFaulty(faults).opened;
    faults.failNext(operation, 'EIO');
    await expect(files.read('kept/one')).rejects.toThrow(message);
  });

  it('fails a listing when a folder cannot be read', async () => {
    await prepare();
    const faults = new Faults();
    const files = await openFaulty(faults).opened;
    faults.failNext('readdir', 'EACCES');
    await expect(files.list('')).rejects.toThrow('the library could not list a file (EACCES)');
  });

  it('does not fill the mount point when its disk was unmounted', async () => {
    const files = await open();
    await files.put('a', 'x');
    renameSync(root, join(outside, 'elsewhere'));
    mkdirSync(root);
    await expect(files.put('b', 'x')).rejects.toThrow(Unavailable);
    expect(readdirSync(root)).toEqual([]);
  });

  it('tells a reader when the file became shorter under it', async () => {
    const files = await open();
    await files.put('a', randomBytes(1 << 20));
    const file = await files.get('a');
    truncateSync(join(root, 'a'), 1000);
    await expect(Array.fromAsync(file?.body ?? [])).rejects.toThrow(
      '"a" of the library changed while it was read',
    );
  });
});

/** What may be found after a crash: each file as before or as after, and one that comes and goes in between. */
function states(before: Record<string, string>, after: Record<string, string>): Record<string, string>[] {
  return [before, after, { ...before, 'gone/soon/file': fresh }];
}

async function* pieces(text: string, times: number): AsyncGenerator<Uint8Array, void, void> {
  for (let i = 0; i < times; i++) yield Buffer.from(text);
}
