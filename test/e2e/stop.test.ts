// How the server ends, and that its worker never outlives it.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onEachEngine } from '../support/engines.ts';
import { EventReader } from '../support/event-reader.ts';
import {
  databaseUrl,
  type Exit,
  jsonRequest,
  type LecternEnv,
  type LecternProcess,
  type StartOptions,
  useLectern,
} from '../support/lectern-process.ts';
import { until } from '../support/until.ts';

onEachEngine('the end of a server', (engine) => {
  const lectern = useLectern(afterEach);
  const quick = useLectern(
    afterEach,
    fileURLToPath(new URL('../support/lectern-with-quick-signals.ts', import.meta.url)),
  );

  const slow = useLectern(
    afterEach,
    fileURLToPath(new URL('../support/lectern-with-slow-library.ts', import.meta.url)),
  );

  let library: string;

  beforeEach(() => {
    library = mkdtempSync(join(tmpdir(), 'lectern-stop-'));
    return () => rmSync(library, { recursive: true, force: true });
  });

  const freshEnv = async (): Promise<LecternEnv> => ({
    LECTERN_DATABASE_URL: databaseUrl(await engine.freshTarget({ empty: true })),
    LECTERN_LIBRARY_URL: `file:${library}`,
    // At this level each process says when it has started and what made it stop.
    LECTERN_LOG_LEVEL: 'debug',
  });

  const serve = async (role: 'all' | 'api' = 'all', options: StartOptions = {}): Promise<LecternProcess> =>
    lectern.serve({ role, env: await freshEnv(), ...options });

  /** How many rows the library alone gives back, in a new index. */
  async function rowsInLibrary(table: string): Promise<number> {
    const { stdout } = await lectern.run(['reinflate', '--json'], { env: await freshEnv() });
    const tables: { table: string; rows: number }[] = JSON.parse(stdout).tables;
    return tables.find((one) => one.table === table)?.rows ?? 0;
  }

  /** A request that the server has begun to read. `finish` sends the rest of it and resolves with the answer. */
  async function beginRequest(server: LecternProcess, name: string) {
    const cookie = await setUp(server);
    const body = JSON.stringify({ name });
    const socket = await open(server.url);
    // "100 Continue" proves that the server has the request.
    socket.write(
      `POST /api/groups HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nOrigin: ${server.url}\r\nCookie: ${cookie}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    const answer = new Answer(socket);
    await answer.until('100 Continue');
    const finish = () => {
      socket.write(body);
      return answer.untilEnd();
    };
    return { finish };
  }

  /** The pid of the worker that started as the `nth` of this server. */
  async function workerOf(server: LecternProcess, nth = 1): Promise<number> {
    const started = new RegExp(`(?:"role":"worker","pid":(\\d+)[\\s\\S]*?){${nth}}`);
    const [, pid] = await server.output.until('stderr', started);
    return Number(pid);
  }

  it('comes with exit code 0 after SIGTERM, for the worker too', async () => {
    const server = await serve();
    await workerOf(server);
    // stop() resolves when the pipes close that the worker shares, so both have ended then.
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(server.output.stderr.match(/"signal":"SIGTERM"/g)).toHaveLength(2);
    expect(server.output.stderr).not.toContain('the worker did not stop');
  });

  it('comes with exit code 0 after SIGTERM to an API without a worker', async () => {
    const server = await serve('api');
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(server.output.stderr).not.toContain('"role":"worker"');
  });

  it('ends the worker even when the server is killed', async () => {
    const server = await serve();
    await workerOf(server);
    expect(await server.kill()).toEqual({ code: null, signal: 'SIGKILL' });
    expect(server.output.stderr).toContain('"signal":"the parent ended"');
  });

  it('does not come with the end of the worker, which is started again', async () => {
    const server = await serve();
    const first = await workerOf(server);
    process.kill(first, 'SIGKILL');
    const second = await workerOf(server, 2);
    expect(second).not.toBe(first);
    expect((await server.request('/healthz')).status).toBe(200);
    expect(await server.stop()).toEqual({ code: 0, signal: null });
  });

  it('waits for a request that is under way', async () => {
    const server = await serve('api');
    const { finish } = await beginRequest(server, 'written at the last moment');
    const stopped = server.stop();
    await server.output.until('stderr', /"msg":"stopping"/);
    expect(await finish()).toMatch(/HTTP\/1\.1 200 OK[\s\S]*"name":"written at the last moment"/);
    expect(await stopped).toEqual({ code: 0, signal: null });
  });

  it('is clean when signals reach the process group several times: the last write is in the library', async () => {
    const server = await serve('all', { ownGroup: true });
    await workerOf(server);
    const { finish } = await beginRequest(server, 'written at the last moment');
    // The terminal, the launcher and npm each send one. The request keeps the server from ending in between.
    const signals = ['SIGINT', 'SIGTERM', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const;
    for (const signal of signals) {
      process.kill(-server.pid, signal);
      await server.output.until('stderr', /"msg":"stopping"/);
      // The answer proves that the event loop has handled the signals before.
      await server.request('/healthz').catch(() => {});
    }
    expect(await finish()).toContain('HTTP/1.1 200 OK');
    expect(await server.ended).toEqual({ code: 0, signal: null });
    expect(await rowsInLibrary('groups')).toBe(2);
  });

  describe('during a slow flush of the worker', () => {
    /** The worker is writing the first group to the library. The second group is in the index alone. */
    async function serveSlowly() {
      const server = await slow.serve({ role: 'all', env: await freshEnv() });
      const headers = { Cookie: await setUp(server), Origin: server.url };
      const worker = await workerOf(server);
      const add = async (name: string) => {
        const answer = await server.request('/api/groups', jsonRequest('POST', { name }, headers));
        expect(answer.status).toBe(200);
      };
      await add('first');
      await server.output.until('stderr', /the worker writes a segment/);
      await add('second');
      return { server, worker };
    }

    it('waits for the flush and leaves every change in the library', async () => {
      const { server } = await serveSlowly();
      expect(await server.stop()).toEqual({ code: 0, signal: null });
      expect(server.output.stderr).not.toContain('the worker did not stop');
      expect(await rowsInLibrary('groups')).toBe(3);
    });

    it('leaves every change in the library when the worker is killed first', async () => {
      const { server, worker } = await serveSlowly();
      process.kill(worker, 'SIGKILL');
      await server.output.until('stderr', /the worker ended and is started again/);
      expect(await server.stop()).toEqual({ code: 0, signal: null });
      expect(await rowsInLibrary('groups')).toBe(3);
    });
  });

  it('leaves every change in the library when the API is killed during its own flush', async () => {
    const server = await slow.serve({ role: 'all', env: { ...(await freshEnv()), STUCK_API: '1' } });
    const headers = { Cookie: await setUp(server), Origin: server.url };
    // The API flushes while it has no worker.
    process.kill(await workerOf(server), 'SIGKILL');
    const add = (name: string) => server.request('/api/groups', jsonRequest('POST', { name }, headers));
    expect((await add('first')).status).toBe(200);
    await server.output.until('stderr', /the API writes a segment/);
    expect((await add('second')).status).toBe(200);
    await workerOf(server, 2);
    await server.kill();
    expect(server.output.stderr).toContain('"signal":"the parent ended"');
    expect(await rowsInLibrary('groups')).toBe(3);
  });

  it('has exit code 0 when signals go on arriving until the process has ended', async () => {
    const server = await serve('api');
    const ended = server.ended.then((exit) => ({ exit }));
    let exit: { exit: Exit } | undefined;
    while (!exit) {
      server.signal('SIGTERM');
      exit = await Promise.race([ended, immediate(undefined)]);
    }
    expect(exit).toEqual({ exit: { code: 0, signal: null } });
  });

  it('comes before the API listens when a signal arrives while the index is opened', async () => {
    // Migrating could take longer than a stop may.
    const env = { ...(await freshEnv()), LECTERN_DATABASE_URL: databaseUrl(await engine.freshTarget()) };
    const starting = lectern.begin(['serve'], { env, ownGroup: true });
    await until('the library is opened', () => existsSync(join(library, '.tmp')));
    process.kill(-starting.pid, 'SIGTERM');
    expect(await starting.ended).toEqual({ code: 0, signal: null });
    expect(starting.output.stdout).not.toContain('Lectern is running');
  });

  it('is reported to an operator who asks again, and comes at once for one who asks a third time', async () => {
    const server = await quick.serve({ role: 'api', env: await freshEnv() });
    await beginRequest(server, 'never sent');
    server.signal('SIGTERM');
    await server.output.until('stderr', /"msg":"stopping"/);
    server.signal('SIGTERM');
    await server.output.until(
      'stderr',
      /Still stopping: 0 jobs are running, \d+ changes? (is|are) not in the library yet\. Stop again to end without waiting\.\n/,
    );
    server.signal('SIGTERM');
    expect(await server.ended).toEqual({ code: 143, signal: null });
  });

  it('drains an API after SIGTERM: not ready, still serving, streams ended; Ctrl-C skips the rest', async () => {
    const server = await lectern.serve({ env: { ...(await freshEnv()), LECTERN_DRAIN_PERIOD: '60' } });
    const Cookie = await setUp(server);
    const watch = async () =>
      new EventReader(await server.request('/api/v1/jobs/events', { headers: { Cookie } }));
    const events = await watch();
    expect(await events.next()).toMatchObject({ event: 'counts' });
    server.signal('SIGTERM');
    expect(await events.next()).toBeUndefined();
    const ready = await server.request('/readyz');
    expect([ready.status, await ready.text()]).toEqual([503, '{"error":"stopping"}']);
    const groups = await server.request('/api/groups', { headers: { Cookie } });
    expect([groups.status, groups.headers.get('Connection')]).toEqual([200, 'close']);
    const later = await watch();
    expect(await later.next()).toMatchObject({ event: 'counts' });
    server.signal('SIGINT');
    expect(await later.next()).toBeUndefined();
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });

  it('skips the drain of an API when SIGTERM comes again', async () => {
    const env = { ...(await freshEnv()), LECTERN_DRAIN_PERIOD: '60' };
    const server = await quick.serve({ role: 'api', env });
    server.signal('SIGTERM');
    await server.output.until('stderr', /"msg":"stopping"/);
    server.signal('SIGTERM');
    expect(await server.ended).toEqual({ code: 0, signal: null });
  });

  it('does not wait for those who watch the queue, and ends their streams', async () => {
    const server = await serve('api');
    const Cookie = await setUp(server);
    const events = new EventReader(await server.request('/api/v1/jobs/events', { headers: { Cookie } }));
    expect(await events.next()).toMatchObject({ event: 'counts' });
    const stopped = server.stop();
    expect(await events.next()).toBeUndefined();
    expect(await stopped).toEqual({ code: 0, signal: null });
  });

  it('does not wait for a connection on which nothing is asked', async () => {
    const server = await serve('api');
    const silent = new Answer(await open(server.url));
    const used = await open(server.url);
    used.write(`GET /ping HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n\r\n`);
    const answer = new Answer(used);
    await answer.until('pong');
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(await silent.untilEnd()).toBe('');
    await answer.untilEnd();
  });
});

async function setUp(server: LecternProcess): Promise<string> {
  const input = { token: server.setupSecret, password: 'correct horse' };
  const answer = await server.request('/api/setup', jsonRequest('POST', input));
  expect(answer.status).toBe(200);
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', resolve);
  });
  return socket;
}

/** What arrives on a socket. */
class Answer {
  #text = '';
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.#text += text;
    });
  }

  async until(words: string): Promise<void> {
    while (!this.#text.includes(words)) {
      await new Promise<void>((resolve, reject) => {
        this.#socket.once('data', () => resolve());
        this.#socket.once('close', () => reject(new Error(`closed before "${words}": ${this.#text}`)));
      });
    }
  }

  async untilEnd(): Promise<string> {
    if (!this.#socket.closed) await new Promise((resolve) => this.#socket.once('close', resolve));
    return this.#text;
  }
}
