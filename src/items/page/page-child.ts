// One process that reads pages, as seen from outside: how it is started, what it may take, and how its end is explained.
import { type ChildProcess, fork } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DoNotRetry, TemporaryFailure } from '../../errors.ts';
import type { After } from '../../outbound/limits.ts';
import { type PageReply, type PageRequest, pageReply, readySign } from './page-messages.ts';

/** The page is at fault, and would be every time. */
export class UnreadablePage extends DoNotRetry {}

export interface PageChildOptions {
  readonly script: URL;
  readonly after: After;
  readonly timeLimitMs: number;
  readonly maxHeapMb: number;
  readonly maxRssMb: number;
}

interface InHand {
  readonly request: PageRequest;
  readonly resolve: (reply: PageReply) => void;
  readonly reject: (error: Error) => void;
}

const mb = 1024 * 1024;
/** To load everything, on a machine that has other things to do. */
const startLimitMs = 30_000;
/** Behind whoever waits for an answer, yet not so far that a page would run out of time. */
const niceness = 5;
const stderrChars = 2_000;

export class PageChild {
  readonly ended: Promise<void>;
  readonly #options: PageChildOptions;
  readonly #process: ChildProcess;
  #isReady = false;
  #hasEnded = false;
  #stderr = '';
  /** Why we ended it, if we did. */
  #why: Error | undefined;
  #inHand: InHand | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(options: PageChildOptions) {
    this.#options = options;
    const { script, maxHeapMb, maxRssMb } = options;
    this.#process = fork(fileURLToPath(script), [String(maxRssMb * mb)], {
      execArgv: [
        `--max-old-space-size=${maxHeapMb}`,
        ...confined(script),
        `--import=${new URL('./page-process-guard.ts', import.meta.url)}`,
      ],
      // Nothing of ours. Images are unpacked by threads, each of which would hoard memory of its own.
      env: { MALLOC_ARENA_MAX: '2' },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.ended = new Promise((resolve) => {
      this.#process.once('exit', (code, signal) => this.#onEnd(this.#explain(code, signal), resolve));
      // One that could not be started has no exit.
      this.#process.on('error', (cause) => {
        if (this.#process.pid === undefined) this.#onEnd(notNow(cause), resolve);
        else this.end(notNow(cause));
      });
    });
    this.#process.on('message', (message) => this.#onMessage(message));
    this.#process.stderr?.on('data', (data) => {
      this.#stderr = (this.#stderr + data).slice(-stderrChars);
    });
    lowerPriority(this.#process.pid);
    this.#letGo();
  }

  get isUsable(): boolean {
    return !this.#hasEnded && !this.#why;
  }

  /** One at a time, so that it is known which one takes too long. */
  run(request: PageRequest): Promise<PageReply> {
    return new Promise((resolve, reject) => {
      this.#inHand = { request, resolve, reject };
      if (this.#isReady) this.#handOver(request);
      else this.#endAfter(startLimitMs, () => notNow(new Error(`it does not start: ${this.#stderr}`)));
    });
  }

  /** What is in hand fails for that reason. */
  end(why: Error): void {
    this.#why ??= why;
    // Its end is waited for.
    this.#process.ref();
    this.#process.kill('SIGKILL');
  }

  #handOver(request: PageRequest): void {
    this.#endAfter(this.#options.timeLimitMs, () => this.#unreadable('takes too long to read'));
    // One that has just ended says so by its exit.
    this.#process.send(request, () => {});
  }

  #endAfter(delayMs: number, why: () => Error): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#options.after(delayMs, () => this.end(why()));
  }

  #onMessage(message: unknown): void {
    if (this.#why) return;
    if (!this.#isReady && message === readySign) {
      this.#isReady = true;
      if (this.#inHand) this.#handOver(this.#inHand.request);
      return;
    }
    const reply = pageReply.safeParse(message);
    if (!this.#isReady) {
      this.end(notNow(new Error('the process for pages has answered before it was asked')));
    } else if (!reply.success || !this.#inHand || !isAnswerTo(this.#inHand.request, reply.data)) {
      this.end(
        this.#unreadable('cannot be read', new Error('the process for pages gave an answer that is none')),
      );
    } else {
      const { resolve } = this.#inHand;
      this.#settle();
      resolve(reply.data);
    }
  }

  #explain(code: number | null, signal: NodeJS.Signals | null): Error {
    if (this.#why) return this.#why;
    const cause = new Error(`the process for pages ended: ${signal ?? code} ${this.#stderr}`);
    if (!this.#isReady) return notNow(cause);
    // The first is what our watch sends, the second what the engine does when its heap is full.
    if (signal === 'SIGUSR2' || signal === 'SIGABRT' || code === 134) {
      return this.#unreadable('is too large to read', cause);
    }
    // Somebody else ended it: the system, or its operator.
    return signal === 'SIGKILL' || signal === 'SIGTERM' || signal === 'SIGINT'
      ? notNow(cause)
      : this.#unreadable('cannot be read', cause);
  }

  #onEnd(reason: Error, resolve: () => void): void {
    this.#hasEnded = true;
    const inHand = this.#inHand;
    this.#settle();
    inHand?.reject(reason);
    resolve();
  }

  #settle(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#inHand = undefined;
  }

  #unreadable(what: string, cause?: Error): UnreadablePage {
    const subject = this.#inHand && 'thumbnail' in this.#inHand.request ? 'image' : 'page';
    return new UnreadablePage(`The ${subject} ${what}.`, { cause });
  }

  /** While it waits it keeps nobody from ending. While it works, our timer does. */
  #letGo(): void {
    this.#process.unref();
    this.#process.channel?.unref();
    const stderr = this.#process.stderr;
    if (stderr && 'unref' in stderr) (stderr.unref as () => void)();
  }
}

function notNow(cause: unknown): TemporaryFailure {
  return new TemporaryFailure('Pages cannot be read at the moment.', { cause });
}

function isAnswerTo(request: PageRequest, reply: PageReply): boolean {
  return 'failed' in reply || 'read' in request === 'copy' in reply;
}

/** It reads its own code and nothing else, writes nothing, starts nothing, and opens no connection. */
function confined(script: URL): string[] {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const modules = join(root, 'node_modules');
  const readable = [
    join(root, 'src', '*'),
    join(root, 'package.json'),
    join(modules, '*'),
    join(realpathSync(modules), '*'),
    fileURLToPath(script),
  ];
  return [
    '--permission',
    '--allow-addons',
    '--allow-worker',
    ...[...new Set(readable)].map((path) => `--allow-fs-read=${path}`),
  ];
}

function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, niceness);
  } catch {
    // It has ended already, or the system does not let us: it works all the same.
  }
}
