// The API of Miniflux, as far as it has to do with reading. Apps log in by a username and an application password (HTTP
// Basic), or by the application password alone (X-Auth-Token).
import type { Context } from 'hono';
import { type LecternError, TooManyRequests } from '../../../errors.ts';
import type { ApiDeps, ApiEnv } from '../../context.ts';
import type { AppProtocol, Router } from '../../router.ts';
import type { AppLogin } from '../app-login.ts';
import { accountRoutes } from './account-routes.ts';
import { categoryRoutes } from './category-routes.ts';
import { entryRoutes } from './entry-routes.ts';
import { feedRoutes } from './feed-routes.ts';
import { opmlRoutes } from './opml-routes.ts';
import type { AddRoute } from './route.ts';

export function minifluxRoutes(router: Router, deps: ApiDeps, login: AppLogin): void {
  const protocol: AppProtocol = { identify: (c) => login.byHeader(c), refuse };
  const add: AddRoute = (method, path, handler, options) =>
    router.readerApp(
      protocol,
      { method, path: `/v1${path}`, scope: method === 'get' ? 'read' : 'write', ...options },
      handler,
    );

  accountRoutes(add, deps);
  categoryRoutes(add, deps);
  // A feed's own routes are after those that would be taken for one.
  feedRoutes(add, deps);
  entryRoutes(add, deps);
  opmlRoutes(add, deps);
}

function refuse(c: Context<ApiEnv>, error: LecternError): Response {
  // What is there already is a bad request to Miniflux.
  const status = error.status === 409 ? 400 : error.status;
  const headers: Record<string, string> = {};
  if (status === 401) headers['WWW-Authenticate'] = 'Basic realm="Lectern"';
  if (error instanceof TooManyRequests) headers['Retry-After'] = String(error.retryAfterSeconds);
  return c.json({ error_message: error.message }, status as 400, headers);
}
