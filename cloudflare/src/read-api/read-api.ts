// The small API that the page is a client of: search, one raindrop with its copy and text, tags, and the mirror's state.
import { type Context, Hono } from 'hono';
import { ApiError, sendError } from './api-error.ts';
import { withCommonHeaders } from './common-headers.ts';
import { guard, signIn, signOut } from './guard.ts';
import { findRaindrop, findTextState, listTags } from './index-queries.ts';
import type { MirrorControl, ReadEnv } from './read-env.ts';
import { readId, readJson } from './read-input.ts';
import { type RouteName, routes } from './routes.ts';
import { search } from './search.ts';
import { sendCopy, sendText } from './send-copy.ts';
import { findMeta, objectKey } from './stored-objects.ts';

type Handler = (c: Context) => Response | Promise<Response>;

export function createReadApi(
  env: ReadEnv,
  mirror: MirrorControl,
): { fetch(request: Request): Promise<Response> } {
  const app = new Hono();
  app.use(withCommonHeaders);
  app.onError((error, c) => sendError(c, error));
  const handlers = createHandlers(env, mirror);
  for (const name of Object.keys(routes) as RouteName[]) {
    const [method = '', path = ''] = name.split(' ');
    app.on(method, path, guard(env, routes[name]), handlers[name]);
  }
  // What is no route says so to those alone who may know.
  app.all('/api/*', guard(env, 'token'), () => {
    throw new ApiError(404, 'there is no such route');
  });
  app.all('*', (c) => env.ASSETS.fetch(c.req.raw));
  return { fetch: async (request) => app.fetch(request) };
}

function createHandlers(env: ReadEnv, mirror: MirrorControl): Record<RouteName, Handler> {
  return {
    'POST /api/session': (c) => signIn(c, env),
    'DELETE /api/session': signOut,
    'GET /api/search': (c) => search(c, env),
    'GET /api/tags': async (c) => c.json({ tags: await listTags(env.DB) }),
    'GET /api/raindrops/:id': (c) => sendRaindrop(c, env),
    'GET /api/raindrops/:id/copy': (c) => sendCopy(env.BUCKET, readId(c)),
    'GET /api/raindrops/:id/text': (c) => sendText(env.BUCKET, readId(c)),
    'GET /api/mirror': async (c) => c.json((await mirror.status()) ?? null),
    'POST /api/mirror/run': async (c) => c.json({ started: await mirror.start() }, 202),
    'POST /api/mirror/reinflate': (c) => reinflate(c, mirror),
  };
}

async function sendRaindrop(c: Context, { BUCKET, DB }: ReadEnv): Promise<Response> {
  const id = readId(c);
  const [row, text, meta, copy] = await Promise.all([
    findRaindrop(DB, id),
    findTextState(DB, id),
    findMeta(BUCKET, id),
    BUCKET.head(objectKey(id, 'permacopy.html')),
  ]);
  if (!row) throw new ApiError(404, `there is no raindrop ${id}`);
  return c.json({ ...row, meta, text: text ?? null, has_copy: copy !== null });
}

async function reinflate(c: Context, mirror: MirrorControl): Promise<Response> {
  const { rag = false } = await readJson(c);
  if (typeof rag !== 'boolean') throw new ApiError(400, 'rag: expected true or false');
  const result = await mirror.reinflate({ rag });
  return c.json(result ?? {}, 202);
}
