// The Model Context Protocol over HTTP: what is no message, what is too much, and who may not ask.
import { beforeAll, expect, it } from 'vitest';
import { type Client, openApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const initialize = (protocolVersion: unknown) => ({
  jsonrpc: '2.0',
  id: 'a',
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});
interface Reply {
  id: unknown;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
}

onEachEngine('the Model Context Protocol over HTTP', (engine) => {
  let api: TestApi;
  let anna: Client;

  beforeAll(async () => {
    api = await openApi(engine, { corsAllowedOrigins: ['https://app.example'] });
    await api.addUser('anna');
    anna = await api.program('anna', 'read');
    return () => api.close();
  });

  const send = async (json: unknown, headers: Record<string, string | undefined> = {}, client = anna) => {
    const response = await client.post('/mcp', json, { headers });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as Reply };
  };

  it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])('agrees on %s', async (version) => {
    const { status, body } = await send(initialize(version));
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ protocolVersion: version, capabilities: { tools: {} } });
  });

  it('offers its newest version to who asks for another', async () => {
    expect((await send(initialize('1999-01-01'))).body.result?.protocolVersion).toBe('2025-11-25');
    expect((await send(initialize(7))).body.error?.code).toBe(-32602);
  });

  it.each([
    ['no JSON', '{"jsonrpc": "2.0", ', 400, -32700],
    ['nothing', '', 400, -32700],
    ['bytes that are no text', Buffer.from('"\xff"', 'latin1'), 400, -32700],
    ['a number', '7', 400, -32600],
    ['null', 'null', 400, -32600],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600],
    ['no method', '{"jsonrpc":"2.0","id":1}', 200, -32600],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"resources/list"}', 200, -32601],
    ['a method of every object', '{"jsonrpc":"2.0","id":1,"method":"constructor"}', 200, -32601],
    ['parameters in a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 200, -32602],
    ['no tool', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', 200, -32602],
    [
      'an unknown tool',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__"}}',
      200,
      -32602,
    ],
    [
      'arguments in a list',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":[]}}',
      200,
      -32602,
    ],
  ])('refuses %s', async (_, body, status, code) => {
    const response = await anna.send('POST', '/mcp', {
      body,
      headers: { 'Content-Type': 'application/json' },
    });
    expect(response.status).toBe(status);
    expect(((await response.json()) as Reply).error?.code).toBe(code);
  });

  it('answers notifications and answers with nothing', async () => {
    expect(await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).toEqual({ status: 202 });
    expect(await send({ jsonrpc: '2.0', id: 1, result: {} })).toEqual({ status: 202 });
  });

  it('takes batches from those whose protocol has them', async () => {
    const heard = { jsonrpc: '2.0', method: 'notifications/cancelled' };
    const old = { 'MCP-Protocol-Version': '2025-03-26' };
    const { body } = await send([ping, heard, { ...ping, id: 2 }, 7], old);
    expect((body as unknown as Reply[]).map(({ id, error }) => [id, error?.code])).toEqual([
      [1, undefined],
      [2, undefined],
      [null, -32600],
    ]);
    expect(await send([heard], old)).toEqual({ status: 202 });
    for (const [batch, headers] of [
      [[ping], { 'MCP-Protocol-Version': '2025-06-18' }],
      [[], old],
      [Array.from({ length: 21 }, () => ping), old],
      [[initialize('2025-03-26')], old],
    ] as const)
      expect(await send(batch, headers)).toMatchObject({ status: 400, body: { error: { code: -32600 } } });
  });

  it('insists on the forms of the protocol', async () => {
    expect((await send(ping, { 'MCP-Protocol-Version': '1999-01-01' })).status).toBe(400);
    expect((await send(ping, { Accept: 'text/html' })).status).toBe(406);
    expect((await send(ping, { Accept: 'application/json, text/event-stream' })).status).toBe(200);
    expect((await send(ping, { 'Content-Type': 'text/plain' })).status).toBe(415);
    for (const method of ['GET', 'DELETE']) {
      const response = await anna.send(method, '/mcp');
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
    }
  });

  it('reads no body that is too large', async () => {
    const { status, body } = await send({ ...ping, params: { text: 'x'.repeat(1_100_000) } });
    expect([status, body.error?.code]).toEqual([413, -32600]);
  });

  it('is for those with a token, and never for a cookie', async () => {
    const visitor = await api.visitor().post('/mcp', ping);
    expect([visitor.status, visitor.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect((await send(ping, {}, await api.logIn('anna'))).status).toBe(401);
    expect((await send(ping, { Authorization: 'Bearer lectern_made-up' })).status).toBe(401);
  });

  it.each([
    ['https://evil.example', undefined, 403],
    ['null', undefined, 403],
    // Its name leads to our machine: then Host and Origin are the same.
    ['http://evil.example:8484', 'evil.example:8484', 403],
    ['http://127.0.0.1:8484', 'evil.example', 403],
    ['http://127.0.0.1:8484', '127.0.0.1:8484', 200],
    ['http://localhost:8484', 'localhost:8484', 200],
    ['http://[::1]:8484', '[::1]:8484', 200],
    ['https://app.example', undefined, 200],
  ])('answers a page of %s at %s with %i', async (Origin, Host, expected) => {
    expect((await send(ping, { Origin, ...(Host && { Host }) })).status).toBe(expected);
  });

  it('lets nothing internal out when a tool breaks', async () => {
    const broken = api.again({ store: { ...api.opened.store, forUser: () => ({}) as never } });
    const params = { name: 'list_tags', arguments: {} };
    const { body } = await send({ ...ping, method: 'tools/call', params }, {}, anna.at(broken));
    expect(body.result).toEqual({
      content: [{ type: 'text', text: 'something went wrong; the log of the server says what' }],
      isError: true,
    });
    expect(broken.logLines.join('')).toContain('a tool failed');
  });
});
