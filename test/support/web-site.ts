// A site on the loopback whose pages and feeds a test puts there, and which remembers who asked for what.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SitePage {
  readonly status?: number;
  readonly type?: string;
  readonly location?: string;
  readonly body?: string | Uint8Array;
  /** The answer waits for it. */
  readonly after?: Promise<unknown>;
}

export interface WebSite {
  readonly origin: string;
  /** Every path that was asked for, in order. */
  readonly requests: string[];
  put(path: string, page: SitePage | string): void;
  close(): void;
}

export async function startWebSite(): Promise<WebSite> {
  // Browsers ask for it by themselves.
  const pages = new Map<string, SitePage>([['/favicon.ico', { status: 204 }]]);
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/';
    requests.push(path);
    const {
      status = 200,
      type,
      location,
      body = '',
      after,
    } = pages.get(path.split('?')[0] ?? '') ?? { status: 404 };
    await after;
    response
      .writeHead(status, { ...(type && { 'content-type': type }), ...(location && { location }) })
      .end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    put: (path, page) => pages.set(path, typeof page === 'string' ? { body: page } : page),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export interface FeedText {
  readonly title: string;
  readonly link?: string;
  readonly entries: readonly EntryText[];
}

export interface EntryText {
  readonly guid: string;
  readonly title: string;
  readonly link?: string;
  readonly author?: string;
  readonly html?: string;
  readonly categories?: readonly string[];
  readonly enclosure?: { readonly url: string; readonly type: string };
  /** In milliseconds. */
  readonly at?: number;
}

/** RSS that says exactly this: whatever the texts hold, it arrives as it is. */
export function rss({ title, link, entries }: FeedText): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>${xml(title)}</title>${link ? `<link>${xml(link)}</link>` : ''}
${entries.map(item).join('\n')}
</channel></rss>`;
}

function item({ guid, title, link, author, html, categories = [], enclosure, at }: EntryText): string {
  return [
    `<item><guid isPermaLink="false">${xml(guid)}</guid><title>${xml(title)}</title>`,
    link && `<link>${xml(link)}</link>`,
    author && `<dc:creator>${xml(author)}</dc:creator>`,
    html && `<content:encoded>${xml(html)}</content:encoded>`,
    ...categories.map((name) => `<category>${xml(name)}</category>`),
    enclosure && `<enclosure url="${xml(enclosure.url)}" type="${xml(enclosure.type)}" length="1"/>`,
    at !== undefined && `<pubDate>${new Date(at).toUTCString()}</pubDate>`,
    '</item>',
  ]
    .filter(Boolean)
    .join('');
}

/** What XML cannot hold at all is left out. */
function xml(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
