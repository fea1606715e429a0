import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Liveness, type Probe, ServerSilent, type WatchedConnection } from './liveness.ts';

class FakeConnection implements WatchedConnection {
  readonly tag: string;
  read = 0;
  written = 0;
  destroyedBy: Error | undefined;

  constructor(tag: string) {
    this.tag = tag;
  }

  bytesRead = () => this.read;
  bytesWritten = () => this.written;
  destroy = (error: Error) => {
    this.destroyedBy = error;
  };
}

let probes: PromiseWithResolvers<ReadonlySet<string> | undefined>[];
let silences: Error[];
let liveness: Liveness;

beforeEach(() => {
  probes = [];
  silences = [];
  const probe = (): Probe => {
    const resolvers = Promise.withResolvers<ReadonlySet<string> | undefined>();
    probes.push(resolvers);
    return { answer: resolvers.promise, abort: () => resolvers.reject(new Error('aborted')) };
  };
  // The interval never fires: the tests tick.
  liveness = new Liveness({ probe, onSilent: (error) => silences.push(error), tickMs: 1_000_000 });
});

afterEach(() => liveness.close());

function connected(tag: string): FakeConnection {
  const connection = new FakeConnection(tag);
  liveness.add(connection);
  return connection;
}

function waiting(tag: string): FakeConnection {
  const connection = connected(tag);
  liveness.beginWait(connection);
  return connection;
}

async function tick(times: number, eachTime = () => {}): Promise<void> {
  for (let n = 0; n < times; n++) {
    eachTime();
    liveness.tick();
    await nextTurn();
    await nextTurn();
  }
}

it('probes the server when nothing has arrived for six ticks although a statement waits', async () => {
  waiting('a');
  await tick(5);
  expect(probes).toHaveLength(0);
  await tick(1);
  expect(probes).toHaveLength(1);
});

it('does not probe a server that answers other connections', async () => {
  waiting('slow');
  const busy = waiting('busy');
  await tick(15, () => {
    busy.read += 100;
  });
  expect(probes).toHaveLength(0);
});

it('does not probe a server that is asked nothing', async () => {
  const connection = waiting('a');
  liveness.endWait(connection);
  await tick(20);
  expect(probes).toHaveLength(0);
});

it('destroys every connection, idle ones too, when a probe is not answered within eight ticks', async () => {
  const idle = connected('idle');
  const busy = waiting('busy');
  await tick(6 + 7);
  expect(liveness.isSilent).toBe(false);
  await tick(1);
  expect(liveness.isSilent).toBe(true);
  expect(idle.destroyedBy).toBeInstanceOf(ServerSilent);
  expect(busy.destroyedBy).toBeInstanceOf(ServerSilent);
  expect(silences).toHaveLength(1);
});

it('repeats a probe that fails, and calls the server silent after eight ticks without an answer', async () => {
  const busy = waiting('busy');
  await tick(6 + 7, () => probes.at(-1)?.reject(new Error('getaddrinfo EAI_AGAIN')));
  expect(probes.length).toBeGreaterThan(2);
  expect(busy.destroyedBy).toBeUndefined();
  await tick(1);
  expect(busy.destroyedBy).toBeInstanceOf(ServerSilent);
});

it('repeats a probe that cannot be started', async () => {
  const server = new Liveness({
    probe: () => {
      started += 1;
      throw new Error('ENOENT: no such file, root.crt');
    },
    onSilent: (error) => silences.push(error),
    tickMs: 1_000_000,
  });
  let started = 0;
  const connection = new FakeConnection('a');
  server.add(connection);
  server.beginWait(connection);
  for (let n = 0; n < 10; n++) {
    server.tick();
    await nextTurn();
  }
  server.close();
  expect(started).toBeGreaterThan(1);
});

it('forgets failed probes when the server answers a connection', async () => {
  const busy = waiting('busy');
  await tick(6 + 7, () => probes.at(-1)?.reject(new Error('getaddrinfo EAI_AGAIN')));
  busy.read += 100;
  await tick(5);
  expect(busy.destroyedBy).toBeUndefined();
  expect(liveness.isSilent).toBe(false);
});

it('does not hold failed probes of an earlier statement against the server', async () => {
  const first = waiting('first');
  await tick(8, () => probes.at(-1)?.reject(new Error('getaddrinfo EAI_AGAIN')));
  liveness.endWait(first);
  await tick(10, () => probes.at(-1)?.reject(new Error('getaddrinfo EAI_AGAIN')));
  const second = waiting('second');
  await tick(5);
  expect(second.destroyedBy).toBeUndefined();
  expect(liveness.isSilent).toBe(false);
});

it('probes a silent server every two ticks until it answers', async () => {
  waiting('a');
  await tick(6 + 8);
  probes.length = 0;
  await tick(6);
  expect(probes).toHaveLength(3);
  expect(liveness.isSilent).toBe(true);
  probes[1]?.resolve(undefined);
  await nextTurn();
  expect(liveness.isSilent).toBe(false);
  expect(silences).toHaveLength(1);
});

it('keeps a connection whose statement takes long, however often the server is probed', async () => {
  const slow = waiting('slow');
  await tick(60, () => probes.at(-1)?.resolve(new Set(['slow', 'probe'])));
  expect(probes.length).toBeGreaterThan(5);
  expect(slow.destroyedBy).toBeUndefined();
  expect(liveness.isSilent).toBe(false);
});

it('destroys a connection that is quiet for sixteen ticks while the server does not run its statement', async () => {
  const lost = waiting('lost');
  const running = waiting('running');
  await tick(15, () => probes.at(-1)?.resolve(new Set(['running', 'probe'])));
  expect(lost.destroyedBy).toBeUndefined();
  await tick(8, () => probes.at(-1)?.resolve(new Set(['running', 'probe'])));
  expect(lost.destroyedBy).toBeInstanceOf(ServerSilent);
  expect(running.destroyedBy).toBeUndefined();
  expect(liveness.isSilent).toBe(false);
});

it('destroys a lost connection although the server answers others', async () => {
  const lost = waiting('lost');
  const busy = waiting('busy');
  await tick(20, () => {
    busy.read += 100;
    probes.at(-1)?.resolve(new Set(['busy', 'probe']));
  });
  expect(lost.destroyedBy).toBeInstanceOf(ServerSilent);
  expect(busy.destroyedBy).toBeUndefined();
});

it('gives a large statement the time to arrive at the server', async () => {
  const sending = waiting('sending');
  sending.written = 1_000_000;
  await tick(40, () => probes.at(-1)?.resolve(new Set(['probe'])));
  expect(sending.destroyedBy).toBeUndefined();
  await tick(30, () => probes.at(-1)?.resolve(new Set(['probe'])));
  expect(sending.destroyedBy).toBeInstanceOf(ServerSilent);
});

it('keeps quiet connections if the answer does not tell which statements run', async () => {
  const quiet = waiting('quiet');
  await tick(60, () => probes.at(-1)?.resolve(undefined));
  expect(quiet.destroyedBy).toBeUndefined();
});

it('makes no probe after it is closed, and destroys what is open', async () => {
  const connection = waiting('a');
  await tick(6);
  liveness.close();
  expect(connection.destroyedBy).toBeDefined();
  await nextTurn();
  expect(silences).toEqual([]);
});
