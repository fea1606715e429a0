// The provider as its discovery document describes it: asked for when it is first needed, kept for an hour, and after a
// failure asked for again, but not by everybody at once.
import * as client from 'openid-client';
import { isFromFuture } from '../model/clock-jump.ts';
import type { Clock, Millis } from '../model/glossary.ts';
import type { Secret } from '../model/secret.ts';
import { asFetch } from '../outbound/as-fetch.ts';
import { Failure } from '../outbound/failure.ts';
import type { Outbound } from '../outbound/outbound.ts';

const keptMs = 60 * 60 * 1000;
const leftAloneMs = 5_000;
const maxBytes = 1024 * 1024;

export interface ProviderDeps {
  readonly outbound: Outbound;
  readonly now: Clock;
  /** For each request to the provider. */
  readonly timeoutMs: number;
}

export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret | undefined;
}

export type FindProvider = () => Promise<client.Configuration>;

export function providerFinder(deps: ProviderDeps, settings: ProviderSettings): FindProvider {
  const { now } = deps;
  let kept: { provider: client.Configuration; at: Millis } | undefined;
  let failed: { error: unknown; at: Millis } | undefined;
  let asking: Promise<client.Configuration> | undefined;

  const isWithin = (ms: number, at: Millis) => now() < at + ms && !isFromFuture(at, now());

  const ask = async () => {
    try {
      const provider = await discover(deps, settings);
      kept = { provider, at: now() };
      failed = undefined;
      return provider;
    } catch (error) {
      failed = { error, at: now() };
      // What it was like an hour ago is most likely what it is like now.
      if (kept) return kept.provider;
      throw error;
    }
  };

  return async () => {
    if (kept && isWithin(keptMs, kept.at)) return kept.provider;
    if (failed && isWithin(leftAloneMs, failed.at)) {
      if (kept) return kept.provider;
      throw failed.error;
    }
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

function discover(deps: ProviderDeps, { issuer, clientId, clientSecret }: ProviderSettings) {
  const isPlain = issuer.startsWith('http:');
  return client.discovery(new URL(issuer), clientId, undefined, authentication(clientSecret), {
    [client.customFetch]: guarded(deps, isPlain ? new URL(issuer).origin : undefined),
    timeout: deps.timeoutMs / 1000,
    // Else the library relies on TLS alone and looks at no signature.
    execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
  });
}

/** By Basic, as is usual, unless the provider says that it does not take that. */
function authentication(clientSecret: Secret | undefined): client.ClientAuth {
  if (!clientSecret) return client.None();
  const basic = client.ClientSecretBasic(clientSecret.reveal());
  const post = client.ClientSecretPost(clientSecret.reveal());
  return (server, metadata, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, metadata, body, headers);
  };
}

/** Where the operator has a provider without TLS, that one origin alone is spoken to without. */
function guarded({ outbound, timeoutMs }: ProviderDeps, plainOrigin: string | undefined): client.CustomFetch {
  const send = asFetch(outbound, {
    unpaced: true,
    // Somebody stands before the door. They do not come so often that it would hurt.
    evenPaused: true,
    limits: { totalMs: timeoutMs, maxBytes },
  });
  return async (url, options) => {
    const { protocol, origin } = new URL(url);
    if (protocol !== 'https:' && origin !== plainOrigin) {
      throw new TypeError('fetch failed', { cause: new Failure('bad-url') });
    }
    return send(url, options as RequestInit);
  };
}
