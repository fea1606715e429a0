// The Google Reader API, which most reader apps speak. At the root, and where FreshRSS has it, since apps ask for that.
import type { Context } from 'hono';
import type { ApiDeps, ApiEnv } from '../../context.ts';
import type { Router } from '../../router.ts';
import { toSeconds } from '../../schemas.ts';
import type { AppLogin } from '../app-login.ts';
import { readParameters } from '../parameters.ts';
import { markRoutes } from './mark-routes.ts';
import { clientLoginProtocol, greaderProtocol, readLogin, tokenOf } from './protocol.ts';
import { streamRoutes } from './stream-routes.ts';
import { subscriptionRoutes } from './subscription-routes.ts';

const bases = ['', '/api/greader.php'];

export function greaderRoutes(router: Router, deps: ApiDeps, login: AppLogin): void {
  const { now } = deps;
  const protocol = greaderProtocol(login, now);
  for (const base of bases) {
    router.readerApp(
      clientLoginProtocol(login, now),
      { method: 'post', path: `${base}/accounts/ClientLogin`, scope: 'read' },
      clientLogin,
    );
    streamRoutes(router, protocol, { base, now });
    subscriptionRoutes(router, protocol, { base, deps });
    markRoutes(router, protocol, { base });

    const read = (path: string, handler: (c: Context<ApiEnv>) => Promise<Response>) =>
      router.readerApp(
        protocol,
        { method: 'get', path: `${base}/reader/api/0${path}`, scope: 'read' },
        handler,
      );
    read('/token', async (c) => c.text(await tokenOf(c)));
    read('/user-info', userInfo);
    // What Google had and we do not; some apps ask before they go on.
    read('/preference/list', async (c) => c.json({ prefs: [] }));
    read('/preference/stream/list', async (c) => c.json({ streamprefs: {} }));
    read('/friend/list', async (c) => c.json({ friends: [] }));
  }
}

async function clientLogin(c: Context<ApiEnv>): Promise<Response> {
  const { secret } = await readLogin(c);
  const parameters = await readParameters(c);
  if (parameters.get('output') === 'json') return c.json({ SID: secret, LSID: 'null', Auth: secret });
  return c.text(`SID=${secret}\nLSID=null\nAuth=${secret}\n`);
}

async function userInfo(c: Context<ApiEnv>): Promise<Response> {
  const { user } = c.get('actor');
  const id = String(user.id);
  return c.json({
    userId: id,
    userName: user.username,
    userProfileId: id,
    userEmail: user.username,
    isBloggerUser: false,
    signupTimeSec: toSeconds(user.createdAt),
    isMultiLoginEnabled: false,
  });
}
