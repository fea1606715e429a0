// Reads the first bytes of a connection one by one, so that not a byte of what follows is taken from who comes after.
import type { Duplex } from 'node:stream';
import { Failure } from './failure.ts';

export async function readExactly(socket: Duplex, length: number, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let left = length; left > 0; ) {
    // What is there is taken, however little: a stream that still holds some calls itself readable at once and again,
    // and a proxy that sends half an answer would keep us busy for ever.
    const chunk: Buffer | null = socket.read(Math.max(1, Math.min(left, socket.readableLength)));
    if (chunk) {
      chunks.push(chunk);
      left -= chunk.length;
    } else if (socket.readableEnded || socket.destroyed) throw new Failure('proxy');
    else await readable(socket, signal);
  }
  return Buffer.concat(chunks);
}

/** Up to and with the empty line that ends a head. */
export async function readHead(socket: Duplex, maxBytes: number, signal: AbortSignal): Promise<string> {
  let head = '';
  while (!head.endsWith('\r\n\r\n')) {
    if (head.length >= maxBytes) throw new Failure('proxy');
    head += (await readExactly(socket, 1, signal)).toString('latin1');
  }
  return head;
}

function readable(socket: Duplex, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const events = ['readable', 'end', 'close', 'error'] as const;
    const settle = (finish: () => void) => {
      for (const event of events) socket.removeListener(event, onEvent);
      signal.removeEventListener('abort', onAbort);
      finish();
    };
    const onEvent = () => settle(resolve);
    const onAbort = () => settle(() => reject(signal.reason));
    if (signal.aborted) return reject(signal.reason);
    for (const event of events) socket.on(event, onEvent);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
