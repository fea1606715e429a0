// What a page looks like: a browser without a screen is started for it alone, behind the pinning proxy, in an empty folder
// and with an empty environment, and killed with all its children when the picture is taken or the time is up.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Outbound } from '../../outbound/outbound.ts';
import type { PinningProxy } from '../../outbound/pinning-proxy.ts';
import { browserArguments } from './browser-arguments.ts';
import { DevtoolsPipe } from './devtools-pipe.ts';
import { PageVisit } from './page-visit.ts';

export interface ScreenshotOptions {
  /** A program that takes the arguments of Chromium. */
  readonly browser: string;
  readonly outbound: Pick<Outbound, 'openPinningProxy'>;
  readonly isRoot: boolean;
  /** Where it has its folder while it runs; that of the system, unless given. */
  readonly temporaryFolder?: string;
  readonly limitMs?: number;
  /** How long to wait for the one that is at work. */
  readonly maxWaitMs?: number;
}

export interface Screenshots {
  /** A PNG; undefined when the page cannot be shown, or when it is not our turn in time. */
  take(input: { url: string; signal: AbortSignal }): Promise<Uint8Array | undefined>;
}

const usualLimitMs = 25_000;
const usualWaitMs = 60_000;
/** What a page brings along, in all. */
const proxyLimits = { maxBytes: 80 * 1024 * 1024, maxConnections: 48 };

export function createScreenshots(options: ScreenshotOptions): Screenshots {
  const { limitMs = usualLimitMs, maxWaitMs = usualWaitMs } = options;
  // One browser at a time: each takes as much memory as all the rest of a worker.
  let last: Promise<unknown> = Promise.resolve();

  return {
    async take({ url, signal }) {
      if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return undefined;
      const patience = AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]);
      const turn = last.then(() =>
        patience.aborted
          ? undefined
          : lookAt(options, url, AbortSignal.any([signal, AbortSignal.timeout(limitMs)])),
      );
      last = turn.catch(() => {});
      return turn;
    },
  };
}

async function lookAt(
  { browser, outbound, isRoot, temporaryFolder = tmpdir() }: ScreenshotOptions,
  url: string,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const profileFolder = await mkdtemp(join(temporaryFolder, 'lectern-browser-'));
  let proxy: PinningProxy | undefined;
  let child: ChildProcess | undefined;
  try {
    proxy = await outbound.openPinningProxy(proxyLimits);
    const args = browserArguments({ proxyPort: proxy.port, profileFolder, isRoot });
    child = startBrowser(browser, args, profileFolder);
    return await visit(child, { url, login: proxy, signal });
  } finally {
    if (child) await killGroup(child);
    await proxy?.close();
    await rm(profileFolder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function startBrowser(browser: string, args: readonly string[], folder: string): ChildProcess {
  return spawn(browser, args, {
    cwd: folder,
    env: { HOME: folder, TMPDIR: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    // A group of its own, so that all of it can be ended at once.
    detached: true,
  });
}

async function visit(
  child: ChildProcess,
  { url, login, signal }: { url: string; login: { username: string; password: string }; signal: AbortSignal },
): Promise<Uint8Array | undefined> {
  const [, , , to, from] = child.stdio;
  const pipe = new DevtoolsPipe(to as Writable, from as Readable);
  const page = new PageVisit(pipe, login);
  const stop = (error: Error) => pipe.close(error);
  const onAbort = () => stop(new Error('the time for a picture is up', { cause: signal.reason }));
  child.once('error', stop);
  child.once('exit', () => stop(new Error('the browser has ended')));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await page.show(url, signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
    stop(new Error('the visit is over'));
  }
}

/** SIGKILL, and not to the one that we started alone: it has children, which would live on. */
async function killGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  const hasEnded = child.exitCode !== null || child.signalCode !== null;
  const ended = hasEnded ? undefined : new Promise((resolve) => child.once('exit', resolve));
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // All of it has ended already.
  }
  await ended;
}
