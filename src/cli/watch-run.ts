// Watches a run of the deframer until it has ended, for somebody who waits for it.
import { Conflict, TemporaryFailure, Upstream } from '../errors.ts';
import type { DeframerFeedState } from '../model/deframer.ts';
import type { Clock, Millis } from '../model/glossary.ts';
import type { DeframerFeedStore } from '../store/deframer/deframer-feed-store.ts';
import type { Runtime } from './runtime.ts';
import { printable } from './table.ts';

export interface WatchDeps {
  readonly feeds: Pick<DeframerFeedStore, 'get'>;
  readonly now: Clock;
  /** Rejects when nobody waits any more. */
  readonly pause: (ms: number) => Promise<void>;
  readonly stderr: Pick<Runtime['stderr'], 'write' | 'isTTY'>;
}

const pauseMs = 500;
const noWorkerAfterMs = 15_000;

export interface RunToWatch {
  readonly id: string;
  /** When the run before this one ended. */
  readonly lastRunAt: Millis | null;
  readonly timeoutMs: number;
}

/**
 * For a feed that was told to run. Throws Upstream with the reason when the run failed, Conflict when it will not come
 * any more, TemporaryFailure when it takes longer than `timeoutMs`.
 */
export async function watchRun(
  { feeds, now, pause, stderr }: WatchDeps,
  { id, lastRunAt, timeoutMs }: RunToWatch,
): Promise<DeframerFeedState> {
  const line = statusLine(stderr);
  const beganAt = now();
  let wasTaken = false;
  let isNoted = false;
  try {
    for (;;) {
      const feed = await feeds.get(id);
      // Until its end a run leaves both as they were: the schedule that it was taken by, and the end of the run before.
      if (feed.nextRunAt === null || feed.lastRunAt !== lastRunAt) return succeeded(feed);
      if (!feed.enabled || feed.deletedAt !== null)
        throw new Conflict('the feed was disabled or deleted meanwhile: it is not run');
      // A worker has taken it, and given it back for later.
      if (!feed.isDue && !feed.isRunning)
        throw new TemporaryFailure(`the run was put off: ${printable(feed.lastNote ?? 'it comes later')}`);
      const waitedMs = now() - beganAt;
      if (waitedMs >= timeoutMs) throw tooLate(timeoutMs, wasTaken);
      wasTaken ||= feed.isRunning;
      line.show(`${feed.isRunning ? 'Running' : 'Waiting for a worker'}: ${Math.floor(waitedMs / 1000)} s`);
      if (!wasTaken && !isNoted && waitedMs >= noWorkerAfterMs) {
        line.end();
        stderr.write('No worker has taken it yet. Is `lectern serve` running?\n');
        isNoted = true;
      }
      await pause(Math.min(pauseMs, timeoutMs - waitedMs));
    }
  } finally {
    line.end();
  }
}

function succeeded(feed: DeframerFeedState): DeframerFeedState {
  if (feed.lastError !== null) throw new Upstream(`The run failed: ${printable(feed.lastError)}`);
  return feed;
}

function tooLate(timeoutMs: number, wasTaken: boolean): TemporaryFailure {
  const seconds = timeoutMs / 1000;
  return new TemporaryFailure(
    wasTaken
      ? `The run has not ended within ${seconds} s. It goes on; see: lectern admin feed list`
      : `No worker has taken the feed within ${seconds} s. It stays due until one does: start one with "lectern serve"`,
  );
}

/** One line that is written over, on a terminal; elsewhere nothing, so that logs stay readable. */
function statusLine(stderr: WatchDeps['stderr']) {
  let shown = '';
  return {
    show(text: string): void {
      if (!stderr.isTTY || text === shown) return;
      stderr.write(`\r${text.padEnd(shown.length)}`);
      shown = text;
    },
    end(): void {
      if (shown !== '') stderr.write('\n');
      shown = '';
    },
  };
}
