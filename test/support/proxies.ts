// Proxies on the loopback that keep a record of what they were asked for, and connect to where a test says.
import { connect, type Server, type Socket } from 'node:net';
import { rawServer } from './outbound.ts';

export interface ProxyRecord {
  /** host:port, as it was asked for. */
  readonly asked: string[];
  /** What it was told to prove who is asking. */
  readonly logins: string[];
}

export interface TestProxy extends ProxyRecord {
  readonly server: Server;
  /** What it does with a connection, for a server of another kind to use. */
  readonly serve: (socket: Socket) => void;
}

/** CONNECT. `portOf`: where on the loopback it leads; undefined is refused. */
export function httpProxy(portOf: (host: string) => number | undefined): TestProxy {
  const record = { asked: [] as string[], logins: [] as string[] };
  const serve = (socket: Socket) => {
    socket.once('data', (chunk) => {
      const text = chunk.toString('latin1');
      const [, authority = ''] = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(text) ?? [];
      record.asked.push(authority);
      const credential = /\r\nProxy-Authorization: Basic (\S+)\r\n/.exec(text)?.[1];
      if (credential) record.logins.push(Buffer.from(credential, 'base64').toString());
      const port = portOf(authority.replace(/:\d+$/, ''));
      if (port === undefined) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      const onward = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\nX-Proxy: yes\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      onward.on('error', () => socket.destroy());
    });
  };
  return { ...record, serve, server: rawServer(serve) };
}

/** SOCKS5. `login`: it insists on a name and a password. */
export function socksProxy(portOf: (host: string) => number | undefined, login?: string): TestProxy {
  const record = { asked: [] as string[], logins: [] as string[] };
  const serve = (socket: Socket) => {
    const steps = [
      (chunk: Buffer) => {
        const offersLogin = chunk.subarray(2).includes(2);
        socket.write(Buffer.from([5, login === undefined ? 0 : offersLogin ? 2 : 0xff]));
        if (login === undefined) steps.shift();
      },
      (chunk: Buffer) => {
        const nameLength = chunk[1] ?? 0;
        const name = chunk.subarray(2, 2 + nameLength).toString();
        record.logins.push(`${name}:${chunk.subarray(3 + nameLength).toString()}`);
        socket.write(Buffer.from([1, record.logins.at(-1) === login ? 0 : 1]));
      },
      (chunk: Buffer) => {
        const host = hostOf(chunk);
        record.asked.push(`${host}:${chunk.readUInt16BE(chunk.length - 2)}`);
        const port = portOf(host);
        if (port === undefined) return socket.end(Buffer.from([5, 2, 0, 1, 0, 0, 0, 0, 0, 0]));
        const onward = connect(port, '127.0.0.1', () => {
          // In two pieces, and with a name for an address, as a proxy may.
          socket.write(Buffer.from([5, 0, 0, 3, 4, 97, 98]));
          setImmediate(() => {
            socket.write(Buffer.from([99, 100, 0, 80]));
            socket.removeAllListeners('data');
            socket.pipe(onward).pipe(socket);
          });
        });
        onward.on('error', () => socket.destroy());
      },
    ];
    socket.on('data', (chunk: Buffer) => steps.shift()?.(chunk));
  };
  return { ...record, serve, server: rawServer(serve) };
}

function hostOf(request: Buffer): string {
  if (request[3] === 1) return [...request.subarray(4, 8)].join('.');
  if (request[3] === 3) return request.subarray(5, 5 + (request[4] ?? 0)).toString();
  return request.subarray(4, 20).toString('hex');
}
