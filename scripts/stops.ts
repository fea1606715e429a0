// `npm run stops`: stops the server in every way, at random moments while four clients write. After each stop it deletes the
// index, rebuilds it from the library, and checks that no acknowledged write is missing. Linux only.
//   KIND=COUNT...: only these kinds. --each COUNT: COUNT stops of every kind. --seed N: repeats the random moments of a run.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { table } from '../src/cli/table.ts';
import { runCli } from '../test/support/command-line.ts';
import { randomFrom } from '../test/support/random.ts';
import { startS3Server } from '../test/support/s3-server.ts';
import { until } from '../test/support/until.ts';
import { type Command, type Kind, kinds, program, root, type Stoppable, signalOf } from './stop-kinds.ts';

/** `docker stop` kills a container after this time. */
const maxStopMs = 10_000;
/** A new library after so many stops keeps rebuilding fast. */
const stopsPerLibrary = 20;
const maxStartMs = 60_000;
const smallWriters = 3;
const syncEveryMs = 1_000;
const highlightsPerSync = 400;

interface Write {
  readonly name: string;
  readonly at: number;
}

/** One start of the server, and all processes that come of it: they share an environment variable. */
class Run implements Stoppable {
  output = '';
  exitCode: number | undefined;
  readonly #child: ChildProcess;
  readonly #seen = new Set<string>();
  readonly #mark = `STOPS_RUN=${process.pid}-${++runs}`;

  constructor([command, ...args]: Command, env: Readonly<Record<string, string>>) {
    const [name = '', value = ''] = this.#mark.split('=');
    this.#child = spawn(command, args, {
      cwd: root,
      detached: true,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env, [name]: value },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (text) => {
        this.output += text;
      });
    this.#child.stdin?.on('error', () => {});
    this.#child.once('exit', (code, signal) => {
      this.exitCode = code ?? (signal === 'SIGKILL' ? signalOf(9) : signalOf(15));
    });
  }

  get url(): string | undefined {
    return /Lectern is running at (http:\/\/[\d.:]+)/.exec(this.output)?.[1];
  }

  type(key: string): void {
    this.#child.stdin?.write(key);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  signalGroup(signal: NodeJS.Signals): void {
    send(-(this.#child.pid as number), signal);
  }

  signalServer(signal: NodeJS.Signals): void {
    const server = this.processes().find(
      ({ args }) => args[0] === process.execPath && args[1] === program && !args.includes('--api-holder'),
    );
    if (server) send(server.pid, signal);
  }

  processes(): { pid: number; args: readonly string[] }[] {
    return readdirSync('/proc').flatMap((name) => {
      if (!/^\d+$/.test(name)) return [];
      try {
        // A process that is being killed has no environment for a moment, and still holds its files.
        if (!readFileSync(`/proc/${name}/environ`, 'latin1').split('\0').includes(this.#mark)) {
          if (!this.#seen.has(name) || hasEnded(name)) return [];
        }
        this.#seen.add(name);
        return [{ pid: Number(name), args: readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0') }];
      } catch {
        return []; // It has ended.
      }
    });
  }
}

let runs = 0;
let writes = 0;

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function hasEnded(pid: string): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name of the program is in parentheses and may contain anything.
  return ['Z', 'X'].includes(stat.slice(stat.lastIndexOf(')') + 2)[0] ?? '');
}

/** A library, the index beside it, and what clients have written. */
interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly index: string;
  readonly token: string;
  readonly written: Write[];
  stops: number;
}

interface Result {
  readonly isClean: boolean;
  readonly exitCode: number;
  readonly acknowledged: number;
  readonly missing: number;
  readonly stopMs: number;
  readonly problem?: string;
}

async function createPlace(libraryUrl: string | undefined): Promise<Place> {
  const home = mkdtempSync(join(folder, 'home-'));
  const env = {
    LECTERN_HOME: home,
    LECTERN_PORT: '0',
    LECTERN_PASSWORD: 'correct horse',
    LECTERN_EMBEDDINGS: 'off',
    LECTERN_ALLOW_PRIVATE_NETWORKS: 'true',
    ...(libraryUrl !== undefined && { LECTERN_LIBRARY_URL: libraryUrl }),
  };
  await cli(env, 'user', 'add', 'owner', '--password-stdin');
  const { token } = JSON.parse(
    await cli(env, 'token', 'create', '--name', 'stops', '--scope', 'write', '--json'),
  );
  return { env, index: join(home, 'index.db'), token, written: [], stops: 0 };
}

async function cli(env: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args, { env, stdin: 'correct horse' });
  if (code !== 0) throw new Error(`lectern ${args.join(' ')}: exit code ${code}\n${stdout}${stderr}`);
  return stdout;
}

/** Four clients write until the server refuses. Remembers what was acknowledged. */
async function writeUntilRefused(url: string, place: Place): Promise<void> {
  const small = Array.from({ length: smallWriters }, async () => {
    while (await write(url, place, '/api/groups', (name) => ({ name }))) await pause(10);
  });
  const large = async () => {
    while (await write(url, place, '/api/light/sync', lightSync)) await pause(syncEveryMs);
  };
  await Promise.all([...small, large()]);
}

function lightSync(source: string) {
  const highlights = Array.from({ length: highlightsPerSync }, (_, groupID) => ({
    groupID,
    repr: `highlight ${groupID} of ${source}`.padEnd(200, '.'),
  }));
  return { source, highlights: { 'https://example.org/page': highlights } };
}

async function write(
  url: string,
  { token, written }: Place,
  path: string,
  bodyOf: (name: string) => object,
): Promise<boolean> {
  const name = `write-${++writes}`;
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(bodyOf(name)),
  }).catch(() => undefined);
  if (answer?.status !== 200) return false;
  written.push({ name, at: performance.now() });
  await answer.arrayBuffer().catch(() => {});
  return true;
}

