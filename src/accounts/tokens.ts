// Tokens: how programs log in. Reader apps call them application passwords.
import type { Scope, Token, User } from '../model/user.ts';
import type { AccountDeps } from './deps.ts';
import { feverKey, sha256 } from './secrets.ts';

/** Says what it is to whoever finds it, and has no "=" in it: some reader apps split on that. */
const prefix = 'lectern_';

export async function createToken(
  { store, randomText }: AccountDeps,
  user: User,
  input: { name: string; scope: Scope },
): Promise<{ token: Token; secret: string }> {
  const secret = prefix + randomText(24);
  const token = await store.forUser(user.id).tokens.create({
    ...input,
    secretSha256: sha256(secret),
    feverSha256: sha256(feverKey(user.username, secret)),
  });
  return { token, secret };
}

export async function findTokenUser(
  { store }: AccountDeps,
  secret: string,
): Promise<{ user: User; scope: Scope } | undefined> {
  return store.credentials.findToken(sha256(secret));
}

/** By what a Fever client sends: see feverKey. */
export async function findFeverUser(
  { store }: AccountDeps,
  key: string,
): Promise<{ user: User; scope: Scope } | undefined> {
  return store.credentials.findFeverToken(sha256(key.toLowerCase()));
}
