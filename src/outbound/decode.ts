// Undoes Content-Encoding as the bytes come in. What a piece expands to is never held: each step waits for the next,
// and the first byte over the limit ends it all.
import { pipeline, Readable, Transform } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { Failure, toFailure } from './failure.ts';

/** A server that compresses more often than this is not serving, but attacking (undici's CVE-2026-22036). */
const maxEncodings = 3;

/** RFC 9659: a window above 8 MB is not allowed on the web; without the limit, a frame may ask for 128 MB. */
const zstdOptions = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

/**
 * No Brotli, even if a server sends it unasked: its decoder in Node before 26.12.1 writes out of bounds (CVE-2026-111497), and
 * every feed and page that somebody names reaches it.
 */
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  zstd: () => createZstdDecompress(zstdOptions),
};

export const acceptEncoding = 'gzip, zstd';

/** The steps to undo, first one first. */
export function parseEncodings(header: string | undefined): string[] {
  const encodings = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== '' && encoding !== 'identity');
  if (encodings.length > maxEncodings || encodings.some((encoding) => !Object.hasOwn(decoders, encoding))) {
    throw new Failure('bad-encoding');
  }
  return encodings.reverse();
}

/** Every failure of what it returns is a Failure. */
export async function* decode(
  source: AsyncIterable<Uint8Array>,
  encodings: readonly string[],
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const pieces = source[Symbol.asyncIterator]();
  const first = await pieces.next();
  // Servers that compress everything say so of an empty body too; to a decompressor it would be one cut short.
  if (first.done) return;
  async function* all() {
    yield first.value as Uint8Array;
    yield* { [Symbol.asyncIterator]: () => pieces };
  }
  const steps = encodings.flatMap((encoding) => [decoders[encoding]?.() ?? [], limit(maxBytes)].flat());
  const streams = [Readable.from(all(), { objectMode: false }), limit(maxBytes), ...steps] as const;
  const last: Readable = streams.at(-1) ?? streams[0];
  pipeline(streams, () => {});
  try {
    for await (const chunk of last) yield chunk;
  } catch (error) {
    throw toFailure(error, 'bad-encoding');
  } finally {
    for (const stream of streams) stream.destroy();
  }
}

/** Between two steps as well: a body may expand in the middle and vanish again at the end. */
function limit(maxBytes: number): Transform {
  let seenBytes = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      seenBytes += chunk.length;
      if (seenBytes > maxBytes) done(new Failure('too-large'));
      else done(null, chunk);
    },
  });
}