async function stopOnce(kind: Kind, place: Place, site: Site, random: () => number): Promise<Result> {
  const run = new Run(kind.command, place.env);
  const writtenBefore = place.written.length;
  const momentMs = kind.moment[0] + random() * (kind.moment[1] - kind.moment[0]);
  const listening = until('the server listens', () => run.url ?? run.exitCode !== undefined, maxStartMs);
  const writing = listening.then((url) =>
    typeof url === 'string' ? writeUntilRefused(url, place) : undefined,
  );
  if (!kind.isEarly) {
    const url = await listening;
    if (typeof url !== 'string') throw new Error(`${kind.name}: the server did not start\n${run.output}`);
    if (kind.hasJob) await site.startJob(url, place.token);
  }
  await pause(momentMs);
  run.processes();
  const stoppedAt = performance.now();
  await kind.stop(run, random);
  // A third of the time again: a slow stop is reported with its length.
  const isOver = await until(
    'all processes have ended',
    () => run.processes().length === 0,
    maxStopMs * 1.3,
  ).catch(() => false);
  const stopMs = performance.now() - stoppedAt;
  const left = run.processes();
  for (const { pid } of left) send(pid, 'SIGKILL');
  await until('the exit code is known', () => run.exitCode !== undefined);
  await writing;
  const exitCode = run.exitCode as number;
  const acknowledged = place.written.length - writtenBefore;
  const missing = await rebuild(place, stoppedAt - (kind.maxLagMs ?? -maxStopMs));
  const problems = [
    ...(isOver
      ? []
      : [`${left.length} processes were left: ${left.map(({ args }) => args.join(' ')).join(', ')}`]),
    ...(stopMs > maxStopMs ? [`the stop took ${Math.round(stopMs)} ms`] : []),
    ...(kind.exitCodes.includes(exitCode) ? [] : [`exit code ${exitCode}`]),
    ...(missing.length > 0 ? [`missing: ${missing.slice(0, 5).join(', ')}`] : []),
  ];
  const isClean = problems.length === 0;
  const result = { isClean, exitCode, acknowledged, missing: missing.length, stopMs };
  return isClean
    ? result
    : { ...result, problem: `after ${Math.round(momentMs)} ms: ${problems.join('; ')}\n${run.output}` };
}

