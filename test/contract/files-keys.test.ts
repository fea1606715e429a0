import { beforeEach, expect, it } from 'vitest';
import { Invalid } from '../../src/errors.ts';
import type { Files } from '../../src/library/files/files.ts';
import { onEachLibrary, openFreshFiles } from '../support/libraries.ts';

onEachLibrary('keys of files', (library) => {
  let files: Files;

  beforeEach(async () => {
    files = await openFreshFiles(library);
  });

  const textAt = async (key: string) => Buffer.from((await files.read(key)) ?? []).toString();
  const keysUnder = async (prefix: string, after?: string) => {
    const listing = files.listAll(prefix, after === undefined ? {} : { after });
    return (await Array.fromAsync(listing)).map(({ key }) => key);
  };
  const putEach = async (keys: readonly string[]) => {
    for (const key of keys) await files.put(key, key);
  };

  it('takes every character that is allowed, and the longest key', async () => {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.';
    const long = `${'x'.repeat(255)}/${'y'.repeat(254)}/z`;
    const keys = [`${letters}/${letters}`, '-', '_', 'a..b', 'a.', long].sort();
    await putEach(keys);
    for (const key of keys) expect(await textAt(key)).toBe(key);
    expect(await keysUnder('')).toEqual(keys);
  });

  it('takes keys apart that differ in case', async () => {
    await putEach(['a/Key', 'a/key']);
    expect(await textAt('a/Key')).toBe('a/Key');
    expect(await textAt('a/key')).toBe('a/key');
  });

  it.each([
    '',
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    '../a',
    'a/../b',
    'a/..',
    './a',
    '.tmp/a',
    'a/.hidden',
    'a\\b',
    '..\\a',
    'a\0b',
    'a%2e',
    '%2e%2e/a',
    'a b',
    'a\nb',
    'ä',
    'a:b',
    'a?b',
    'a#b',
    'x'.repeat(256),
    `${'x/'.repeat(256)}y`,
  ])('refuses the key %j, whatever is asked of it', async (key) => {
    await expect(files.put(key, 'x')).rejects.toThrow(Invalid);
    await expect((async () => files.get(key))()).rejects.toThrow(Invalid);
    await expect((async () => files.read(key))()).rejects.toThrow(Invalid);
    await expect(files.stat(key)).rejects.toThrow(Invalid);
    await expect((async () => files.delete(key))()).rejects.toThrow(Invalid);
    await expect(keysUnder('', key)).rejects.toThrow(Invalid);
    expect(await keysUnder('')).toEqual([]);
  });

  it.each(['/', '../', 'a//', '.', '.tmp/', 'a/../', 'a\\', '%2e'])(
    'refuses the prefix %j',
    async (prefix) => {
      await expect(files.list(prefix)).rejects.toThrow(Invalid);
      await expect(keysUnder(prefix)).rejects.toThrow(Invalid);
    },
  );
});
