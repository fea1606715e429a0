// Loaded into the API process with `node --import`: measures the longest time for which its event loop does not turn. SIGUSR2
// prints the figures since the last one, as one line of JSON on the standard error.
import { isMainThread } from 'node:worker_threads';

const everyMs = 2;

export interface LoopFigures {
  readonly blockMs: number;
  /** CPU time of the main thread in its busiest turn. Unlike `blockMs` it leaves out the time that other processes took. */
  readonly cpuMs: number;
  /** The highest resident memory. */
  readonly rssMb: number;
}

function watch(): void {
  const none = { blockMs: 0, cpuMs: 0, rssMb: 0 };
  let longest = { ...none };
  let [lastMs, lastCpuMs] = [performance.now(), cpuNowMs()];
  const look = () => {
    const [atMs, atCpuMs] = [performance.now(), cpuNowMs()];
    longest = {
      blockMs: Math.max(longest.blockMs, atMs - lastMs - everyMs),
      cpuMs: Math.max(longest.cpuMs, atCpuMs - lastCpuMs),
      rssMb: Math.max(longest.rssMb, process.memoryUsage.rss() / 2 ** 20),
    };
    [lastMs, lastCpuMs] = [atMs, atCpuMs];
  };
  setInterval(look, everyMs).unref();
  process.on('SIGUSR2', () => {
    look();
    process.stderr.write(`${JSON.stringify(longest)}\n`);
    longest = { ...none };
  });
}

function cpuNowMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

// The threads of the process load this file too.
if (isMainThread) watch();
