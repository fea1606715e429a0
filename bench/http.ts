// How much of bare node:http Lectern keeps. Each server runs in a process of its own and the load comes from
// this one; the three take turns, so that a busy machine slows all of them alike.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  createLectern,
  jsonRequest,
  type LecternProcess,
  mainEntry,
} from '../test/support/lectern-process.ts';
import { type Load, type Measured, measure, percentile } from './load.ts';

const connections = 32;
const rounds = 5;
const roundMs = 2_000;
const warmUpMs = 2_000;
const groups = 20;
const password = 'for the benchmark only';

interface Contender {
  readonly name: string;
  readonly load: Pick<Load, 'url' | 'path' | 'headers'>;
  /** The least share of bare node:http that is good enough. */
  readonly goal?: number;
}

export async function run(): Promise<boolean> {
  const lectern = createLectern(mainEntry);
  let bare: Awaited<ReturnType<typeof startBare>> | undefined;
  try {
    const server = await lectern.serve({
      role: 'api',
      env: { LECTERN_PASSWORD: password, LECTERN_LOG_LEVEL: 'warn' },
    });
    const healthBody = await (await server.request('/healthz')).arrayBuffer();
    bare = await startBare(healthBody.byteLength);
    const Cookie = await logIn(server);
    return await compare([
      { name: 'bare node:http', load: { url: bare.url, path: '/' } },
      { name: 'GET /healthz', load: { url: server.url, path: '/healthz' }, goal: 0.5 },
      {
        name: 'GET /api/groups',
        load: { url: server.url, path: '/api/groups', headers: { Cookie } },
        goal: 0.2,
      },
    ]);
  } finally {
    bare?.stop();
    await lectern.endAll();
  }
}

async function compare(contenders: readonly Contender[]): Promise<boolean> {
  const results = new Map<Contender, Measured[]>(contenders.map((contender) => [contender, []]));
  for (const { load } of contenders) await measure({ ...load, connections, durationMs: warmUpMs });
  for (let round = 0; round < rounds; round++) {
    for (const [contender, measured] of results) {
      measured.push(await measure({ ...contender.load, connections, durationMs: roundMs }));
    }
  }

  const rows = contenders.map((contender) => ({ ...contender, ...medians(results.get(contender) ?? []) }));
  const base = rows[0]?.requestsPerSecond ?? Number.NaN;
  const met = rows.map(({ goal, requestsPerSecond }) =>
    goal === undefined ? undefined : requestsPerSecond / base >= goal,
  );
  const lines = rows.map((row, index) => {
    const verdict = row.goal === undefined ? '' : `${row.goal.toFixed(2)} ${met[index] ? 'met' : 'MISSED'}`;
    return [
      row.name.padEnd(18),
      row.requestsPerSecond.toFixed(0).padStart(12),
      (row.requestsPerSecond / base).toFixed(2).padStart(9),
      row.p50Ms.toFixed(2).padStart(9),
      row.p99Ms.toFixed(2).padStart(9),
      `  ${verdict}`,
    ]
      .join('')
      .trimEnd();
  });
  process.stdout.write(
    `${connections} connections, median of ${rounds} rounds of ${roundMs / 1000} s each, ${groups} groups in a SQLite file\n\n` +
      `${'server'.padEnd(18)}${'requests/s'.padStart(12)}${'of bare'.padStart(9)}${'p50 ms'.padStart(9)}${'p99 ms'.padStart(9)}  goal\n` +
      `${lines.join('\n')}\n`,
  );
  return !met.includes(false);
}

function medians(measured: readonly Measured[]): Measured {
  const median = (key: keyof Measured) =>
    percentile(
      measured.map((round) => round[key]),
      0.5,
    );
  return { requestsPerSecond: median('requestsPerSecond'), p50Ms: median('p50Ms'), p99Ms: median('p99Ms') };
}

async function startBare(sizeBytes: number) {
  const script = fileURLToPath(new URL('./bare-server.ts', import.meta.url));
  const child = spawn(process.execPath, [script, String(sizeBytes)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.stdout.once('data', (text) => resolve(String(text).trim()));
  });
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() };
}

/** Logs in as a browser does and fills the list that is measured. Every user has one group from the start. */
async function logIn(server: LecternProcess): Promise<string> {
  const login = await server.request('/api/sessions', jsonRequest('POST', { password }));
  const Cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  for (let n = 1; n < groups; n++) {
    const input = jsonRequest('POST', { name: `Group ${n}` }, { Cookie, Origin: server.url });
    const made = await server.request('/api/groups', input);
    if (made.status !== 200) throw new Error(`a group could not be made: ${await made.text()}`);
  }
  return Cookie;
}
