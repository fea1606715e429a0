// Reporter: writes the wall and CPU time of every test file to node_modules/.cache/test-times.json, and prints the most
// expensive ones when LECTERN_TEST_TIMES is set (`npm test -- --times`).
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

const printedFiles = 20;

interface FileTime {
  readonly file: string;
  readonly project: string;
  readonly tests: number;
  readonly wallMs: number;
  readonly cpuMs: number;
}

export default class Times implements Reporter {
  #root = '';

  onInit({ config }: Vitest): void {
    this.#root = config.root;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const times = modules.map(timeOf).sort((a, b) => b.cpuMs - a.cpuMs);
    const path = join(this.#root, 'node_modules/.cache/test-times.json');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify(times, null, 1)}\n`);
    if (process.env.LECTERN_TEST_TIMES) process.stdout.write(tableOf(times));
  }
}

function timeOf(module: TestModule): FileTime {
  const diagnostic = module.diagnostic();
  const wallMs =
    diagnostic.environmentSetupDuration +
    diagnostic.prepareDuration +
    diagnostic.collectDuration +
    diagnostic.setupDuration +
    diagnostic.duration;
  return {
    file: module.relativeModuleId,
    project: module.project.name,
    tests: [...module.children.allTests()].length,
    wallMs: Math.round(wallMs),
    cpuMs: Math.round(module.meta().cpuMs ?? 0),
  };
}

function tableOf(times: readonly FileTime[]): string {
  const seconds = (ms: number) => (ms / 1000).toFixed(1).padStart(8);
  const row = ({ file, project, cpuMs, wallMs }: FileTime) =>
    `${seconds(cpuMs)}${seconds(wallMs)}  ${project.padEnd(8)} ${file}`;
  const total = (key: 'cpuMs' | 'wallMs') => seconds(times.reduce((sum, time) => sum + time[key], 0));
  return [
    '',
    ' CPU [s] wall [s]  project  file',
    ...times.slice(0, printedFiles).map(row),
    `${total('cpuMs')}${total('wallMs')}  all ${times.length} files`,
    '',
  ].join('\n');
}
