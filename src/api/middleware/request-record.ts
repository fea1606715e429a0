// Gives each request an id and the headers that all answers have, and writes down how it went: a log line and a
// measurement.
import type { MiddlewareHandler } from 'hono';
import { setCommonHeaders } from '../common-headers.ts';
import type { ApiDeps, ApiEnv } from '../context.ts';

export function recordRequests({ log, metrics, randomText }: ApiDeps): MiddlewareHandler<ApiEnv> {
  const logsEach = log.isLevelEnabled('debug');
  // Unlike another process's, and then counted: randomness for every request would be its greatest cost.
  const processId = randomText(6);
  let count = 0;
  return async (c, next) => {
    const started = performance.now();
    const given = c.req.header('x-request-id');
    count += 1;
    const requestId =
      given !== undefined && /^[\w.-]{1,64}$/.test(given)
        ? given
        : `${processId}-${count.toString(36).padStart(7, '0')}`;
    c.set('requestId', requestId);
    setCommonHeaders(c, requestId);

    await next();

    const { method } = c.req;
    const { status } = c.res;
    // A path that no route answers is not a label: anybody could make up as many as they like.
    const route = c.get('route') ?? 'none';
    const elapsedMs = performance.now() - started;
    metrics.request({ method, route, status }, elapsedMs / 1000);
    if (logsEach) log.debug({ requestId, method, route, status, ms: Math.round(elapsedMs) }, 'request');
  };
}
