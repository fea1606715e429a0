// Keeps strangers from using up the connections of the server. Beyond a limit, the oldest idle connection is closed for a new one;
// if none is idle, the oldest whose request has not arrived in full, or whose client does not read the answer.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { network } from '../accounts/login.ts';

export interface ConnectionLimits {
  readonly total: number;
  /** Does not apply to a trusted proxy, which speaks for many people. */
  readonly perAddress: number;
}

/** Files, the index, other hosts and logging in need descriptors too. */
const reservedDescriptors = 200;

/** What a process that may open so many files can accept. */
export function connectionLimits(openFiles = openFilesLimit()): ConnectionLimits {
  return { total: Math.max(50, Math.min(1_000, openFiles - reservedDescriptors)), perAddress: 100 };
}

/** What the types of Node lack. */
interface NodeReport {
  excludeNetwork: boolean;
  getReport(): { readonly userLimits?: { readonly open_files?: { readonly soft?: number | 'unlimited' } } };
}

/** The system's limit for this process (`ulimit -n`). */
function openFilesLimit(): number {
  const report = process.report as unknown as NodeReport;
  const { excludeNetwork } = report;
  // A report resolves the address of every open socket, and blocks until the DNS server answers.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport();
  report.excludeNetwork = excludeNetwork;
  const limit = userLimits?.open_files?.soft;
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
}

interface Connection {
  /** Of IPv6, the network: one customer has a /64. */
  readonly address: string;
  /** Requests that are not answered yet. */
  requests: number;
  last: IncomingMessage | undefined;
}

export function limitConnections(
  server: Server,
  { total, perAddress }: ConnectionLimits,
  isTrustedProxy: (address: string) => boolean,
  onRefused: (address: string) => void,
): void {
  /** The oldest is first. */
  const connections = new Map<Socket, Connection>();

  server.on('connection', (socket: Socket) => {
    const remote = socket.remoteAddress ?? '';
    const address = network(remote);
    const ofAddress = (connection: Connection) => connection.address === address;
    const isAddressFull = !isTrustedProxy(remote) && count(ofAddress) >= perAddress;
    const hasRoom =
      (!isAddressFull || closeOldest(ofAddress)) && (connections.size < total || closeOldest(() => true));
    if (!hasRoom) {
      onRefused(remote);
      socket.destroy();
      return;
    }
    connections.set(socket, { address, requests: 0, last: undefined });
    socket.once('close', () => connections.delete(socket));
  });

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(request.socket);
    if (!connection) return;
    connection.requests += 1;
    connection.last = request;
    response.once('close', () => {
      connection.requests -= 1;
    });
  });

  function count(matches: (connection: Connection) => boolean): number {
    return [...connections.values()].filter(matches).length;
  }

  function closeOldest(matches: (connection: Connection) => boolean): boolean {
    const candidates = [...connections].filter(([, connection]) => matches(connection));
    const [socket] =
      candidates.find(([, { requests }]) => requests === 0) ??
      candidates.find(([, { last }]) => last?.complete === false) ??
      candidates.find(([{ writableLength }]) => writableLength > 0) ??
      [];
    if (!socket) return false;
    connections.delete(socket);
    socket.destroy();
    return true;
  }
}
