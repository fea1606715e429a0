// A network of its own, on this machine, between this process and a server: three network namespaces, of which the one in the
// middle can stop forwarding. Then packets are dropped in both directions, without an answer of any kind.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

const port = 5432;

export interface PartitionedNetwork {
  /** Where the server is reached through the network. */
  readonly host: string;
  readonly port: number;
  drop(): Promise<void>;
  forward(): Promise<void>;
  remove(): Promise<void>;
}

/** Says that this machine has none, or that this user may not make them; undefined if they can be used. */
export async function missingNamespaces(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'not installed: network namespaces';
  const name = `lectern-${process.pid}-try`;
  try {
    await ip('netns', 'add', name);
    await ip('netns', 'del', name);
    return undefined;
  } catch {
    return 'not installed: network namespaces';
  }
}

/** `socketPath` is the socket of the server in the file system, which every namespace shares. */
export async function startPartition(socketPath: string): Promise<PartitionedNetwork> {
  const id = process.pid % 100_000;
  const [router, far] = [`lectern-${id}-router`, `lectern-${id}-far`];
  // Any subnet will do that this machine does not use.
  const subnet = `10.213.${id % 256}`;
  const [here, routerNear, routerFar, host] = [1, 2, 129, 130].map((n) => `${subnet}.${n}`);
  const inside = (namespace: string, ...command: string[]) => ip('netns', 'exec', namespace, ...command);
  const setForwarding = (value: 0 | 1) =>
    inside(router, 'sh', '-c', `echo ${value} > /proc/sys/net/ipv4/ip_forward`);
  const deleteNamespaces = async () => {
    for (const name of [router, far]) await ip('netns', 'del', name).catch(() => {});
  };
  try {
    await ip('netns', 'add', router);
    await ip('netns', 'add', far);
    await ip('link', 'add', `lt${id}a`, 'type', 'veth', 'peer', 'name', 'near', 'netns', router);
    await ip('-n', router, 'link', 'add', 'far', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', far);
    await ip('addr', 'add', `${here}/25`, 'dev', `lt${id}a`);
    await ip('link', 'set', `lt${id}a`, 'up');
    await ip('-n', router, 'addr', 'add', `${routerNear}/25`, 'dev', 'near');
    await ip('-n', router, 'addr', 'add', `${routerFar}/25`, 'dev', 'far');
    for (const device of ['near', 'far']) await ip('-n', router, 'link', 'set', device, 'up');
    await ip('-n', far, 'addr', 'add', `${host}/25`, 'dev', 'eth0');
    for (const device of ['lo', 'eth0']) await ip('-n', far, 'link', 'set', device, 'up');
    await ip('route', 'add', `${subnet}.128/25`, 'via', `${routerNear}`);
    await ip('-n', far, 'route', 'add', 'default', 'via', `${routerFar}`);
    await setForwarding(1);
  } catch (error) {
    await deleteNamespaces();
    throw error;
  }
  const relay = spawn(
    'ip',
    ['netns', 'exec', far, process.execPath, '-e', relayProgram, `${host}`, socketPath],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = once(relay, 'exit');
  await Promise.race([once(relay.stdout, 'data'), ended]);
  return {
    host: `${host}`,
    port,
    drop: () => setForwarding(0),
    forward: () => setForwarding(1),
    async remove() {
      relay.kill('SIGKILL');
      await ended;
      await deleteNamespaces();
    },
  };
}

/** Connects the network of its namespace to the socket of the server. */
const relayProgram = `
  const { connect, createServer } = require('node:net');
  const [host, socketPath] = process.argv.slice(1);
  createServer({ keepAlive: true, keepAliveInitialDelay: 10_000 }, (client) => {
    const server = connect(socketPath);
    for (const [from, to] of [[client, server], [server, client]]) {
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.pipe(to);
    }
  }).listen(${port}, host, () => console.log('listening'));
`;

async function ip(...args: string[]): Promise<void> {
  await promisify(execFile)('ip', args);
}
