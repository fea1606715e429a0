// The program as an operator runs it: `lectern serve` in a process of its own, and commands, in this process or in one
// of their own. Of our environment, only PATH reaches it.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Target } from '../../src/store/open.ts';
import { type CommandResult, runCli } from './command-line.ts';

/** The program itself. It hashes passwords at their real cost. */
export const mainEntry = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const testEntry = fileURLToPath(new URL('./lectern-for-tests.ts', import.meta.url));
/** The same folder as the launcher's: hundreds of starts read the same files. */
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/lectern', import.meta.url));
/** The program with kinds of job for tests. */
export const entryWithJobs = fileURLToPath(new URL('./lectern-with-jobs.ts', import.meta.url));

export type LecternEnv = Readonly<Record<string, string>>;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Ended extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  readonly role?: 'all' | 'api';
  readonly env?: LecternEnv;
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[];
  /** Ends the server with the process that started it, even if that process is killed. */
  readonly endsWithParent?: boolean;
  /** Starts a process group, which `process.kill(-pid, signal)` reaches as a whole. */
  readonly ownGroup?: boolean;
}

export interface RunOptions {
  readonly env?: LecternEnv;
  readonly stdin?: string;
}

export interface LecternProcess {
  readonly url: string;
  /** From the setup link that the console shows on the first run. */
  readonly setupSecret: string | undefined;
  readonly pid: number;
  readonly output: Output;
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Sends SIGTERM. Resolves when this process and every child that shares its output have ended. */
  stop(): Promise<Exit>;
  /** As `stop`, by SIGKILL. */
  kill(): Promise<Exit>;
  /** Sends a signal and does not wait for what comes of it. */
  signal(signal: NodeJS.Signals): void;
  /** Resolves when it has ended by itself. */
  readonly ended: Promise<Exit>;
}

export interface RunningProcess {
  readonly pid: number;
  readonly output: Output;
  /** Sends a signal and does not wait for what comes of it. */
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<Exit>;
}

export interface WorkerProcess extends RunningProcess {
  readonly holder: string;
}

/** All that a process has written so far, and a way to wait for what it will write. */
export class Output {
  stdout = '';
  stderr = '';
  #ended = false;
  readonly #checks = new Set<() => void>();

  constructor(child: ChildProcess) {
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        this[name] += text;
        this.#checkAll();
      });
    }
    child.once('close', () => {
      this.#ended = true;
      this.#checkAll();
    });
  }

  /** The first match of `pattern`; rejects when the process ends without having written it. */
  until(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const match = pattern.exec(this[stream]);
        if (!match && !this.#ended) return;
        this.#checks.delete(check);
        if (match) resolve(match);
        else reject(new Error(`ended without writing ${pattern}:\n${this.stdout}${this.stderr}`));
      };
      this.#checks.add(check);
      check();
    });
  }

  #checkAll(): void {
    for (const check of [...this.#checks]) check();
  }
}

