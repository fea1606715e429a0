// Tokens: how programs log in. Reader apps call them application passwords.
import type { Scope, Token, User } from '../model/user.ts';
import type { AccountDeps } from './deps.ts';
import { feverKey, sha256 } from './secrets.ts';

/** Says what it is to whoever finds it, and has no "=" in it: some reader apps split on that. */
const prefix = 'lectern_';

/** `createdBy` is the id of the token that asked for this one; revoking that token revokes this one too. */
export async function createToken(
  { store, randomText }: AccountDeps,
  user: User,
  input: { name: string; scope: Scope; createdBy?: number | undefined },
): Promise<{ token: Token; secret: string }> {
  const secret = prefix + randomText(24);
  const token = await store.forUser(user.id).tokens.create({
    ...input,
    secretSha256: sha256(secret),
    feverSha256: sha256(feverKey(user.username, secret)),
  });
  return { token, secret };
}

export interface TokenLogin {
  readonly tokenId: number;
  readonly scope: Scope;
  readonly user: User;
}

/** Undefined for the token of a disabled user too. */
export async function findTokenLogin(
  { store }: AccountDeps,
  secret: string,
): Promise<TokenLogin | undefined> {
  return ifEnabled(await store.credentials.findToken(sha256(secret)));
}

export async function isTokenOfDisabledUser({ store }: AccountDeps, secret: string): Promise<boolean> {
  return (await store.credentials.findToken(sha256(secret)))?.user.disabledAt !== undefined;
}

/** By what a Fever client sends: see feverKey. */
export async function findFeverLogin({ store }: AccountDeps, key: string): Promise<TokenLogin | undefined> {
  return ifEnabled(await store.credentials.findFeverToken(sha256(key.toLowerCase())));
}

function ifEnabled(login: TokenLogin | undefined): TokenLogin | undefined {
  return login?.user.disabledAt === undefined ? login : undefined;
}
