// The lease by which a process says that it runs. Its holder is the process's lease holder: what this holder has locked belongs
// to a live process while the lease is valid.

export const roles = ['all', 'api', 'worker'] as const;
/** What a process runs: the API, the worker, or an API with a worker beside it. */
export type Role = (typeof roles)[number];

export interface Presence {
  readonly role: Role;
  readonly holder: string;
}

export const presencePrefix = 'serve:';
export const presenceTtlMs = 15_000;

export function presenceName({ role, holder }: Presence): string {
  return `${presencePrefix}${role}:${holder}`;
}

/** Undefined for a lease of another kind. */
export function parsePresenceName(name: string): Presence | undefined {
  const [, role, holder] = /^serve:([a-z]+):(.+)$/s.exec(name) ?? [];
  const known = roles.find((one) => one === role);
  return known && holder ? { role: known, holder } : undefined;
}
