// A server that answers as a test says, for what a healthy S3 server never does.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Secret } from '../../src/model/secret.ts';

type Answer = (response: ServerResponse, request: IncomingMessage, body: Buffer) => void;

export interface StubS3 {
  readonly libraryUrl: Secret;
  readonly requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
  /** The answers to the next requests, in turn; the last one is given for ever. */
  answer(...answers: Answer[]): void;
  stop(): Promise<void>;
}

export const emptyList = '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>';

export async function startStubS3(): Promise<StubS3> {
  const requests: StubS3['requests'] = [];
  let answers: Answer[] = [xml(200, emptyList)];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, headers, body: body.toString() });
    const next = answers.length > 1 ? answers.shift() : answers[0];
    next?.(response, request, body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    requests,
    libraryUrl: new Secret(
      `s3://key-id:secret%2Fword@bucket/prefix?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}`,
    ),
    answer(...next) {
      answers = next;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function xml(status: number, text: string, headers: Record<string, string> = {}): Answer {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(text);
}

export function refusal(status: number, code: string, headers: Record<string, string> = {}): Answer {
  return xml(status, `<Error><Code>${code}</Code><Message>secret details</Message></Error>`, headers);
}

export function object(text: string, headers: Record<string, string> = {}): Answer {
  return (response) =>
    response
      .writeHead(200, {
        'content-length': String(Buffer.byteLength(text)),
        'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
        ...headers,
      })
      .end(text);
}

/** Says that there is more than it sends, then hangs up. */
export function cutOff(text: string, saidBytes: number): Answer {
  return (response) => {
    response.writeHead(200, {
      'content-length': String(saidBytes),
      'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
    });
    response.write(text, () => response.destroy());
  };
}

/** Sends a part and then nothing, for ever. */
export function standStill(text: string, saidBytes: number): Answer {
  return (response) => {
    response.writeHead(200, {
      'content-length': String(saidBytes),
      'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
    });
    response.write(text);
  };
}

export const hangUp: Answer = (response) => response.destroy();
export const done: Answer = (response) => response.writeHead(200).end();
