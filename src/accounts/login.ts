// Password login, throttled by account and by address, or for a browser that has logged in before by that browser.
import { isIPv6 } from 'node:net';
import { Invalid, TooManyRequests, Unauthorized } from '../errors.ts';
import type { User } from '../model/user.ts';
import type { AccountDeps } from './deps.ts';
import { findBrowserKey, listBrowserKeys } from './known-browsers.ts';
import { sha256 } from './secrets.ts';
import { type NewSession, startSession } from './sessions.ts';
import { foldUsername, isUsername } from './username.ts';

export interface LoginInput {
  /** Needed only where there is more than one user. */
  readonly username?: string | undefined;
  readonly password: string;
  /** The client's address, with what a client can forge already taken off. */
  readonly address: string;
  /** The cookie from an earlier login, if the browser sent one. */
  readonly knownBrowser?: string | undefined;
}

export async function login(
  deps: AccountDeps,
  input: LoginInput,
): Promise<{ user: User; session: NewSession }> {
  const { store, passwords } = deps;
  const account = await findAccount(deps, input.username);
  const [accountKey, addressKey] = attemptKeys(account.name, input.address);
  const browserKey = await findBrowserKey(deps, account.user, input.knownBrowser);
  await takeAttempt(deps, browserKey ? [browserKey] : [accountKey, addressKey]);

  const hash = account.user && (await store.users.findPasswordHash(account.user.id));
  const matched = await passwords.matches(input.password, hash);
  if (!matched || !account.user) throw new Unauthorized('wrong username or password');

  const session = await startSession(deps, account.user, hash);
  await store.loginAttempts.forget([browserKey ?? accountKey]);
  // Only this attempt: else whoever has an account could wipe the slate between guesses at the others'.
  if (!browserKey) await store.loginAttempts.giveBack(addressKey, deps.loginLimits);
  return { user: account.user, session };
}

/** A name that nobody has is throttled and checked like one that somebody has. */
async function findAccount({ store }: AccountDeps, username: string | undefined) {
  if (username === undefined) {
    const [only, ...others] = await store.users.list();
    if (others.length > 0) throw new Invalid('username: needed, since there is more than one user');
    return { name: only?.username ?? '', user: only };
  }
  const name = foldUsername(username);
  // The index drops U+0000 from what it is asked: "anna\0" would find anna, but count as another account.
  return { name, user: isUsername(name) ? await store.users.findByName(name) : undefined };
}

/** Counts an attempt under every key, or refuses it. */
export async function takeAttempt(
  { store, now, loginLimits }: AccountDeps,
  keys: readonly string[],
): Promise<void> {
  const refusedUntil = await store.loginAttempts.take(keys, loginLimits);
  if (refusedUntil === undefined) return;
  throw new TooManyRequests('too many login attempts', Math.ceil((refusedUntil - now()) / 1000));
}

/** Lets the user try again at once, wherever they typed wrong passwords. Attempts that were counted for an address stay. */
export async function forgetAttempts(deps: AccountDeps, user: User): Promise<void> {
  const [account] = attemptKeys(user.username, '');
  const browsers = await listBrowserKeys(deps, user);
  await deps.store.loginAttempts.forget([account, confirmKey(user), ...browsers]);
}

/** For a user who is logged in and has to confirm their password. A stranger's failed logins must not lock them out here. */
export function confirmKey(user: User): string {
  return `confirm:${user.id}`;
}

/** The name is hashed: it is whatever was typed, of any length, and may well be a password by mistake. */
function attemptKeys(name: string, address: string): [account: string, address: string] {
  return [`account:${sha256(name)}`, `address:${network(address)}`];
}

/** An IPv6 customer has at least a /64 to come from, so that is what counts as one address. */
export function network(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  const groups = tail === undefined ? left : [...left, ...zeros, ...right];
  const firstFour = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${firstFour.join(':')}::/64`;
}
