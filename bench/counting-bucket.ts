// A process with a bucket in memory that counts requests. It checks no signature: what is measured is how often Lectern asks.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface KeptObject {
  readonly bytes: Buffer;
  readonly modified: Date;
  readonly sha256: string;
}

const objects = new Map<string, KeptObject>();
const counts = { PUT: 0, GET: 0, HEAD: 0, LIST: 0, DELETE: 0, locks: 0, putBytes: 0 };

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://bucket');
  if (url.pathname === '/counts') {
    const sizeBytes = [...objects.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
    response.end(JSON.stringify({ ...counts, objects: objects.size, sizeBytes }));
    return;
  }
  const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
  const body = await bytesOf(request);
  if (url.searchParams.has('list-type')) {
    counts.LIST += 1;
    response.end(listing(url.searchParams));
    return;
  }
  const method = request.method as 'PUT' | 'GET' | 'HEAD' | 'DELETE';
  counts[method] += 1;
  if (method === 'PUT') {
    if (key.includes('/locks/')) counts.locks += 1;
    counts.putBytes += body.length;
    const sha256 = String(request.headers['x-amz-meta-sha256'] ?? '');
    objects.set(key, { bytes: body, modified: new Date(), sha256 });
    response.end();
    return;
  }
  if (method === 'DELETE') {
    objects.delete(key);
    response.writeHead(204).end();
    return;
  }
  const object = objects.get(key);
  if (!object) {
    response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    return;
  }
  response.writeHead(200, {
    'content-length': object.bytes.length,
    'last-modified': object.modified.toUTCString(),
    'x-amz-meta-sha256': object.sha256,
  });
  response.end(method === 'HEAD' ? undefined : object.bytes);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function listing(query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
  const limit = Number(query.get('max-keys') ?? 1_000);
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = keys.slice(0, limit);
  const contents = page.map((key) => {
    const { bytes, modified } = objects.get(key) as KeptObject;
    return `<Contents><Key>${encodeURIComponent(key)}</Key><Size>${bytes.length}</Size><LastModified>${modified.toISOString()}</LastModified></Contents>`;
  });
  const isTruncated = keys.length > page.length;
  const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return `<ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`;
}
