import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { makeMemoryFolder } from './test/support/memory-folder.ts';
import { LongFirst } from './test/support/sequencer.ts';

// Handed on to every process of the run. Whoever has chosen a folder keeps it.
const memoryFolder = process.env.TMPDIR ? undefined : makeMemoryFolder();
if (memoryFolder) process.env.TMPDIR = memoryFolder;
// As the launcher has it: threads and processes that a test starts read TypeScript as it is.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('./node_modules/.cache/lectern', import.meta.url));

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/measure-file.ts'],
    reporters: ['default', './test/support/suite-rules.ts', './test/support/times.ts'],
    // By itself it would leave one of two cores idle, and much of the time is spent waiting for processes and disks.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    sequence: { sequencer: LongFirst },
    // Far more than any of them needs: a machine that does much else at the same time is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
