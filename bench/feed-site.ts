// A process that publishes feeds on the loopback: /N is a feed of 100 KB with 25 entries, with an ETag.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { feedDocument, feeds } from './refresh.ts';

/** Made before anybody asks: what is measured is the one who fetches. */
const documents = Array.from({ length: feeds }, (_, n) => Buffer.from(feedDocument(n)));
const counts = { full: 0, notModified: 0 };

const server = createServer((request, response) => {
  if (request.url === '/counts') return response.end(JSON.stringify(counts));
  if (request.headers['if-none-match'] === '"1"') {
    counts.notModified += 1;
    return response.writeHead(304).end();
  }
  counts.full += 1;
  response.writeHead(200, { etag: '"1"', 'content-type': 'application/rss+xml' });
  return response.end(documents[Number(request.url?.slice(1))]);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
