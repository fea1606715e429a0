// A browser that has logged in keeps a random text in a cookie for a year. At its next login, attempts are counted for that
// browser alone: a stranger who guesses passwords does not lock it out.
import type { User } from '../model/user.ts';
import type { AccountDeps } from './deps.ts';
import { sha256 } from './secrets.ts';

export const knownBrowserLifetimeMs = 365 * 24 * 3600 * 1000;

/** The key for the attempts of this browser, if `user` has logged in with it before. */
export async function findBrowserKey(
  { store }: AccountDeps,
  user: User | undefined,
  secret: string | undefined,
): Promise<string | undefined> {
  if (!secret) return undefined;
  // Looked up for a name that nobody has, too: the time that this takes must not tell which names exist.
  const userId = await store.knownBrowsers.findUserId(sha256(secret));
  return userId !== undefined && userId === user?.id ? browserKey(sha256(secret)) : undefined;
}

/** Returns the text for the cookie: the same one as before, if it belongs to this user. */
export async function rememberBrowser(
  { store, now, randomText }: AccountDeps,
  user: User,
  secret: string | undefined,
): Promise<string> {
  const browser = { userId: user.id, expiresAt: now() + knownBrowserLifetimeMs };
  if (secret && (await store.knownBrowsers.extend({ ...browser, secretSha256: sha256(secret) })))
    return secret;
  const newSecret = randomText(32);
  await store.knownBrowsers.create({ ...browser, secretSha256: sha256(newSecret) });
  return newSecret;
}

export async function listBrowserKeys({ store }: AccountDeps, user: User): Promise<string[]> {
  return (await store.knownBrowsers.list(user.id)).map(browserKey);
}

function browserKey(secretSha256: string): string {
  return `browser:${secretSha256}`;
}
