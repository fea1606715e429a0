// A server for benchmarks with limits: how long /healthz takes meanwhile, and a table of the figures beside their limits.
import {
  createLectern,
  jsonRequest,
  type LecternProcess,
  mainEntry,
  type StartOptions,
} from '../test/support/lectern-process.ts';
import { percentile } from './load.ts';

export const password = 'for the benchmark only';
const probeEveryMs = 20;

export interface Goal {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The value must be below it. */
  readonly limit?: number;
}

/** Returns whether every value is below its limit. */
export function printGoals(goals: readonly Goal[]): boolean {
  for (const { name, value, unit, limit } of goals) {
    const verdict = limit === undefined ? '' : `below ${limit}: ${value < limit ? 'met' : 'MISSED'}`;
    process.stdout.write(`${name.padEnd(62)}${value.toFixed(0).padStart(8)} ${unit.padEnd(4)}${verdict}\n`);
  }
  return goals.every(({ value, limit }) => limit === undefined || value < limit);
}

export async function withServer<T>(
  { env, ...options }: StartOptions,
  use: (server: LecternProcess) => Promise<T>,
): Promise<T> {
  const lectern = createLectern(mainEntry);
  try {
    const common = {
      LECTERN_PASSWORD: password,
      LECTERN_LOG_LEVEL: 'error',
      LECTERN_ALLOW_PRIVATE_NETWORKS: 'true',
    };
    return await use(await lectern.serve({ ...options, env: { ...common, ...env } }));
  } finally {
    await lectern.endAll();
  }
}

/** Measures /healthz repeatedly for `over` milliseconds, or until the promise `over` settles. */
export async function probe(
  server: LecternProcess,
  over: number | Promise<unknown>,
): Promise<{ p99Ms: number }> {
  const times: number[] = [];
  let isOver = false;
  const wait = typeof over === 'number' ? new Promise((resolve) => setTimeout(resolve, over)) : over;
  const end = wait.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const started = performance.now();
    await (await server.request('/healthz')).text();
    times.push(performance.now() - started);
    await new Promise((resolve) => setTimeout(resolve, probeEveryMs));
  }
  await end;
  return { p99Ms: percentile(times, 0.99) };
}

export async function makeToken(server: LecternProcess): Promise<string> {
  const login = await server.request('/api/sessions', jsonRequest('POST', { password }));
  const Cookie = login.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
  const input = jsonRequest('POST', { name: 'bench', scope: 'write' }, { Cookie, Origin: server.url });
  const made = await server.request('/api/tokens', input);
  return ((await made.json()) as { data: { token: string } }).data.token;
}
