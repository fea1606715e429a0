// A whole Lectern with its worker, a site to follow, and its owner, for tests that look through a browser.
import type { BrowserContext } from 'playwright-core';
import {
  createLectern,
  jsonRequest,
  type Lectern,
  type LecternEnv,
  type LecternProcess,
} from './lectern-process.ts';
import { until } from './until.ts';
import { rss, startWebSite, type WebSite } from './web-site.ts';

export const ownerPassword = 'a quiet place to read';

// biome-ignore lint/suspicious/noExplicitAny: what the API answers, asserted on where it matters
type Answer = any;

export interface WebApp {
  readonly url: string;
  readonly server: LecternProcess;
  readonly site: WebSite;
  /** Asks as the owner; throws unless the answer is good. */
  api(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Gives the context a session, as if somebody had logged in there. */
  logIn(context: BrowserContext, as?: { username?: string; password: string }): Promise<void>;
  /** Puts a feed on the site, follows it and waits until its entries are there. Gives the id of the feed. */
  follow(feed: { path: string; title: string; entries: number | string; groupId?: number }): Promise<number>;
  close(): Promise<void>;
}

export interface WebAppOptions {
  /** As it is on its first start. */
  readonly ownerless?: boolean;
  readonly env?: LecternEnv;
}

export async function startWebApp(options: WebAppOptions = {}): Promise<WebApp> {
  const lectern = createLectern();
  const site = await startWebSite();
  try {
    return await start(lectern, site, options);
  } catch (error) {
    await lectern.endAll();
    site.close();
    throw error;
  }
}

async function start(
  lectern: Lectern,
  site: WebSite,
  { ownerless = false, env }: WebAppOptions,
): Promise<WebApp> {
  const server = await lectern.serve({
    role: 'all',
    env: {
      ...(!ownerless && { LECTERN_PASSWORD: ownerPassword }),
      LECTERN_ALLOW_PRIVATE_NETWORKS: 'true',
      LECTERN_LOGIN_RATE_LIMIT: '1000',
      LECTERN_LOG_LEVEL: 'warn',
      ...env,
    },
  });
  const session = async (as: { username?: string; password: string }) => {
    const answer = await server.request('/api/sessions', jsonRequest('POST', as));
    if (!answer.ok) throw new Error(`login: ${answer.status} ${await answer.text()}`);
    const [name = '', value = ''] = (answer.headers.getSetCookie()[0] ?? '').split(';')[0]?.split('=') ?? [];
    return { name, value };
  };
  let owner: Promise<{ name: string; value: string }> | undefined;

  const api: WebApp['api'] = async (method, path, body) => {
    owner ??= session({ username: 'owner', password: ownerPassword });
    const { name, value } = await owner;
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
    async logIn(context, as = { username: 'owner', password: ownerPassword }) {
      await context.addCookies([{ ...(await session(as)), url: server.url, httpOnly: true }]);
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
    async close() {
      await lectern.endAll();
      site.close();
    },
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
      html: `<p>This is the text of entry ${n + 1} of ${title}.</p>${'<p>It goes on for a while, as texts do that somebody has written with care and time.</p>'.repeat(12)}`,
      at: newest - n * 3_600_000,
    })),
  };
}
