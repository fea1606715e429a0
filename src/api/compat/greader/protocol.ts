// Who is asking, as apps of the Google Reader API say it, and how they are refused.
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type LecternError, TooManyRequests, Unauthorized } from '../../../errors.ts';
import type { Clock } from '../../../model/glossary.ts';
import type { ApiEnv } from '../../context.ts';
import type { AppProtocol } from '../../router.ts';
import { type AppLogin, parseHeader } from '../app-login.ts';
import { readLoginParameters } from '../parameters.ts';

/**
 * By the header; what T says is then of no account, since no cookie logs in here that it could protect: FeedMe leaves it
 * empty, and Reeder sends "x". Others send no header with what they post, and the token as T.
 */
export function greaderProtocol(login: AppLogin, now: Clock): AppProtocol {
  return {
    async identify(c) {
      sayWhen(c, now);
      const header = parseHeader(c);
      return header ? login.byHeader(c) : login.bySecret(c, await readToken(c));
    },
    refuse: (c, error) => refuse(c, error, error.message),
  };
}

/** By a name and an application password, from which there is nothing to make: they are the token. */
export function clientLoginProtocol(login: AppLogin, now: Clock): AppProtocol {
  return {
    async identify(c) {
      sayWhen(c, now);
      const { username, secret } = await readLogin(c);
      if (username === '' && secret === '') throw new Unauthorized();
      return login.byPassword(c, username, secret);
    },
    refuse: (c, error) =>
      refuse(c, error, error.status === 401 ? 'Error=BadAuthentication\n' : error.message),
  };
}

export async function readLogin(c: Context<ApiEnv>): Promise<{ username: string; secret: string }> {
  const parameters = await readLoginParameters(c, 'Passwd');
  return { username: parameters.get('Email') ?? '', secret: (parameters.get('Passwd') ?? '').trim() };
}

/** The token that the request came with, in whichever way. */
export async function tokenOf(c: Context<ApiEnv>): Promise<string> {
  return parseHeader(c)?.secret ?? readToken(c);
}

async function readToken(c: Context<ApiEnv>): Promise<string> {
  const token = (await readLoginParameters(c, 'T')).get('T')?.trim() ?? '';
  if (token === '' || token === 'x') throw new Unauthorized();
  return token;
}

/** From before anything is read: NetNewsWire asks next time for what came since then. */
function sayWhen(c: Context<ApiEnv>, now: Clock): void {
  c.header('Date', new Date(now()).toUTCString());
}

function refuse(c: Context<ApiEnv>, error: LecternError, text: string): Response {
  return c.text(text, error.status as ContentfulStatusCode, {
    ...(error.status === 401 && { 'X-Reader-Google-Bad-Token': 'true', 'Google-Bad-Token': 'true' }),
    ...(error instanceof TooManyRequests && { 'Retry-After': String(error.retryAfterSeconds) }),
  });
}
