// Logging in and out.
import { z } from '@hono/zod-openapi';
import { deleteCookie, getCookie } from 'hono/cookie';
import { login } from '../../accounts/login.ts';
import { endSession } from '../../accounts/sessions.ts';
import { TooManyRequests, Unauthorized } from '../../errors.ts';
import { type Gate, knownBrowserCookie, sessionCookie } from '../authenticate.ts';
import type { FindClient } from '../client.ts';
import type { ApiDeps } from '../context.ts';
import type { Router } from '../router.ts';
import { ErrorBody, json, jsonBody } from '../schemas.ts';

const LoginInput = z
  .object({
    username: z
      .string()
      .max(200)
      .optional()
      .openapi({ description: 'Needed only where there is more than one user' }),
    password: z.string().min(1).max(1000),
  })
  .openapi('LoginInput');

const path = '/api/sessions';
const tags = ['sessions'];

export function sessionRoutes(router: Router, deps: ApiDeps, gate: Gate, findClient: FindClient): void {
  router.open(
    {
      method: 'post',
      path,
      tags,
      summary: 'Log in; the session comes as a cookie',
      request: { body: jsonBody(LoginInput) },
      responses: {
        200: json(z.object({ data: z.object({ message: z.string() }) }), 'Logged in'),
        401: json(ErrorBody, 'Wrong username or password'),
        429: json(ErrorBody, 'Too many attempts; Retry-After says how many seconds to wait'),
      },
    },
    async (c) => {
      // A foreign page must not be able to log a person in as somebody else.
      gate.refuseForeignPage(c);
      const { address } = findClient(c);
      const input = { ...c.req.valid('json'), address, knownBrowser: getCookie(c, knownBrowserCookie) };
      const { user, session } = await login(deps.accounts, input).catch((error: unknown) => {
        if (error instanceof Unauthorized) deps.metrics.login('refused');
        if (error instanceof TooManyRequests) deps.metrics.login('throttled');
        throw error;
      });
      deps.metrics.login('accepted');

      // The session that this browser had before ends here: its id never becomes the id of the new one.
      const previous = getCookie(c, sessionCookie);
      if (previous) await endSession(deps.accounts, previous);
      await gate.setLoginCookies(c, user, session.secret);
      return c.json({ data: { message: 'logged in' } }, 200);
    },
  );

  router.open(
    {
      method: 'delete',
      path,
      tags,
      summary: 'Log out: the session ends on the server too',
      responses: {
        204: { description: 'Logged out' },
        403: json(ErrorBody, 'The request came from another site'),
      },
    },
    async (c) => {
      const secret = getCookie(c, sessionCookie);
      if (secret) {
        gate.refuseForgery(c);
        await endSession(deps.accounts, secret);
        deleteCookie(c, sessionCookie, { path: '/' });
        // Articles that the browser has stored; the next person to use it must not see them.
        c.header('Clear-Site-Data', '"cache"');
      }
      return c.body(null, 204);
    },
  );
}
