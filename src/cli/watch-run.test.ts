import { describe, expect, it } from 'vitest';
import type { DeframerFeedState } from '../model/deframer.ts';
import { watchRun } from './watch-run.ts';

const synced = {
  id: 'a',
  enabled: true,
  deletedAt: null,
  isRunning: false,
  isDue: true,
  lastNote: null,
  nextRunAt: 1_000,
  lastRunAt: 500,
  lastError: null,
} as DeframerFeedState;
const running = { isRunning: true };
const endedOnce = { nextRunAt: null, lastRunAt: 9_000 };
const endedAndPolled = { nextRunAt: 99_000, lastRunAt: 9_000 };

/** Each look at the feed finds the next of `looks`; the last of them stays. */
async function watch(
  looks: readonly Partial<DeframerFeedState>[],
  { timeoutMs = 600_000, isTTY = false } = {},
) {
  let at = 0;
  let look = 0;
  let written = '';
  const outcome = await watchRun(
    {
      feeds: { get: async () => ({ ...synced, ...looks[Math.min(look++, looks.length - 1)] }) },
      now: () => at,
      pause: async (ms) => {
        at += ms;
      },
      stderr: {
        isTTY,
        write: (text) => {
          written += text;
          return true;
        },
      },
    },
    { id: synced.id, lastRunAt: synced.lastRunAt, timeoutMs },
  ).then(
    (feed) => feed,
    (error: Error) => error.message,
  );
  return { outcome, written, tookMs: at };
}

describe('watching a run', () => {
  it('ends when the run was put off, and says why', async () => {
    const { outcome } = await watch([
      {},
      { isDue: false, nextRunAt: 99_000, lastNote: 'Its host wants a rest.' },
    ]);
    expect(outcome).toBe('the run was put off: Its host wants a rest.');
  });

  it.each([
    ['once', endedOnce],
    ['and is to come again', endedAndPolled],
    // The clock of a worker may stand still or go back.
    ['when the one before had', { nextRunAt: null }],
  ])('ends when the run has ended %s', async (_how, end) => {
    const { outcome, written } = await watch([{}, running, running, end]);
    expect(outcome).toMatchObject(end);
    expect(written).toBe('');
  });

  it('ends at once when the run has come and gone already', async () => {
    expect(await watch([endedAndPolled])).toMatchObject({ outcome: endedAndPolled, tookMs: 0 });
  });

  it('does not take the schedule of somebody else for the end', async () => {
    const { outcome } = await watch([{ nextRunAt: 2_000 }, running, endedOnce]);
    expect(outcome).toMatchObject(endedOnce);
  });

  it('fails as the run did, without a word to the terminal', async () => {
    const { outcome } = await watch([running, { ...endedOnce, lastError: 'Gone.\u001b[31m' }]);
    expect(outcome).toBe('The run failed: Gone.\ufffd[31m');
  });

  it.each([{ enabled: false }, { deletedAt: 5 }])(
    'ends when the feed will not be run: %o',
    async (change) => {
      expect((await watch([{}, change])).outcome).toMatch(/disabled or deleted meanwhile/);
    },
  );

  it('asks once, after 15 seconds, whether there is a worker', async () => {
    const note = 'No worker has taken it yet. Is `lectern serve` running?\n';
    const early = await watch([...Array(28).fill({}), running, endedOnce]);
    expect(early.written).toBe('');
    const late = await watch([...Array(90).fill({}), running, endedOnce]);
    expect(late.written).toBe(note);
    // One that has begun has a worker, however long it takes.
    expect((await watch([running, ...Array(90).fill({}), endedOnce])).written).toBe('');
  });

  it('waits no longer than it was told, and says what becomes of the run', async () => {
    const busy = await watch([running], { timeoutMs: 20_250 });
    expect(busy).toMatchObject({ tookMs: 20_250 });
    expect(busy.outcome).toMatch(/^The run has not ended within 20.25 s\. It goes on/);
    expect((await watch([{}], { timeoutMs: 1_000 })).outcome).toMatch(
      /^No worker has taken the feed within 1 s/,
    );
  });

  it('shows on a terminal how long it has been', async () => {
    const { written } = await watch([{}, running, running, endedOnce], { isTTY: true });
    const first = 'Waiting for a worker: 0 s';
    expect(written).toBe(`\r${first}\r${'Running: 0 s'.padEnd(first.length)}\rRunning: 1 s\n`);
  });
});
