// What /rss is compared with: node:http and nothing else, sending the very answer that its parent has got from Lectern,
// headers and all. It is told the file of the body and that of the headers.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [bodyFile = '', headersFile = ''] = process.argv.slice(2);
const body = readFileSync(bodyFile);
const { full, notModified, etag } = JSON.parse(readFileSync(headersFile, 'utf8'));

const server = createServer((request, response) => {
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, notModified);
    response.end();
    return;
  }
  response.writeHead(200, full);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
