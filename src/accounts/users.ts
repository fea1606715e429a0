// Making users and changing their passwords.
import { Invalid } from '../errors.ts';
import type { Role, User } from '../model/user.ts';
import type { AccountDeps } from './deps.ts';
import { attemptKeys, takeAttempt } from './login.ts';
import { checkNewPassword } from './passwords.ts';
import { parseUsername } from './username.ts';

export interface NewUser {
  readonly username: string;
  readonly password: string;
}

/** The first user is the owner; everyone after is a member. */
export async function addUser(deps: AccountDeps, input: NewUser): Promise<User> {
  return (await deps.store.users.findOwner()) ? create(deps, input, 'member') : addOwner(deps, input);
}

/** Fails when there is an owner already: of several at once, one succeeds. */
export async function addOwner(deps: AccountDeps, input: NewUser): Promise<User> {
  const owner = await create(deps, input, 'owner');
  await deps.store.setupLinks.deleteAll();
  return owner;
}

async function create({ store, passwords }: AccountDeps, input: NewUser, role: Role): Promise<User> {
  const username = parseUsername(input.username);
  checkNewPassword(input.password);
  return store.users.create({ username, passwordHash: await passwords.hash(input.password), role });
}

/** Ends all sessions of the user. */
export async function setPassword(
  { store, passwords }: AccountDeps,
  user: User,
  password: string,
): Promise<void> {
  checkNewPassword(password);
  await store.users.setPassword(user.id, await passwords.hash(password));
}

/** By the owner, for a member who has forgotten it: they can log in at once, however often they have tried. */
export async function setMemberPassword(deps: AccountDeps, userId: number, password: string): Promise<void> {
  const user = await deps.store.users.get(userId);
  if (user.role === 'owner')
    throw new Invalid('id: change your own password where the present one is asked for');
  await setPassword(deps, user, password);
  const [account] = attemptKeys(user.username, '');
  await deps.store.loginAttempts.forget([account]);
}

/** As `setPassword`, for a user who shows that they know the present one. */
export async function changePassword(
  deps: AccountDeps,
  user: User,
  input: { current: string; password: string },
): Promise<void> {
  // Throttled as a login is: who found an open browser could otherwise try every password here.
  const [account] = attemptKeys(user.username, '');
  await takeAttempt(deps, [account]);
  const known = await deps.passwords.matches(input.current, await deps.store.users.findPasswordHash(user.id));
  if (!known) throw new Invalid('current_password: this is not your present password');
  await deps.store.loginAttempts.forget([account]);
  await setPassword(deps, user, input.password);
}
