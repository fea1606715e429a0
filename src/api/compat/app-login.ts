// How reader apps say who they are. Whatever the protocol, what they send is one of our tokens: an application password.
import type { Context } from 'hono';
import { network, takeAttempt } from '../../accounts/login.ts';
import { findFeverLogin, findTokenLogin, type TokenLogin } from '../../accounts/tokens.ts';
import { foldUsername } from '../../accounts/username.ts';
import { Unauthorized } from '../../errors.ts';
import type { FindClient } from '../client.ts';
import type { Actor, ApiDeps, ApiEnv } from '../context.ts';

export interface AppLogin {
  /** By the header of the request. The session's cookie is none of these: a foreign page could have sent it. */
  byHeader(c: Context<ApiEnv>): Promise<Actor>;
  /** By a name and an application password, as they are typed into an app. */
  byPassword(c: Context<ApiEnv>, username: string, secret: string): Promise<Actor>;
  bySecret(c: Context<ApiEnv>, secret: string): Promise<Actor>;
  /** By the MD5 of both, which is all that a Fever client sends. */
  byFeverKey(c: Context<ApiEnv>, key: string): Promise<Actor>;
}

export function createAppLogin({ accounts, store }: ApiDeps, findClient: FindClient): AppLogin {
  /** Wrong ones are throttled by address. Right ones cost nothing: an app sends one with every request. */
  const actorOf = async (c: Context<ApiEnv>, found: TokenLogin | undefined): Promise<Actor> => {
    if (found) return { ...found, via: 'token', rows: store.forUser(found.user.id) };
    // Not among the attempts at passwords: an app whose token was revoked goes on asking, and would lock its people out.
    await takeAttempt(accounts, [`app:${network(findClient(c).address)}`]);
    throw new Unauthorized('expected your username, and a token of yours as the password');
  };

  const login: AppLogin = {
    async byHeader(c) {
      const sent = parseHeader(c);
      if (sent === undefined) throw new Unauthorized();
      return sent.username === undefined
        ? login.bySecret(c, sent.secret)
        : login.byPassword(c, sent.username, sent.secret);
    },

    async byPassword(c, username, secret) {
      const found = await findTokenLogin(accounts, secret);
      return actorOf(c, found?.user.username === foldUsername(username) ? found : undefined);
    },

    bySecret: async (c, secret) => actorOf(c, await findTokenLogin(accounts, secret)),

    byFeverKey: async (c, key) => actorOf(c, await findFeverLogin(accounts, key)),
  };
  return login;
}

/** What the header of a request says, in whichever of the forms that reader apps use; the name only with Basic. */
export function parseHeader(c: Context<ApiEnv>): { username?: string; secret: string } | undefined {
  const sent = readHeader(c);
  return sent.secret === '' ? undefined : sent;
}

function readHeader(c: Context<ApiEnv>): { username?: string; secret: string } {
  const [scheme = '', rest = ''] = (c.req.header('authorization') ?? '').split(/\s+(.*)/s, 2);
  switch (scheme.toLowerCase()) {
    case 'googlelogin':
      return { secret: /(?:^|[\s,])auth=\s*([^\s,]+)/i.exec(rest)?.[1] ?? '' };
    case 'bearer':
      return { secret: rest.trim() };
    case 'basic': {
      const [username = '', secret = ''] = Buffer.from(rest, 'base64').toString().split(/:(.*)/s, 2);
      return { username, secret };
    }
    default:
      return { secret: c.req.header('x-auth-token') ?? '' };
  }
}
