// Single sign-on by OpenID Connect: to the provider with a code challenge, and back with a code. decisions/0019 says why.
import * as client from 'openid-client';
import { AccountDisabled, TooManyRequests } from '../errors.ts';
import type { User } from '../model/user.ts';
import { Failure } from '../outbound/failure.ts';
import type { AccountDeps } from './deps.ts';
import { network, takeAttempt } from './login.ts';
import { type AllowedUser, parseAllowedUsers } from './oidc-allowed.ts';
import { type Flow, flowLifetimeMs, flowSecrets, openFlow, sealFlow } from './oidc-flow.ts';
import { fetchPerson, type Person } from './oidc-person.ts';
import {
  type FindProvider,
  type ProviderDeps,
  type ProviderSettings,
  providerFinder,
} from './oidc-provider.ts';
import { SignOnRefused } from './oidc-refusal.ts';
import { findOrMakeUser, linkUser } from './oidc-user.ts';
import { sha256 } from './secrets.ts';
import { findSessionUser, type NewSession, startSession } from './sessions.ts';

export interface OidcSettings extends ProviderSettings {
  readonly redirectUri: string | undefined;
  readonly allowedUsers: readonly string[];
}

export interface Oidc {
  readonly settings: OidcSettings;
  readonly allowed: readonly AllowedUser[];
  readonly findProvider: FindProvider;
}

export interface SignOnDeps extends AccountDeps {
  readonly oidc: Oidc;
}

const timeoutMs = 10_000;
const scopes = ['openid', 'profile', 'email'];

/** Asks nobody: a provider that is down keeps nothing from starting. */
export function createOidc(
  deps: Omit<ProviderDeps, 'timeoutMs'> & Partial<ProviderDeps>,
  settings: OidcSettings,
): Oidc {
  return {
    settings,
    allowed: parseAllowedUsers(settings.allowedUsers),
    findProvider: providerFinder({ timeoutMs, ...deps }, settings),
  };
}

