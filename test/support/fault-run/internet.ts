// The web that a cluster under test reads: feeds that publish something new now and then, and pages.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rss } from '../web-site.ts';

export interface Internet {
  readonly origin: string;
  stop(): void;
}

const publishEveryMs = 20_000;
const entriesAtFirst = 30;
const maxEntries = 50;

/** /feed/NAME and /news/NAME are feeds, everything else is a page. */
export async function startInternet(): Promise<Internet> {
  const began = Date.now();
  const server = createServer((request, response) => {
    const [, section = '', name = ''] = (request.url ?? '/').split('/');
    const origin = `http://${request.headers.host}`;
    const published = Math.floor((Date.now() - began) / publishEveryMs);
    if (section === 'feed') {
      const text = feedText(origin, name, { first: 0, last: entriesAtFirst + published, began });
      response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(text);
    } else if (section === 'news') {
      const text = feedText(origin, name, { first: published, last: published + 3, began });
      response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(text);
    } else {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(request.url ?? '/'));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Span {
  readonly first: number;
  readonly last: number;
  readonly began: number;
}

function feedText(origin: string, name: string, { first, last, began }: Span): string {
  const from = Math.max(first, last - maxEntries);
  const entries = Array.from({ length: last - from }, (_, n) => ({
    guid: `${name}-${from + n}`,
    title: `Entry ${from + n} of ${name}`,
    link: `${origin}/entry/${name}-${from + n}`,
    html: `<p>${sentences(`entry ${from + n} of ${name}`, 6)}</p>`,
    at: began - (maxEntries - from - n) * 60_000,
  }));
  return rss({ title: `Feed ${name}`, link: `${origin}/${name}`, entries: entries.reverse() });
}

function page(path: string): string {
  const paragraphs = Array.from({ length: 6 }, (_, n) => `<p>${sentences(`${path} ${n}`, 8)}</p>`);
  return `<!doctype html><html lang="en"><head><title>Page ${path}</title></head>
<body><article><h1>Page ${path}</h1>${paragraphs.join('\n')}</article></body></html>`;
}

function sentences(about: string, count: number): string {
  return Array.from({ length: count }, (_, n) => `This is sentence ${n} about ${about}.`).join(' ');
}
