// The first start: the owner comes from LECTERN_PASSWORD, or from a one-time link printed on the console.
import { Conflict, Forbidden } from '../errors.ts';
import type { Secret } from '../model/secret.ts';
import type { User } from '../model/user.ts';
import type { AccountDeps } from './deps.ts';
import { sha256 } from './secrets.ts';
import { addOwner, claimOwner, findOwner, setPassword } from './users.ts';

const linkLifetimeMs = 24 * 3600 * 1000;
export const defaultOwnerName = 'owner';

/** Makes the owner's password the configured one. Another process may be doing the same at this moment. */
export async function applyConfiguredPassword(deps: AccountDeps, password: Secret): Promise<void> {
  const { store, passwords } = deps;
  const text = password.reveal();
  if (!(await store.users.findOwner())) {
    try {
      await addOwner(deps, { username: defaultOwnerName, password: text });
      return;
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
  }
  const owner = await store.users.findOwner();
  if (owner && !(await passwords.matches(text, await store.users.findPasswordHash(owner.id)))) {
    await setPassword(deps, owner, text);
  }
}

/** The secret of a new setup link, or undefined when there is an owner already. */
export async function createSetupLink(deps: AccountDeps): Promise<string | undefined> {
  if (await isSetupDone(deps)) return undefined;
  const { store, now, randomText } = deps;
  const secret = randomText(24);
  await store.setupLinks.create(sha256(secret), now() + linkLifetimeMs);
  return secret;
}

export async function isSetupDone(deps: AccountDeps): Promise<boolean> {
  const { owner, isUnclaimed } = await findOwner(deps);
  return owner !== undefined && !isUnclaimed;
}

export async function completeSetup(
  deps: AccountDeps,
  input: { secret: string; username?: string | undefined; password: string },
): Promise<User> {
  // The link first: another setup that completes between the two reads makes all links invalid.
  const isValid = await deps.store.setupLinks.isValid(sha256(input.secret));
  if (await isSetupDone(deps)) throw new Conflict('this Lectern has an owner already: log in instead');
  if (!isValid) {
    throw new Forbidden('this setup link is not valid: restart Lectern to get a new one');
  }
  const user = { username: input.username ?? defaultOwnerName, password: input.password };
  const unclaimed = await deps.store.users.findOwner();
  return unclaimed ? claimOwner(deps, unclaimed, user) : addOwner(deps, user);
}
