// Making users and changing their passwords.
import { Invalid } from '../errors.ts';
import type { Role, User } from '../model/user.ts';
import type { AccountDeps } from './deps.ts';
import { confirmKey, forgetAttempts, takeAttempt } from './login.ts';
import { checkNewPassword } from './passwords.ts';
import { parseUsername } from './username.ts';

export interface NewUser {
  readonly username: string;
  readonly password: string;
}

/** The first user is the owner; everyone after is a member. */
export async function addUser(deps: AccountDeps, input: NewUser): Promise<User> {
  const { owner, isUnclaimed } = await findOwner(deps);
  if (!owner) return addOwner(deps, input);
  return isUnclaimed ? claimOwner(deps, owner, input) : addMember(deps, input);
}

export function addMember(deps: AccountDeps, input: NewUser): Promise<User> {
  return create(deps, input, 'member');
}

/** Rows that came from an old database have an owner before anybody can log in as one. */
export async function findOwner({
  store,
}: Pick<AccountDeps, 'store'>): Promise<{ owner: User | undefined; isUnclaimed: boolean }> {
  const owner = await store.users.findOwner();
  if (!owner) return { owner, isUnclaimed: false };
  const { hasPassword, hasSignOn } = await store.users.findWaysIn(owner.id);
  return { owner, isUnclaimed: !hasPassword && !hasSignOn };
}

/** Fails when there is an owner already: of several at once, one succeeds. */
export async function addOwner(deps: AccountDeps, input: NewUser): Promise<User> {
  const owner = await create(deps, input, 'owner');
  await deps.store.setupLinks.deleteAll();
  return owner;
}

/** The owner whom an old database came with becomes a person; as `addOwner` does, of several at once one succeeds. */
export async function claimOwner(
  { store, passwords }: AccountDeps,
  owner: User,
  input: NewUser,
): Promise<User> {
  const username = parseUsername(input.username);
  checkNewPassword(input.password);
  const claimed = await store.users.claim(owner.id, {
    username,
    passwordHash: await passwords.hash(input.password),
  });
  await store.setupLinks.deleteAll();
  return claimed;
}

async function create({ store, passwords }: AccountDeps, input: NewUser, role: Role): Promise<User> {
  const username = parseUsername(input.username);
  checkNewPassword(input.password);
  return store.users.create({ username, passwordHash: await passwords.hash(input.password), role });
}

/**
 * Ends all sessions of the user. Known browsers stay: they give no access, only a count of attempts. Returns how many tokens
 * were revoked.
 */
export async function setPassword(
  { store, passwords }: AccountDeps,
  user: User,
  password: string,
  options?: { revokeTokens: boolean },
): Promise<number> {
  checkNewPassword(password);
  return store.users.setPassword(user.id, await passwords.hash(password), options);
}

/** By the owner, for a member who has forgotten it: they can log in at once, however often they have tried. */
export async function setMemberPassword(
  deps: AccountDeps,
  userId: number,
  { password, keepTokens }: { password: string; keepTokens: boolean },
): Promise<void> {
  const user = await deps.store.users.get(userId);
  if (user.role === 'owner')
    throw new Invalid('id: change your own password where the present one is asked for');
  await setPassword(deps, user, password, { revokeTokens: !keepTokens });
  await forgetAttempts(deps, user);
}

/** Disabling ends the user's sessions and refuses their tokens; it deletes nothing else. */
export async function setDisabled({ store }: AccountDeps, userId: number, disabled: boolean): Promise<User> {
  const user = await store.users.get(userId);
  if (user.role === 'owner') throw new Invalid('the owner cannot be disabled');
  return store.users.setDisabled(userId, disabled);
}

/** As `setPassword`, for a user who shows that they know the present one. */
export async function changePassword(
  deps: AccountDeps,
  user: User,
  input: { current: string; password: string },
): Promise<void> {
  await confirmPassword(deps, user, input.current);
  await setPassword(deps, user, input.password);
}

/** For what the browser of a user alone may not do, since anybody may have found it open. */
export async function confirmPassword(deps: AccountDeps, user: User, current: string): Promise<void> {
  // Throttled as a login is: else every password could be tried here.
  const key = confirmKey(user);
  await takeAttempt(deps, [key]);
  const known = await deps.passwords.matches(current, await deps.store.users.findPasswordHash(user.id));
  if (!known) throw new Invalid('current_password: this is not your present password');
  await deps.store.loginAttempts.forget([key]);
}
