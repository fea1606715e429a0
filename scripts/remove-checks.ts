// `npm run remove-checks`: removes the checks of removed-checks.ts from a copy of the repository, one at a time, and reports
// which test fails. --only ID...: some of them. --files FILTER...: only these test files. --deep: then once more all tests at
// full depth. --out FILE: the results as JSON. All runs have the same seed.
import { execFileSync, spawn } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RemovedCheck, removedChecks } from './removed-checks.ts';

/** The projects of `npm test`, the cheapest first. */
const projectNames = ['unit', 'store', 'http', 'process', 'browser'];
const deepEnv = { LECTERN_TEST_SCALE: '1' };
/** No project takes this long. A removal can make a loop endless, and no timeout of a test ends that. */
const maxRunMs = 40 * 60_000;

interface Result {
  readonly id: string;
  readonly area: string;
  readonly verdict: 'caught' | 'caught only deep' | 'not caught' | 'broken';
  readonly project?: string | undefined;
  readonly file?: string;
  readonly test?: string;
  readonly message?: string;
  /** Why a broken run says nothing about the check. */
  readonly reason?: string;
  readonly seconds: number;
}

/** Some test files of one project, or of all projects where none is named. */
interface Run {
  readonly args: readonly string[];
  readonly project: string | undefined;
  readonly isDeep?: boolean;
}

/** A broken run has a reason in place of a test. */
interface Failure {
  readonly run: Run;
  readonly file?: string;
  readonly test?: string;
  readonly message?: string;
  readonly reason?: string;
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

interface Ended {
  readonly code: number | null;
  readonly isTimedOut: boolean;
  readonly output: string;
  readonly report: Report | undefined;
}

interface TestFile {
  readonly file: string;
  readonly project: string | undefined;
}

const root = realpathSync(fileURLToPath(new URL('..', import.meta.url)));
const options = parseOptions(process.argv.slice(2));
const checks = choose(options.only);
const problems = removedChecks.flatMap(problemsOf);
if (problems.length > 0) fail(problems.join('\n'));

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lectern-remove-checks-')));
const copy = join(folder, 'copy');
let stopRunning = () => {};
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    stopRunning();
    process.exit(1);
  });

process.env.LECTERN_TEST_SEED ??= String(Math.floor(Math.random() * 1_000_000));
say(`Seed ${process.env.LECTERN_TEST_SEED}`);
copyRepository();
const testFiles = await listTestFiles();
const projects = projectNames.filter((name) => testFiles.some(({ project }) => project === name));
/** A configuration without projects is one project without a name. */
const projectsInOrder = projects.length > 0 ? projects : [undefined];

const results: Result[] = [];
for (const check of checks) {
  const result = await judge(check);
  results.push(result);
  say(lineOf(result));
  if (options.out) writeFileSync(options.out, `${JSON.stringify(results, null, 2)}\n`);
}
say(`\n${tableOf(results)}\n`);
const caught = results.filter(({ verdict }) => verdict === 'caught').length;
say(`${caught} of ${results.length} caught by npm test`);
process.exit(results.every(({ verdict }) => verdict.startsWith('caught')) ? 0 : 1);

async function judge(check: RemovedCheck): Promise<Result> {
  const started = performance.now();
  const path = join(copy, check.file);
  const original = readFileSync(path, 'utf8');
  writeFileSync(path, withoutCheck(check, original));
  let failure: Failure | undefined;
  try {
    failure = await findFailure(check);
    if (failure?.file !== undefined) failure = await repeat(failure, 'it passes at the second attempt', true);
  } finally {
    writeFileSync(path, original);
  }
  if (failure?.file !== undefined)
    failure = await repeat(failure, 'it fails without the removal, too', false);
  const seconds = Math.round((performance.now() - started) / 1000);
  const { id, area } = check;
  if (!failure) return { id, area, verdict: 'not caught', seconds };
  const { run, ...what } = failure;
  const verdict = what.reason !== undefined ? 'broken' : run.isDeep ? 'caught only deep' : 'caught';
  return { id, area, verdict, project: run.project, ...what, seconds };
}

/** The first failure of the test files that import the changed file, else of all others. */
async function findFailure({ file }: RemovedCheck): Promise<Failure | undefined> {
  const passed = new Set<string>();
  const deep: Run[] = options.isDeep
    ? [{ args: ['run', ...options.files], project: undefined, isDeep: true }]
    : [];
  if (options.files.length > 0) {
    const named = projectsInOrder.map((project) => ({ args: ['run', ...options.files], project }));
    return firstFailure([...named, ...deep], passed);
  }
  const related = projectsInOrder.map((project) => ({ args: ['related', file, '--run'], project }));
  const failure = await firstFailure(related, passed);
  if (failure) return failure;
  const others = projectsInOrder.flatMap((project): Run[] => {
    const files = testFiles
      .filter((one) => one.project === project && !passed.has(keyOf(one)))
      .map((one) => one.file);
    return files.length > 0 ? [{ args: ['run', ...files], project }] : [];
  });
  return firstFailure([...others, ...deep], passed);
}

