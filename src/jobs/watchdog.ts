// Ends this process when a job hangs, blocks the event loop or eats the memory. It watches from a thread of its own,
// which goes on when the main one does not; the two share a few numbers in memory.
import { Worker } from 'node:worker_threads';
import type { ClaimedJob } from '../store/job-queue/claim.ts';
import { countHeapBytes, findAnonymousBytes } from './anonymous-memory.ts';
import type { RunnerSettings } from './settings.ts';

/** What the thread is given. */
export interface WatchdogData {
  readonly shared: SharedArrayBuffer;
  readonly names: readonly string[];
  readonly stallMs: number;
  readonly memoryBytes: number;
  readonly logAsText: boolean;
}

export interface Watchdog {
  /** Returns the place that `end` gives free. */
  begin(job: ClaimedJob, mostMs: number): number;
  end(place: number): void;
  stop(): Promise<void>;
}

/** Numbers for each place: the job's id, its epoch, the place of its name, the time it may take at most. */
export const placeSize = 4;
/** Before the places: the beat, which grows for as long as the event loop turns, and the size of the heap. */
export const firstPlace = 2;
const beatEveryMs = 250;

export function startWatchdog(
  settings: Pick<RunnerSettings, 'concurrency' | 'stallMs' | 'memoryBytes'>,
  names: readonly string[],
  logAsText: boolean,
): Watchdog {
  const shared = new SharedArrayBuffer(8 * (firstPlace + placeSize * settings.concurrency));
  const numbers = new Float64Array(shared);
  const { stallMs, memoryBytes } = settings;
  const workerData: WatchdogData = { shared, names, stallMs, memoryBytes, logAsText };
  const thread = new Worker(new URL('./watchdog-thread.ts', import.meta.url), { workerData });
  thread.unref();
  const isMemoryTold = findAnonymousBytes() !== undefined;
  const beating = setInterval(() => {
    numbers[0] = (numbers[0] ?? 0) + 1;
    // The thread cannot see the heap of this one.
    if (!isMemoryTold) numbers[1] = countHeapBytes();
  }, beatEveryMs);
  const free = Array.from({ length: settings.concurrency }, (_, place) => place);

  return {
    begin({ id, epoch, name }, mostMs) {
      const place = free.pop();
      if (place === undefined) throw new Error('more jobs at once than there are places');
      numbers.set([id, epoch, names.indexOf(name), mostMs], firstPlace + place * placeSize);
      return place;
    },
    end(place) {
      numbers.fill(0, firstPlace + place * placeSize, firstPlace + (place + 1) * placeSize);
      free.push(place);
    },
    stop: async () => {
      clearInterval(beating);
      await thread.terminate();
    },
  };
}
