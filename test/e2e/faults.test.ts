// A cluster whose connections, processes and PostgreSQL break for ten seconds while clients write. `npm run test:deep` takes ten
// minutes of it, `npm run faults` as many as it is told.
import { expect, it } from 'vitest';
import { onOneEngine } from '../support/engines.ts';
import { faultKinds } from '../support/fault-run/kinds.ts';
import { problemText, runFaults } from '../support/fault-run/run.ts';

/** The feeds of a worker that was killed are waited for until its presence lease expires: too long for this run. */
const kinds = faultKinds.map(({ name }) => name).filter((name) => name !== 'worker: SIGKILL');

onOneEngine('postgres', 'a cluster in which something breaks', () => {
  it('loses nothing, answers no 500, and recovers by itself', { timeout: 240_000 }, async (test) => {
    const running = runFaults({
      signal: test.signal,
      seed: Number(process.env.LECTERN_TEST_SEED ?? 1),
      durationMs: 10_000,
      faultMs: [500, 1_500],
      requestsPerSecond: 6,
      feeds: 3,
      apis: 2,
      workers: 1,
      kinds,
    });
    // After a time-out, this waits until all processes have ended.
    test.onTestFinished(() =>
      running.then(
        () => {},
        () => {},
      ),
    );
    const report = await running;
    expect(report.problems, problemText(report, 'npm test -- test/e2e/faults.test.ts')).toEqual([]);
    expect(report.kinds.length).toBeGreaterThan(0);
    expect(report.acknowledged).toBeGreaterThan(20);
  });
});
