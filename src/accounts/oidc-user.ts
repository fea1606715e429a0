// Which account somebody has who signs on. None is found by a name or an address that a person can choose, unless the
// operator says so in the list.
import { Conflict } from '../errors.ts';
import type { User } from '../model/user.ts';
import type { AccountDeps } from './deps.ts';
import { type AllowedUser, findAllowed } from './oidc-allowed.ts';
import { type Person, subjectOf } from './oidc-person.ts';
import { SignOnRefused } from './oidc-refusal.ts';
import { sha256 } from './secrets.ts';
import { foldUsername, isUsername } from './username.ts';
import { findOwner } from './users.ts';

export async function findOrMakeUser(
  deps: AccountDeps,
  person: Person,
  allowed: readonly AllowedUser[],
): Promise<User> {
  const known = await deps.store.users.findBySubject(subjectOf(person));
  const entry = mayComeIn(person, allowed);
  if (known) return known;
  if (!entry) throw notAllowed(person);
  const named = entry.username && (await deps.store.users.findByName(entry.username));
  if (!named) return makeUser(deps, person, { username: entry.username, alone: allowed.length === 1 });
  // The operator has said whose account it is. Once somebody at this provider has it, nobody else there gets it.
  const isTheirs = await setSubject(deps, named, person, { unless: `${person.issuer} ` });
  if (isTheirs) return named;
  throw new SignOnRefused(
    'account-exists',
    `${shown(person)} is to have the account ${named.username}, which is linked to somebody else`,
  );
}

/** For somebody who is logged in, and has shown the password of the account. */
export async function linkUser(
  deps: AccountDeps,
  user: User,
  person: Person,
  allowed: readonly AllowedUser[],
): Promise<void> {
  mayComeIn(person, allowed);
  await setSubject(deps, user, person);
}

/** Where there is a list, it is asked each time: who was taken off it does not come in any more. */
function mayComeIn(person: Person, allowed: readonly AllowedUser[]): AllowedUser | undefined {
  const entry = findAllowed(allowed, person);
  if (allowed.length > 0 && !entry) throw notAllowed(person);
  return entry;
}

async function setSubject(
  { store }: AccountDeps,
  user: User,
  person: Person,
  options?: { unless: string },
): Promise<boolean> {
  try {
    return await store.users.setSubject(user.id, subjectOf(person), options);
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    const message = `${shown(person)} has another account here already`;
    throw new SignOnRefused('taken', message, { cause: error });
  }
}

async function makeUser(
  deps: AccountDeps,
  person: Person,
  { username, alone }: { username: string | undefined; alone: boolean },
): Promise<User> {
  const { store } = deps;
  const { owner, isUnclaimed } = await findOwner(deps);
  const hasOwner = owner !== undefined && !isUnclaimed;
  if (!hasOwner && !alone) {
    throw new SignOnRefused(
      'setup-first',
      'there is no owner yet, and more than one person on the list could be it',
    );
  }
  const oidcSubject = subjectOf(person);
  const name = username ?? usernameFor(person);
  try {
    const role = hasOwner ? 'member' : 'owner';
    const user = await (owner && isUnclaimed
      ? store.users.claim(owner.id, { username: await nameFor(deps, owner, name), oidcSubject })
      : store.users.create({ username: name, passwordHash: null, role, oidcSubject }));
    if (role === 'owner') await store.setupLinks.deleteAll();
    return user;
  } catch (error) {
    if (!(error instanceof Conflict)) throw error;
    // They may have signed on in two tabs at once.
    const same = await store.users.findBySubject(oidcSubject);
    if (same) return same;
    const message = `${shown(person)} would be ${name}, who exists already and is not linked`;
    throw new SignOnRefused('account-exists', message, { cause: error });
  }
}

/** The owner whom an old database came with keeps the name it has, where the other is somebody's. */
async function nameFor({ store }: AccountDeps, owner: User, name: string): Promise<string> {
  return (await store.users.findByName(name)) ? owner.username : name;
}

function usernameFor(person: Person): string {
  const wanted = [person.name, person.email].map((text) => foldUsername(text ?? '')).find(isUsername);
  return wanted ?? `user-${sha256(subjectOf(person)).slice(0, 12)}`;
}

function notAllowed(person: Person): SignOnRefused {
  return new SignOnRefused('not-allowed', `${shown(person)} is not on LECTERN_OIDC_ALLOWED_USERS`);
}

/** As the operator could write it into the list. */
function shown({ subject, name, email }: Person): string {
  return [`sub:${subject}`, name, email].filter((text) => text !== undefined).join(', ');
}
