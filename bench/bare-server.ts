// What everything is compared with: node:http and nothing else, answering a small JSON body of a given length.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const sizeBytes = Number(process.argv[2]);
const body = JSON.stringify({ pad: 'x'.repeat(sizeBytes - JSON.stringify({ pad: '' }).length) });

const server = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': sizeBytes });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
