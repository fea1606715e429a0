// Where the files of a run lie: in memory, where the system has room for them there. Thousands of small indexes and libraries
// are made and synced in one run, and it is not the disk that is tested; a run on a slow one would take several times as long.
import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const memory = '/dev/shm';
const prefix = 'lectern-tests-';
/** Several times what a run has there at once. */
const roomBytes = 3 * 1024 ** 3;

/** The folder for temporary files of this run, or undefined where the usual one has to do. */
export function makeMemoryFolder(): string | undefined {
  if (!hasRoom()) return undefined;
  for (const name of readdirSync(memory)) {
    // Of a run that was killed: nobody else would give that memory back.
    if (name.startsWith(prefix) && !isRunning(Number(name.slice(prefix.length))))
      rmSync(join(memory, name), { recursive: true, force: true });
  }
  const folder = folderOf(process.pid);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  return folder;
}

/** Servers that suites share end after this and may still write. */
export function removeMemoryFolder(): void {
  rmSync(folderOf(process.pid), { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

function folderOf(pid: number): string {
  return join(memory, prefix + pid);
}

/** Programs are started from temporary folders too, which some systems do not allow there. */
function hasRoom(): boolean {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .find(([, path, kind]) => path === memory && kind === 'tmpfs');
    const { bavail, bsize } = statfsSync(memory);
    return mount !== undefined && !/\bnoexec\b/.test(mount[3] ?? '') && bavail * bsize >= roomBytes;
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
