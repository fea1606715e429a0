// Opens connections: to checked addresses only, the next one tried when the last is slow, TLS on top.
import { isIP, connect as openTcp, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as openTls, type TLSSocket } from 'node:tls';
import type { Address } from './address.ts';
import { Failure, toFailure } from './failure.ts';
import type { After } from './limits.ts';
import type { CheckedHost, Guard } from './resolve.ts';

/** Begins to connect. The address is never a name. */
export type OpenSocket = (address: string, port: number) => Socket;

export interface DialDeps {
  readonly guard: Guard;
  readonly openSocket: OpenSocket;
  readonly after: After;
  /** Certificates of authorities to trust in place of the system's. */
  readonly trustedAuthorities?: string | undefined;
}

export interface Dialled {
  readonly socket: Socket;
  readonly address: Address;
}

/** RFC 8305 asks for something near a quarter of a second before the next address gets its chance. */
const nextAttemptMs = 250;

export const openTcpSocket: OpenSocket = (address, port) => openTcp({ host: address, port, noDelay: true });

/** The first of the host's addresses that answers; the others are given up. */
export function dial(
  { openSocket, after }: Pick<DialDeps, 'openSocket' | 'after'>,
  { addresses }: CheckedHost,
  port: number,
  signal: AbortSignal,
): Promise<Dialled> {
  return new Promise((resolve, reject) => {
    const attempts = new Set<Socket>();
    const waiting = [...addresses];
    let cancelNext = () => {};
    let isSettled = false;

    const settle = (finish: () => void, chosen?: Socket) => {
      if (isSettled) return;
      isSettled = true;
      cancelNext();
      signal.removeEventListener('abort', onAbort);
      for (const socket of attempts) if (socket !== chosen) socket.destroy();
      finish();
    };
    const onAbort = () => settle(() => reject(signal.reason));
    const tryNext = () => {
      cancelNext();
      const address = waiting.shift();
      if (isSettled || !address) return;
      const socket = openSocket(address.address, port);
      attempts.add(socket);
      const onError = (error: Error) => {
        attempts.delete(socket);
        if (waiting.length > 0) tryNext();
        else if (attempts.size === 0) settle(() => reject(toFailure(error, 'refused')));
      };
      // Stays for the socket's life: one that was given up may still fail, and nobody else listens to it.
      socket.on('error', onError);
      socket.once('connect', () => settle(() => resolve({ socket, address }), socket));
      if (waiting.length > 0) cancelNext = after(nextAttemptMs, tryNext);
    };

    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    tryNext();
  });
}

/** The certificate must be for this name, whatever address the connection leads to. */
export function secure(
  { trustedAuthorities }: Pick<DialDeps, 'trustedAuthorities'>,
  socket: Duplex,
  hostname: string,
  signal: AbortSignal,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const name = hostname.replace(/\.$/, '');
    const secured = openTls({
      socket,
      host: name,
      servername: isIP(name) === 0 ? name : '',
      ALPNProtocols: ['http/1.1'],
      ...(trustedAuthorities !== undefined && { ca: trustedAuthorities }),
    });
    const settle = (finish: () => void) => {
      signal.removeEventListener('abort', onAbort);
      finish();
    };
    const onAbort = () => {
      settle(() => reject(signal.reason));
      secured.destroy();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    secured.on('error', (error) => {
      socket.destroy();
      settle(() => reject(new Failure('tls', { cause: error })));
    });
    secured.once('close', () => settle(() => reject(new Failure('tls'))));
    secured.once('secureConnect', () => settle(() => resolve(secured)));
  });
}
