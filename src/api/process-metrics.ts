// The processes that run on the index, and their leases, at /metrics. Every API shows the same, except for its own state.
import type { Registry } from 'prom-client';
import { type Dependency, dependencies } from '../errors.ts';
import { parsePresenceName, roles } from '../model/presence.ts';
import type { LeaseStore } from '../store/lease-store.ts';
import { oncePerScrape, show } from './queue-metrics.ts';

interface ProcessState {
  readonly leases: () => Pick<LeaseStore, 'listHeld'>;
  readonly isStopping: () => boolean;
  readonly isUp: (dependency: Dependency) => boolean;
}

export function showProcesses(registry: Registry, { leases, isStopping, isUp }: ProcessState): void {
  const held = oncePerScrape(() => leases().listHeld());
  show(
    registry,
    'gauge',
    'lectern_processes',
    'Running processes, by role. A killed one counts for up to 15 s.',
    async () => {
      const running = (await held()).map(({ name }) => parsePresenceName(name)?.role);
      return roles.map((role) => ({
        labels: { role },
        value: running.filter((one) => one === role).length,
      }));
    },
  );
  show(
    registry,
    'gauge',
    'lectern_lease_age_seconds',
    'How long each lease has been held, by name. Presence leases are left out.',
    async () =>
      (await held())
        .filter(({ name }) => !parsePresenceName(name))
        .map(({ name, ageMs }) => ({ labels: { name }, value: ageMs / 1000 })),
  );
  show(
    registry,
    'gauge',
    'lectern_draining',
    'Whether this API stops and still serves: 1 or 0.',
    async () => [{ labels: {}, value: isStopping() ? 1 : 0 }],
  );
  show(
    registry,
    'gauge',
    'lectern_dependency_up',
    'Whether the index and the library answer this API: 1 or 0.',
    async () =>
      dependencies.map((dependency) => ({ labels: { dependency }, value: isUp(dependency) ? 1 : 0 })),
  );
}
