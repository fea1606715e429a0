import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { type Level, levels } from './test/levels.ts';
import { isDeep } from './test/support/depth.ts';
import { engines } from './test/support/engine-names.ts';
import { makeMemoryFolder } from './test/support/memory-folder.ts';
import { LevelSequencer } from './test/support/sequencer.ts';

// The environment of this process reaches every worker and every process that a test starts.
const memoryFolder = process.env.TMPDIR ? undefined : makeMemoryFolder();
if (memoryFolder) process.env.TMPDIR = memoryFolder;
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('./node_modules/.cache/lectern', import.meta.url));
process.env.LECTERN_TEST_SEED ??= String(Math.floor(Math.random() * 1_000_000));

/** More than the cores of a small machine: suites often wait for processes, browsers and leases. */
const maxWorkers = Math.max(5, availableParallelism());

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', './test/support/suite-rules.ts', './test/support/times.ts'],
    maxWorkers,
    // Files that suites use without importing them. A change of one runs everything in `npm test -- --changed`.
    forceRerunTriggers: [
      '**/package.json',
      '**/vitest.config.ts',
      '**/migrations/**',
      '**/src/**/*.{md,json,sql}',
      '**/src/**/*-{thread,child,guard,watch}.ts',
      '**/docs/openapi.yaml',
    ],
    sequence: { sequencer: LevelSequencer, seed: Number(process.env.LECTERN_TEST_SEED) },
    projects: levels.map(projectOf),
  },
});

function projectOf(level: Level) {
  return {
    test: {
      name: level.name,
      include: [...level.include],
      exclude: [...(level.exclude ?? [])],
      globalSetup: level.usesBrowser ? ['test/support/browser-setup.ts'] : [],
      setupFiles: [
        'test/support/measure-file.ts',
        'test/support/seed-properties.ts',
        // Browser suites share a server between files on purpose.
        ...(level.isolate || level.usesBrowser ? [] : ['test/support/leftovers.ts']),
      ],
      provide: { engines: isDeep ? engines : level.engines },
      isolate: level.isolate,
      pool: 'forks' as const,
      maxWorkers,
      expect: { requireAssertions: true },
      testTimeout: level.timeoutMs,
      hookTimeout: level.timeoutMs,
    },
  };
}
