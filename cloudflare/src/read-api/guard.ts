// Who may come in: whoever has the token, in a header, or a session that was given for it.
import type { Context, MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { ApiError } from './api-error.ts';
import type { ReadEnv } from './read-env.ts';
import { readJson } from './read-input.ts';
import type { Access } from './routes.ts';
import { isSameSecret, isSession, makeSession, requireToken, sessionSeconds } from './secret.ts';

const cookieName = 'session';
const cookie = { path: '/api', httpOnly: true, secure: true, sameSite: 'Strict' } as const;

export function guard(env: Pick<ReadEnv, 'ACCESS_TOKEN'>, access: Access): MiddlewareHandler {
  return async (c, next) => {
    const token = requireToken(env.ACCESS_TOKEN);
    const bearer = bearerOf(c);
    if (access === 'token' && !(await isAllowed(c, token, bearer)))
      throw new ApiError(
        401,
        'this needs the access token: send Authorization: Bearer, or sign in on the page',
      );
    // A browser sends its cookie along whoever made it ask; where the question came from only the browser can say.
    if (changesSomething(c) && bearer === undefined) requireOwnOrigin(c);
    await next();
  };
}

async function isAllowed(c: Context, token: string, bearer: string | undefined): Promise<boolean> {
  if (bearer !== undefined) return isSameSecret(bearer, token);
  const session = getCookie(c, cookieName);
  return session !== undefined && isSession(session, token, nowSeconds());
}

function bearerOf(c: Context): string | undefined {
  return /^Bearer +(.+?) *$/i.exec(c.req.header('authorization') ?? '')?.[1];
}

const changesSomething = (c: Context) => !['GET', 'HEAD'].includes(c.req.method);

/** Without a cookie there is nothing to abuse, so a program may leave the header out. */
function requireOwnOrigin(c: Context): void {
  const origin = c.req.header('origin');
  if (origin === undefined && getCookie(c, cookieName) === undefined) return;
  const host = new URL(c.req.url).host;
  if (origin === undefined || !URL.canParse(origin) || new URL(origin).host !== host)
    throw new ApiError(403, 'Origin: expected the address of this mirror; another site may not ask for this');
}

export async function signIn(c: Context, env: Pick<ReadEnv, 'ACCESS_TOKEN'>): Promise<Response> {
  const token = requireToken(env.ACCESS_TOKEN);
  const given = (await readJson(c)).token;
  if (typeof given !== 'string') throw new ApiError(400, 'token: expected a text');
  if (!(await isSameSecret(given, token))) throw new ApiError(401, 'token: this is not the access token');
  setCookie(c, cookieName, await makeSession(token, nowSeconds()), { ...cookie, maxAge: sessionSeconds });
  return c.body(null, 204);
}

export function signOut(c: Context): Response {
  deleteCookie(c, cookieName, cookie);
  return c.body(null, 204);
}

const nowSeconds = () => Math.floor(Date.now() / 1000);
