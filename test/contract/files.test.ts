import { createHash, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { collect, type Files } from '../../src/library/files/files.ts';
import { type LibraryTarget, openFiles } from '../../src/library/files/open-files.ts';
import { onEachLibrary, testFilesDeps } from '../support/libraries.ts';

onEachLibrary('files', (library) => {
  let target: LibraryTarget;
  let files: Files;

  beforeEach(async () => {
    target = await library.freshTarget();
    files = await openFiles(target, testFilesDeps);
  });

  const text = async (key: string) => {
    const bytes = await files.read(key);
    return bytes && Buffer.from(bytes).toString();
  };
  const keysUnder = async (prefix: string, after?: string) => {
    const listing = files.listAll(prefix, after === undefined ? {} : { after });
    return (await Array.fromAsync(listing)).map(({ key }) => key);
  };
  const putEach = async (keys: readonly string[]) => {
    for (const key of keys) await files.put(key, key);
  };

  it('says what kind it is', () => {
    expect(files.kind).toBe(library.kind);
  });

  describe('putting and reading', () => {
    it('gives back bytes as they were put', async () => {
      const bytes = randomBytes(100_000);
      await files.put('a/bytes.bin', bytes);
      expect(Buffer.compare((await files.read('a/bytes.bin')) ?? Buffer.alloc(0), bytes)).toBe(0);
    });

    it('keeps text as UTF-8', async () => {
      await files.put('text.txt', 'Grüße, 世界 🙂');
      expect(await text('text.txt')).toBe('Grüße, 世界 🙂');
    });

    it('puts a stream', async () => {
      await files.put('stream.txt', chunks('one, ', 'two, ', 'three'));
      expect(await text('stream.txt')).toBe('one, two, three');
    });

    it.each<[string, string | Uint8Array | AsyncIterable<Uint8Array>]>([
      ['text', ''],
      ['bytes', new Uint8Array(0)],
      ['a stream', chunks()],
    ])('keeps an empty file from empty %s', async (_, data) => {
      expect((await files.put('empty', data)).sizeBytes).toBe(0);
      expect(await files.read('empty')).toHaveLength(0);
      expect(await files.stat('empty')).toMatchObject({ sizeBytes: 0 });
    });

    it('carries 20 MB as a stream, both ways', async () => {
      const piece = randomBytes(1 << 20);
      const whole = createHash('sha256');
      for (let i = 0; i < 20; i++) whole.update(piece);
      const sha256 = whole.digest('hex');
      const written = await files.put('large.bin', repeated(piece, 20));
      expect(written).toEqual({ sizeBytes: 20 << 20, sha256 });

      const file = await files.get('large.bin');
      expect(file?.sizeBytes).toBe(20 << 20);
      const read = createHash('sha256');
      let pieces = 0;
      for await (const chunk of file?.body ?? []) {
        read.update(chunk);
        pieces++;
      }
      expect(read.digest('hex')).toBe(sha256);
      expect(pieces).toBeGreaterThan(10);
    });

    it('puts 20 MB in one piece', async () => {
      const bytes = randomBytes(20 << 20);
      const { sha256 } = await files.put('large.bin', bytes);
      expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(Buffer.compare((await files.read('large.bin')) ?? Buffer.alloc(0), bytes)).toBe(0);
    });

    it('returns the size in bytes and the SHA-256 of what it wrote', async () => {
      expect(await files.put('abc', 'abc')).toEqual({
        sizeBytes: 3,
        sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
      });
      expect((await files.put('abc', chunks('a', 'b', 'c'))).sha256).toMatch(/^ba7816bf/);
    });

    it('replaces a file with a shorter one', async () => {
      await files.put('a/key', 'the long old content');
      await files.put('a/key', 'new');
      expect(await text('a/key')).toBe('new');
      expect(await files.stat('a/key')).toMatchObject({ sizeBytes: 3 });
    });

    it('has nothing at a key that was never put', async () => {
      await files.put('a/b/c', 'x');
      for (const key of ['absent', 'a/absent', 'a/b', 'a', 'a/b/c/d']) {
        expect(await files.get(key)).toBeUndefined();
        expect(await files.read(key)).toBeUndefined();
        expect(await files.stat(key)).toBeUndefined();
      }
    });

    it('tells size and time of a file with get and stat alike', async () => {
      const before = Date.now();
      await files.put('a/key', 'four');
      const stat = await files.stat('a/key');
      expect(stat).toMatchObject({ key: 'a/key', sizeBytes: 4 });
      // S3 tells time to the second.
      expect(stat?.modifiedAt).toBeGreaterThan(before - 2_000);
      expect(stat?.modifiedAt).toBeLessThan(Date.now() + 2_000);
      const { body, ...got } = (await files.get('a/key')) ?? {};
      await body?.cancel();
      expect(got).toEqual(stat);
    });

    it('lets a reader stop in the middle', async () => {
      await files.put('large.bin', randomBytes(3 << 20));
      const file = await files.get('large.bin');
      for await (const chunk of file?.body ?? []) {
        expect(chunk.byteLength).toBeGreaterThan(0);
        break;
      }
      await files.put('large.bin', 'small');
      expect(await text('large.bin')).toBe('small');
    });
  });

  describe('several at once', () => {
    it('keeps one of many concurrent puts, whole', async () => {
      const contents = Array.from({ length: 12 }, (_, i) => Buffer.alloc(300_000, i));
      await Promise.all(contents.map((bytes) => files.put('a/contended', bytes)));
      const kept = (await files.read('a/contended')) ?? Buffer.alloc(0);
      expect(contents.some((bytes) => Buffer.compare(bytes, kept) === 0)).toBe(true);
      expect(await library.leftoversAt(target)).toEqual([]);
    });

    it('shows readers the old or the new content while a file is overwritten, never a mixture', async () => {
      const contents = [1, 2].map((byte) => Buffer.alloc(1 << 20, byte));
      await files.put('a/key', contents[0] ?? '');
      const writing = (async () => {
        for (let i = 0; i < 10; i++) await files.put('a/key', contents[i % 2] ?? '');
      })();
      for (let i = 0; i < 40; i++) {
        const seen = Buffer.from((await files.read('a/key')) ?? []);
        expect(contents.some((bytes) => bytes.equals(seen))).toBe(true);
      }
      await writing;
    });

    it('lets a reader finish what was overwritten and deleted under it', async () => {
      const old = randomBytes(2 << 20);
      await files.put('a/key', old);
      const file = await files.get('a/key');
      await files.put('a/key', 'new');
      await files.delete('a/key');
      expect(Buffer.compare(await collect(file?.body ?? chunks()), old)).toBe(0);
    });

    it('puts and deletes in one folder at once without losing a file', async () => {
      await Promise.all(
        Array.from({ length: 40 }, async (_, i) => {
          await files.put(`shared/folder/${i % 2 ? 'kept' : 'gone'}-${i}`, 'x');
          if (i % 2 === 0) await files.delete(`shared/folder/gone-${i}`);
        }),
      );
      await Promise.all(
        Array.from({ length: 20 }, (_, i) => files.delete(`shared/folder/kept-${i * 2 + 1}`)),
      );
      expect(await keysUnder('')).toEqual([]);
      const rounds = Array.from({ length: 25 }, async (_, i) => {
        await files.put(`flicker/${i}/file`, 'x');
        await files.delete(`flicker/${i}/file`);
        await files.put(`flicker/${i}/file`, 'y');
      });
      await Promise.all(rounds);
      expect(await keysUnder('flicker/')).toHaveLength(25);
    });
  });

  describe('deleting', () => {
    it('deletes a file and leaves its neighbours', async () => {
      await putEach(['a/one', 'a/two']);
      await files.delete('a/one');
      expect(await files.read('a/one')).toBeUndefined();
      expect(await keysUnder('')).toEqual(['a/two']);
    });

    it('deletes what is not there', async () => {
      await files.put('a/b', 'x');
      for (const key of ['absent', 'a/absent', 'x/y/z', 'a', 'a/b/c']) await files.delete(key);
      expect(await text('a/b')).toBe('x');
    });

    it('puts again what was deleted', async () => {
      await files.put('a/b/c', 'old');
      await files.delete('a/b/c');
      await files.put('a/b/c', 'new');
      expect(await text('a/b/c')).toBe('new');
    });

    it('frees the name of a folder with its last file', async () => {
      await files.put('a/b/c', 'x');
      await files.delete('a/b/c');
      await files.put('a', 'now a file');
      expect(await text('a')).toBe('now a file');
    });
  });

  describe('a put that fails', () => {
    it.each([0, 1, 300])('leaves the old content when its source throws after %i pieces', async (pieces) => {
      await files.put('a/key', 'old');
      const broken = new Error('the source broke');
      await expect(files.put('a/key', failing(Buffer.alloc(50_000), pieces, broken))).rejects.toBe(broken);
      expect(await text('a/key')).toBe('old');
      expect(await library.leftoversAt(target)).toEqual([]);
      expect(await keysUnder('')).toEqual(['a/key']);
    });

    it('leaves nothing at a new key when its source throws', async () => {
      await expect(files.put('b/new', failing(Buffer.from('x'), 3, new Error('broke')))).rejects.toThrow(
        'broke',
      );
      expect(await files.read('b/new')).toBeUndefined();
      expect(await keysUnder('')).toEqual([]);
      expect(await library.leftoversAt(target)).toEqual([]);
    });

    it('leaves the old content when it is aborted, and throws the reason', async () => {
      await files.put('a/key', 'old');
      const aborting = new AbortController();
      const source = (async function* () {
        yield Buffer.from('new');
        aborting.abort(new Error('no longer wanted'));
      })();
      const { signal } = aborting;
      await expect(files.put('a/key', source, { signal })).rejects.toThrow('no longer wanted');
      await expect(files.put('b', 'x', { signal })).rejects.toThrow('no longer wanted');
      expect(await text('a/key')).toBe('old');
      expect(await keysUnder('')).toEqual(['a/key']);
      expect(await library.leftoversAt(target)).toEqual([]);
    });

    it('closes its source', async () => {
      let isClosed = false;
      const source = (async function* () {
        try {
          yield Buffer.from('x');
          throw new Error('broke');
        } finally {
          isClosed = true;
        }
      })();
      await expect(files.put('a', source)).rejects.toThrow('broke');
      expect(isClosed).toBe(true);
    });
  });

  it('is the same library when it is opened again', async () => {
    await putEach(['a/one', 'b']);
    files = await openFiles(target, testFilesDeps);
    expect(await keysUnder('')).toEqual(['a/one', 'b']);
    expect(await text('a/one')).toBe('a/one');
  });
});

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array, void, void> {
  for (const text of texts) yield Buffer.from(text);
}

async function* repeated(piece: Uint8Array, times: number): AsyncGenerator<Uint8Array, void, void> {
  for (let i = 0; i < times; i++) yield piece;
}

async function* failing(
  piece: Uint8Array,
  pieces: number,
  error: Error,
): AsyncGenerator<Uint8Array, void, void> {
  yield* repeated(piece, pieces);
  throw error;
}
