// One line in the log when the index or the library goes away, and one when it is back, however much work fails meanwhile.
import { type Dependency, dependencies, Unavailable } from './errors.ts';
import type { Log } from './log.ts';

export interface OutageLog {
  /** The first outage of a dependency is logged; later ones only prolong it. */
  noticed(outage: Unavailable): void;
  isUp(dependency: Dependency): boolean;
  /** Asks a dependency that is away until it answers. */
  watch(probes: Readonly<Record<Dependency, () => Promise<unknown>>>): { stop(): Promise<void> };
}

interface Outage {
  readonly since: number;
  /** The last failure. */
  failedAt: number;
  /** The first answer after it. */
  answeredAt: number | undefined;
}

export interface OutageLogDeps {
  readonly log: Pick<Log, 'error' | 'info'>;
  /** Monotonic. */
  readonly uptimeMs?: () => number;
  readonly probeEveryMs?: number;
}

const defaultProbeEveryMs = 2_000;
/** An outage is over when nothing failed for so long: a full disk can still be read. */
export const quietMs = 5_000;

/** The outage that an error says of, or was caused by. */
export function outageOf(error: unknown): Unavailable | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof Unavailable) return cause;
  return undefined;
}

export function createOutageLog({
  log,
  uptimeMs = () => performance.now(),
  probeEveryMs = defaultProbeEveryMs,
}: OutageLogDeps): OutageLog {
  const outages = new Map<Dependency, Outage>();

  const failed = (dependency: Dependency): Outage => {
    const now = uptimeMs();
    const outage = outages.get(dependency) ?? { since: now, failedAt: now, answeredAt: undefined };
    outage.failedAt = now;
    outage.answeredAt = undefined;
    outages.set(dependency, outage);
    return outage;
  };

  const answered = (dependency: Dependency, outage: Outage): void => {
    const now = uptimeMs();
    outage.answeredAt ??= now;
    if (now - outage.failedAt < quietMs) return;
    outages.delete(dependency);
    const seconds = Math.round((outage.answeredAt - outage.since) / 1000);
    log.info({ dependency, seconds }, `the ${dependency} answers again`);
  };

  return {
    noticed(outage) {
      const { dependency } = outage;
      const isNew = !outages.has(dependency);
      failed(dependency);
      if (isNew) log.error({ dependency, reason: reasonOf(outage) }, `the ${dependency} does not answer`);
    },

    isUp: (dependency) => !outages.has(dependency),

    watch(probes) {
      const asked = new Set<Dependency>();
      const probe = async (dependency: Dependency): Promise<void> => {
        const outage = outages.get(dependency);
        if (!outage || asked.has(dependency)) return;
        asked.add(dependency);
        const { failedAt } = outage;
        await probes[dependency]().then(
          // Unless something else failed while it was asked.
          () => outage.failedAt === failedAt && answered(dependency, outage),
          () => void failed(dependency),
        );
        asked.delete(dependency);
      };
      const timer = setInterval(() => {
        for (const dependency of dependencies) void probe(dependency);
      }, probeEveryMs);
      timer.unref();
      return { stop: async () => clearInterval(timer) };
    },
  };
}

/** In one line. */
function reasonOf({ message, cause }: Unavailable): string {
  return cause instanceof Error && cause.message !== '' ? `${message} (${cause.message})` : message;
}
