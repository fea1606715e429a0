import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Conflict, Forbidden, StartupError } from '../../errors.ts';
import type { Files } from './files.ts';
import { openFolderFiles } from './folder-files.ts';

let outside: string;
let root: string;

beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'lectern-folder-'));
  root = join(outside, 'deep', 'library');
});
afterEach(() => rmSync(outside, { recursive: true, force: true }));

const deps = { now: Date.now, randomText: (bytes: number) => randomBytes(bytes).toString('base64url') };
const open = () => openFolderFiles(root, deps);
const temporaries = () => readdirSync(join(root, '.tmp'));

async function contents(files: Files): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { key } of files.listAll('')) {
    found[key] = Buffer.from((await files.read(key)) ?? []).toString();
  }
  return found;
}

describe('a folder of files with links in it', () => {
  let files: Files;
  let secret: string;

  beforeEach(async () => {
    files = await open();
    await files.put('real/file', 'mine');
    secret = join(outside, 'secret');
    mkdirSync(secret);
    writeFileSync(join(secret, 'file'), 'not yours');
  });

  it.each([
    ['a link to a file outside', 'file', () => symlinkSync(join(secret, 'file'), join(root, 'file'))],
    ['a link to a folder outside', 'out/file', () => symlinkSync(secret, join(root, 'out'))],
    ['a relative link outside', 'out/file', () => symlinkSync('../../secret', join(root, 'out'))],
    ['a link to a folder inside', 'in/file', () => symlinkSync('real', join(root, 'in'))],
    ['a link to nothing', 'gone', () => symlinkSync('/nowhere/at/all', join(root, 'gone'))],
    ['a link deep inside', 'real/out/file', () => symlinkSync(secret, join(root, 'real', 'out'))],
  ])('refuses %s, whatever is asked of it', async (_, key, link) => {
    link();
    await expect(files.get(key)).rejects.toThrow(Forbidden);
    await expect(files.read(key)).rejects.toThrow(Forbidden);
    await expect(files.stat(key)).rejects.toThrow(Forbidden);
    await expect(files.put(key, 'changed')).rejects.toThrow(Forbidden);
    await expect(files.delete(key)).rejects.toThrow(Forbidden);
    await expect(files.list('')).rejects.toThrow(Forbidden);
    await expect(files.list(key)).rejects.toThrow(Forbidden);
    expect(readFileSync(join(secret, 'file'), 'utf8')).toBe('not yours');
    expect(readdirSync(secret)).toEqual(['file']);
    expect(temporaries()).toEqual([]);
    expect(Buffer.from((await files.read('real/file')) ?? []).toString()).toBe('mine');
  });

  it('may itself be reached through a link', async () => {
    const link = join(outside, 'link');
    symlinkSync(root, link);
    const viaLink = await openFolderFiles(link, deps);
    await viaLink.put('via/link', 'x');
    expect(await contents(files)).toEqual({ 'real/file': 'mine', 'via/link': 'x' });
  });

  it('refuses to open when its temporary folder is a link', async () => {
    rmSync(join(root, '.tmp'), { recursive: true });
    symlinkSync(secret, join(root, '.tmp'));
    await expect(open()).rejects.toThrow(Forbidden);
    expect(readdirSync(secret)).toEqual(['file']);
  });
});

describe('a folder of files', () => {
  it('is made when it is not there, for its owner alone', async () => {
    const files = await open();
    await files.put('a/b', 'x');
    const modeOf = (path: string) => statSync(path).mode & 0o777;
    expect([root, join(root, '.tmp'), join(root, 'a')].map(modeOf)).toEqual([0o700, 0o700, 0o700]);
    expect(modeOf(join(root, 'a', 'b'))).toBe(0o600);
  });

  it('says in one line which folder it cannot open', async () => {
    mkdirSync(join(outside, 'deep'));
    writeFileSync(root, 'a file');
    const error = await open().catch((reason) => reason);
    expect(error).toBeInstanceOf(StartupError);
    expect(error.message).toContain(`LECTERN_LIBRARY_URL: cannot open the folder ${root} (ENOTDIR`);
    expect(error.message).not.toContain('\n');
  });

  it('removes at opening what puts left behind more than a day ago, and no younger file', async () => {
    await open();
    const now = Date.now();
    for (const [name, hours] of [
      ['old', 25],
      ['young', 23],
    ] as const) {
      writeFileSync(join(root, '.tmp', name), 'x');
      const at = new Date(now - hours * 3_600_000);
      utimesSync(join(root, '.tmp', name), at, at);
    }
    await openFolderFiles(root, { ...deps, now: () => now });
    expect(temporaries()).toEqual(['young']);
  });

  it('does not list what is no key: other programs put such files everywhere', async () => {
    const files = await open();
    await files.put('a/b', 'x');
    for (const name of ['.DS_Store', 'a/.hidden', 'a/copy of b', 'ä']) writeFileSync(join(root, name), 'x');
    mkdirSync(join(root, '.stfolder'));
    writeFileSync(join(root, '.stfolder', 'c'), 'x');
    mkdirSync(join(root, 'my files'));
    writeFileSync(join(root, 'my files', 'c'), 'x');
    expect(await contents(files)).toEqual({ 'a/b': 'x' });
  });

  it('removes the folders that a delete left empty, and no other', async () => {
    const files = await open();
    await files.put('a/b/c/file', 'x');
    await files.put('a/other', 'x');
    await files.delete('a/b/c/file');
    expect(readdirSync(join(root, 'a'))).toEqual(['other']);
    await files.delete('a/other');
    expect(readdirSync(root)).toEqual(['.tmp']);
  });

  it('keeps a folder that holds what is not ours', async () => {
    const files = await open();
    await files.put('a/file', 'x');
    writeFileSync(join(root, 'a', '.DS_Store'), 'x');
    await files.delete('a/file');
    expect(existsSync(join(root, 'a', '.DS_Store'))).toBe(true);
  });

  it('refuses a key that is the folder of another, and the other way round', async () => {
    const files = await open();
    await files.put('a/b', 'x');
    await expect(files.put('a', 'y')).rejects.toThrow(Conflict);
    await expect(files.put('a/b/c', 'y')).rejects.toThrow(Conflict);
    await expect(files.put('a/b/c/d', 'y')).rejects.toThrow(Conflict);
    expect(await contents(files)).toEqual({ 'a/b': 'x' });
    expect(temporaries()).toEqual([]);
  });

  it('puts a file where a crash left an empty folder', async () => {
    const files = await open();
    mkdirSync(join(root, 'a'));
    await files.put('a', 'x');
    expect(await contents(files)).toEqual({ a: 'x' });
  });

  it('does not mind that its files were made read-only by others', async () => {
    const files = await open();
    await files.put('a', 'old');
    chmodSync(join(root, 'a'), 0o400);
    await files.put('a', 'new');
    expect(await contents(files)).toEqual({ a: 'new' });
  });
});
