// A load generator that costs less than any server it measures: raw sockets kept open, one request under way on
// each, the bytes of the request made once.
import { connect, type Socket } from 'node:net';

export interface Load {
  readonly url: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly durationMs: number;
}

export interface Measured {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export async function measure(load: Load): Promise<Measured> {
  const latenciesMs: number[] = [];
  const started = performance.now();
  const until = started + load.durationMs;
  await Promise.all(
    Array.from({ length: load.connections }, () => requestUntil(load, until, (ms) => latenciesMs.push(ms))),
  );
  const elapsedMs = performance.now() - started;
  return {
    requestsPerSecond: (latenciesMs.length * 1000) / elapsedMs,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function requestUntil(load: Load, until: number, onAnswer: (ms: number) => void): Promise<void> {
  const { hostname, port, host } = new URL(load.url);
  const headers = Object.entries(load.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = Buffer.from(`GET ${load.path} HTTP/1.1\r\nHost: ${host}\r\n${headers.join('')}\r\n`);

  return new Promise((resolve, reject) => {
    const socket: Socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    const stop = (error?: Error) => {
      socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    let sentAt = 0;
    let received: Buffer | undefined;
    const send = () => {
      sentAt = performance.now();
      socket.write(request);
    };
    socket.once('connect', send);
    socket.once('error', stop);
    socket.once('end', () => stop(new Error(`${load.path}: the server closed a connection`)));
    socket.on('data', (chunk: Buffer) => {
      const answer: Buffer = received ? Buffer.concat([received, chunk]) : chunk;
      received = answer;
      const expected = answerLength(answer);
      if (expected === undefined || answer.length < expected) return;
      if (answer.length > expected || !answer.subarray(9, 12).equals(ok)) {
        return stop(new Error(`${load.path} answered:\n${answer.toString('latin1')}`));
      }
      received = undefined;
      const now = performance.now();
      onAnswer(now - sentAt);
      if (now < until) send();
      else stop();
    });
  });
}

const ok = Buffer.from('200');
const endOfHead = Buffer.from('\r\n\r\n');
// Both spellings are in use: node:http keeps what it is given, Fetch headers are lower case.
const lengthHeader = /content-length: *(\d+)/i;

/** How long the whole answer is, once its head is there. */
function answerLength(received: Buffer): number | undefined {
  const headEnd = received.indexOf(endOfHead);
  if (headEnd < 0) return undefined;
  const [, digits] = lengthHeader.exec(received.toString('latin1', 0, headEnd)) ?? [];
  if (digits === undefined) throw new Error(`no Content-Length in:\n${received.toString('latin1')}`);
  return headEnd + endOfHead.length + Number(digits);
}
