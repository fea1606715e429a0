// A site that publishes feeds by a script, and remembers how politely it was asked.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Invalid } from '../../src/errors.ts';
import type { ParsedFeed } from '../../src/feeds/parse/parse-feed.ts';

export interface Asked {
  readonly path: string;
  readonly at: number;
  readonly headers: IncomingHttpHeaders;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The guids of a document, or its text. */
  readonly body?: readonly string[] | string;
}

type Script = (asked: Asked, nth: number) => Reply;

export function feedSite(now: () => number) {
  const scripts = new Map<string, Script>();
  const requests: Asked[] = [];
  const to = (path: string) => requests.filter((asked) => asked.path === path);

  return {
    requests,
    to,
    /** What a path answers from now on; `nth` counts from 1. */
    script(path: string, reply: Script | Reply): void {
      scripts.set(path, typeof reply === 'function' ? reply : () => reply);
    },
    listener: (request: IncomingMessage, response: ServerResponse): void => {
      const asked = { path: request.url ?? '', at: now(), headers: request.headers };
      requests.push(asked);
      const {
        status = 200,
        headers = {},
        body = '',
      } = scripts.get(asked.path)?.(asked, to(asked.path).length) ?? { status: 404 };
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    },
  };
}

/** Stands for the parser: a document is a list of guids, `guid:n` for its nth version. */
export async function parseGuids({ bytes }: { bytes: Uint8Array }): Promise<ParsedFeed> {
  let guids: string[];
  try {
    guids = JSON.parse(Buffer.from(bytes).toString());
  } catch (cause) {
    throw new Invalid('This is not a feed.', { cause });
  }
  const entries = guids.map((text) => {
    const [guid = ''] = text.split(':');
    return {
      guid,
      title: text,
      link: `https://example.org/${guid}`,
      author: '',
      content: `<p>${text}</p>`,
      enclosures: [],
      categories: [],
      pubDate: null,
      updatedAt: null,
      contentHash: text,
    };
  });
  const unknown = { selfUrl: null, description: '', language: null, ttlMinutes: null };
  return { title: 'A feed', siteUrl: 'https://example.org/', entries, ...unknown };
}
