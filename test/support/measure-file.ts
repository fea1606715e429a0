// Setup file: records the CPU time that each test file used, including the child processes it waited for.
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    cpuMs?: number;
  }
}

/** Linux counts CPU time in ticks of this length. */
const tickMs = 10;

/** A worker process that runs one file belongs to that file from its start. A shared one is measured from here. */
const isShared = globalThis.lecternWorkerIsUsed === true;
globalThis.lecternWorkerIsUsed = true;
const startMs = isShared ? usedMs() : 0;

declare global {
  var lecternWorkerIsUsed: boolean | undefined;
}

// Registered first, so it runs after the hooks that stop a file's processes.
// biome-ignore lint/correctness/noEmptyPattern: vitest wants a pattern for the context
afterAll(({}, suite) => {
  suite.file.meta.cpuMs = usedMs() - startMs;
});

function usedMs(): number {
  if (!isMainThread) {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  }
  try {
    // The fields after the name in parentheses: utime, stime, cutime and cstime are numbers 14 to 17.
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * tickMs, 0);
  } catch {
    // Not Linux: the time of child processes is unknown.
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}
