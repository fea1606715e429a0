// A process that serves pages on the loopback: /p/N is an article with a picture. /counts says how often each was asked for.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';

const words = Array.from({ length: 3_000 }, (_, n) => (n * 7_919 + 1_234).toString(36));

/** Some 6 KB of text in the frame of a usual page, the same each time for one number. */
function page(n: number): string {
  const paragraph = (k: number) =>
    Array.from({ length: 90 }, (_, w) => words[(n * 31 + k * 97 + w * 17) % words.length]).join(' ');
  const paragraphs = Array.from({ length: 10 }, (_, k) => `<p>${paragraph(k)}.</p>`).join('\n');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page ${n} - Site</title>
<meta property="og:title" content="Page ${n}"><meta property="og:description" content="What page ${n} says.">
<meta property="og:image" content="/picture/${n % pictures.length}.jpg"></head>
<body><nav><a href="/">Home</a> <a href="/about">About</a></nav>
<main><article><h1>Page ${n}</h1>${paragraphs}</article></main><footer>Imprint</footer></body></html>`;
}

const pictures = await Promise.all(
  Array.from({ length: 12 }, (_, n) =>
    sharp({
      create: {
        width: 1_000,
        height: 700,
        channels: 3,
        background: { r: n * 20, g: 120, b: 200 - n * 10 },
        noise: { type: 'gaussian', mean: 128, sigma: 30 },
      },
    })
      .jpeg()
      .toBuffer(),
  ),
);
const asked = new Map<number, number>();

const server = createServer((request, response) => {
  const [, kind, number = ''] = /^\/(\w+)\/(\d+)/.exec(request.url ?? '') ?? [];
  if (kind === 'p') {
    const n = Number(number);
    asked.set(n, (asked.get(n) ?? 0) + 1);
    return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(n));
  }
  if (kind === 'picture')
    return response.writeHead(200, { 'content-type': 'image/jpeg' }).end(pictures[Number(number)]);
  if (request.url === '/counts') {
    const times = [...asked.values()];
    return response.end(
      JSON.stringify({ pages: times.length, again: times.reduce((sum, n) => sum + n - 1, 0) }),
    );
  }
  return response.writeHead(404).end();
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
