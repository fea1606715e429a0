// The real oidc-provider on the loopback, with a page of its own to say who one is, and a browser that goes there and back.
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export const client = { clientId: 'lectern', clientSecret: 'known to both sides' };

export interface Account {
  readonly preferred_username?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
}

export interface OidcServer {
  readonly issuer: string;
  /** By subject. A test may put in more. */
  readonly accounts: Map<string, Account>;
  /** Every path that was asked for. */
  readonly requests: string[];
  /** Follows the address as a browser does, says who it is, or refuses. Gives where it is sent back to. */
  visit(authUrl: string, as: { subject: string } | 'nobody'): Promise<URL>;
  close(): void;
}

export async function startOidcServer(redirectUris: readonly string[]): Promise<OidcServer> {
  const accounts = new Map<string, Account>();
  const requests: string[] = [];
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer((request, response) => {
    requests.push(new URL(request.url ?? '/', 'http://here.invalid').pathname);
    handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, configuration(accounts, redirectUris));
  const callback = provider.callback();

  handle = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer);
    if (pathname === '/favicon.ico') return void response.writeHead(204).end();
    if (!pathname.startsWith('/interaction/')) return callback(request, response);
    const subject = searchParams.get('subject');
    if (subject === null) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page([...accounts.keys()]));
      return;
    }
    const result =
      subject === ''
        ? { error: 'access_denied', error_description: 'no' }
        : { login: { accountId: subject }, consent: {} };
    void provider.interactionFinished(request, response, result);
  };

  return {
    issuer,
    accounts,
    requests,
    visit: (authUrl, as) => visit(issuer, authUrl, as === 'nobody' ? '' : as.subject),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function configuration(accounts: ReadonlyMap<string, Account>, redirectUris: readonly string[]): object {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const hour = 3600;
  return {
    adapter: createAdapter(),
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: redirectUris,
        // Of a program on the same machine any port will do, which is not known before it has started.
        application_type: redirectUris.every((uri) => uri.startsWith('http://127.0.0.1/')) ? 'native' : 'web',
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], profile: ['preferred_username'], email: ['email', 'email_verified'] },
    cookies: { keys: ['a key of this test'] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_context: unknown, subject: string) => ({
      accountId: subject,
      claims: async () => ({ sub: subject, ...accounts.get(subject) }),
    }),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] },
    // Nobody is asked whether Lectern may know their name.
    // biome-ignore lint/suspicious/noExplicitAny: the context of Koa, of which this is all that is used
    loadExistingGrant: async ({ oidc }: any) => {
      const grant = new oidc.provider.Grant({
        accountId: oidc.session.accountId,
        clientId: oidc.client.clientId,
      });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
    ttl: {
      AccessToken: hour,
      AuthorizationCode: 60,
      Grant: hour,
      IdToken: hour,
      Interaction: hour,
      Session: hour,
    },
  };
}

/** All that the provider keeps. */
function createAdapter() {
  // biome-ignore lint/suspicious/noExplicitAny: whatever the provider wants to keep
  const rows = new Map<string, any>();
  return class {
    readonly model: string;
    constructor(model: string) {
      this.model = model;
    }
    key = (id: string) => `${this.model}:${id}`;
    upsert = async (id: string, payload: object) => void rows.set(this.key(id), { ...payload });
    find = async (id: string) => rows.get(this.key(id));
    findByUid = async (uid: string) => [...rows.values()].find((row) => row.uid === uid);
    findByUserCode = async () => undefined;
    consume = async (id: string) => Object.assign(rows.get(this.key(id)), { consumed: 1 });
    destroy = async (id: string) => void rows.delete(this.key(id));
    revokeByGrantId = async (grantId: string) => {
      for (const [key, row] of rows) if (row.grantId === grantId) rows.delete(key);
    };
  };
}

function page(subjects: readonly string[]): string {
  const buttons = [...subjects.map((subject) => [subject, `Continue as ${subject}`]), ['', 'Cancel']];
  return `<!doctype html><html lang="en"><title>The provider</title><h1>Who are you?</h1><form>${buttons
    .map(([subject, text]) => `<button name="subject" value="${subject}">${text}</button>`)
    .join(' ')}</form></html>`;
}

/** A browser with cookies of its own, which stops at the first address that is not the provider's. */
async function visit(issuer: string, authUrl: string, subject: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(authUrl);
  for (let hop = 0; hop < 10 && url.origin === issuer; hop++) {
    const Cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { Cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location !== null) url = new URL(location, url);
    else if (url.pathname.startsWith('/interaction/')) url.searchParams.set('subject', subject);
    else throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
  }
  return url;
}
