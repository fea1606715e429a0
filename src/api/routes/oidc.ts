// Single sign-on: out to the provider and back, and linking one's own account to it.
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { beginSignOn, finishSignOn, type SignOnDeps, takeFlow } from '../../accounts/oidc.ts';
import { type Flow, flowLifetimeMs } from '../../accounts/oidc-flow.ts';
import { SignOnRefused } from '../../accounts/oidc-refusal.ts';
import { endOtherSessions, endSession } from '../../accounts/sessions.ts';
import { confirmPassword } from '../../accounts/users.ts';
import { Invalid, NotFound, Upstream } from '../../errors.ts';
import { type Gate, sessionCookie } from '../authenticate.ts';
import type { FindClient } from '../client.ts';
import type { ApiDeps, ApiEnv } from '../context.ts';
import { localPath } from '../local-path.ts';
import type { Router } from '../router.ts';
import { ErrorBody, json, jsonBody } from '../schemas.ts';

const flowCookie = 'sign_on';
const callback = '/api/oidc/callback';
const settingsPage = '/settings#account';
/** The whole of it goes into a cookie, and a browser takes 4096 bytes. */
const maxNextLength = 1000;

const tags = ['single sign-on'];
const AuthUrl = z.object({ data: z.object({ auth_url: z.string() }) });
const missing = json(ErrorBody, 'Single sign-on is not set up');
const down = json(ErrorBody, 'The provider cannot be reached');