async function firstFailure(runs: readonly Run[], passed: Set<string>): Promise<Failure | undefined> {
  for (const run of runs) {
    const ended = await runVitest(run);
    const failure = failureOf(run, ended);
    if (failure) return failure;
    for (const { name } of ended.report?.testResults ?? [])
      passed.add(keyOf({ file: relative(copy, name), project: run.project }));
  }
  return undefined;
}

/** Runs the file again. A test catches a removal if it always fails with it and passes without it. */
async function repeat(failure: Failure, otherwise: string, mustFail: boolean): Promise<Failure> {
  const { run, file = '' } = failure;
  const again = failureOf(run, await runVitest({ ...run, args: ['run', file] }));
  if ((again !== undefined) === mustFail) return failure;
  const { test, message } = again ?? failure;
  return { run, file, reason: `${otherwise}: ${test ?? ''} ${message ?? ''}` };
}

function failureOf(run: Run, { code, isTimedOut, output, report }: Ended): Failure | undefined {
  if (isTimedOut) return { run, reason: `no end within ${maxRunMs / 60_000} minutes` };
  if (code === 0) return undefined;
  const lastLines = output.trim().split('\n').slice(-15).join('\n');
  if (!report) return { run, reason: `vitest could not run:\n${lastLines}` };
  // With --bail, the file of a failed test may be reported as unfinished.
  for (const { name, assertionResults } of report.testResults) {
    const test = assertionResults.find(({ status }) => status === 'failed');
    if (!test) continue;
    const message = firstLine(test.failureMessages?.[0] ?? '');
    return { run, file: relative(copy, name), test: test.fullName.trim(), message };
  }
  const failed = report.testResults.filter(({ status }) => status === 'failed');
  // A hook has failed where there are tests and none of them ran. Without tests, the file could not be imported.
  const hook = failed.find(({ assertionResults }) => assertionResults.length > 0);
  if (hook) return { run, file: relative(copy, hook.name), test: `a hook: ${firstLine(hook.message)}` };
  const [unread] = failed;
  if (unread)
    return { run, reason: `${relative(copy, unread.name)} cannot be imported: ${firstLine(unread.message)}` };
  return { run, reason: `vitest failed, and no test did:\n${lastLines}` };
}

async function runVitest(run: Run): Promise<Ended> {
  const ended = await runOnce(run, ['--bail', '1']);
  const isReported = ended.report?.testResults.some(({ status, assertionResults }) =>
    [status, ...assertionResults.map((each) => each.status)].includes('failed'),
  );
  // At --bail, vitest can end before it has noted which test failed.
  return ended.code === 0 || ended.isTimedOut || isReported ? ended : runOnce(run, []);
}

async function runOnce({ args, project, isDeep = false }: Run, bail: readonly string[]): Promise<Ended> {
  const reportPath = join(folder, 'report.json');
  rmSync(reportPath, { force: true });
  const flags = [...bail, '--passWithNoTests', '--reporter', 'json', '--outputFile', reportPath];
  const ofProject = project === undefined ? [] : ['--project', project];
  const ended = await startVitest([...args, ...ofProject, ...flags], isDeep ? deepEnv : {});
  const report = existsSync(reportPath)
    ? (JSON.parse(readFileSync(reportPath, 'utf8')) as Report)
    : undefined;
  return { ...ended, report };
}

/** Under the Node that runs this script, which is the pinned one. */
function startVitest(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Omit<Ended, 'report'>> {
  return new Promise((settle, reject) => {
    const child = spawn(process.execPath, [join(copy, 'node_modules/vitest/vitest.mjs'), ...args], {
      cwd: copy,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that its workers and their children end with it.
      detached: true,
    });
    let isTimedOut = false;
    const said: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => said.push(bytes));
    stopRunning = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    };
    const timer = setTimeout(() => {
      isTimedOut = true;
      stopRunning();
    }, maxRunMs);
    child.on('error', reject);
    // Kill leftover processes; they would keep its output open.
    child.on('exit', () => stopRunning());
    child.on('close', (code) => {
      clearTimeout(timer);
      stopRunning = () => {};
      settle({ code, isTimedOut, output: Buffer.concat(said).toString() });
    });
  });
}

