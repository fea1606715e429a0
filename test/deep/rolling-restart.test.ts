// Every process is restarted in turn behind nginx, as docs/scale.md describes, while clients read, write and watch. With TLS and
// other machines left out, it is the configuration of that page.
import { afterAll, expect, it } from 'vitest';
import { onOneEngine } from '../support/engines.ts';
import { missingPrograms } from '../support/installed.ts';
import {
  databaseUrl,
  jsonRequest,
  type LecternProcess,
  useLectern,
  type WorkerProcess,
} from '../support/lectern-process.ts';
import { startMixedLoad } from '../support/mixed-load.ts';
import { freePort, startNginx } from '../support/nginx.ts';
import { until } from '../support/until.ts';

const rounds = 5;
const requestsBetweenRestarts = 100;

onOneEngine('postgres', 'rolling restarts behind a load balancer', (engine) => {
  const lectern = useLectern(afterAll);

  it('five restarts of two APIs and two workers under load lose no request and no write', async ({
    skip,
  }) => {
    const missing = missingPrograms('nginx');
    if (missing) skip(missing);
    const env = {
      LECTERN_DATABASE_URL: databaseUrl(await engine.freshTarget()),
      LECTERN_PASSWORD: 'correct horse',
      LECTERN_TRUSTED_PROXIES: '127.0.0.1/32',
      LECTERN_LOG_LEVEL: 'debug',
    };
    const ports = [await freePort(), await freePort()];
    const startApi = (port: number) =>
      lectern.serve({ env: { ...env, LECTERN_PORT: `${port}`, LECTERN_DRAIN_PERIOD: '2' } });
    const startWorker = async (holder: string): Promise<WorkerProcess> => {
      const worker = lectern.work({ holder, env });
      await worker.output.until('stderr', /"msg":"started"/);
      return worker;
    };
    const apis: LecternProcess[] = [];
    for (const port of ports) apis.push(await startApi(port));
    const workers = [await startWorker('worker-a'), await startWorker('worker-b')];
    const nginx = await startNginx(ports);
    try {
      const headers = await logIn(nginx.url);
      const load = startMixedLoad(nginx.url, headers);
      const someRequests = async () => {
        const enough = load.requests() + requestsBetweenRestarts;
        await until('more requests are answered', () => load.requests() >= enough);
      };
      for (let round = 0; round < rounds; round++) {
        for (const [n, port] of ports.entries()) {
          await someRequests();
          expect(await apis[n]?.stop()).toEqual({ code: 0, signal: null });
          apis[n] = await startApi(port);
        }
        for (const [n, worker] of workers.entries()) {
          await someRequests();
          worker.signal('SIGTERM');
          expect(await worker.ended).toEqual({ code: 0, signal: null });
          workers[n] = await startWorker(`worker-${n}-${round}`);
        }
      }
      await someRequests();
      const { requests, failures, streamEnds, created } = await load.stop();
      process.stdout.write(
        `${requests} requests, ${failures.length} failed; ${streamEnds} ends of a stream, ${created.length} groups\n`,
      );
      expect(failures).toEqual([]);
      expect(streamEnds).toBeGreaterThan(0);
      const groups = await (await fetch(`${nginx.url}/api/groups`, { headers })).json();
      const names = (groups as { data: { name: string }[] }).data.map(({ name }) => name);
      for (const name of created) expect(names.filter((one) => one.startsWith(`${name},`))).toHaveLength(1);
    } finally {
      await nginx.stop();
    }
  }, 1_200_000);
});

async function logIn(url: string): Promise<Record<string, string>> {
  const login = await fetch(
    `${url}/api/sessions`,
    jsonRequest('POST', { password: 'correct horse' }, { Origin: url }),
  );
  expect(login.status).toBe(200);
  return { Cookie: login.headers.getSetCookie()[0]?.split(';')[0] ?? '', Origin: url };
}
