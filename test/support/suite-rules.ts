// A reporter that fails the run when the suites break the rules of this house: what runs on one engine runs on
// the other, no test is skipped, no two tests of a file share a name. What needs a program that is not installed here may be
// left out; it is said at the end which, and for want of what.
import type { Reporter, TestCase, TestModule } from 'vitest/node';

export default class SuiteRules implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const absent = modules.flatMap(leftOut);
    if (absent.length > 0)
      process.stderr.write(`\nLeft out here:\n${absent.map((line) => `  ${line}\n`).join('')}`);
    const problems = modules.flatMap((module) => [
      ...missingEngines(module),
      ...skipped(module),
      ...sameNames(module),
    ]);
    if (problems.length === 0) return;
    process.stderr.write(
      `\nThe suites break the rules:\n${problems.map((problem) => `  ${problem}\n`).join('')}`,
    );
    process.exitCode = 1;
  }
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
  return pairs.flatMap(([one, other]) => [...only(one, other), ...only(other, one)]);
}

const isFilteredByName = process.argv.some((arg) => arg === '-t' || arg.startsWith('--testNamePattern'));

/** A filter on the command line skips too; that is not the suite's doing. */
function skipped(module: TestModule): string[] {
  return [...module.children.allTests('skipped')]
    .filter((test: TestCase) => missingFor(test) === undefined)
    .filter((test: TestCase) => test.options.mode !== 'run' || !isFilteredByName)
    .map((test) => `${module.relativeModuleId}: skipped: ${test.fullName}`);
}

function leftOut(module: TestModule): string[] {
  return [...module.children.allTests('skipped')].flatMap((test) => {
    const missing = missingFor(test);
    return missing === undefined ? [] : [`${module.relativeModuleId}: ${test.fullName}: ${missing}`];
  });
}

/** What a test has given as its reason by `skip('not installed: ...')`. */
function missingFor(test: TestCase): string | undefined {
  const result = test.result();
  const note = result.state === 'skipped' ? result.note : undefined;
  return note?.startsWith('not installed: ') ? note : undefined;
}

function sameNames(module: TestModule): string[] {
  const names = [...module.children.allTests()].map((test) => test.fullName);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...repeated].map((name) => `${module.relativeModuleId}: two tests are named: ${name}`);
}
