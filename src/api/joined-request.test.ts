import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { JoinedRequest } from './joined-request.ts';

/** The chunks in which a handler sees the body of a request. */
async function chunksOf(body: string): Promise<string[]> {
  const server = createServer({ IncomingMessage: JoinedRequest as unknown as typeof IncomingMessage });
  try {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const request = new Promise<IncomingMessage>((resolve) => server.once('request', resolve));
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body}`);
    const chunks: string[] = [];
    for await (const chunk of await request) chunks.push(String(chunk));
    return chunks;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it('joins small chunks that arrive together, and keeps their order', async () => {
  const text = Array.from({ length: 2_000 }, (_, n) => String.fromCharCode(97 + (n % 26))).join('');
  const chunks = await chunksOf(`${[...text].map((letter) => `1\r\n${letter}\r\n`).join('')}0\r\n\r\n`);
  expect(chunks.join('')).toBe(text);
  expect(chunks.length).toBeLessThan(10);
});

it('passes large chunks on after the small ones before them', async () => {
  const large = 'b'.repeat(8_192);
  const chunks = await chunksOf(`1\r\na\r\n2000\r\n${large}\r\n1\r\nc\r\n0\r\n\r\n`);
  expect(chunks.join('')).toBe(`a${large}c`);
});

it('has no chunk for an empty body', async () => {
  expect(await chunksOf('0\r\n\r\n')).toEqual([]);
});
