// A site on the loopback, in its own process, with two documents that take a quadratic XML reader minutes. Prints its port.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const declarations = Array.from({ length: 147 }, (_, d) => {
  const names = Array.from({ length: 64 }, (_, k) => ` xmlns:p${d}_${k}=""`).join('');
  return `<a${names}>`;
}).join('');

const documents: Record<string, Buffer> = {
  '/namespaces': fill(`<rss><channel>${declarations}`, '<b xmlns:q=""/>', 8_000_000),
  // A reader that compares each end tag with every open element, and changes the case of their names, takes minutes.
  '/end-tags': fill(`<rss><channel>${`<${'Ж'.repeat(190)}>`.repeat(147)}`, '</X>', 7_700_000),
};

const server = createServer((request, response) => {
  const document = documents[new URL(request.url ?? '', 'http://a').pathname];
  response.writeHead(document ? 200 : 404, { 'content-type': 'application/rss+xml' }).end(document);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});

function fill(start: string, part: string, bytes: number): Buffer {
  return Buffer.from(start + part.repeat(Math.floor((bytes - start.length) / part.length)));
}
