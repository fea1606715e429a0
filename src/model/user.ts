import type { Millis } from './glossary.ts';

export type Role = 'owner' | 'member';

export interface User {
  readonly id: number;
  readonly username: string;
  readonly role: Role;
  readonly createdAt: Millis;
}

export type Scope = 'read' | 'write';

export interface Token {
  readonly id: number;
  readonly name: string;
  readonly scope: Scope;
  readonly createdAt: Millis;
}
