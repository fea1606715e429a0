// As load.ts, for answers of any status and size: of what arrives only the lengths are looked at, so that half a megabyte
// costs the one who asks next to nothing.
import { connect } from 'node:net';
import { type Load, type Measured, percentile } from './load.ts';

export interface LargeLoad extends Load {
  readonly status: number;
}

const endOfHead = Buffer.from('\r\n\r\n');
const lengthHeader = /content-length: *(\d+)/i;

export async function measureLarge(load: LargeLoad): Promise<Measured> {
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

function requestUntil(load: LargeLoad, until: number, onAnswer: (ms: number) => void): Promise<void> {
  const { hostname, port, host } = new URL(load.url);
  const headers = Object.entries(load.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = Buffer.from(`GET ${load.path} HTTP/1.1\r\nHost: ${host}\r\n${headers.join('')}\r\n`);

  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    const stop = (error?: Error) => {
      socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    let sentAt = 0;
    /** Of the answer under way; undefined until its head is there. */
    let left: number | undefined;
    const send = () => {
      sentAt = performance.now();
      left = undefined;
      socket.write(request);
    };
    socket.once('connect', send);
    socket.once('error', stop);
    socket.once('end', () => stop(new Error(`${load.path}: the server closed a connection`)));
    socket.on('data', (chunk: Buffer) => {
      left = left === undefined ? bodyLeft(load, chunk) : left - chunk.length;
      if (left === undefined || left < 0)
        return stop(new Error(`${load.path} answered:\n${chunk.toString('latin1')}`));
      if (left > 0) return;
      const now = performance.now();
      onAnswer(now - sentAt);
      if (now < until) send();
      else stop();
    });
  });
}

/** A head is far smaller than what arrives at once, so that it comes in one piece. */
function bodyLeft({ status }: LargeLoad, chunk: Buffer): number | undefined {
  const headEnd = chunk.indexOf(endOfHead);
  if (headEnd < 0) return undefined;
  const head = chunk.toString('latin1', 0, headEnd);
  if (!head.startsWith(`HTTP/1.1 ${status} `)) return undefined;
  const length = status === 304 ? 0 : Number(lengthHeader.exec(head)?.[1]);
  return headEnd + endOfHead.length + length - chunk.length;
}
