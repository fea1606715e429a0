// A provider that signs whatever a test wants it to sign, and says whatever a test wants it to say.
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type Json = Record<string, unknown>;

export interface Behaviour {
  discovery?: (usual: Json) => Json;
  header?: (usual: Json) => Json;
  claims?: (usual: Json) => Json;
  /** The signature, in place of the right one. */
  signature?: (signed: string, provider: HostileProvider) => string;
  /** The whole answer of the token endpoint. */
  token?: (usual: Json) => Json;
  userinfo?: (usual: Json) => Json;
  /** Takes over the answer to a path. */
  answer?: Record<string, (response: ServerResponse) => void>;
}

export interface HostileProvider {
  readonly issuer: string;
  readonly publicKey: KeyObject;
  /** What it does next; the usual is to be honest. */
  behaviour: Behaviour;
  readonly requests: { path: string; body: URLSearchParams; authorization: string | undefined }[];
  /** As if somebody had said who they are: what it sends the browser back with. */
  approve(authUrl: string, as?: Json): URL;
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): void;
}

let keys: ReturnType<typeof newKeys> | undefined;
const newKeys = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

/** With an issuer of its own it is placed by the test, else it listens on the loopback. */
export async function startHostileProvider(issuer?: string): Promise<HostileProvider> {
  keys ??= newKeys();
  const { privateKey, publicKey } = keys;
  const codes = new Map<string, { nonce: string; claims: Json }>();
  const server = createServer((request, response) => void provider.handle(request, response));
  if (issuer === undefined) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }

  const provider: HostileProvider = {
    issuer: issuer ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publicKey,
    behaviour: {},
    requests: [],
    approve(authUrl, as = {}) {
      const asked = new URL(authUrl).searchParams;
      const code = `code-${codes.size}`;
      codes.set(code, { nonce: asked.get('nonce') ?? '', claims: as });
      const back = new URL(asked.get('redirect_uri') ?? '');
      back.search = String(new URLSearchParams({ code, state: asked.get('state') ?? '' }));
      return back;
    },
    async handle(request, response) {
      const { pathname } = new URL(request.url ?? '/', provider.issuer);
      const body = new URLSearchParams(await text(request));
      const { authorization } = request.headers;
      provider.requests.push({ path: pathname, body, authorization });
      const special = provider.behaviour.answer?.[pathname];
      if (special) return special(response);
      const answer = answerTo(pathname, body);
      response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? { error: 'invalid_request' }));
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };

  function answerTo(path: string, body: URLSearchParams): Json | undefined {
    const { behaviour, issuer: own } = provider;
    const code = codes.get(body.get('code') ?? '');
    if (path === '/.well-known/openid-configuration') return (behaviour.discovery ?? same)(discovery(own));
    if (path === '/jwks') {
      return { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] };
    }
    if (path === '/userinfo') return (behaviour.userinfo ?? same)({ sub: 'sub-1' });
    if (path !== '/token' || !code) return undefined;
    codes.delete(body.get('code') ?? '');
    const answer = { access_token: 'open sesame', token_type: 'Bearer', id_token: idToken(code) };
    return (behaviour.token ?? same)(answer);
  }

  function idToken({ nonce, claims }: { nonce: string; claims: Json }): string {
    const { behaviour, issuer: own } = provider;
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: own, aud: 'lectern', sub: 'sub-1', iat: now, exp: now + 300, nonce, ...claims };
    const header = (behaviour.header ?? same)({ alg: 'RS256', kid: 'one', typ: 'JWT' });
    const signed = [header, (behaviour.claims ?? same)(usual)].map(encoded).join('.');
    const right = () => sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url');
    return `${signed}.${behaviour.signature ? behaviour.signature(signed, provider) : right()}`;
  }

  return provider;
}

function discovery(issuer: string): Json {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    id_token_signing_alg_values_supported: ['RS256'],
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
  };
}

/** As the classic confusion has it: the public key, which everybody has, as the secret of an HMAC. */
export function hmacWithPublicKey(signed: string, { publicKey }: HostileProvider): string {
  const secret = publicKey.export({ format: 'pem', type: 'spki' });
  return createHmac('sha256', secret).update(signed).digest('base64url');
}

/** By a key that is not the provider's. */
export function signedByAnother(signed: string): string {
  return sign('RSA-SHA256', Buffer.from(signed), newKeys().privateKey).toString('base64url');
}

const same = (usual: Json): Json => usual;
const encoded = (value: Json): string => Buffer.from(JSON.stringify(value)).toString('base64url');
