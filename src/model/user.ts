import type { Millis } from './glossary.ts';

export type Role = 'owner' | 'member';

export interface User {
  readonly id: number;
  readonly username: string;
  readonly role: Role;
  readonly createdAt: Millis;
  /** Undefined while the user may log in. */
  readonly disabledAt: Millis | undefined;
}

/** What a token may do; each scope includes the one before it. `admin` may also manage accounts and the server. */
export const scopes = ['read', 'write', 'admin'] as const;
export type Scope = (typeof scopes)[number];

export function includesScope(scope: Scope, needed: Scope): boolean {
  return scopes.indexOf(scope) >= scopes.indexOf(needed);
}

export interface Token {
  readonly id: number;
  readonly name: string;
  readonly scope: Scope;
  readonly createdAt: Millis;
}
