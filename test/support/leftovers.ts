// Setup file: fails a test file that leaves open servers, processes, timers, process listeners or changed environment
// variables behind. Files of one worker share its process and would be affected by them.
import { afterAll, vi } from 'vitest';
import { until } from './until.ts';

type Counts = Record<string, number>;

const closesWithinMs = 20_000;

/** Node keeps these for the next read of a file. */
const keptByNode = 'FileHandleReadWrap';
/** Set by sharp when it is loaded. */
const setBySharp = 'VIPSHOME';

// Node opens these when they are first used.
void [process.stdin, process.stdout, process.stderr];
const before = state();
const environment = { ...process.env };

// Registered before the hooks of the file, so it runs after them.
afterAll(async () => {
  if (vi.isFakeTimers()) throw new Error('This file leaves behind: fake timers');
  await until('nothing is left behind', () => leftBehind().length === 0, closesWithinMs).catch(() => {
    throw new Error(`This file leaves behind: ${leftBehind().join(', ')}`);
  });
}, 2 * closesWithinMs);

function leftBehind(): string[] {
  const now = state();
  const more = Object.keys(now).filter((name) => (now[name] ?? 0) > (before[name] ?? 0));
  const changed = Object.keys({ ...environment, ...process.env }).filter(
    (name) => process.env[name] !== environment[name] && name !== setBySharp,
  );
  return [...more, ...changed.map((name) => `process.env.${name}`)];
}

/** What keeps the process alive, and who listens to its events. */
function state(): Counts {
  const counts: Counts = {};
  for (const name of process.getActiveResourcesInfo())
    if (name !== keptByNode) counts[name] = (counts[name] ?? 0) + 1;
  for (const event of process.eventNames())
    counts[`process.on('${String(event)}')`] = process.listenerCount(event);
  return counts;
}
