// `npm run stops`: stops the server in every way, at random moments while a client writes. After each stop it deletes the
// index, rebuilds it from the library, and checks that no acknowledged write is missing. Linux only.
//   KIND=COUNT...: only these kinds. --each COUNT: so many of every kind. --seed N: repeats the random moments of a run.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { table } from '../src/cli/table.ts';
import { runCli } from '../test/support/command-line.ts';
import { startS3Server } from '../test/support/s3-server.ts';
import { until } from '../test/support/until.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const launcher = join(root, 'bin', 'lectern');
const program = join(root, 'src', 'main.ts');
/** `docker stop` kills a container after this time. */
const maxStopMs = 10_000;
/** A new library after so many stops keeps rebuilding fast. */
const stopsPerLibrary = 20;
const maxStartMs = 60_000;

/** Runs a program in a terminal. On stdin, `c` types Ctrl-C and `h` closes the terminal. */
const terminal = `
import os, pty, select, sys
pid, master = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
inputs = [master, 0]
while True:
    ready = select.select(inputs, [], [])[0]
    if 0 in ready:
        typed = os.read(0, 1)
        if typed == b'c': os.write(master, b'\\x03')
        if typed == b'h':
            os.close(master)
            break
        if typed == b'': inputs.remove(0)
    if master in ready:
        try: shown = os.read(master, 65536)
        except OSError: break
        if not shown: break
        os.write(1, shown)
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(code if code >= 0 else 128 - code)
`;

type Command = readonly [string, ...string[]];
const direct: Command = ['node', launcher, 'serve'];
const npm: Command = ['npm', 'start'];
const inTerminal = (command: Command): Command => ['python3', '-c', terminal, ...command];

interface Kind {
  readonly name: string;
  readonly count: number;
  /** Programs that it needs. */
  readonly needs?: readonly string[];
  readonly command: Command;
  readonly library?: 's3';
  /** The signal comes at a random moment of this range, in milliseconds after the server listens or, with `isEarly`, after its start. */
  readonly moment: readonly [number, number];
  readonly isEarly?: true;
  readonly hasJob?: true;
  readonly stop: (run: Run, random: () => number) => Promise<void> | void;
  readonly exitCodes: readonly number[];
  /** Writes acknowledged this long before the kill may be missing. */
  readonly maxLagMs?: number;
}

const anyMoment = [20, 1_500] as const;
const signalOf = (code: number) => 128 + code;
/** npm reports the signal that it got itself, whatever the server exits with. */
const npmCodes = [0, signalOf(2), signalOf(15)];

