// Who has signed on, as far as the provider's word can be relied on.
import * as client from 'openid-client';
import { SignOnRefused } from './oidc-refusal.ts';

export interface Person {
  readonly issuer: string;
  /** Unique with this issuer, and never given to somebody else. */
  readonly subject: string;
  /** What the provider calls them; people may be able to change it. */
  readonly name: string | undefined;
  /** Only one that the provider says it has verified. */
  readonly email: string | undefined;
}

/** As the account keeps it: the same subject at another provider is somebody else. */
export function subjectOf({ issuer, subject }: Pick<Person, 'issuer' | 'subject'>): string {
  return `${issuer} ${subject}`;
}

type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>;
type Claims = Readonly<Record<string, unknown>>;

export async function fetchPerson(
  provider: client.Configuration,
  tokens: Tokens,
  { withProfile }: { withProfile: boolean },
): Promise<Person> {
  const claims = tokens.claims();
  if (!claims) throw new SignOnRefused('failed', 'the provider has sent no ID token');
  const { iss: issuer, sub: subject } = claims;
  // As OpenID Connect has it. The index drops U+0000 and cuts nothing, so that "a\0" would be "a".
  if (!/^[\x20-\x7e]{1,255}$/.test(subject) || !/^[\x21-\x7e]+$/.test(issuer)) {
    throw new SignOnRefused('failed', 'the provider has sent a subject that is none');
  }
  // With one audience the library looks no further; a token that was made for another client is not for us.
  if (claims.azp !== undefined && claims.azp !== provider.clientMetadata().client_id) {
    throw new SignOnRefused('failed', 'the ID token was made for another client');
  }
  const profile = withProfile ? await fetchProfile(provider, tokens, claims) : {};
  return { issuer, subject, name: nameIn(claims) ?? nameIn(profile), email: emailIn(claims, profile) };
}

/** Many providers put no more than the subject into the token. */
async function fetchProfile(
  provider: client.Configuration,
  { access_token: accessToken }: Tokens,
  claims: Claims & { sub: string },
): Promise<Claims> {
  const isComplete = claims.preferred_username !== undefined && claims.email !== undefined;
  if (isComplete || provider.serverMetadata().userinfo_endpoint === undefined) return {};
  return client.fetchUserInfo(provider, accessToken, claims.sub);
}

function nameIn({ preferred_username: name }: Claims): string | undefined {
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** Address and proof are taken from one place: that of one does not prove that of the other. */
function emailIn(claims: Claims, profile: Claims): string | undefined {
  const { email, email_verified: isVerified } = claims.email === undefined ? profile : claims;
  return typeof email === 'string' && isVerified === true ? email : undefined;
}
