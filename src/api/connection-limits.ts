// Keeps strangers from using up the connections of the server. Beyond a limit, the oldest idle connection is closed for a new one.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  readonly total: number;
  /** Does not apply to a trusted proxy, which speaks for many people. */
  readonly perAddress: number;
}

interface Connection {
  readonly address: string;
  /** Requests under way. */
  requests: number;
}

export function limitConnections(
  server: Server,
  { total, perAddress }: ConnectionLimits,
  isTrustedProxy: (address: string) => boolean,
): void {
  /** The oldest is first. */
  const connections = new Map<Socket, Connection>();

  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const ofAddress = (connection: Connection) => connection.address === address;
    const isAddressFull = !isTrustedProxy(address) && count(ofAddress) >= perAddress;
    const hasRoom =
      (!isAddressFull || closeOldestIdle(ofAddress)) &&
      (connections.size < total || closeOldestIdle(() => true));
    if (!hasRoom) {
      socket.destroy();
      return;
    }
    connections.set(socket, { address, requests: 0 });
    socket.once('close', () => connections.delete(socket));
  });

  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(socket);
    if (!connection) return;
    connection.requests += 1;
    response.once('close', () => {
      connection.requests -= 1;
    });
  });

  function count(matches: (connection: Connection) => boolean): number {
    return [...connections.values()].filter(matches).length;
  }

  function closeOldestIdle(matches: (connection: Connection) => boolean): boolean {
    for (const [socket, connection] of connections) {
      if (connection.requests > 0 || !matches(connection)) continue;
      connections.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  }
}