export function oidcRoutes(router: Router, deps: ApiDeps, gate: Gate, findClient: FindClient): void {
  const getSignOn = (): SignOnDeps => {
    if (!deps.oidc) throw new NotFound('single sign-on');
    return { ...deps.accounts, oidc: deps.oidc };
  };

  const begin = async (c: Context<ApiEnv>, input: { next: string; linkingSession?: string }) => {
    const signOn = getSignOn();
    const { origin, secure } = findClient(c);
    const redirectUri = signOn.oidc.settings.redirectUri ?? origin + callback;
    const { authUrl, cookie } = await beginSignOn(signOn, { ...input, redirectUri }).catch(
      (error: unknown) => {
        if (!(error instanceof SignOnRefused)) throw error;
        deps.log.warn({ reason: error.reason }, `single sign-on: ${error.message}`);
        throw new Upstream('the sign-on service cannot be reached', { cause: error });
      },
    );
    const maxAge = flowLifetimeMs / 1000;
    setCookie(c, flowCookie, cookie, { httpOnly: true, sameSite: 'Lax', secure, path: '/', maxAge });
    return { data: { auth_url: authUrl } };
  };

  /** However it went, the answer is a page of ours: the browser stands in the open, with nothing of ours to show. */
  const finish = async (c: Context<ApiEnv>): Promise<Response> => {
    const signOn = getSignOn();
    // Whoever only looks whether the address is there must not use up the code in it.
    if (c.req.method === 'HEAD') return c.body(null, 204);
    const input = {
      answer: new URL(c.req.url).searchParams,
      cookie: getCookie(c, flowCookie),
      session: getCookie(c, sessionCookie),
      address: findClient(c).address,
    };
    let flow: Flow | undefined;
    try {
      flow = await takeFlow(signOn, input);
      deleteCookie(c, flowCookie, { path: '/' });
      const login = await finishSignOn(signOn, flow, input);
      if (!login) return c.redirect(settingsPage, 307);
      deps.metrics.login('accepted');
      // As at a login by password: the session that this browser had before ends here.
      if (input.session) await endSession(deps.accounts, input.session);
      await gate.setLoginCookies(c, login.user, login.session.secret);
      return c.redirect(localPath(flow.next), 307);
    } catch (error) {
      if (!(error instanceof SignOnRefused)) throw error;
      deps.metrics.login(error.reason === 'busy' ? 'throttled' : 'refused');
      deps.log.warn({ reason: error.reason }, `single sign-on: ${error.message}`);
      return c.redirect(pageAfter(error, flow), 307);
    }
  };

  router.open(
    {
      method: 'get',
      path: '/api/oidc/enabled',
      tags,
      summary: 'Whether there is single sign-on',
      responses: {
        200: json(z.object({ data: z.object({ enabled: z.boolean() }) }), 'Whether it is set up'),
      },
    },
    (c) => c.json({ data: { enabled: deps.oidc !== undefined } }, 200),
  );

  router.open(
    {
      method: 'get',
      path: '/api/oidc/login',
      tags,
      summary: 'Begin a sign-on: where to send the browser, which gets a cookie to come back with',
      request: {
        query: z.object({
          next: z
            .string()
            .optional()
            .openapi({ description: 'The path on this site to go to in the end', example: '/library' }),
        }),
      },
      responses: { 200: json(AuthUrl, 'The address at the provider'), 404: missing, 502: down },
    },
    async (c) => {
      gate.refuseForeignPage(c);
      const next = localPath(c.req.valid('query').next);
      return c.json(await begin(c, { next: next.length > maxNextLength ? '/' : next }), 200);
    },
  );

  router.open(
    {
      method: 'get',
      path: callback,
      tags,
      summary: 'Where the provider sends the browser back to; also at /oidc/callback',
      responses: {
        307: { description: 'To the page that was wanted, logged in; else to /login?error=sso-REASON' },
        404: missing,
      },
    },
    finish,
  );
  router.page('open', '/oidc/callback', finish);

  router.account(
    {
      method: 'get',
      path: '/api/me/oidc',
      tags,
      summary: 'How you can come in',
      responses: {
        200: json(
          z.object({
            data: z.object({ enabled: z.boolean(), linked: z.boolean(), has_password: z.boolean() }),
          }),
          'Whether there is single sign-on, whether your account is linked to it, and whether it has a password',
        ),
      },
    },
    async (c) => {
      const { hasPassword, hasSignOn } = await deps.store.users.findWaysIn(c.get('actor').user.id);
      const enabled = deps.oidc !== undefined;
      return c.json({ data: { enabled, linked: hasSignOn, has_password: hasPassword } }, 200);
    },
  );

  router.account(
    {
      method: 'post',
      path: '/api/me/oidc',
      tags,
      summary: 'Begin to link your account, from a browser that is logged in',
      request: { body: jsonBody(z.object({ current_password: z.string().max(1000) }).openapi('LinkInput')) },
      responses: {
        200: json(AuthUrl, 'The address at the provider'),
        404: missing,
        429: json(ErrorBody, 'Too many attempts'),
        502: down,
      },
    },
    async (c) => {
      const signOn = getSignOn();
      const { user, via } = c.get('actor');
      const linkingSession = via === 'session' ? getCookie(c, sessionCookie) : undefined;
      if (!linkingSession) throw new Invalid('an account is linked from a browser that is logged in');
      await confirmPassword(signOn, user, c.req.valid('json').current_password);
      return c.json(await begin(c, { next: settingsPage, linkingSession }), 200);
    },
  );

  router.account(
    {
      method: 'delete',
      path: '/api/me/oidc',
      tags,
      summary: 'Unlink your account; every other session of yours ends',
      responses: { 204: { description: 'Unlinked' }, 409: json(ErrorBody, 'There is no other way in') },
    },
    async (c) => {
      const { user, via } = c.get('actor');
      await deps.store.users.removeSubject(user.id);
      await endOtherSessions(
        deps.accounts,
        user,
        via === 'session' ? getCookie(c, sessionCookie) : undefined,
      );
      return c.body(null, 204);
    },
  );
}

/** Nothing but the reason is said: the rest is in the log. */
function pageAfter({ reason }: SignOnRefused, flow: Flow | undefined): string {
  const error = `error=sso-${reason}`;
  if (flow?.linkingSha256 !== undefined) return `/settings?${error}#account`;
  const next = localPath(flow?.next);
  return next === '/' ? `/login?${error}` : `/login?${error}&next=${encodeURIComponent(next)}`;
}
