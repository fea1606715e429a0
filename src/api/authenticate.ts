// Who is asking: a token in the Authorization header, or else the session cookie.
import type { Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { knownBrowserLifetimeMs, rememberBrowser } from '../accounts/known-browsers.ts';
import { findSessionUser, sessionLifetimeMs } from '../accounts/sessions.ts';
import { findTokenLogin, isTokenOfDisabledUser } from '../accounts/tokens.ts';
import { AccountDisabled, Forbidden, Unauthorized } from '../errors.ts';
import type { User } from '../model/user.ts';
import type { FindClient } from './client.ts';
import type { Actor, ApiDeps, ApiEnv } from './context.ts';

export const sessionCookie = 'session';
export const knownBrowserCookie = 'known_browser';

export interface Gate {
  /** The actor, or undefined when nobody is logged in. A token that is not valid is an error, not a visitor. */
  findActor(c: Context<ApiEnv>): Promise<Actor | undefined>;
  getActor(c: Context<ApiEnv>): Promise<Actor>;
  /** Whether the session or token of a request is still valid: bodies and answers can take minutes. */
  isLoggedIn(c: Context<ApiEnv>): Promise<boolean>;
  /** Refuses what a foreign page could have sent with our user's cookie. */
  refuseForgery(c: Context<ApiEnv>): void;
  /** The same where no cookie is needed: a program, which says nothing of where it stands, may pass. */
  refuseForeignPage(c: Context<ApiEnv>): void;
  setSessionCookie(c: Context<ApiEnv>, secret: string): void;
  /** For a login: the cookie of the session, and the cookie that makes this a known browser of the user. */
  setLoginCookies(c: Context<ApiEnv>, user: User, sessionSecret: string): Promise<void>;
}

export function createGate(deps: ApiDeps, findClient: FindClient): Gate {
  const allowedOrigins = new Set(deps.corsAllowedOrigins);

  const gate: Gate = {
    async findActor(c) {
      const authorization = c.req.header('authorization');
      if (authorization !== undefined) return byToken(authorization);

      const secret = getCookie(c, sessionCookie);
      const session = secret && (await findSessionUser(deps.accounts, secret));
      if (!secret || !session) return undefined;
      if (changesState(c.req.method)) gate.refuseForgery(c);
      if (session.renewed) gate.setSessionCookie(c, secret);
      const { user } = session;
      return { user, scope: 'admin', via: 'session', rows: deps.store.forUser(user.id) };
    },

    async getActor(c) {
      const actor = await gate.findActor(c);
      if (!actor) throw new Unauthorized();
      return actor;
    },

    async isLoggedIn(c) {
      const { tokenId } = c.get('actor');
      if (tokenId !== undefined) return deps.store.credentials.isTokenValid(tokenId);
      return (await findSessionUser(deps.accounts, getCookie(c, sessionCookie) ?? '')) !== undefined;
    },

    refuseForgery(c) {
      const origin = c.req.header('origin');
      if (origin !== undefined) {
        if (origin === findClient(c).origin || allowedOrigins.has(origin)) return;
        throw new Forbidden(
          'this request came from another site; behind a proxy, set LECTERN_PUBLIC_URL or LECTERN_TRUSTED_PROXIES',
        );
      }
      // No browser leaves out both on a request that changes something.
      if (c.req.header('sec-fetch-site') === 'same-origin') return;
      throw new Forbidden('the Origin header is missing: programs log in with a token instead of the cookie');
    },

    refuseForeignPage(c) {
      if (isFromPage(c)) gate.refuseForgery(c);
    },

    setSessionCookie(c, secret) {
      setSecretCookie(c, sessionCookie, secret, sessionLifetimeMs);
    },

    async setLoginCookies(c, user, sessionSecret) {
      gate.setSessionCookie(c, sessionSecret);
      // Programs log in often and keep no cookies. They would push browsers off the list.
      if (!isFromPage(c)) return;
      const secret = await rememberBrowser(deps.accounts, user, getCookie(c, knownBrowserCookie));
      setSecretCookie(c, knownBrowserCookie, secret, knownBrowserLifetimeMs);
    },
  };

  function setSecretCookie(c: Context<ApiEnv>, name: string, secret: string, lifetimeMs: number): void {
    setCookie(c, name, secret, {
      httpOnly: true,
      sameSite: 'Lax',
      secure: findClient(c).secure,
      path: '/',
      maxAge: lifetimeMs / 1000,
    });
  }

  async function byToken(authorization: string): Promise<Actor> {
    const secret = secretOf(authorization);
    const login = await findTokenLogin(deps.accounts, secret);
    if (login) return { ...login, via: 'token', rows: deps.store.forUser(login.user.id) };
    if (await isTokenOfDisabledUser(deps.accounts, secret)) throw new AccountDisabled();
    throw new Unauthorized('the token is not valid');
  }

  return gate;
}

/** No browser leaves out both headers on a request that changes something. */
function isFromPage(c: Context<ApiEnv>): boolean {
  return c.req.header('origin') !== undefined || c.req.header('sec-fetch-site') !== undefined;
}

function secretOf(authorization: string): string {
  return /^Bearer ([\w~+/.-]+=*)$/i.exec(authorization)?.[1] ?? '';
}

export function changesState(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}
