// The store: everything that Lectern keeps in its index, on either engine. Owned rows only through forUser().
import type { Clock } from '../model/glossary.ts';
import { type CredentialStore, credentialStore } from './credential-store.ts';
import type { Database } from './database.ts';
import { type LoginAttemptStore, loginAttemptStore } from './login-attempt-store.ts';
import { type GroupStore, groupStore } from './owned/group-store.ts';
import { ownedBy } from './owned/owned-rows.ts';
import { type TokenStore, tokenStore } from './owned/token-store.ts';
import { type SetupLinkStore, setupLinkStore } from './setup-link-store.ts';
import { type UserStore, userStore } from './user-store.ts';

export interface Store {
  readonly engine: 'sqlite' | 'postgres';
  readonly users: UserStore;
  readonly credentials: CredentialStore;
  readonly loginAttempts: LoginAttemptStore;
  readonly setupLinks: SetupLinkStore;
  forUser(userId: number): UserRows;
  schemaVersion(): Promise<number>;
  tidy(effort: 'light' | 'thorough'): Promise<void>;
  close(): Promise<void>;
}

/** All that belongs to one user. */
export interface UserRows {
  readonly groups: GroupStore;
  readonly tokens: TokenStore;
}

export function createStore(db: Database, now: Clock): Store {
  return {
    engine: db.engine,
    users: userStore(db, now),
    credentials: credentialStore(db, now),
    loginAttempts: loginAttemptStore(db, now),
    setupLinks: setupLinkStore(db, now),
    forUser: (userId) => {
      const owned = ownedBy(db, userId);
      return { groups: groupStore(owned, now), tokens: tokenStore(owned, now) };
    },
    schemaVersion: () => db.schemaVersion(),
    tidy: (effort) => db.tidy(effort),
    close: () => db.close(),
  };
}
