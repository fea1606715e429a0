// The program with kinds of job that behave well and badly, and with times short enough for a test. Started as a process
// by test/e2e/jobs.test.ts.
import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { z } from 'zod';
import { runCommandLine } from '../../src/cli/command-line.ts';
import type { Opened, Runtime } from '../../src/cli/runtime.ts';
import { defineJob, type JobDefinition } from '../../src/jobs/registry.ts';
import type { JobFence } from '../../src/model/job.ts';
import { finishJob, requireJob } from '../../src/store/job-queue/fence.ts';
import { openDatabase } from '../../src/store/open.ts';
import {
  blockingKind,
  countingKind,
  eatingKind,
  gatedKind,
  hangingKind,
  type WorkerSettings,
} from './job-kinds.ts';
import { testRuntime } from './test-runtime.ts';

const settings = JSON.parse(process.env.TEST_JOB_SETTINGS ?? '{}') as WorkerSettings;

async function definitions(_runtime: Runtime, { config }: Opened): Promise<JobDefinition[]> {
  const opening = openDatabase(config.database, { now: Date.now, onIdleError: () => {}, asItIs: true });

  /** The effect of a job: a row, in the same commit as the job's end. */
  const takeEffect = async (fence: JobFence) => {
    const db = await opening;
    await db.write(async (trx) => {
      await requireJob(db, trx, fence);
      await sql`INSERT INTO effects (job_id, epoch, pid) VALUES (${fence.id}, ${fence.epoch}, ${process.pid})`.execute(
        trx,
      );
      await finishJob(db, trx, fence);
    });
  };

  return [
    defineJob({ ...countingKind, handler: ({ fence }) => takeEffect(fence) }),
    defineJob({
      ...gatedKind,
      // Heeds no signal, as a handler does that waits for something without one.
      handler: async ({ payload, fence }) => {
        process.stderr.write(`at the gate: ${process.pid}\n`);
        while (!existsSync(payload.gate)) await pause(20);
        try {
          await takeEffect(fence);
          process.stderr.write(`written: ${process.pid}\n`);
        } catch (error) {
          process.stderr.write(`refused: ${process.pid} ${(error as Error).name}\n`);
          throw error;
        }
      },
    }),
    defineJob({ ...hangingKind, handler: () => new Promise(() => {}) }),
    defineJob({
      ...blockingKind,
      // Blocks as a busy loop does, and uses no CPU time.
      handler: async () => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      },
    }),
    defineJob({
      ...eatingKind,
      handler: async () => {
        const eaten: Buffer[] = [];
        for (;;) {
          eaten.push(Buffer.alloc(16 * 1024 * 1024, eaten.length));
          await pause(5);
        }
      },
    }),
    defineJob({ name: 'quick', schema: z.null(), handler: async () => {} }),
  ] as JobDefinition[];
}

const runtime = testRuntime({
  entry: fileURLToPath(import.meta.url),
  jobs: { definitions, settings },
});
process.exitCode = await runCommandLine(runtime, process.argv.slice(2));
