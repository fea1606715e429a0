// The API, from the first middleware to the last route, in the order in which a request meets them.
import type { Context, MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { createGate } from './authenticate.ts';
import { clientFinder } from './client.ts';
import { createAppLogin } from './compat/app-login.ts';
import { feverRoutes } from './compat/fever/fever.ts';
import { greaderRoutes } from './compat/greader/greader.ts';
import { minifluxRoutes } from './compat/miniflux/miniflux.ts';
import type { ApiDeps, ApiEnv } from './context.ts';
import { errorResponse, respondWithError } from './error-response.ts';
import { createEventStreams } from './event-stream.ts';
import { openToAnybody } from './middleware/open-to-anybody.ts';
import { recordRequests } from './middleware/request-record.ts';
import { pageRoutes } from './pages/pages.ts';
import { Router } from './router.ts';
import { accountRoutes } from './routes/accounts.ts';
import { activityRoutes } from './routes/activity.ts';
import { askRoutes } from './routes/ask.ts';
import { bookmarkRoutes } from './routes/bookmarks.ts';
import { collectionRoutes } from './routes/collections.ts';
import { deframedPaths, deframedRoutes } from './routes/deframed.ts';
import { deframerFeedRoutes } from './routes/deframer-feeds.ts';
import { entryRoutes } from './routes/entries.ts';
import { feedIconRoutes } from './routes/feed-icons.ts';
import { feedRoutes } from './routes/feeds.ts';
import { groupRoutes } from './routes/groups.ts';
import { highlightFileRoutes } from './routes/highlight-files.ts';
import { highlightSyncRoutes } from './routes/highlight-sync.ts';
import { highlightRoutes } from './routes/highlights.ts';
import { itemFileRoutes } from './routes/item-files.ts';
import { itemRoutes } from './routes/items.ts';
import { jobRoutes } from './routes/jobs.ts';
import { libraryCheckRoutes } from './routes/library-check.ts';
import { mcpRoutes } from './routes/mcp.ts';
import { mirrorRoutes } from './routes/mirror.ts';
import { oidcRoutes } from './routes/oidc.ts';
import { operationRoutes } from './routes/operations.ts';
import { opmlRoutes } from './routes/opml.ts';
import { preferenceRoutes } from './routes/preferences.ts';
import { savedSearchRoutes } from './routes/saved-searches.ts';
import { searchRoutes } from './routes/search.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { setupRoutes } from './routes/setup.ts';
import { similarRoutes } from './routes/similar.ts';
import { storageRoutes } from './routes/storage.ts';
import { tagRoutes } from './routes/tags.ts';

export function createApi(deps: ApiDeps) {
  const findClient = clientFinder(deps.client);
  const gate = createGate(deps, findClient);
  const router = new Router(gate);
  const { app } = router;
  const streams = createEventStreams({ log: deps.log, isLoggedIn: gate.isLoggedIn });

  app.use(recordRequests(deps));
  app.use(async (c, next) => {
    c.set('client', findClient(c));
    await next();
    if (deps.isStopping()) c.header('Connection', 'close');
  });
  for (const path of Object.values(deframedPaths)) app.use(path, openToAnybody);
  if (deps.corsAllowedOrigins.length > 0) app.use(allowOrigins(deps.corsAllowedOrigins));

  operationRoutes(router, deps);
  setupRoutes(router, deps, gate);
  sessionRoutes(router, deps, gate, findClient);
  oidcRoutes(router, deps, gate, findClient);
  accountRoutes(router, deps, gate);
  preferenceRoutes(router);
  groupRoutes(router);
  feedRoutes(router, deps, streams);
  feedIconRoutes(router);
  opmlRoutes(router, deps);
  entryRoutes(router, deps);
  bookmarkRoutes(router, deps);
  itemRoutes(router, deps, findClient, streams);
  itemFileRoutes(router, deps);
  tagRoutes(router);
  collectionRoutes(router);
  highlightRoutes(router, deps);
  highlightSyncRoutes(router, deps);
  highlightFileRoutes(router, deps);
  searchRoutes(router, deps);
  savedSearchRoutes(router);
  similarRoutes(router, deps);
  const asks = askRoutes(router, deps, gate);
  jobRoutes(router, deps, streams);
  mirrorRoutes(router, deps);
  deframedRoutes(router, deps);
  deframerFeedRoutes(router, deps);
  storageRoutes(router, deps);
  activityRoutes(router, deps);
  libraryCheckRoutes(router, deps);
  const appLogin = createAppLogin(deps, findClient);
  greaderRoutes(router, deps, appLogin);
  feverRoutes(router, deps, appLogin);
  minifluxRoutes(router, deps, appLogin);
  mcpRoutes(router, deps, gate);
  pageRoutes(router, deps, gate);

  app.notFound((c) => noSuchRoute(c, router));
  app.onError(respondWithError(deps.log));
  const endStreams = () => {
    streams.close();
    asks.close();
  };
  return { app, entries: router.entries, router, endStreams, endEventStreams: streams.end };
}

/** Paths that are open to every origin have their own rule, which this one would contradict. */
function allowOrigins(origins: readonly string[]): MiddlewareHandler<ApiEnv> {
  const openPaths: readonly string[] = Object.values(deframedPaths);
  const listed = cors({
    origin: (origin) => (origins.includes(origin) ? origin : null),
    credentials: true,
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: ['Content-Type', 'Authorization', 'X-Auth-Token', 'MCP-Protocol-Version'],
    exposeHeaders: ['Retry-After', 'X-Request-Id'],
    maxAge: 600,
  });
  return (c, next) => (openPaths.includes(c.req.path) ? next() : listed(c, next));
}

/** The path may exist for other methods: then the answer is 405 and says which. */
function noSuchRoute(c: Context<ApiEnv>, router: Router): Response {
  const methods = router.methodsAt(c.req.path);
  if (methods.length === 0) return errorResponse(c, { status: 404, code: 'not_found', message: 'not found' });
  const Allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ');
  if (c.req.method === 'OPTIONS') return c.body(null, 204, { Allow });
  return errorResponse(c, {
    status: 405,
    code: 'method_not_allowed',
    message: `${c.req.method} is not possible here; possible: ${Allow}`,
    headers: { Allow },
  });
}
