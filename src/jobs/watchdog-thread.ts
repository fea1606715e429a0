// Runs in a thread of its own. Time is counted in its own turns, not by a clock: while the whole process stands still,
// as in a laptop that sleeps, nobody is to blame.
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { asTextLine } from '../log.ts';
import { findAnonymousBytes } from './anonymous-memory.ts';
import { firstPlace, placeSize, type WatchdogData } from './watchdog.ts';

const turnMs = 250;
const { shared, names, stallMs, memoryBytes, logAsText } = workerData as WatchdogData;
const numbers = new Float64Array(shared);
const places = (numbers.length - firstPlace) / placeSize;
const seen = Array.from({ length: places }, () => ({ id: 0, epoch: 0, turns: 0 }));
let beat = 0;
let turnsWithoutBeat = 0;

setInterval(() => {
  turnsWithoutBeat = numbers[0] === beat ? turnsWithoutBeat + 1 : 0;
  beat = numbers[0] ?? 0;
  const jobs = lookAtJobs();
  const late = jobs.filter(({ ms, mostMs }) => ms > mostMs);
  const usedBytes = findAnonymousBytes() ?? numbers[1] ?? 0;
  // Without a job it is the fault of the worker itself, and nobody should look for it elsewhere.
  const isIdle = jobs.length === 0;
  if (turnsWithoutBeat * turnMs > stallMs)
    end(
      isIdle ? 'its event loop stands still, with no job running' : 'a job blocks the event loop',
      jobs,
      {},
    );
  else if (late.length > 0) end('a job hangs and does not heed its signal', late, {});
  else if (usedBytes > memoryBytes)
    end(isIdle ? 'it uses too much memory, with no job running' : 'a job uses too much memory', jobs, {
      usedBytes,
      memoryBytes,
    });
}, turnMs);

function lookAtJobs() {
  return seen.flatMap((place, index) => {
    const [id = 0, epoch = 0, name = 0, mostMs = 0] = numbers.subarray(
      firstPlace + index * placeSize,
      firstPlace + (index + 1) * placeSize,
    );
    const isSame = place.id === id && place.epoch === epoch;
    Object.assign(place, { id, epoch, turns: isSame ? place.turns + 1 : 0 });
    return id === 0 ? [] : [{ id, name: names[name] ?? '', ms: place.turns * turnMs, mostMs }];
  });
}

/** By SIGKILL, which nothing in the process can delay. What was running counts as crashed when its lease is over. */
function end(why: string, jobs: readonly { id: number; name: string; ms: number }[], facts: object): void {
  const line = JSON.stringify({
    level: 'error',
    time: new Date(performance.timeOrigin + performance.now()).toISOString(),
    ...facts,
    jobs: jobs.map(({ id, name, ms }) => ({ id, name, ms })),
    msg: `the worker is ended: ${why}`,
  });
  try {
    writeSync(2, logAsText ? asTextLine(line) : `${line}\n`);
  } catch {
    // The terminal was closed.
  }
  process.kill(process.pid, 'SIGKILL');
}
