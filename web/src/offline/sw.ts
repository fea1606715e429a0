/// <reference lib="webworker" />
// The service worker: pages and files from what is kept here, answers of the API from the server while it can be
// reached and else as they were last seen. Marks are not its business: outbox.ts keeps those.
import { isKept, keptHeader, pageOf } from './what-is-kept.ts';

declare const self: ServiceWorkerGlobalScope;
/** Put in by the build: every file that the pages need, and a hash over them. */
declare const __FILES__: readonly string[];
declare const __BUILD__: string;

const files = `lectern-files-${__BUILD__}`;
const data = 'lectern-data';
/** Lists and articles; the oldest go first. */
const keptAnswers = 600;
/** A server that does not answer by then is taken for one that cannot be reached, where something is kept. */
const patienceMs = 4_000;

self.addEventListener('install', (event) => {
  letChangesPass(event);
  event.waitUntil(keepFiles().then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(forgetOldFiles().then(() => self.clients.claim()));
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (request.mode === 'navigate' && !url.pathname.startsWith('/api/')) {
    const page = pageOf(url.pathname);
    if (page) event.respondWith(showPage(request, page));
  } else if (url.pathname.startsWith('/app/')) {
    event.respondWith(keptFirst(request));
  } else if (__FILES__.includes(url.pathname)) {
    event.respondWith(serverFirst(request, files));
  } else if (isKept(url)) {
    event.respondWith(serverFirst(request, data));
  }
});

interface Routed {
  /** Not in every browser. */
  addRoutes?(rules: { condition: { requestMethod: string }; source: 'network' }[]): Promise<void>;
}

/** What a page sends as it is left would ask us first, and be lost when the page is gone before we have answered. */
function letChangesPass(event: ExtendableEvent & Routed): void {
  const rules = ['POST', 'PUT', 'PATCH', 'DELETE'].map(
    (requestMethod) => ({ condition: { requestMethod }, source: 'network' }) as const,
  );
  event.addRoutes?.(rules).catch(() => {});
}

async function keepFiles(): Promise<void> {
  const cache = await caches.open(files);
  await Promise.all(
    __FILES__.map(async (path) => {
      const response = await fetch(path, { cache: 'no-cache' });
      // A page that leads to the login is not the page.
      if (response.ok && !response.redirected) await cache.put(path, response);
    }),
  );
}

/** Those of the build before stay: a page that is open since then loads some of its parts only when they are wanted. */
async function forgetOldFiles(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith('lectern-files-') && name !== files);
  await Promise.all(old.slice(0, -1).map((name) => caches.delete(name)));
}

async function keptFirst(request: Request): Promise<Response> {
  const kept = await caches.match(request, { ignoreVary: true });
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) await (await caches.open(files)).put(request, response.clone());
  return response;
}

async function showPage(request: Request, page: string): Promise<Response> {
  const cache = await caches.open(files);
  const kept = await cache.match(page, { ignoreVary: true });
  try {
    const response = await patiently(fetch(request), kept !== undefined);
    if (response.ok && !response.redirected) await cache.put(page, response.clone());
    return response;
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}

async function serverFirst(request: Request, name: string): Promise<Response> {
  const cache = await caches.open(name);
  const kept = await cache.match(request, { ignoreVary: true });
  try {
    const response = await patiently(fetch(request), kept !== undefined);
    if (response.ok && !response.redirected) {
      await cache.put(request, response.clone());
      if (name === data) await trim(cache);
    }
    return response;
  } catch (error) {
    if (kept) return asKept(kept);
    throw error;
  }
}

/** The page is told, so that it can say so. */
function asKept({ body, status, headers }: Response): Response {
  const told = new Headers(headers);
  told.set(keptHeader, 'true');
  return new Response(body, { status, headers: told });
}

/** Rejects when it takes too long and there is something else to show. */
function patiently(answer: Promise<Response>, hasOther: boolean): Promise<Response> {
  if (!hasOther) return answer;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the server takes too long')), patienceMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

let untilTrim = 50;
async function trim(cache: Cache): Promise<void> {
  untilTrim -= 1;
  if (untilTrim > 0) return;
  untilTrim = 50;
  const requests = await cache.keys();
  await Promise.all(
    requests.slice(0, Math.max(0, requests.length - keptAnswers)).map((one) => cache.delete(one)),
  );
}
