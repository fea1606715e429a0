// HTTP by hand: sends exactly the bytes it is given, so that it can send what no client library would.
import { connect } from 'node:net';

export interface RawAnswer {
  /** Undefined when the server closed the connection without a word. */
  readonly status: number | undefined;
  readonly head: string;
  readonly body: string;
}

/** Sends `pieces` on a connection of their own. Resolves with the answers once the last is complete or the server has closed it. */
export function sendRaw(url: string, pieces: readonly (string | Buffer)[]): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => {
      for (const piece of pieces) socket.write(piece);
    });
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk);
      if (isLastComplete(Buffer.concat(received))) socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A server that refuses a body need not read it to its end: the rest of it meets a closed door.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => resolve(parse(Buffer.concat(received))));
  });
}

/** A well-formed head; what stands in `headers` replaces the same name here. */
export function head(method: string, path: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ Host: 'localhost', Connection: 'close', ...headers });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** The server closes the connection later if it has not read the whole request. */
function isLastComplete(bytes: Buffer): boolean {
  const { head, body } = parse(bytes);
  const [, length] = /^content-length: (\d+)$/im.exec(head) ?? [];
  return /^connection: close$/im.test(head) && Buffer.byteLength(body) >= Number(length ?? Number.NaN);
}

function parse(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  const [, status] = /^HTTP\/1\.[01] (\d{3}) /.exec(bytes.toString('latin1', 0, 20)) ?? [];
  return {
    status: status === undefined ? undefined : Number(status),
    head: end < 0 ? bytes.toString() : bytes.subarray(0, end).toString(),
    body: end < 0 ? '' : bytes.subarray(end + 4).toString(),
  };
}