async function listTestFiles(): Promise<TestFile[]> {
  const listPath = join(folder, 'list.json');
  const { code, output } = await startVitest(['list', '--filesOnly', `--json=${listPath}`]);
  if (code !== 0) fail(`vitest could not list the test files:\n${output}`);
  const listed = JSON.parse(readFileSync(listPath, 'utf8')) as { file: string; projectName?: string }[];
  return listed.map(({ file, projectName }) => ({
    file: relative(copy, file),
    project: projectName || undefined,
  }));
}

/** The files that git knows, as they are in the working tree, and what is installed and built. */
function copyRepository(): void {
  const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const path of tracked.split('\0')) {
    if (path === '' || !existsSync(join(root, path))) continue;
    cpSync(join(root, path), join(copy, path), { verbatimSymlinks: true });
  }
  for (const place of ['.', 'web', 'cloudflare']) {
    const path = join(place, 'node_modules');
    if (existsSync(join(root, path))) linkModules(path);
  }
  for (const built of ['web/dist', 'cloudflare/page/dist'])
    if (existsSync(join(root, built))) cpSync(join(root, built), join(copy, built), { recursive: true });
}

/**
 * Hard links, not symbolic ones: the process that reads pages may only open files below its own folder. Caches stay apart, and
 * a link to a workspace leads into the copy, since npm makes it relative.
 */
function linkModules(path: string): void {
  mkdirSync(join(copy, path), { recursive: true });
  for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
    if (/^\.(vite|vite-temp|vitest-cache|cache)$/.test(entry.name)) continue;
    const [source, target] = [join(root, path, entry.name), join(copy, path, entry.name)];
    if (entry.isDirectory()) linkModules(join(path, entry.name));
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else linkOrCopy(source, target);
  }
}

function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch (error) {
    // The folder for temporary files is on another disk.
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    copyFileSync(source, target);
  }
}

function choose(ids: readonly string[]): readonly RemovedCheck[] {
  const unknown = ids.filter((id) => !removedChecks.some((check) => check.id === id));
  if (unknown.length > 0) fail(`No check is called ${unknown.join(', ')}.`);
  return ids.length > 0 ? removedChecks.filter(({ id }) => ids.includes(id)) : removedChecks;
}

/** Checked before any run: the removal applies, and the file still parses. */
function problemsOf(check: RemovedCheck): string[] {
  const { id, file, find } = check;
  const path = join(root, file);
  if (!existsSync(path)) return [`${id}: ${file} does not exist`];
  const text = readFileSync(path, 'utf8');
  const count = text.split(find).length - 1;
  if (count !== 1) return [`${id}: occurs ${count} times in ${file}: ${find}`];
  try {
    stripTypeScriptTypes(withoutCheck(check, text));
    return [];
  } catch (error) {
    return [`${id}: ${file} cannot be parsed after the removal: ${(error as Error).message}`];
  }
}

function withoutCheck({ find, replace }: RemovedCheck, text: string): string {
  return text.replace(find, () => replace);
}

function lineOf({ id, verdict, project, file, test, reason, seconds }: Result): string {
  const took = `(${seconds} s)`;
  if (verdict === 'not caught') return `${id}  NOT CAUGHT ${took}`;
  if (verdict === 'broken') return `${id}  BROKEN ${took} ${file ? `${file}: ` : ''}${reason}`;
  const by = verdict === 'caught' ? (project ?? 'npm test') : 'deep';
  return `${id}  caught by ${by}: ${file} > ${test} ${took}`;
}

function tableOf(all: readonly Result[]): string {
  const rows = all.map(({ id, verdict, project, file, test, reason }) => {
    const { why } = removedChecks.find((check) => check.id === id) as RemovedCheck;
    const by = file && test ? `\`${file}\`: ${test}` : firstLine(reason ?? '');
    const cells = [id, why, verdict === 'caught' && project ? `caught by ${project}` : verdict, by];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| check | without it | result | test |', '|---|---|---|---|', ...rows].join('\n');
}

/** Each option takes the values up to the next one. */
function parseOptions(args: readonly string[]) {
  const given = new Map<string, string[]>();
  let values: string[] | undefined;
  for (const arg of args) {
    if (arg.startsWith('--')) {
      values = [];
      given.set(arg, values);
    } else if (values) values.push(arg);
    else fail(`Unexpected argument: ${arg}`);
  }
  const unknown = [...given.keys()].find((name) => !['--only', '--files', '--deep', '--out'].includes(name));
  if (unknown) fail(`Unknown option: ${unknown}`);
  const [out] = given.get('--out') ?? [];
  return {
    only: given.get('--only') ?? [],
    files: given.get('--files') ?? [],
    isDeep: given.has('--deep'),
    out: out && resolve(out),
  };
}

function keyOf({ file, project = '' }: TestFile): string {
  return `${project} ${file}`;
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
