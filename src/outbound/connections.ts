// Connections that are kept for the next request to the same server.
import type { Duplex } from 'node:stream';
import type { Client } from 'undici';
import type { CheckedHost } from './resolve.ts';

export interface Connection {
  readonly client: Client;
  readonly origin: string;
  readonly address: string | undefined;
  /** Made for an earlier request: the server may have closed it without our knowing. */
  readonly isReused: boolean;
}

/** The connection had been closed before anything of the request was sent. */
export class StaleConnection extends Error {
  override readonly name = 'StaleConnection';
}

type Open = (
  origin: string,
  socket: Duplex,
  address: string | undefined,
  maxHeaderBytes: number,
) => Connection;

export interface Connections {
  /** One to this server that is free and leads to one of these addresses, checked just now. */
  take(origin: string, host: CheckedHost | undefined): Connection | undefined;
  /** Before there is a socket: its errors would be heard by nobody while this waits. */
  prepare(): Promise<Open>;
  /** The answer was read to its end. */
  giveBack(connection: Connection): void;
  close(): Promise<void>;
}

const keptMs = 4_000;
const maxKept = 64;

export function createConnections(): Connections {
  const kept = new Set<Connection>();
  const all = new Set<Client>();

  const drop = (client: Client) => {
    all.delete(client);
    for (const connection of kept) if (connection.client === client) kept.delete(connection);
    void client.destroy().catch(() => {});
  };

  return {
    take(origin, host) {
      if (!host) return undefined;
      for (const connection of kept) {
        if (connection.origin !== origin) continue;
        // After a rebinding, the old connection is not one of the addresses that were checked for this request.
        if (!host.addresses.some(({ address }) => address === connection.address)) continue;
        kept.delete(connection);
        return { ...connection, isReused: true };
      }
      return undefined;
    },

    async prepare() {
      // A hundred files, and most processes never ask another host.
      const { Client } = await import('undici');
      return (origin, socket, address, maxHeaderSize) => {
        let unused: Duplex | undefined = socket;
        const client = new Client(origin, {
          // undici never connects by itself: it gets this one socket, and a second time nothing.
          connect: (_options, callback) => {
            const given = unused;
            unused = undefined;
            // Not at once: undici does not hear an answer that comes while it is still asking.
            queueMicrotask(() => {
              if (given && !given.destroyed) callback(null, given as never);
              else callback(new StaleConnection(), null);
            });
          },
          allowH2: false,
          pipelining: 1,
          maxHeaderSize,
          // Times are kept by Stop, to the millisecond and under the test's clock.
          headersTimeout: 0,
          bodyTimeout: 0,
          keepAliveTimeout: keptMs,
          keepAliveMaxTimeout: keptMs,
        });
        all.add(client);
        client.on('disconnect', () => drop(client));
        return { client, origin, address, isReused: false };
      };
    },

    giveBack(connection) {
      const { client, address } = connection;
      if (client.destroyed) return;
      if (address === undefined || kept.size >= maxKept) return drop(client);
      kept.add(connection);
    },

    async close() {
      for (const client of [...all]) drop(client);
    },
  };
}
