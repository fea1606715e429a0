// A Vite plugin that puts the API behind the dev server. Vite serves its own files; the API answers every other request.
// Where the API would send a page of the web app, Astro renders that page instead.
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { sep } from 'node:path';
import { pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Connect, Plugin } from 'vite';
import type { ApiProcess } from './api-process.ts';

const standIn = /^rendered by Astro: (\/\S*)$/;
const maxStandInBytes = 100;

/** The content of the file that stands in for a page: `login.html` for /login. */
export function standInFor(name: string): string {
  return `rendered by Astro: /${name.replace(/(^index)?\.html$/, '')}`;
}

/** Caches nothing, and replaces the service worker that a build may have registered on this origin. */
const serviceWorker = `
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(forget()));
async function forget() {
  for (const name of await caches.keys()) await caches.delete(name);
  await self.registration.unregister();
}
`;

export interface DevPluginOptions {
  readonly api: Pick<ApiProcess, 'port' | 'restart'>;
  /** A change in one of these folders restarts the API. */
  readonly watched: readonly string[];
}

export function devPlugin({ api, watched }: DevPluginOptions): Plugin {
  return {
    name: 'lectern-dev',
    // Astro's plugin answers every request, so this one must come first.
    enforce: 'pre',
    configureServer(server) {
      server.watcher.add([...watched]);
      server.watcher.on('all', (_event, path) => {
        if (path.endsWith('.test.ts')) return;
        if (watched.some((folder) => path.startsWith(folder + sep))) api.restart();
      });
      // Vite calls the returned function after it has added its own handlers.
      return () => {
        server.middlewares.use('/sw.js', (_req, res) => {
          res.writeHead(200, { 'Content-Type': 'text/javascript', 'Cache-Control': 'no-store' });
          res.end(serviceWorker);
        });
        server.middlewares.use((req, res, next) => void answer(api, req, res, next));
      };
    },
  };
}

async function answer(
  api: DevPluginOptions['api'],
  req: Connect.IncomingMessage,
  res: ServerResponse,
  next: Connect.NextFunction,
): Promise<void> {
  const port = await api.port();
  if (port === undefined) return refuse(res, 'The API could not start. The terminal says why.');
  const { method, headers, originalUrl: path } = req;
  // The Host header stays as it is, since the API compares it with the Origin header.
  const forwarded = request({ host: '127.0.0.1', port, method, path, headers }, (answered) => {
    relay(answered, req, res, next).catch(next);
  });
  forwarded.on('error', (error) => refuse(res, `The API did not answer: ${error.message}`));
  res.once('close', () => forwarded.destroy());
  req.pipe(forwarded);
}

async function relay(
  answered: IncomingMessage,
  req: Connect.IncomingMessage,
  res: ServerResponse,
  next: Connect.NextFunction,
): Promise<void> {
  const { statusCode = 502, headers } = answered;
  const isShort = Number(headers['content-length']) <= maxStandInBytes;
  if (req.method !== 'GET' || statusCode !== 200 || !isShort) {
    res.writeHead(statusCode, headers);
    // Also ends the response when the API is killed in the middle of it.
    pipeline(answered, res, () => {});
    return;
  }
  const body = await buffer(answered);
  const page = standIn.exec(body.toString())?.[1];
  if (page === undefined) {
    res.writeHead(statusCode, headers).end(body);
    return;
  }
  if (headers['set-cookie']) res.setHeader('Set-Cookie', headers['set-cookie']);
  req.url = page + new URL(req.url ?? '/', 'http://here.invalid').search;
  next();
}

/** `Refresh` makes a browser load the page again until the API is back. */
function refuse(res: ServerResponse, reason: string): void {
  if (res.headersSent) res.destroy();
  else res.writeHead(503, { 'Content-Type': 'text/plain; charset=utf-8', Refresh: '2' }).end(`${reason}\n`);
}
