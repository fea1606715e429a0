// A Lectern server with its worker, a site to follow and a user, for tests that use a browser.
import type { BrowserContext } from 'playwright-core';
import { createLectern, jsonRequest, type LecternEnv, type LecternProcess } from './lectern-process.ts';
import { until } from './until.ts';
import { rss, startWebSite, type WebSite } from './web-site.ts';

export const ownerPassword = 'a quiet place to read';

// biome-ignore lint/suspicious/noExplicitAny: what the API answers, asserted on where it matters
type Answer = any;

interface User {
  readonly username: string;
  readonly password: string;
}

export interface WebApp {
  readonly url: string;
  readonly server: LecternProcess;
  readonly site: WebSite;
  /** Sends a request as the user; throws unless it succeeds. */
  api(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Gives the context the session that `api` uses, or with `as` a new session. */
  logIn(context: BrowserContext, as?: User): Promise<void>;
  /** Puts a feed on the site, follows it and waits until its entries are there. Returns the id of the feed. */
  follow(feed: { path: string; title: string; entries: number | string; groupId?: number }): Promise<number>;
  close(): Promise<void>;
}

export interface WebAppOptions {
  /** Starts without an account, as on the first run. */
  readonly ownerless?: boolean;
  readonly env?: LecternEnv;
}

export const owner: User = { username: 'owner', password: ownerPassword };

/** A server for the calling file only, used by its owner. */
export async function startWebApp({ ownerless = false, env }: WebAppOptions = {}): Promise<WebApp> {
  const lectern = createLectern();
  const site = await startWebSite();
  const close = async () => {
    await lectern.endAll();
    site.close();
  };
  try {
    const server = await lectern.serve({
      role: 'all',
      endsWithParent: true,
      env: {
        ...(!ownerless && { LECTERN_PASSWORD: ownerPassword }),
        LECTERN_ALLOW_PRIVATE_NETWORKS: 'true',
        LECTERN_LOGIN_RATE_LIMIT: '1000',
        LECTERN_LOG_LEVEL: 'warn',
        ...env,
      },
    });
    return useAs(owner, server, site, close);
  } catch (error) {
    await close();
    throw error;
  }
}

let shared: Promise<WebApp> | undefined;
let memberCount = 0;

/** The server that all files of a worker process share, used by a new member with a site of their own. */
export async function joinWebApp(): Promise<WebApp> {
  shared ??= startWebApp().catch((error) => {
    shared = undefined;
    throw error;
  });
  const { api, server } = await shared;
  const member = { username: `member-${++memberCount}`, password: 'a password of a member' };
  await api('POST', '/api/users', member);
  // The site stays open, so that no later site gets its port: the server knows feeds by their address.
  return useAs(member, server, await startWebSite(), async () => {});
}

function useAs(user: User, server: LecternProcess, site: WebSite, close: () => Promise<void>): WebApp {
  const openSession = async (as: User) => {
    const answer = await server.request('/api/sessions', jsonRequest('POST', as));
    if (!answer.ok) throw new Error(`login: ${answer.status} ${await answer.text()}`);
    const [name = '', value = ''] = (answer.headers.getSetCookie()[0] ?? '').split(';')[0]?.split('=') ?? [];
    return { name, value };
  };
  let opened: ReturnType<typeof openSession> | undefined;
  const session = () => {
    opened ??= openSession(user);
    return opened;
  };

  const api: WebApp['api'] = async (method, path, body) => {
    const { name, value } = await session();
    const headers = { Cookie: `${name}=${value}`, Origin: server.url };
    const init = body === undefined ? { method, headers } : jsonRequest(method, body, headers);
    const answer = await server.request(path, init);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  };

  return {
    url: server.url,
    server,
    site,
    api,
    async logIn(context, as) {
      const cookie = await (as ? openSession(as) : session());
      await context.addCookies([{ ...cookie, url: server.url, httpOnly: true }]);
    },
    async follow({ path, title, entries, groupId }) {
      site.put(path, typeof entries === 'string' ? entries : rss(plainFeed(title, entries, site.origin)));
      const { data: feed } = await api('POST', '/api/feeds', {
        link: site.origin + path,
        name: title,
        ...(groupId !== undefined && { group_id: groupId }),
      });
      await until(`${title} is fetched`, async () => {
        const { data } = await api('GET', `/api/feeds/${feed.id}`);
        return data.fetch_state.last_checked_at > 0 && data;
      });
      return feed.id;
    },
    close,
  };
}

/** A feed whose entries are an hour apart, the first of them the newest. */
export function plainFeed(title: string, count: number, origin: string) {
  const newest = Date.now() - 60_000;
  return {
    title,
    link: `${origin}/`,
    entries: Array.from({ length: count }, (_, n) => ({
      guid: `${title}-${n}`,
      title: `${title}, entry ${n + 1}`,
      link: `${origin}/${encodeURIComponent(title)}/${n + 1}`,
      author: 'Ada Winter',
      html: `<p>This is the text of entry ${n + 1} of ${title}.</p>${ownText(title).repeat(12)}`,
      at: newest - n * 3_600_000,
    })),
  };
}

/** Differs between feeds: the reader folds entries of two feeds into one row if their texts are alike. */
function ownText(title: string): string {
  return `<p>${title} goes on for a while, as ${title} does. Readers of ${title} know ${title} by heart.</p>`;
}
