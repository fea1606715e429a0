// The objects of the mirror in a bucket of R2, under the keys that a Lectern reads over S3 too.
import type { Objects } from '../../src/mirror/host.ts';
import { sha256Of } from '../../src/mirror/objects-of.ts';

export function createR2Objects(bucket: R2Bucket): Objects {
  return {
    async read(key) {
      const object = await bucket.get(key);
      return object ? new Uint8Array(await object.arrayBuffer()) : undefined;
    },

    async put(key, data, contentType) {
      const bytes = bytesOf(data);
      await bucket.put(key, bytes, {
        // R2 checks what arrives against it and keeps it, so that sha256() need not read the object.
        sha256: await sha256Of(bytes),
        ...(contentType === undefined ? {} : { httpMetadata: { contentType } }),
      });
    },

    async readVersion(key) {
      const object = await bucket.get(key);
      return object ? { bytes: new Uint8Array(await object.arrayBuffer()), version: object.etag } : undefined;
    },

    async putIf(key, data, version) {
      const bytes = bytesOf(data);
      const written = await bucket.put(key, bytes, {
        onlyIf: version === undefined ? { etagDoesNotMatch: '*' } : { etagMatches: version },
        sha256: await sha256Of(bytes),
      });
      return written !== null;
    },

    async sha256(key) {
      const kept = (await bucket.head(key))?.checksums.toJSON().sha256;
      if (kept !== undefined) return kept;
      // Not there, or written by somebody else: over S3, for one.
      const object = await bucket.get(key);
      return object ? sha256Of(new Uint8Array(await object.arrayBuffer())) : undefined;
    },

    async *list(prefix) {
      for await (const { objects } of pagesOf(bucket, { prefix })) for (const { key } of objects) yield key;
    },

    async *folders(prefix) {
      for await (const { delimitedPrefixes } of pagesOf(bucket, { prefix, delimiter: '/' }))
        for (const folder of delimitedPrefixes) yield folder.slice(prefix.length, -1);
    },
  };
}

async function* pagesOf(bucket: R2Bucket, options: R2ListOptions): AsyncGenerator<R2Objects, void, void> {
  let cursor: string | undefined;
  do {
    const page = await bucket.list({ ...options, ...(cursor === undefined ? {} : { cursor }) });
    yield page;
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
}

function bytesOf(data: Uint8Array | string): Uint8Array {
  return typeof data === 'string' ? new TextEncoder().encode(data) : data;
}
