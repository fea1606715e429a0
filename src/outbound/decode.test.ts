import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../test/support/depth.ts';
import { decode, parseEncodings } from './decode.ts';

const encoders: Record<string, (bytes: Uint8Array) => Buffer> = {
  gzip: (bytes) => gzipSync(bytes),
  'x-gzip': (bytes) => gzipSync(bytes),
  zstd: (bytes) => zstdCompressSync(bytes),
};
const names = Object.keys(encoders);
const megabyte = 1024 * 1024;

/** Cut at these places, and given one by one. */
async function* pieces(bytes: Uint8Array, cuts: readonly number[]) {
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const to = cut % (bytes.length + 1);
    if (to > from) yield bytes.subarray(from, to);
    from = Math.max(from, to);
  }
  if (from < bytes.length) yield bytes.subarray(from);
}

async function decoded(source: AsyncIterable<Uint8Array>, encodings: readonly string[], maxBytes = megabyte) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of decode(source, encodings, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const compressed = (bytes: Uint8Array, applied: readonly string[]) =>
  applied.reduce((sent, name) => encoders[name]?.(sent) ?? sent, bytes);

describe('decoding', () => {
  it('gives the same bytes however they were compressed and cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 3_000 }),
        fc.array(fc.constantFrom(...names), { maxLength: 3 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        async (bytes, applied, cuts) => {
          const encodings = parseEncodings(applied.join(', '));
          const result = await decoded(pieces(compressed(bytes, applied), cuts), encodings);
          expect(result.equals(Buffer.from(bytes))).toBe(true);
        },
      ),
      propertyRuns(60),
    );
  });

  it.each(names)('of %s without any bytes gives none', async (name) => {
    expect(await decoded(pieces(new Uint8Array(), []), [name])).toHaveLength(0);
  });

  it.each(names)('of %s that is cut short fails as truncated', async (name) => {
    const whole = compressed(Buffer.from('some text '.repeat(500)), [name]);
    const cut = whole.subarray(0, whole.length - 6);
    await expect(decoded(pieces(cut, []), [name])).rejects.toMatchObject({ reason: 'truncated' });
  });

  it.each(names)('of what is not %s fails as badly encoded', async (name) => {
    const sent = Buffer.from('<html>this was never compressed</html>');
    await expect(decoded(pieces(sent, []), [name])).rejects.toMatchObject({ reason: 'bad-encoding' });
  });

  it('refuses a zstd frame that asks for a window of more than 8 MB', async () => {
    const params = { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_contentSizeFlag]: 0 };
    const sent = zstdCompressSync(Buffer.alloc(20 * megabyte, 'a'), { params });
    const sizeBytes = decoded(pieces(sent, []), ['zstd'], 100 * megabyte).then(({ length }) => length);
    await expect(sizeBytes).rejects.toMatchObject({
      reason: 'bad-encoding',
    });
  });
});

describe('the limit', () => {
  it('lets exactly so many bytes through, and not one more', async () => {
    const bytes = Buffer.alloc(1_000, 'x');
    for (const encodings of [[], ['gzip'], ['zstd']]) {
      const sent = compressed(bytes, encodings);
      expect(await decoded(pieces(sent, []), encodings, 1_000)).toHaveLength(1_000);
      await expect(decoded(pieces(sent, []), encodings, 999)).rejects.toMatchObject({ reason: 'too-large' });
    }
  });

  it('ends an endless body that decodes to nothing', async () => {
    const empty = gzipSync(Buffer.alloc(0));
    let sentBytes = 0;
    async function* endless() {
      for (;;) {
        sentBytes += empty.length;
        yield empty;
      }
    }
    await expect(decoded(endless(), ['gzip'], 100_000)).rejects.toMatchObject({ reason: 'too-large' });
    expect(sentBytes).toBeLessThan(2 * megabyte);
  });

  it('holds between two steps, for what swells in the middle and shrinks again', async () => {
    const empty = gzipSync(Buffer.alloc(0));
    const middle = Buffer.concat(Array.from({ length: 20_000 }, () => empty));
    const sent = gzipSync(middle);
    expect(sent.length).toBeLessThan(10_000);
    await expect(decoded(pieces(sent, []), ['gzip', 'gzip'], 100_000)).rejects.toMatchObject({
      reason: 'too-large',
    });
  });
});

describe('Content-Encoding', () => {
  it('is undone from the last to the first', () => {
    expect(parseEncodings('gzip, X-GZIP ,identity, zstd')).toEqual(['zstd', 'x-gzip', 'gzip']);
    expect(parseEncodings(undefined)).toEqual([]);
    expect(parseEncodings('identity')).toEqual([]);
  });

  it.each([
    'deflate',
    'compress',
    '__proto__',
    'toString',
    'gzip;q=1',
    Array(4).fill('gzip').join(),
    Array(100).fill('gzip').join(', '),
    'br',
    'BR',
    'gzip, br',
  ])('%s is refused', (header) =>
    expect(() => parseEncodings(header)).toThrow(expect.objectContaining({ reason: 'bad-encoding' })),
  );
});
