// How the server ends, and that its worker never outlives it.
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { onEachEngine } from '../support/engines.ts';
import { EventReader } from '../support/event-reader.ts';
import { databaseUrl, jsonRequest, type LecternProcess, useLectern } from '../support/lectern-process.ts';

onEachEngine('the end of a server', (engine) => {
  const lectern = useLectern(afterEach);

  async function serve(role: 'all' | 'api' = 'all'): Promise<LecternProcess> {
    const target = await engine.freshTarget({ empty: true });
    // At this level each process says when it has started and what made it stop.
    const env = { LECTERN_DATABASE_URL: databaseUrl(target), LECTERN_LOG_LEVEL: 'debug' };
    return lectern.serve({ role, env });
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
    const cookie = await setUp(server);
    const body = JSON.stringify({ name: 'written at the last moment' });
    const socket = await open(server.url);
    // "100 Continue" proves that the server has the request before it is told to stop.
    socket.write(
      `POST /api/groups HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nOrigin: ${server.url}\r\nCookie: ${cookie}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    const answer = new Answer(socket);
    await answer.until('100 Continue');

    const stopped = server.stop();
    await server.output.until('stderr', /"msg":"stopping"/);
    socket.write(body);
    expect(await answer.untilEnd()).toMatch(/HTTP\/1\.1 200 OK[\s\S]*"name":"written at the last moment"/);
    expect(await stopped).toEqual({ code: 0, signal: null });
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
