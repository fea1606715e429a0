// A thread in the process for pages, which ends that process when it takes too much memory, or when nobody is left who
// could ask it anything.
import { workerData } from 'node:worker_threads';

const lookEveryMs = 100;
const { parent, maxRssBytes } = workerData as { parent: number; maxRssBytes: number };

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  // A signal that nothing else sends: by it the parent knows what was the matter.
  if (process.memoryUsage.rss() > maxRssBytes) process.kill(process.pid, 'SIGUSR2');
}, lookEveryMs);