/** Where to send the browser, and what it has to bring back. */
export async function beginSignOn(
  deps: SignOnDeps,
  input: { redirectUri: string; next: string; linkingSession?: string },
): Promise<{ authUrl: string; cookie: string }> {
  const { oidc, store, randomText, now } = deps;
  const provider = await findProvider(oidc);
  const key = (await store.signOns.findKey()) ?? (await store.signOns.keepKey(randomText(32)));
  const { linkingSession, ...where } = input;
  const flow: Flow = {
    ...where,
    id: randomText(24),
    expiresAt: now() + flowLifetimeMs,
    issuer: oidc.settings.issuer,
    clientId: oidc.settings.clientId,
    ...(linkingSession !== undefined && { linkingSha256: sha256(linkingSession) }),
  };
  const { state, nonce, verifier } = flowSecrets(key, flow);
  const offered = provider.serverMetadata().scopes_supported ?? scopes;
  const authUrl = addressAt(provider, {
    redirect_uri: flow.redirectUri,
    scope: scopes.filter((scope) => scope === 'openid' || offered.includes(scope)).join(' '),
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return { authUrl: authUrl.href, cookie: sealFlow(key, flow) };
}

/** Throws where the provider has no place to log in, or one that is no address. */
function addressAt(provider: client.Configuration, parameters: Record<string, string>): URL {
  try {
    return client.buildAuthorizationUrl(provider, parameters);
  } catch (error) {
    throw refusalOf(error);
  }
}

/** The sign-on that this browser set out on and that this answer belongs to. It can be taken once. */
export async function takeFlow(
  deps: SignOnDeps,
  input: { cookie: string | undefined; answer: URLSearchParams; address: string },
): Promise<Flow> {
  const { oidc, store, now } = deps;
  const key = await store.signOns.findKey();
  const flow = key && input.cookie ? openFlow(key, input.cookie) : undefined;
  if (!key || !flow) throw new SignOnRefused('expired', 'the browser has not set out on a sign-on');
  const { issuer, clientId } = oidc.settings;
  if (flow.expiresAt <= now() || flow.issuer !== issuer || flow.clientId !== clientId)
    throw new SignOnRefused('expired', 'the sign-on began too long ago');
  // Nothing is used up by an answer to something else: else any page could end a sign-on that is under way.
  const states = input.answer.getAll('state');
  if (states.length !== 1 || states[0] !== flowSecrets(key, flow).state)
    throw new SignOnRefused('expired', 'the answer is not to the sign-on that the browser set out on');
  await takeAttempt(deps, [attemptKey(input.address)]).catch((error: unknown) => {
    if (!(error instanceof TooManyRequests)) throw error;
    throw new SignOnRefused('busy', 'too many sign-ons came to nothing', { cause: error });
  });
  // Remembered for longer than it could be used: the clocks of several machines differ.
  if (!(await store.signOns.useOnce(sha256(flow.id), flow.expiresAt + flowLifetimeMs)))
    throw new SignOnRefused('expired', 'the sign-on was used already');
  return flow;
}

/** Logs in; or, if that is what the flow was begun for, links the account of the session, which goes on, and returns nothing. */
export async function finishSignOn(
  deps: SignOnDeps,
  flow: Flow,
  input: { answer: URLSearchParams; session: string | undefined; address: string },
): Promise<{ user: User; session: NewSession } | undefined> {
  const person = await identify(deps, flow, input.answer);
  const { linkingSha256 } = flow;
  const login =
    linkingSha256 === undefined
      ? await logIn(deps, person)
      : await linkSession(deps, person, { linkingSha256, session: input.session ?? '' });
  await deps.store.loginAttempts.giveBack(attemptKey(input.address), deps.loginLimits);
  return login;
}

async function logIn(deps: SignOnDeps, person: Person): Promise<{ user: User; session: NewSession }> {
  const user = await findOrMakeUser(deps, person, deps.oidc.allowed);
  try {
    return { user, session: await startSession(deps, user) };
  } catch (error) {
    if (!(error instanceof AccountDisabled)) throw error;
    throw new SignOnRefused('disabled', `${user.username} is disabled`, { cause: error });
  }
}

async function linkSession(
  deps: SignOnDeps,
  person: Person,
  { linkingSha256, session }: { linkingSha256: string; session: string },
): Promise<undefined> {
  const found = sha256(session) === linkingSha256 ? await findSessionUser(deps, session) : undefined;
  if (!found) throw new SignOnRefused('expired', 'the session that wanted its account linked has ended');
  await linkUser(deps, found.user, person, deps.oidc.allowed);
}

async function identify({ oidc, store }: SignOnDeps, flow: Flow, answer: URLSearchParams): Promise<Person> {
  const provider = await findProvider(oidc);
  const { state, nonce, verifier } = flowSecrets((await store.signOns.findKey()) ?? '', flow);
  const url = new URL(flow.redirectUri);
  url.search = answer.toString();
  try {
    const tokens = await client.authorizationCodeGrant(provider, url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    return await fetchPerson(provider, tokens, { withProfile: oidc.allowed.length > 0 });
  } catch (error) {
    throw refusalOf(error);
  }
}

async function findProvider(oidc: Oidc): Promise<client.Configuration> {
  return oidc.findProvider().catch((error: unknown) => {
    throw new SignOnRefused('unreachable', `the provider cannot be used: ${reasonOf(error)}`, {
      cause: error,
    });
  });
}

function refusalOf(error: unknown): SignOnRefused {
  if (error instanceof SignOnRefused) return error;
  const why = { cause: error };
  if (error instanceof client.AuthorizationResponseError) {
    const said = error.error.slice(0, 100);
    const reason = said === 'access_denied' ? 'denied' : 'failed';
    return new SignOnRefused(reason, `the provider answered: ${JSON.stringify(said)}`, why);
  }
  const { code } = error as { code?: unknown };
  const isSilent = code === 'OAUTH_TIMEOUT' || failureIn(error) !== undefined;
  return new SignOnRefused(isSilent ? 'unreachable' : 'failed', reasonOf(error), why);
}

/** What went wrong, without what was sent: codes and tokens are not for the log. */
function reasonOf(error: unknown): string {
  return failureIn(error)?.message ?? (error instanceof Error ? error.message : 'unknown');
}

/** The library wraps what outbound says in errors of its own. */
function failureIn(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  return error instanceof Error ? failureIn(error.cause) : undefined;
}

/** Each that comes back costs the provider a request. */
function attemptKey(address: string): string {
  return `sign-on:${network(address)}`;
}