const kinds: readonly Kind[] = [
  {
    name: 'ctrl-c-npm',
    count: 200,
    needs: ['python3', 'npm'],
    command: inTerminal(npm),
    moment: anyMoment,
    stop: (run) => run.type('c'),
    exitCodes: npmCodes,
  },
  {
    name: 'term-group',
    count: 200,
    command: direct,
    moment: anyMoment,
    stop: (run) => run.signalGroup('SIGTERM'),
    exitCodes: [0],
  },
  {
    name: 'ctrl-c',
    count: 30,
    needs: ['python3'],
    command: inTerminal(direct),
    moment: anyMoment,
    stop: (run) => run.type('c'),
    exitCodes: [0],
  },
  {
    name: 'term-process',
    count: 30,
    command: direct,
    moment: anyMoment,
    stop: (run) => run.signal('SIGTERM'),
    exitCodes: [0],
  },
  {
    name: 'term-npm',
    count: 30,
    needs: ['npm'],
    command: npm,
    moment: anyMoment,
    stop: (run) => run.signal('SIGTERM'),
    exitCodes: npmCodes,
  },
  {
    name: 'term-twice',
    count: 30,
    command: direct,
    moment: anyMoment,
    stop: async (run, random) => {
      run.signalGroup('SIGTERM');
      await pause(random() * 1_500);
      run.signalGroup('SIGTERM');
    },
    exitCodes: [0],
  },
  {
    name: 'mixed-signals',
    count: 30,
    command: direct,
    moment: anyMoment,
    stop: async (run, random) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
        run.signalGroup(signal);
        await pause(random() * 100);
      }
    },
    exitCodes: [0],
  },
  {
    name: 'while-starting',
    count: 30,
    command: direct,
    moment: [0, 1_500],
    isEarly: true,
    stop: (run) => run.signalGroup('SIGTERM'),
    // Before a process can catch signals, the signal ends it.
    exitCodes: [0, signalOf(15)],
  },
  {
    name: 'worker-starting',
    count: 30,
    command: direct,
    moment: [0, 600],
    stop: (run) => run.signalGroup('SIGTERM'),
    exitCodes: [0],
  },
  {
    name: 'running-job',
    count: 30,
    command: direct,
    moment: anyMoment,
    hasJob: true,
    stop: (run) => run.signalGroup('SIGTERM'),
    exitCodes: [0],
  },
  {
    name: 'pid-1',
    count: 30,
    needs: ['unshare'],
    command: ['unshare', '--map-root-user', '--pid', '--fork', process.execPath, program, 'serve'],
    moment: anyMoment,
    hasJob: true,
    stop: (run) => run.signalServer('SIGTERM'),
    exitCodes: [0],
  },
  {
    name: 'closed-terminal',
    count: 30,
    needs: ['python3'],
    command: inTerminal(direct),
    moment: anyMoment,
    stop: (run) => run.type('h'),
    exitCodes: [0],
  },
  {
    name: 'launcher-killed',
    count: 30,
    command: direct,
    moment: anyMoment,
    stop: (run) => run.signal('SIGKILL'),
    exitCodes: [signalOf(9)],
  },
  {
    name: 'term-group-s3',
    count: 30,
    command: direct,
    library: 's3',
    moment: anyMoment,
    stop: (run) => run.signalGroup('SIGTERM'),
    exitCodes: [0],
  },
  {
    name: 'kill-group',
    count: 30,
    command: direct,
    // After the worker has started: nothing is flushed before.
    moment: [3_000, 5_000],
    stop: (run) => run.signalGroup('SIGKILL'),
    exitCodes: [signalOf(9)],
    maxLagMs: 1_000,
  },
  {
    name: 'kill-group-s3',
    count: 30,
    command: direct,
    library: 's3',
    moment: [16_000, 20_000],
    stop: (run) => run.signalGroup('SIGKILL'),
    exitCodes: [signalOf(9)],
    maxLagMs: 15_000,
  },
];

interface Write {
  readonly name: string;
  readonly at: number;
}

/** One start of the server, and all processes that come of it: they share an environment variable. */
class Run {
  output = '';
  exitCode: number | undefined;
  readonly #child: ChildProcess;
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

  /** The API alone, for a server that a launcher does not start. */
  signalServer(signal: NodeJS.Signals): void {
    const server = this.processes().find(
      ({ args }) => args[0] === process.execPath && args[1] === program && !args.includes('--holder'),
    );
    if (server) send(server.pid, signal);
  }

  processes(): { pid: number; args: readonly string[] }[] {
    return readdirSync('/proc').flatMap((name) => {
      if (!/^\d+$/.test(name)) return [];
      try {
        if (!readFileSync(`/proc/${name}/environ`, 'latin1').split('\0').includes(this.#mark)) return [];
        return [{ pid: Number(name), args: readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0') }];
      } catch {
        return []; // It has ended.
      }
    });
  }
}

let runs = 0;

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
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
  readonly missing: number;
  readonly stopMs: number;
  readonly problem?: string;
}

/** Seeded: mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
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

/** Writes until the server refuses. Remembers what was acknowledged. */
async function writeUntilRefused(url: string, { token, written }: Place): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  for (;;) {
    const name = `group ${runs} ${written.length}`;
    const answer = await fetch(`${url}/api/groups`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name }),
    }).catch(() => undefined);
    if (answer?.status !== 200) return;
    written.push({ name, at: performance.now() });
    await answer.arrayBuffer().catch(() => {});
    await pause(10);
  }
}

async function stopOnce(kind: Kind, place: Place, site: Site, random: () => number): Promise<Result> {
  const run = new Run(kind.command, place.env);
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
  const result = { isClean, exitCode, missing: missing.length, stopMs };
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
      .prepare('SELECT name FROM groups')
      .all()
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
const random = createRandom(seed);
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
