// The API and its worker as a child process that can be restarted.
import { type ChildProcess, spawn } from 'node:child_process';

/** One save can be several changes, and a Git checkout is many. */
const debounceMs = 50;
/** A worker waits longer than this for running jobs. A killed job is run again. */
const killAfterMs = 2_000;

export interface ApiProcess {
  /** Starts the API. The address that it prints is replaced by `shownAddress`. */
  start(shownAddress: string): void;
  restart(): void;
  /** Resolves when the API and the worker have ended. */
  stop(): Promise<void>;
  /** The port of the API. Waits while the API starts; undefined when it could not start. */
  port(): Promise<number | undefined>;
}

export interface ApiProcessOptions {
  readonly program: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly beforeStart: () => void;
}

export function createApiProcess({ program, env, beforeStart }: ApiProcessOptions): ApiProcess {
  let shownAddress: string | undefined;
  let child: ChildProcess | undefined;
  let listening = Promise.withResolvers<number | undefined>();
  let debounce: NodeJS.Timeout | undefined;
  let lastRestart = Promise.resolve();
  let isStopping = false;

  /** From now on requests wait for the next port, including those that are waiting already. */
  function expectPort(): void {
    const next = Promise.withResolvers<number | undefined>();
    listening.resolve(next.promise);
    listening = next;
  }

  function spawnApi(address: string): void {
    beforeStart();
    // Detached for a process group that can be killed as a whole. The API stops when the channel closes, even if this
    // process was killed.
    const started = spawn(process.execPath, program, {
      detached: true,
      env,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    child = started;
    let output = '';
    started.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (child !== started) return;
      output += text;
      const [own, port] = /http:\/\/127\.0\.0\.1:(\d+)(?=\S*\s)/.exec(output) ?? [];
      if (own === undefined) return;
      process.stdout.write(output.replace(own, address));
      output = '';
      listening.resolve(Number(port));
    });
    started.once('exit', () => {
      if (child !== started) return;
      process.stderr.write('\n  The API has ended. It starts again when you save a file.\n\n');
      expectPort();
      listening.resolve(undefined);
    });
  }

  /** Waits for `close`, not `exit`: the worker shares the output of the API, which closes when both have ended. */
  async function endApi(): Promise<void> {
    const ending = child;
    child = undefined;
    if (!ending?.pid || ending.stdout?.closed) return;
    const closed = new Promise((resolve) => ending.once('close', resolve));
    const kill = setTimeout(killGroup, killAfterMs, ending);
    ending.kill('SIGTERM');
    await closed;
    clearTimeout(kill);
  }

  function restart(): void {
    if (shownAddress === undefined) return;
    const address = shownAddress;
    clearTimeout(debounce);
    debounce = setTimeout(() => {
      lastRestart = lastRestart.then(async () => {
        expectPort();
        await endApi();
        if (!isStopping) spawnApi(address);
      });
    }, debounceMs);
  }

  return {
    start(address) {
      shownAddress = address;
      restart();
    },
    restart,
    async stop() {
      isStopping = true;
      clearTimeout(debounce);
      await lastRestart;
      await endApi();
    },
    port: () => listening.promise,
  };
}

/** Windows has no process groups: there, the worker stops by itself when the API has gone. */
function killGroup(child: ChildProcess): void {
  if (process.platform === 'win32' || child.pid === undefined) {
    child.kill('SIGKILL');
    return;
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has ended already.
  }
}
