// The processes of a running Lectern, and how much memory they take, told by the operating system. Linux only.
import { readFileSync } from 'node:fs';

const names = ['API', 'worker', 'page reader'];

/** The API, the worker it has started, and what that has started for reading pages. */
export function residentMb(pid: number): Record<string, number> {
  const sizes: Record<string, number> = {};
  let generation = [pid];
  for (const name of names) {
    const sizesMb = generation.map(sizeMb);
    if (sizesMb.length > 0) sizes[name] = Math.max(...sizesMb);
    generation = generation.flatMap(childrenOf);
  }
  return sizes;
}

/** All that it has started, and what those have. */
export function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

function sizeMb(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readOrEmpty(`/proc/${pid}/status`)) ?? [];
  return Math.round(Number(kilobytes ?? 0) / 1024);
}

function childrenOf(pid: number): number[] {
  return readOrEmpty(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It has ended between two looks.
    return '';
  }
}