/** Deletes the index and rebuilds it. Returns the writes acknowledged before `until` that are not in the library. */
async function rebuild(place: Place, acknowledgedUntil: number): Promise<string[]> {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${place.index}${suffix}`, { force: true });
  await cli(place.env, 'reinflate');
  const index = new DatabaseSync(place.index, { readOnly: true });
  const names = new Set(
    index
      .prepare(
        'SELECT name FROM groups UNION ALL SELECT source FROM annotations GROUP BY source HAVING count(*) = ?',
      )
      .all(highlightsPerSync)
      .map(({ name }) => name),
  );
  index.close();
  const lost = place.written.filter(({ name }) => !names.has(name));
  // What is lost now is not counted again after the next stop.
  place.written.splice(0, place.written.length, ...place.written.filter(({ name }) => names.has(name)));
  return lost.filter(({ at }) => at <= acknowledgedUntil).map(({ name }) => name);
}

/** A page that never answers: reading it is a job that runs until it is interrupted. */
interface Site {
  startJob(url: string, token: string): Promise<void>;
  stop(): void;
}

async function startSite(): Promise<Site> {
  let requests = 0;
  const server = createServer(() => {
    requests += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    async startJob(url, token) {
      const before = requests;
      const answer = await fetch(`${url}/api/v1/items`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ url: `http://127.0.0.1:${port}/${runs}` }),
      });
      if (!answer.ok) throw new Error(`a page could not be saved: ${await answer.text()}`);
      await until('the job runs', () => requests > before);
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function missingProgram({ needs = [], command }: Kind): string | undefined {
  const absent = needs.find((name) => spawnSync(name, ['--version']).status !== 0);
  if (absent) return `not installed: ${absent}`;
  if (command[0] !== 'unshare') return undefined;
  const allowed = spawnSync('unshare', ['--map-root-user', '--pid', '--fork', 'true']).status === 0;
  return allowed ? undefined : 'this system does not allow pid namespaces';
}

function chosenKinds(named: readonly string[], each: string | undefined): readonly Kind[] {
  const counts = new Map(
    named.map((text): [string, number] => {
      const [name = '', count = ''] = text.split('=');
      const kind = kinds.find((one) => one.name === name);
      if (!kind) throw new Error(`unknown kind ${name}; known: ${kinds.map((one) => one.name).join(', ')}`);
      return [name, Number(count || kind.count)];
    }),
  );
  return kinds
    .filter(({ name }) => counts.size === 0 || counts.has(name))
    .map((kind) => ({ ...kind, count: counts.get(kind.name) ?? Number(each ?? kind.count) }));
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { each: { type: 'string' }, seed: { type: 'string' } },
});
const chosen = chosenKinds(positionals, values.each);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const random = randomFrom(seed).fraction;
const folder = mkdtempSync(join(tmpdir(), 'lectern-stops-'));
const site = await startSite();
const s3 = chosen.some(({ library }) => library === 's3') ? await startS3Server() : undefined;
await s3?.createBucket('stops');
const rows: Record<string, string | number>[] = [];
let isAllClean = true;
process.stdout.write(`Seed ${seed}.\n`);

for (const kind of chosen) {
  const reason = missingProgram(kind);
  if (reason) {
    rows.push({
      kind: kind.name,
      stops: 0,
      clean: 0,
      'exit codes': `skipped: ${reason}`,
      writes: 0,
      missing: 0,
      'slowest ms': 0,
    });
    continue;
  }
  const results: Result[] = [];
  let place: Place | undefined;
  for (let n = 0; n < kind.count; n++) {
    if (!place || place.stops >= stopsPerLibrary)
      place = await createPlace(kind.library && s3?.libraryUrl('stops', `${kind.name}-${n}`).reveal());
    place.stops += 1;
    const result = await stopOnce(kind, place, site, random);
    if (result.problem) process.stdout.write(`${kind.name} ${n + 1}: ${result.problem}\n`);
    results.push(result);
  }
  const codes = Map.groupBy(results, ({ exitCode }) => exitCode);
  rows.push({
    kind: kind.name,
    stops: results.length,
    clean: results.filter(({ isClean }) => isClean).length,
    'exit codes': [...codes].map(([code, those]) => `${code}: ${those.length}`).join(', '),
    writes: results.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    missing: results.reduce((sum, { missing }) => sum + missing, 0),
    'slowest ms': Math.round(Math.max(0, ...results.map(({ stopMs }) => stopMs))),
  });
  isAllClean &&= results.every(({ isClean }) => isClean);
  process.stdout.write(`${kind.name}: ${results.length} stops\n`);
}

process.stdout.write(`\n${table(rows, Number.POSITIVE_INFINITY)}\n`);
site.stop();
await s3?.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(isAllClean ? 0 : 1);
