// The transport for programs that start us: one message a line, and nothing else on the way out.
import type { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { codes, isRecord, RpcError, refusal } from './json-rpc.ts';
import { assumedVersion, type McpServer, type Peer, type Replies } from './server.ts';

export interface StdioDeps {
  readonly server: McpServer;
  readonly peer: Omit<Peer, 'protocol'>;
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/** As over HTTP. */
const maxLineBytes = 1024 * 1024;

/** Ends when the other side has closed its end, or the signal says so; what was asked before is answered first. */
export async function serveStdio({ server, peer, input, output, signal }: StdioDeps): Promise<void> {
  let protocol: string = assumedVersion;
  // Whoever has gone reads no answers, and that is no error of ours.
  const gone = new AbortController();
  output.on('error', () => gone.abort());
  const ended = AbortSignal.any([signal, gone.signal]);
  for await (const line of linesOf(input, ended)) {
    const replies =
      line === undefined
        ? refusal(null, new RpcError(codes.request, `expected at most ${maxLineBytes} bytes in a line`))
        : await handleLine(line);
    if (replies !== undefined && !ended.aborted) await write(output, `${JSON.stringify(replies)}\n`);
  }

  async function handleLine(line: string): Promise<Replies> {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return refusal(null, new RpcError(codes.parse, 'Parse error: expected JSON'));
    }
    const replies = await server.handle({ ...peer, protocol }, message);
    protocol = agreedIn(message, replies) ?? protocol;
    return replies;
  }
}

function agreedIn(message: unknown, replies: Replies): string | undefined {
  if (!isRecord(message) || message.method !== 'initialize') return undefined;
  const result = isRecord(replies) ? replies.result : undefined;
  return isRecord(result) ? String(result.protocolVersion) : undefined;
}

async function write(output: Writable, text: string): Promise<void> {
  if (output.write(text)) return;
  await Promise.race([
    new Promise((resolve) => output.once('drain', resolve)),
    finished(output).catch(() => {}),
  ]);
}

/** Undefined for a line that is too long, of which nothing is kept. */
export async function* linesOf(
  input: Readable,
  signal: AbortSignal,
  maxBytes = maxLineBytes,
): AsyncGenerator<string | undefined> {
  let pieces: Buffer[] = [];
  let length = 0;
  const take = (): string | undefined => {
    const line = length > maxBytes ? undefined : Buffer.concat(pieces).toString('utf8');
    pieces = [];
    length = 0;
    return line;
  };
  const stop = () => input.destroy();
  if (signal.aborted) return;
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of input) {
      let rest: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
      for (let at = rest.indexOf(10); at !== -1; at = rest.indexOf(10)) {
        add(rest.subarray(0, at));
        rest = rest.subarray(at + 1);
        const line = take();
        if (line === undefined || line.trim() !== '') yield line;
      }
      add(rest);
    }
    const last = take();
    if (last === undefined || last.trim() !== '') yield last;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }

  function add(piece: Buffer): void {
    length += piece.length;
    if (length > maxBytes) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
  }
}