export interface Lectern {
  /** Starts `lectern serve` and resolves when its console says that it runs. */
  serve(options?: StartOptions): Promise<LecternProcess>;
  /** Starts `lectern serve --role worker`, whose jobs are known by `holder`. */
  work(options: { holder: string; env?: LecternEnv }): WorkerProcess;
  /** Starts one command and does not wait for its end. */
  begin(
    args: readonly string[],
    options?: Pick<StartOptions, 'env' | 'ownGroup' | 'endsWithParent'>,
  ): RunningProcess;
  /** Runs one command to its end, in this process. */
  run(args: readonly string[], options?: RunOptions): Promise<CommandResult>;
  /** Runs one command to its end, in a process of its own: for signals, real pipes, and what could end this process. */
  spawn(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Ends what still runs and removes its folders. A suite has this done by its hook. */
  endAll(): Promise<void>;
}

/** `useLectern(afterEach)` or `useLectern(afterAll)`: the hook after which nothing that was started runs on. */
export function useLectern(hook: (clean: () => Promise<void>) => void, entry = testEntry): Lectern {
  const lectern = createLectern(entry);
  hook(lectern.endAll);
  return lectern;
}

export function createLectern(entry = testEntry): Lectern {
  const running = new Map<ChildProcess, Promise<Exit>>();
  const folders: string[] = [];
  const libraries = new Map<string, string>();

  /** Processes on one index share its library. */
  function libraryFor(database: string | undefined): LecternEnv {
    if (database === undefined) return {};
    const folder = libraries.get(database) ?? mkdtempSync(join(tmpdir(), 'lectern-e2e-library-'));
    if (!libraries.has(database)) folders.push(folder);
    libraries.set(database, folder);
    return { LECTERN_LIBRARY_URL: `file:${folder}` };
  }

  function newHome(): string {
    const home = mkdtempSync(join(tmpdir(), 'lectern-e2e-'));
    folders.push(home);
    return home;
  }

  function settingsFor(home: string, env: LecternEnv): LecternEnv {
    return {
      LECTERN_HOME: home,
      LECTERN_PORT: '0',
      // Loading the model is expensive, and few suites search by meaning.
      LECTERN_EMBEDDINGS: 'off',
      // Nothing is in front of these servers.
      LECTERN_DRAIN_PERIOD: '0',
      ...libraryFor(env.LECTERN_DATABASE_URL),
      ...env,
    };
  }

  function start(
    args: readonly string[],
    { env = {}, nodeOptions = [], endsWithParent = false, ownGroup = false }: Omit<StartOptions, 'role'> = {},
  ) {
    const home = newHome();
    const child = spawn(process.execPath, [...nodeOptions, entry, ...args], {
      cwd: home,
      detached: ownGroup,
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache, ...settingsFor(home, env) },
      // The server stops when the channel closes.
      stdio: ['pipe', 'pipe', 'pipe', ...(endsWithParent ? (['ipc'] as const) : [])],
    });
    const output = new Output(child);
    // Not 'exit': a worker child inherits these pipes, so they close only when it too has ended.
    const closed = new Promise<Exit>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ code, signal }));
    });
    running.set(child, closed);
    closed.finally(() => running.delete(child)).catch(() => {});
    return { child, output, closed };
  }

  function begin(args: readonly string[], options?: Omit<StartOptions, 'role'>): RunningProcess {
    const { child, output, closed } = start(args, options);
    return { pid: child.pid as number, output, signal: (signal) => child.kill(signal), ended: closed };
  }

  return {
    async serve({ role = 'api', ...options } = {}) {
      const { child, output, closed } = start(['serve', '--role', role], options);
      const [, url = '', setupSecret] = await output.until(
        'stdout',
        /(http:\/\/[^\s/]+)(?:\/setup#([\w-]+))?\s*\n/,
      );
      const end = (signal: NodeJS.Signals) => {
        child.kill(signal);
        return closed;
      };
      return {
        url,
        setupSecret,
        pid: child.pid as number,
        output,
        request: (path, init) => fetch(url + path, { redirect: 'manual', ...init }),
        stop: () => end('SIGTERM'),
        kill: () => end('SIGKILL'),
        signal: (signal) => child.kill(signal),
        ended: closed,
      };
    },

    work({ holder, ...options }) {
      return { holder, ...begin(['serve', '--role', 'worker', '--holder', holder], options) };
    },

    begin,

    run: (args, { env = {}, ...stdin } = {}) => runCli(args, { env: settingsFor(newHome(), env), ...stdin }),

    async spawn(args, { env, stdin = '' } = {}) {
      const { child, output, closed } = start(args, env && { env });
      // A command that does not read its input may have closed it before we write.
      child.stdin?.on('error', () => {});
      child.stdin?.end(stdin);
      return { ...(await closed), stdout: output.stdout, stderr: output.stderr };
    },

    async endAll() {
      const left = [...running];
      for (const [child] of left) child.kill('SIGKILL');
      await Promise.all(left.map(([, closed]) => closed));
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What LECTERN_DATABASE_URL says for an index that a test was given. */
export function databaseUrl(target: Target): string {
  return target.engine === 'sqlite' ? `sqlite:${target.path}` : target.url.reveal();
}

export function jsonRequest(
  method: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): RequestInit {
  return {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}
