// A running server has a lock in the library, so that no reinflate runs beside it even when the index is gone. Each process has its own
// lock, so any number of them can share a library.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Clock, Millis } from '../model/glossary.ts';
import type { Files } from './files/files.ts';

const prefix = 'locks/';
export const renewLockEveryMs = 10_000;
/** A lock that was renewed longer ago was left by a process that is gone. */
export const lockValidMs = 30_000;

/** How a process is recognised on its own machine. */
export interface ProcessIdentity {
  /** The machine since its last start, and the process namespace, such as that of a container. */
  readonly machine: string;
  readonly pid: number;
  /** Tells it from a later process with the same id. Undefined where the system does not say. */
  readonly started: string | undefined;
}

export interface Lock extends ProcessIdentity {
  readonly renewedAt: Millis;
}

export interface LockDeps {
  readonly files: Files;
  readonly now: Clock;
  readonly self: ProcessIdentity;
}

/** Writes or renews a lock. */
export async function writeLock({ files, now, self }: LockDeps, name: string): Promise<void> {
  await files.put(prefix + name, `${JSON.stringify({ ...self, renewedAt: now() } satisfies Lock)}\n`);
}

export async function removeLock(files: Files, name: string): Promise<void> {
  await files.delete(prefix + name);
}

/** A lock of a process that still runs, as far as can be known. */
export async function findLock(
  { files, now, self }: LockDeps,
  startOf: (pid: number) => string | undefined = startOfProcess,
): Promise<Lock | undefined> {
  for await (const { key } of files.listAll(prefix)) {
    const lock = parseLock(await files.read(key));
    if (!lock || Math.abs(now() - lock.renewedAt) >= lockValidMs) continue;
    const isKilled =
      lock.machine === self.machine && lock.started !== undefined && startOf(lock.pid) !== lock.started;
    if (!isKilled) return lock;
  }
  return undefined;
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

function parseLock(bytes: Uint8Array | undefined): Lock | undefined {
  const lock = orUndefined(() => JSON.parse(Buffer.from(bytes ?? []).toString('utf8')) as Lock);
  return typeof lock?.renewedAt === 'number' ? lock : undefined;
}
