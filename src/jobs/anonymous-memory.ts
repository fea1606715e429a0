// How much memory the process has for itself. Its resident size would count the pages of the index that SQLite has
// mapped, which the system takes back when it needs them, and a large index would look like a leak.
import { readFileSync } from 'node:fs';

/** Undefined where the system does not say, which is anywhere but on Linux. */
export function findAnonymousBytes(): number | undefined {
  try {
    const [, kilobytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}

/** The next best: what the engine of the calling thread knows of. Buffers are among what is external. */
export function countHeapBytes(): number {
  const { heapTotal, external } = process.memoryUsage();
  return heapTotal + external;
}
