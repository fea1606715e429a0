// Reporter: fails the run when a suite breaks a rule (an engine is missing, a test is skipped, two tests of a file share a
// name), names what was skipped because a program is not installed, and prints how to repeat a failed run.
import type { Reporter, SerializedError, TestCase, TestModule, TestRunEndReason } from 'vitest/node';
import { isDeep, seed } from './depth.ts';

export default class SuiteRules implements Reporter {
  readonly #fileOrder: string[] = [];

  onTestModuleStart(module: TestModule): void {
    this.#fileOrder.push(module.relativeModuleId);
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    _errors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    const problems = modules.flatMap((module) => [
      ...missingEngines(module),
      ...skipped(module),
      ...sameNames(module),
    ]);
    if (problems.length > 0) {
      write(['', 'Suites that break a rule:', ...problems.map((problem) => `  ${problem}`)]);
      process.exitCode = 1;
    }
    if (reason === 'failed') write(howToRepeat(this.#fileOrder));
    const absent = modules.flatMap(missingPrograms);
    if (absent.length > 0)
      write(['', `Skipped ${absent.length} tests: ${[...new Set(absent)].sort().join(', ')}.`]);
  }
}

function howToRepeat(fileOrder: readonly string[]): string[] {
  const command = isDeep ? 'npm run test:deep --' : 'npm test --';
  const args = process.env.LECTERN_TEST_ARGS ? ` ${process.env.LECTERN_TEST_ARGS}` : '';
  const order = process.env.LECTERN_TEST_ORDER === 'random' ? ' --shuffle' : '';
  return [
    '',
    'Files in the order in which they started:',
    ...fileOrder.map((file) => `  ${file}`),
    `Seed ${seed}. Repeat this run with: ${command}${args} --seed ${seed}${order}`,
  ];
}

/** Each name stands before the title of a suite; see engines.ts and libraries.ts. */
const pairs = [
  ['sqlite', 'postgres'],
  ['folder', 's3'],
] as const;

function missingEngines(module: TestModule): string[] {
  const names = [...module.children.allTests()].map((test) => test.fullName);
  const on = (engine: string) =>
    names.filter((name) => name.startsWith(`${engine}: `)).map((name) => name.slice(engine.length + 2));
  const only = (engine: string, other: string) => {
    const there = new Set(on(other));
    return on(engine)
      .filter((name) => !there.has(name))
      .map((name) => `${module.relativeModuleId}: only on ${engine}: ${name}`);
  };
  const { engines } = module.project.getProvidedContext();
  return pairs.flatMap(([one, other]) => [
    // A level that runs on SQLite only has some suites on both engines; none may be on PostgreSQL only.
    ...(one !== 'sqlite' || engines.includes('postgres') ? only(one, other) : []),
    ...only(other, one),
  ]);
}

/** Tests that a filter on the command line skipped do not count. */
function skipped(module: TestModule): string[] {
  if (module.project.globalConfig.testNamePattern) return [];
  return [...module.children.allTests('skipped')]
    .filter((test: TestCase) => missingProgram(test) === undefined)
    .map((test) => `${module.relativeModuleId}: skipped: ${test.fullName}`);
}

function missingPrograms(module: TestModule): string[] {
  return [...module.children.allTests('skipped')].flatMap((test) => missingProgram(test) ?? []);
}

/** The reason that a test gave with `skip('not installed: ...')`. */
function missingProgram(test: TestCase): string | undefined {
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  return note?.startsWith('not installed: ') ? note : undefined;
}

function sameNames(module: TestModule): string[] {
  const names = [...module.children.allTests()].map((test) => test.fullName);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...repeated].map((name) => `${module.relativeModuleId}: two tests are named: ${name}`);
}

function write(lines: readonly string[]): void {
  process.stderr.write(`${lines.join('\n')}\n`);
}
