// What attackers without a login, and hostile documents, do to the API. The figures are limits, not ratios: they are for a quiet
// machine. `npm run bench -- attacks [SECONDS]` says how long the uploads last; 120 without it.
import { type ChildProcess, spawn } from 'node:child_process';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { jsonRequest, type LecternProcess } from '../test/support/lectern-process.ts';
import { type Goal, makeToken, password, printGoals, probe, withServer } from './measured-server.ts';
import { residentMb } from './resident.ts';

const attackers = fileURLToPath(new URL('./attackers.ts', import.meta.url));
const hostileSite = fileURLToPath(new URL('./hostile-site.ts', import.meta.url));

export async function run([seconds = '120']: readonly string[]): Promise<boolean> {
  process.stdout.write(`load average ${loadavg()[0]?.toFixed(2)}\n`);
  const goals = [...(await uploads(Number(seconds))), ...(await documents()), ...(await connections())];
  return printGoals(goals);
}

/** Forty connections that upload without a login, one byte to a chunk, to every route that takes a body before it knows the caller. */
async function uploads(seconds: number): Promise<Goal[]> {
  return withServer({ role: 'api', nodeOptions: ['--max-old-space-size=1024'] }, async (server) => {
    const idle = await probe(server, 5_000);
    const before = apiMb(server);
    let highest = before;
    const watch = setInterval(() => {
      highest = Math.max(highest, apiMb(server));
    }, 100);
    const attacks = [attack(server, 'chunks', 20, seconds), attack(server, 'dribble', 20, seconds)];
    const busy = await probe(server, seconds * 1000);
    clearInterval(watch);
    await Promise.all(attacks.map(ended));
    return [
      { name: 'uploads: /healthz before, p99', value: idle.p99Ms, unit: 'ms' },
      { name: 'uploads: /healthz, p99', value: busy.p99Ms, unit: 'ms', limit: 100 },
      { name: 'uploads: memory of the API grows by', value: highest - before, unit: 'MB', limit: 150 },
    ];
  });
}

/** Two documents that take a quadratic XML reader minutes, through each of three routes, eight at once. */
async function documents(): Promise<Goal[]> {
  const site = spawn(process.execPath, [hostileSite], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = await new Promise<string>((resolve, reject) => {
    site.once('error', reject);
    site.stdout.once('data', (text) => resolve(String(text).trim()));
  });
  try {
    return await withServer({ role: 'api' }, async (server) => {
      const Authorization = `Bearer ${await makeToken(server)}`;
      const ways = [
        (url: string) =>
          server.request('/api/feeds/validate', jsonRequest('POST', { url }, { Authorization })),
        (url: string) =>
          server.request(`/reader/api/0/subscription/quickadd?quickadd=${encodeURIComponent(url)}`, {
            method: 'POST',
            headers: { Authorization },
          }),
        (url: string) => server.request('/v1/discover', jsonRequest('POST', { url }, { Authorization })),
      ];
      const idle = await probe(server, 5_000);
      const times: number[] = [];
      const answers = new Set<string>();
      const all = (async () => {
        for (const path of ['/namespaces', '/end-tags'])
          for (const [way, ask] of ways.entries())
            await Promise.all(
              Array.from({ length: 8 }, async (_, n) => {
                const started = performance.now();
                const response = await ask(`http://127.0.0.1:${port}${path}?${way}${n}`);
                const text = await response.text();
                times.push(performance.now() - started);
                answers.add(`${response.status} ${text.replaceAll(/[?]\d+/g, '').slice(0, 120)}`);
              }),
            );
      })();
      const busy = await probe(server, all);
      for (const answer of answers) process.stdout.write(`  ${answer}\n`);
      return [
        { name: 'documents: /healthz before, p99', value: idle.p99Ms, unit: 'ms' },
        { name: 'documents: /healthz, p99', value: busy.p99Ms, unit: 'ms', limit: 50 },
        {
          name: 'documents: the slowest of 48 answers',
          value: Math.max(...times),
          unit: 'ms',
          limit: 10_000,
        },
      ];
    });
  } finally {
    site.kill();
  }
}

/** Three thousand connections that say nothing, and 1,200 that speak slowly. */
async function connections(): Promise<Goal[]> {
  return withServer({ role: 'api' }, async (server) => {
    const attacks = [attack(server, 'idle', 3_000, 25), attack(server, 'slow', 1_200, 25)];
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const started = performance.now();
    const login = await server.request('/api/sessions', jsonRequest('POST', { password }));
    const loginMs = performance.now() - started;
    if (login.status !== 200) throw new Error(`the login was refused: ${await login.text()}`);
    await new Promise((resolve) => setTimeout(resolve, 17_000));
    const left = attacks.map(({ open }) => open());
    await Promise.all(attacks.map(ended));
    return [
      { name: 'connections: a login from another address', value: loginMs, unit: 'ms', limit: 1_000 },
      { name: 'connections: open after 20 s', value: left.reduce((a, b) => a + b, 0), unit: '', limit: 1 },
    ];
  });
}

const apiMb = ({ pid }: LecternProcess) => residentMb(pid).API ?? 0;

interface Attack {
  readonly child: ChildProcess;
  open(): number;
}

function attack(server: LecternProcess, kind: string, count: number, seconds: number): Attack {
  const { port } = new URL(server.url);
  const child = spawn(process.execPath, [attackers, port, kind, String(count), String(seconds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let last = '';
  child.stdout?.on('data', (text) => {
    last = String(text);
  });
  return { child, open: () => Number(/(\d+) open/.exec(last)?.[1] ?? Number.NaN) };
}

const ended = ({ child }: Attack) =>
  new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve(undefined)));
