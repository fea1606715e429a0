// A running server has a lock in the library, so that no reinflate runs beside it even when the index is gone. Each process has its own
// lock, so any number of them can share a library.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Millis } from '../model/glossary.ts';
import type { Files } from './files/files.ts';

const prefix = 'locks/';
export const renewLockEveryMs = 10_000;
/** A lock that was renewed longer ago belongs to a process that has ended. */
export const lockValidMs = 30_000;

/** How a process is recognised on its own machine. */
export interface ProcessIdentity {
  /** The machine since its last start, and the process namespace, such as that of a container. */
  readonly machine: string;
  readonly pid: number;
  /** Tells it from a later process with the same id. Undefined where the system does not say. */
  readonly started: string | undefined;
}

export interface LockDeps {
  readonly files: Files;
  readonly self: ProcessIdentity;
}

/** Writes or renews a lock. */
export async function writeLock({ files, self }: LockDeps, name: string): Promise<void> {
  await files.put(prefix + name, `${JSON.stringify(self)}\n`);
}

export async function removeLock(files: Files, name: string): Promise<void> {
  await files.delete(prefix + name);
}

/** The lock of a process that still runs, as far as this can be known. */
export async function findLock(
  deps: LockDeps,
  startOf: (pid: number) => string | undefined = startOfProcess,
): Promise<ProcessIdentity | undefined> {
  for await (const { lock, isStale } of readLocks(deps, startOf)) if (lock && !isStale) return lock;
  return undefined;
}

/** Deletes locks of processes that were killed. */
export async function removeStaleLocks(deps: LockDeps): Promise<void> {
  for await (const { key, isStale } of readLocks(deps, startOfProcess))
    if (isStale) await deps.files.delete(key);
}

async function* readLocks({ files, self }: LockDeps, startOf: (pid: number) => string | undefined) {
  const now = await storageTime(files, self);
  for await (const { key, modifiedAt } of files.listAll(prefix)) {
    const lock = parseLock(await files.read(key));
    const isKilled =
      lock?.machine === self.machine && lock.started !== undefined && startOf(lock.pid) !== lock.started;
    yield { key, lock, isStale: isKilled || Math.abs(now - modifiedAt) >= lockValidMs };
  }
}

/** The storage's own time, which all machines share. */
async function storageTime(files: Files, { pid }: ProcessIdentity): Promise<Millis> {
  const key = `${prefix}time-${pid}`;
  await files.put(key, '\n');
  try {
    return (await files.stat(key))?.modifiedAt ?? 0;
  } finally {
    await files.delete(key);
  }
}

export function identifyProcess(): ProcessIdentity {
  const bootId = orUndefined(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  const namespace = orUndefined(() => readlinkSync('/proc/self/ns/pid'));
  return {
    machine: [hostname(), bootId, namespace].filter(Boolean).join(' '),
    pid: process.pid,
    started: startOfProcess(process.pid),
  };
}

/** The time at which a process started, in ticks since the machine did; undefined for one that has ended. Linux only. */
function startOfProcess(pid: number): string | undefined {
  const stat = orUndefined(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The name of the program is in parentheses and may contain anything.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields?.[0] === 'Z' ? undefined : fields?.[19];
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function parseLock(bytes: Uint8Array | undefined): ProcessIdentity | undefined {
  const lock = orUndefined(() => JSON.parse(Buffer.from(bytes ?? []).toString('utf8')) as ProcessIdentity);
  return typeof lock?.pid === 'number' && typeof lock.machine === 'string' ? lock : undefined;
}
