// A session is a random text in a cookie; the index keeps its hash, so it outlives a restart.
import { isFromFuture } from '../model/clock-jump.ts';
import type { Millis } from '../model/glossary.ts';
import type { User } from '../model/user.ts';
import type { AccountDeps } from './deps.ts';
import { sha256 } from './secrets.ts';

export const sessionLifetimeMs = 30 * 24 * 3600 * 1000;

export interface NewSession {
  readonly secret: string;
  readonly expiresAt: Millis;
}

/** `passwordHash` is the one that the user was just checked against, where they were. */
export async function startSession(
  { store, now, randomText }: AccountDeps,
  user: User,
  passwordHash?: string,
): Promise<NewSession> {
  const secret = randomText(32);
  const expiresAt = now() + sessionLifetimeMs;
  await store.credentials.createSession({
    secretSha256: sha256(secret),
    userId: user.id,
    expiresAt,
    passwordHash,
  });
  return { secret, expiresAt };
}

/**
 * The user of a session. Past half of its life a session that is still in use is given its full life again;
 * `renewed` then asks the caller to set the cookie anew.
 */
export async function findSessionUser(
  { store, now }: Pick<AccountDeps, 'store' | 'now'>,
  secret: string,
): Promise<{ user: User; renewed: boolean } | undefined> {
  const secretSha256 = sha256(secret);
  const session = await store.credentials.findSession(secretSha256);
  if (!session) return undefined;
  const lastRenewedAt = session.expiresAt - sessionLifetimeMs;
  // A session that was renewed while the clock was ahead would expire too late.
  const renewed = now() - lastRenewedAt > sessionLifetimeMs / 2 || isFromFuture(lastRenewedAt, now());
  if (renewed) await store.credentials.extendSession(secretSha256, now() + sessionLifetimeMs);
  return { user: session.user, renewed };
}

export async function endSession({ store }: AccountDeps, secret: string): Promise<void> {
  await store.credentials.deleteSession(sha256(secret));
}

/** Logs the user out everywhere, but for the browser that asks. */
export async function endOtherSessions(
  { store }: AccountDeps,
  user: User,
  ownSecret: string | undefined,
): Promise<void> {
  await store.credentials.deleteSessions(user.id, {
    except: ownSecret === undefined ? undefined : sha256(ownSecret),
  });
}
