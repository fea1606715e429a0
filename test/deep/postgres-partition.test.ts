// A server behind a network that drops packets for 70 seconds, or for ten minutes with LECTERN_TEST_SCALE=10. Every request fails
// within ten seconds, and five seconds after the network is back they succeed again.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { propertyRuns } from '../support/depth.ts';
import { onOneEngine } from '../support/engines.ts';
import { jsonRequest, type LecternProcess, useLectern } from '../support/lectern-process.ts';
import { missingNamespaces, startPartition } from '../support/partition.ts';

const partitionMs = (propertyRuns(1).numRuns > 1 ? 600 : 70) * 1_000;

interface Answer {
  readonly request: string;
  readonly status: number;
  readonly beganAt: number;
  readonly endedAt: number;
}

onOneEngine('postgres', 'a network that drops packets', (engine) => {
  const lectern = useLectern(afterAll);

  async function socketOf(url: string): Promise<string> {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query('SHOW unix_socket_directories');
    await client.end();
    return join(rows[0].unix_socket_directories, `.s.PGSQL.${new URL(url).port}`);
  }

  async function logIn(server: LecternProcess, password: string): Promise<Record<string, string>> {
    const response = await server.request('/api/sessions', jsonRequest('POST', { password }));
    const cookie = response.headers.getSetCookie().map((line) => line.split(';')[0]);
    return { Cookie: cookie.join('; ') };
  }

  it(
    'makes requests fail within 10 s, and 5 s after it is back they succeed',
    async ({ skip }) => {
      const missing = await missingNamespaces();
      if (missing) skip(missing);
      const target = await engine.freshTarget();
      if (target.engine !== 'postgres') throw new Error('a server is needed');
      const direct = target.url.reveal();
      const network = await startPartition(await socketOf(direct));
      try {
        const { host, port } = network;
        const url = Object.assign(new URL(direct), { hostname: host, port: String(port) }).href;
        const password = 'correct horse battery';
        const env = { LECTERN_DATABASE_URL: url, LECTERN_PASSWORD: password };
        const server = await lectern.serve({ role: 'all', env });
        const headers = await logIn(server, password);
        const toStop = await lectern.serve({ env });

        const answers: Answer[] = [];
        let isOver = false;
        const repeat = async (request: string, init: (n: number) => RequestInit) => {
          for (let n = 0; !isOver; n++) {
            const beganAt = performance.now();
            const response = await server.request(request, init(n));
            await response.arrayBuffer();
            answers.push({ request, status: response.status, beganAt, endedAt: performance.now() });
            await pause(100);
          }
        };
        const clients = [
          ...Array.from({ length: 6 }, () => repeat('/api/groups', () => ({ headers }))),
          ...['a', 'b', 'c', 'd'].map((name) =>
            repeat('/api/groups#post', (n) => jsonRequest('POST', { name: `${name}${n}` }, headers)),
          ),
          repeat('/readyz', () => ({})),
          repeat('/api/v1/search?q=anything', () => ({ headers })),
        ];
        await pause(3_000);
        await network.drop();
        const droppedAt = performance.now();
        await pause(10_000);
        const stopAt = performance.now();
        await toStop.stop();
        const stopMs = performance.now() - stopAt;
        await pause(partitionMs - (performance.now() - droppedAt));
        await network.forward();
        const backAt = performance.now();
        await pause(20_000);
        isOver = true;
        await Promise.all(clients);

        const longest = (some: Answer[]) =>
          Math.max(...some.map(({ beganAt, endedAt }) => endedAt - beganAt));
        // Until a second after the cut, answers that had left the server before it may arrive.
        const during = answers.filter(
          ({ beganAt, endedAt }) => endedAt > droppedAt + 1_000 && beganAt < backAt - 10_000,
        );
        const later = answers.filter(({ beganAt }) => beganAt > backAt + 5_000);
        const isReady = ({ request }: Answer) => request === '/readyz';
        const figures = {
          during: during.length,
          statuses: Object.groupBy(during, ({ status }) => status),
          longestMs: Math.round(longest(during)),
          longestReadyMs: Math.round(longest(during.filter(isReady))),
          lastFailureAfterMs: Math.round(
            Math.max(...answers.filter(({ status }) => status >= 500).map(({ beganAt }) => beganAt)) - backAt,
          ),
          later: later.length,
          stopMs: Math.round(stopMs),
        };
        process.stderr.write(
          `${JSON.stringify({ ...figures, statuses: Object.keys(figures.statuses) })} ${server.output.stderr.length} bytes of log\n`,
        );
        expect(Object.keys(figures.statuses)).toEqual(['503']);
        expect(figures.longestMs).toBeLessThan(10_000);
        expect(figures.longestReadyMs).toBeLessThan(2_500);
        expect(figures.stopMs).toBeLessThan(10_000);
        expect(new Set(answers.map(({ status }) => status))).not.toContain(500);
        expect(later.length).toBeGreaterThan(50);
        expect(later.filter(({ status }) => status >= 500)).toEqual([]);
        expect(await server.stop()).toMatchObject({ code: 0 });
      } finally {
        await network.remove();
      }
    },
    partitionMs + 120_000,
  );
});
