// The index that a reinflate replaces: what it has, and how it makes room for the new one.
import { StartupError } from '../errors.ts';
import type { Files } from '../library/files/files.ts';
import type { Millis } from '../model/glossary.ts';
import type { SetName } from '../store/journal-store.ts';
import { DamagedIndex, hasIndex, namingDamage } from '../store/open.ts';
import { clearIndex, openRebuild } from '../store/reinflate/open-rebuild.ts';
import type { Progress, Rebuild } from '../store/reinflate/rebuild.ts';
import { flushIndex, type Runtime } from './runtime.ts';

export interface PresentIndex {
  readonly isFull: boolean;
  /** How long a running process holds it, unless it renews its leases. */
  readonly leaseLeftMs: Millis;
  /** Of an interrupted reinflate. */
  readonly progress: Progress | undefined;
  /** The last set that the index wrote to its library. */
  readonly lastSet: SetName | undefined;
  readonly damage?: DamagedIndex;
}

const noIndex: PresentIndex = { isFull: false, leaseLeftMs: 0, progress: undefined, lastSet: undefined };

export async function inspectIndex(runtime: Runtime): Promise<PresentIndex> {
  const { database } = runtime.readConfig().config;
  if (!hasIndex(database)) return noIndex;
  try {
    return await namingDamage(database, () =>
      withRebuild(runtime, async (rebuild) => {
        const progress = await rebuild.findProgress();
        const isFull = progress === undefined && !(await rebuild.isEmpty());
        const [leaseLeftMs, lastSet] = [await rebuild.leaseLeftMs(), await rebuild.findLastSet()];
        return { isFull, leaseLeftMs, progress, lastSet };
      }),
    );
  } catch (damage) {
    if (!(damage instanceof DamagedIndex)) throw damage;
    return { ...noIndex, damage };
  }
}

/** Puts an index that has rows aside, after its last changes are in the library. Returns what was done. */
export async function makeRoom(
  runtime: Runtime,
  files: Files,
  { isFull, leaseLeftMs, progress, damage }: PresentIndex,
  { force, discard }: { force: boolean; discard: boolean },
): Promise<string[]> {
  const { database } = runtime.readConfig().config;
  try {
    if (damage) throw damage;
    if (leaseLeftMs > 0)
      throw new StartupError(
        `Lectern is running on this index. Stop it first; if it was killed, wait ${Math.ceil(leaseLeftMs / 1000)} seconds.`,
      );
    if (!isFull && !(progress && force)) return [];
    if (!force)
      throw new StartupError(
        'The index has rows already. Add --force to put it aside and rebuild it from the library.',
      );
    const flushed = isFull ? await flushBeforeReplacing(runtime, files, { discard }) : [];
    return [...flushed, await clearIndex(database, runtime.now)];
  } catch (error) {
    // It cannot be known whether a damaged index has changes that are not in the library.
    if (!(error instanceof DamagedIndex) || !force || !discard) throw error;
    return [await clearIndex(database, runtime.now)];
  }
}

/** The old index may have changes that the library lacks: written there, or given up only with `discard`. */
async function flushBeforeReplacing(
  runtime: Runtime,
  files: Files,
  { discard }: { discard: boolean },
): Promise<string[]> {
  const { database } = runtime.readConfig().config;
  const { pending, failure } = await namingDamage(database, () => flushIndex(runtime, files));
  if (pending === 0) return [];
  const rows = pending === 1 ? '1 changed row' : `${pending} changed rows`;
  if (failure === undefined) return [`wrote ${rows} of the old index to the library first`];
  if (discard) return [`gave up ${rows} of the old index: ${failure}`];
  throw new StartupError(
    `The index has ${rows} that are not in the library, and they cannot be written there: ${failure} ` +
      'Nothing was changed. Add --discard to give them up.',
  );
}

export async function withRebuild<T>(runtime: Runtime, work: (rebuild: Rebuild) => Promise<T>): Promise<T> {
  const { database, pull } = runtime.readConfig().config;
  const rebuild = await openRebuild(database, { now: runtime.now, pullIntervalMs: pull.intervalMs });
  try {
    return await work(rebuild);
  } finally {
    await rebuild.close();
  }
}
