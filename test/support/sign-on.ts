// Single sign-on for suites: Lectern's side of it, and a browser that goes to a provider and comes back.
import { createOidc, type Oidc, type OidcSettings } from '../../src/accounts/oidc.ts';
import type { Clock } from '../../src/model/glossary.ts';
import { Secret } from '../../src/model/secret.ts';
import { createOutbound } from '../../src/outbound/outbound.ts';
import { memoryOfPauses } from '../../src/outbound/pace.ts';
import { type Client, jsonOf, ownOrigin, type TestApi } from './api.ts';
import { randomText } from './library.ts';
import { client, type OidcServer } from './oidc-server.ts';

export const redirectUris = [`${ownOrigin}/api/oidc/callback`, `${ownOrigin}/oidc/callback`];

export interface SignOnWorld {
  /** Lectern's side, with these people on the list. */
  allowing(issuer: string, ...allowedUsers: string[]): Oidc;
  with(settings: Partial<OidcSettings> & { issuer: string }): Oidc;
  close(): Promise<void>;
}

/** Providers on the loopback may be asked, for so long. */
export function createSignOnWorld(now: Clock, timeoutMs = 5_000): SignOnWorld {
  const outbound = createOutbound({
    now,
    randomText,
    userAgent: 'Lectern/test',
    allowPrivateNetworks: true,
    pauses: memoryOfPauses(now),
  });
  const withSettings: SignOnWorld['with'] = (settings) =>
    createOidc({ outbound, now, timeoutMs }, { ...usualSettings, ...settings });
  return {
    with: withSettings,
    allowing: (issuer, ...allowedUsers) => withSettings({ issuer, allowedUsers }),
    close: () => outbound.close(),
  };
}

export const usualSettings = {
  clientId: client.clientId,
  clientSecret: new Secret(client.clientSecret),
  redirectUri: undefined,
  allowedUsers: [],
};

/** Where the browser is sent to; it has the cookie of the sign-on now. */
export async function authUrlFor(browser: Client, next?: string): Promise<string> {
  const query = next === undefined ? '' : `?next=${encodeURIComponent(next)}`;
  const answer = await browser.get(`/api/oidc/login${query}`);
  const { data } = await jsonOf<{ data: { auth_url: string } }>(answer);
  return data.auth_url;
}

/** The whole way: out, past the provider, and back to us. */
export async function signOn(
  browser: Client,
  provider: OidcServer,
  subject: string,
  next?: string,
): Promise<Response> {
  const back = await provider.visit(await authUrlFor(browser, next), { subject });
  return browser.get(back.pathname + back.search);
}

/** What came of it, in one line: where the browser was sent, and whether it has a session. */
export function outcomeOf(answer: Response): string {
  const hasSession = answer.headers.getSetCookie().some((line) => line.startsWith('session='));
  return `${answer.status} ${answer.headers.get('location')}${hasSession ? ' with a session' : ''}`;
}

/** As on the first day, without the price of a new index for every test. */
export async function forgetEverybody({ opened }: TestApi): Promise<void> {
  await opened.database.write(async (trx) => {
    for (const table of [
      'sessions',
      'login_attempts',
      'known_browsers',
      'used_sign_ons',
      'tokens',
      'groups',
      'users',
      'meta',
    ] as const) {
      await trx
        .deleteFrom(table)
        .$if(table === 'meta', (query) => query.where('key' as never, 'like', 'setup_link:%' as never))
        .execute();
    }
  });
}
