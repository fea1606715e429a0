// A server that is treated badly refuses what it is asked, says nothing that it should not, and stays well.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AbusiveRequest, abusiveRequests } from '../support/abusive-requests.ts';
import { onEachEngine } from '../support/engines.ts';
import { databaseUrl, jsonRequest, type LecternProcess, useLectern } from '../support/lectern-process.ts';
import { type RawAnswer, sendRaw } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

const seed = 20_260_101;
const rounds = 5;
const requestsPerRound = 1_000;
const atOnce = 40;
/** A healthy server varies by up to 0.6 MB from the first round to the last. */
const slackBytes = 2 * 1024 * 1024;
const password = 'what the owner chose';
const reportMemory = new URL('../support/report-memory.ts', import.meta.url).href;

onEachEngine('a server under abuse', (engine) => {
  const lectern = useLectern(afterAll);
  let server: LecternProcess;
  let token: string;
  let database: string;

  beforeAll(async () => {
    database = databaseUrl(await engine.freshTarget({ empty: true }));
    const env = {
      LECTERN_DATABASE_URL: database,
      LECTERN_PASSWORD: password,
      // Else one address may have a hundred connections.
      LECTERN_TRUSTED_PROXIES: '127.0.0.1',
    };
    server = await lectern.serve({ env, nodeOptions: ['--expose-gc', '--import', reportMemory] });
    const made = await lectern.run(['token', 'create', '--name', 'test', '--scope', 'write', '--json'], {
      env,
    });
    token = JSON.parse(made.stdout).token;
  });

  const withToken = () => ({ Authorization: `Bearer ${token}` });

  /** What of the answer should never have left the server. */
  function leaks({ head, body }: RawAnswer): string[] {
    const text = `${head}\n${body}`;
    const secrets = [token, password, database, process.cwd()].filter((secret) => text.includes(secret));
    return [...secrets, ...internal.flatMap((pattern) => pattern.exec(text)?.[0] ?? [])];
  }

  let reports = 0;
  /** The memory that the server still uses after a garbage collection, and its open connections. */
  async function report(): Promise<{ bytes: number; sockets: number }> {
    process.kill(server.pid, 'SIGUSR2');
    reports += 1;
    const line = new RegExp(`memory report ${reports}: (\\d+) bytes, (\\d+) sockets`);
    const [, bytes, sockets] = await server.output.until('stderr', line);
    return { bytes: Number(bytes), sockets: Number(sockets) };
  }

  it('answers 500 logins at once by looking at a few and turning the rest away', async () => {
    const answers = await Promise.all(
      Array.from({ length: 500 }, () =>
        server.request('/api/sessions', jsonRequest('POST', { password: 'a guess' })),
      ),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect(count(401) + count(429)).toBe(500);
    expect(count(401)).toBeGreaterThan(0);
    expect(count(401)).toBeLessThanOrEqual(10);
    for (const answer of answers) {
      if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      await answer.arrayBuffer();
    }
  });

  it('refuses 5,000 requests that make no sense, leaks nothing and keeps no memory', async () => {
    const wrong: unknown[] = [];
    const memory: number[] = [];
    const { sockets } = await report();
    for (let round = 0; round < rounds; round++) {
      const requests = abusiveRequests(seed + round, requestsPerRound, withToken());
      await inParallel(requests, async (request) => {
        const answer = await sendRaw(server.url, request.pieces);
        const leaked = leaks(answer);
        if (!isRefused(answer, request) || leaked.length > 0)
          wrong.push(describeWrong(request, answer, leaked));
      });
      // A connection whose body was left unread is closed later.
      await until('their connections are closed', async () => (await report()).sockets <= sockets);
      memory.push((await report()).bytes);
    }
    expect(wrong.slice(0, 20)).toEqual([]);
    const [afterWarmUp = 0, ...later] = memory;
    expect(Math.max(...later) - afterWarmUp).toBeLessThan(slackBytes);
  }, 180_000);

  it('still serves those who may ask', async () => {
    const me = await server.request('/api/me', { headers: withToken() });
    expect(await me.json()).toMatchObject({ data: { username: 'owner', role: 'owner' } });
    expect((await server.request('/readyz')).status).toBe(200);
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    for (const secret of [token, password]) expect(server.output.stderr).not.toContain(secret);
  });
});

/** Traces of a stack, a file, a statement, a hash. */
const internal = [
  /\bat .{1,200}:\d+:\d+/,
  /node_modules|node:internal|\/src\/|\.ts\b/,
  /\bSELECT\b|INSERT INTO|DELETE FROM|sqlite|postgres|constraint|syntax error/i,
  /\$2[aby]\$/,
];

function isRefused({ status }: RawAnswer, { mayBeCut }: AbusiveRequest): boolean {
  return status === undefined ? mayBeCut : status >= 400 && status < 500;
}

function describeWrong({ kind, pieces }: AbusiveRequest, { status, body }: RawAnswer, leaked: string[]) {
  const sent = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  return { kind, status, leaked, sent: sent.toString('latin1').slice(0, 400), body: body.slice(0, 200) };
}

async function inParallel<T>(values: readonly T[], work: (value: T) => Promise<void>): Promise<void> {
  const queue = values.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const value of queue) await work(value);
    }),
  );
}
