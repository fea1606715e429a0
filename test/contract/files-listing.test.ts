import { beforeEach, expect, it } from 'vitest';
import { Invalid } from '../../src/errors.ts';
import type { Files } from '../../src/library/files/files.ts';
import { onEachLibrary, openFreshFiles } from '../support/libraries.ts';

onEachLibrary('listing of files', (library) => {
  let files: Files;

  beforeEach(async () => {
    files = await openFreshFiles(library);
  });

  const keysUnder = async (prefix: string, after?: string) => {
    const listing = files.listAll(prefix, after === undefined ? {} : { after });
    return (await Array.fromAsync(listing)).map(({ key }) => key);
  };
  const putEach = async (keys: readonly string[]) => {
    for (const key of keys) await files.put(key, key);
  };

  // In the order of bytes "-" < "." < "/" < digits < capitals < "_" < small letters, across folders too.
  const ordered = ['a-b', 'a.b', 'a/-', 'a/b-/c', 'a/b.c', 'a/b/c', 'a0', 'aB', 'a_b', 'ab', 'b'];

  it('lists in the order of bytes, not of folders', async () => {
    await putEach([...ordered].reverse());
    expect(await keysUnder('')).toEqual(ordered);
    expect((await files.list('')).files.map(({ key }) => key)).toEqual(ordered);
  });

  it('lists size and time with each key', async () => {
    await files.put('a/key', 'four');
    const { sha256, ...stat } = (await files.stat('a/key')) ?? {};
    expect((await files.list('a/')).files).toEqual([stat]);
    expect(sha256 === undefined).toBe(library.kind === 'folder');
  });

  it('lists what begins with the prefix, be it the name of a folder or a part of one', async () => {
    await putEach(['a/b', 'a/bc', 'a/bd/e', 'a/c', 'ab', 'b']);
    expect(await keysUnder('a/b')).toEqual(['a/b', 'a/bc', 'a/bd/e']);
    expect(await keysUnder('a/bd/')).toEqual(['a/bd/e']);
    expect(await keysUnder('a/bd')).toEqual(['a/bd/e']);
    expect(await keysUnder('a/')).toEqual(['a/b', 'a/bc', 'a/bd/e', 'a/c']);
    expect(await keysUnder('a')).toEqual(['a/b', 'a/bc', 'a/bd/e', 'a/c', 'ab']);
    expect(await keysUnder('a/b/')).toEqual([]);
    expect(await keysUnder('none/at/all')).toEqual([]);
  });

  it.each([1, 2, 3, 5, 11, 999])('gives every key once in pages of %i', async (limit) => {
    await putEach(ordered);
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await files.list('', { limit, ...(after === undefined ? {} : { after }) });
      expect(page.files.length).toBeGreaterThan(0);
      expect(page.files.length).toBeLessThanOrEqual(limit);
      seen.push(...page.files.map(({ key }) => key));
      after = page.next;
    } while (after !== undefined);
    expect(seen).toEqual(ordered);
  });

  it('goes on after any key, whether it is there or not', async () => {
    await putEach(ordered);
    for (const after of [...ordered, 'a/b/b', 'a/b/d', 'a/a', '0', 'z', 'a/b-']) {
      const expected = ordered.filter((key) => key > after);
      expect(await keysUnder('', after)).toEqual(expected);
      expect(await keysUnder('a/', after)).toEqual(expected.filter((key) => key.startsWith('a/')));
    }
  });

  it('goes on from a page although its last file was deleted', async () => {
    await putEach(['a/1', 'a/2', 'a/3']);
    const { next } = await files.list('a/', { limit: 2 });
    expect(next).toBe('a/2');
    await files.delete('a/2');
    expect(await keysUnder('a/', next)).toEqual(['a/3']);
  });

  it('lists more files than fit into one answer', async () => {
    const keys = Array.from({ length: 1_203 }, (_, i) => `many/${String(i).padStart(5, '0')}`);
    for (let i = 0; i < keys.length; i += 100) {
      await Promise.all(keys.slice(i, i + 100).map((key) => files.put(key, '')));
    }
    expect(await keysUnder('many/')).toEqual(keys);
    const page = await files.list('many/');
    expect(page.files).toHaveLength(999);
    expect(page.next).toBe(keys[998]);
  });

  it('is empty when the library is', async () => {
    expect(await files.list('')).toEqual({ files: [] });
    expect(await keysUnder('')).toEqual([]);
  });

  it.each([0, -1, 1.5, 1000, Number.NaN])('refuses a page of %d files', async (limit) => {
    await expect(files.list('', { limit })).rejects.toThrow(Invalid);
  });
});
