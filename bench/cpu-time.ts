// The processor time of a process and all its descendants, by /proc. It does not depend on what else the machine does.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

interface ProcessTimes {
  readonly parent: number;
  /** Its own, and of children that it has waited for. */
  readonly seconds: number;
}

export function cpuSeconds(root: number): number {
  const processes = new Map<number, ProcessTimes>();
  for (const name of readdirSync('/proc')) {
    const times = /^\d+$/.test(name) ? readTimes(name) : undefined;
    if (times) processes.set(Number(name), times);
  }
  let sum = 0;
  for (const [pid, { seconds }] of processes) if (isBelow(processes, pid, root)) sum += seconds;
  return sum;
}

function isBelow(processes: ReadonlyMap<number, ProcessTimes>, pid: number, root: number): boolean {
  for (let at: number | undefined = pid; at !== undefined; at = processes.get(at)?.parent)
    if (at === root) return true;
  return false;
}

/** Undefined for a process that has ended meanwhile. */
function readTimes(pid: string): ProcessTimes | undefined {
  try {
    // The name in parentheses may have any character in it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, waitedUser = 0, waitedSystem = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, seconds: (user + system + waitedUser + waitedSystem) / ticksPerSecond };
  } catch {
    return undefined;
  }
}
