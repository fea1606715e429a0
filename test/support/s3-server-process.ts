// A real S3 protocol server (routes, signatures, XML) on a free loopback port, as a process of its own: it makes
// its continuation tokens with DES, which Node allows only under --openssl-legacy-provider. Its own store on disk
// writes objects in place and lists them in the order of the disk, which S3 does not; so this one keeps them.
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import S3rver from '@20minutes/s3rver';

interface KeptObject {
  readonly bytes: Buffer;
  readonly metadata: Readonly<Record<string, string | number>>;
}

interface Listing {
  startAfter?: string;
  prefix?: string;
  maxKeys: number;
}

const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory: tmpdir(),
  vhostBuckets: false,
});
server.store = server.context.store = memoryStore();
const { port } = await server.run();
process.stdout.write(`${port}\n`);
// Ends with the process that started it, however that one ends.
process.stdin.on('close', () => process.exit(0)).resume();

/** What s3rver asks of a store. An object replaces another whole, once it has arrived whole. */
function memoryStore() {
  const buckets = new Map<string, Map<string, KeptObject>>();
  const found = (bucket: string, key: string) => buckets.get(bucket)?.get(key);
  return {
    async getBucket(name: string) {
      return buckets.has(name) ? { name, creationDate: new Date(0) } : null;
    },
    async putBucket(name: string) {
      buckets.set(name, new Map());
    },
    async getSubresource() {
      return null;
    },
    async existsObject(bucket: string, key: string) {
      return found(bucket, key) !== undefined;
    },
    async getObject(bucket: string, key: string) {
      const object = found(bucket, key);
      return object && { bucket, key, ...described(object), content: Readable.from([object.bytes]) };
    },
    async putObject(object: {
      bucket: string;
      key: string;
      content: AsyncIterable<Buffer>;
      metadata: Record<string, string>;
    }) {
      const chunks: Buffer[] = [];
      for await (const chunk of object.content) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      const md5 = createHash('md5').update(bytes).digest('hex');
      const metadata = {
        ...object.metadata,
        etag: JSON.stringify(md5),
        'last-modified': new Date().toUTCString(),
        'content-length': bytes.length,
      };
      buckets.get(object.bucket)?.set(object.key, { bytes, metadata });
      return { md5, size: bytes.length };
    },
    async deleteObject(bucket: string, key: string) {
      buckets.get(bucket)?.delete(key);
    },
    async listObjects(bucket: string, { startAfter = '', prefix = '', maxKeys }: Listing) {
      const objects = [...(buckets.get(bucket) ?? [])]
        .filter(([key]) => key > startAfter && key.startsWith(prefix))
        .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        .map(([key, object]) => ({ key, ...described(object) }));
      return {
        objects: objects.slice(0, maxKeys),
        commonPrefixes: [],
        isTruncated: objects.length > maxKeys,
      };
    },
  };
}

function described({ bytes, metadata }: KeptObject) {
  return {
    metadata,
    size: bytes.length,
    lastModifiedDate: new Date(String(metadata['last-modified'])),
  };
}
