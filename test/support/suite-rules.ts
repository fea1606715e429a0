// A reporter that fails the run when the suites break the rules of this house: what runs on one engine runs on
// the other, no test is skipped, no two tests of a file share a name.
import type { Reporter, TestCase, TestModule } from 'vitest/node';

export default class SuiteRules implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
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

function missingEngines(module: TestModule): string[] {
  const seen = { sqlite: new Set<string>(), postgres: new Set<string>() };
  for (const test of module.children.allTests()) {
    const [, engine, name] = /^(sqlite|postgres): (.*)$/s.exec(test.fullName) ?? [];
    if ((engine === 'sqlite' || engine === 'postgres') && name !== undefined) seen[engine].add(name);
  }
  const only = (engine: 'sqlite' | 'postgres', other: 'sqlite' | 'postgres') =>
    [...seen[engine]]
      .filter((name) => !seen[other].has(name))
      .map((name) => `${module.relativeModuleId}: only on ${engine}: ${name}`);
  return [...only('sqlite', 'postgres'), ...only('postgres', 'sqlite')];
}

/** A filter on the command line skips too; that is not the suite's doing. */
function skipped(module: TestModule): string[] {
  return [...module.children.allTests('skipped')]
    .filter((test: TestCase) => test.options.mode !== 'run' || !test.project.config.testNamePattern)
    .map((test) => `${module.relativeModuleId}: skipped: ${test.fullName}`);
}

function sameNames(module: TestModule): string[] {
  const names = [...module.children.allTests()].map((test) => test.fullName);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...repeated].map((name) => `${module.relativeModuleId}: two tests are named: ${name}`);
}
