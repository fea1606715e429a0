// Gives each request an id, and writes down how it went: a log line and a measurement.
import type { MiddlewareHandler } from 'hono';
import type { ApiDeps, ApiEnv } from '../context.ts';

export function recordRequests({ log, metrics, randomText }: ApiDeps): MiddlewareHandler<ApiEnv> {
  const logsEach = log.isLevelEnabled('debug');
  return async (c, next) => {
    const started = performance.now();
    const given = c.req.header('x-request-id');
    const requestId = given !== undefined && /^[\w.-]{1,64}$/.test(given) ? given : randomText(12);
    c.set('requestId', requestId);
    c.header('X-Request-Id', requestId);

    await next();

    const { method } = c.req;
    const { status } = c.res;
    // A path that no route answers is not a label: anybody could make up as many as they like.
    const route = c.var.route ?? 'none';
    const elapsedMs = performance.now() - started;
    metrics.request({ method, route, status }, elapsedMs / 1000);
    if (logsEach) log.debug({ requestId, method, route, status, ms: Math.round(elapsedMs) }, 'request');
  };
}
