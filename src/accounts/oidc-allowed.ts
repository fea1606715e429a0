// LECTERN_OIDC_ALLOWED_USERS: who may come in by single sign-on, and into which account.
import { StartupError } from '../errors.ts';
import type { Person } from './oidc-person.ts';
import { foldUsername, isUsername } from './username.ts';

export interface AllowedUser {
  readonly by: 'subject' | 'email' | 'name';
  readonly value: string;
  /** The account that is theirs, where the operator has said so: it may exist already. */
  readonly username: string | undefined;
}

/** `anna@example.org`, `anna`, `sub:248289761001`, and any of them with ` as USERNAME` after it. */
export function parseAllowedUsers(entries: readonly string[]): AllowedUser[] {
  return entries.map((entry) => {
    const [, who = entry, as] = /^(.+?)\s+as\s+(\S+)$/i.exec(entry) ?? [];
    const username = as === undefined ? undefined : foldUsername(as);
    if (username !== undefined && !isUsername(username)) throw bad(entry);
    if (!who.startsWith('sub:')) return { by: who.includes('@') ? 'email' : 'name', value: who, username };
    const value = who.slice('sub:'.length);
    if (value === '') throw bad(entry);
    return { by: 'subject', value, username };
  });
}

function bad(entry: string): StartupError {
  return new StartupError(
    `LECTERN_OIDC_ALLOWED_USERS: expected an e-mail address, a name or sub:ID, each perhaps with " as USERNAME", got "${entry}"`,
  );
}

/** The first entry that means this person. */
export function findAllowed(list: readonly AllowedUser[], person: Person): AllowedUser | undefined {
  return list.find(({ by, value }) => {
    if (by === 'subject') return person.subject === value;
    // Providers may tell Anna and anna apart, so a name is taken as it stands.
    if (by === 'name') return person.name === value;
    return person.email !== undefined && sameMailbox(person.email, value);
  });
}

/** Only A to Z have two cases here: by the rules of Unicode, letters of other scripts would become some of these. */
function sameMailbox(one: string, other: string): boolean {
  const folded = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return folded(one) === folded(other);
}
