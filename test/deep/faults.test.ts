// Ten minutes of the faults that test/e2e/faults.test.ts has seconds of. Most of the time is waiting.
import { expect, it } from 'vitest';
import { onOneEngine } from '../support/engines.ts';
import { problemText, runFaults } from '../support/fault-run/run.ts';

onOneEngine('postgres', 'a cluster in which something breaks for ten minutes', () => {
  it('loses nothing, answers no 500, and recovers by itself', { timeout: 20 * 60_000 }, async (test) => {
    const running = runFaults({
      signal: test.signal,
      seed: Number(process.env.LECTERN_TEST_SEED ?? 1),
      durationMs: 10 * 60_000,
      faultMs: [2_000, 12_000],
      requestsPerSecond: 4,
      feeds: 5,
      apis: 2,
      workers: 3,
    });
    // After a time-out, this waits until all processes have ended.
    test.onTestFinished(() =>
      running.then(
        () => {},
        () => {},
      ),
    );
    const report = await running;
    expect(report.problems, problemText(report, 'npm run test:deep -- test/deep/faults.test.ts')).toEqual([]);
    expect(report.kinds.length).toBeGreaterThan(10);
  });
});
