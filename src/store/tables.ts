// The columns of every table, as Kysely sees them. Times are Unix milliseconds, flags are 0 or 1, on both
// engines. docs/data-model.md says what each table is for.
import type { Generated, Insertable, Selectable } from 'kysely';

export interface Tables {
  users: UsersTable;
  tokens: TokensTable;
  sessions: SessionsTable;
  login_attempts: LoginAttemptsTable;
  groups: GroupsTable;
  meta: MetaTable;
  journal_dirty: JournalDirtyTable;
  leases: LeasesTable;
  search_docs: SearchDocsTable;
  search_pending: SearchPendingTable;
}

export interface UsersTable {
  id: Generated<number>;
  username: string;
  password_hash: string | null;
  role: 'owner' | 'member';
  oidc_subject: string | null;
  created_at: number;
  updated_at: number;
}

export interface TokensTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  scope: 'read' | 'write';
  secret_sha256: string;
  fever_sha256: string;
  created_at: number;
}

export interface SessionsTable {
  secret_sha256: string;
  user_id: number;
  created_at: number;
  expires_at: number;
}

export interface LoginAttemptsTable {
  key: string;
  failures: number;
  window_started_at: number;
  blocked_until: number;
}

export interface GroupsTable {
  id: Generated<number>;
  user_id: number;
  name: string;
  is_default: 0 | 1;
  created_at: number;
  updated_at: number;
}

export interface MetaTable {
  key: string;
  value: string;
}

export interface JournalDirtyTable {
  seq: Generated<number>;
  tbl: number;
  k1: number | null;
  k2: number | null;
  kt: string | null;
}

export interface LeasesTable {
  name: string;
  holder: string;
  epoch: number;
  expires: number;
}

export interface SearchDocsTable {
  id: number;
  user_id: number;
  kind: string;
  ref_id: number;
  url_key: string | null;
  title: string;
  site: string | null;
  published_at: number;
  text_sha256: string;
}

export interface SearchPendingTable {
  kind: string;
  ref_id: number;
  version: number;
}

/** Tables whose rows belong to one user. They are reached through `store.forUser(id)` alone. */
export type OwnedTable = {
  [T in keyof Tables]: 'user_id' extends keyof Tables[T] ? T : never;
}[keyof Tables];

export type Row<T extends keyof Tables> = Selectable<Tables[T]>;
export type NewRow<T extends keyof Tables> = Insertable<Tables[T]>;
