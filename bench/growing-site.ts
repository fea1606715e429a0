// A process that publishes any number of feeds on the loopback: /N has an ETag, and each POST to /publish/COUNT adds entries to all.
// BENCH_ENTRIES and BENCH_CHARACTERS say how many entries a feed has at first, and how long their texts are.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomFrom } from '../test/support/random.ts';

const entriesAtFirst = Number(process.env.BENCH_ENTRIES ?? 5);
const characters = Number(process.env.BENCH_CHARACTERS ?? 2_000);
const words = Array.from({ length: 50_000 }, (_, n) => (n * 7_919 + 1_234).toString(36));
const counts = { full: 0, notModified: 0 };
let entries = entriesAtFirst;

const server = createServer((request, response) => {
  if (request.url === '/counts') return response.end(JSON.stringify(counts));
  const [, added] = /^\/publish\/(\d+)$/.exec(request.url ?? '') ?? [];
  if (added !== undefined) {
    entries += Number(added);
    return response.end();
  }
  const etag = `"${entries}"`;
  if (request.headers['if-none-match'] === etag) {
    counts.notModified += 1;
    return response.writeHead(304).end();
  }
  counts.full += 1;
  response.writeHead(200, { etag, 'content-type': 'application/rss+xml' });
  return response.end(feedDocument(Number(request.url?.slice(1))));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});

/** A feed that keeps as many entries as it has had at first, the newest ones. */
function feedDocument(feed: number): string {
  const items = Array.from({ length: entriesAtFirst }, (_, n) => item(feed, entries - entriesAtFirst + n));
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>Feed ${feed}</title><link>https://example.org/${feed}</link>${items.join('')}</channel></rss>`;
}

function item(feed: number, n: number): string {
  return (
    `<item><title>Entry ${n} of ${feed}</title><link>https://example.org/${feed}/${n}</link><guid>${feed}-${n}</guid>` +
    `<pubDate>${new Date(1_750_000_000_000 + n * 60_000).toUTCString()}</pubDate><description>${text(feed * 1_009 + n)}</description></item>`
  );
}

/** Words of which a few are frequent and most are rare, the same for the same seed. */
function text(seed: number): string {
  const { fraction } = randomFrom(seed);
  let out = '';
  while (out.length < characters) {
    out += `${words[Math.floor(words.length ** fraction()) - 1]} `;
  }
  return out;
}
