// The official client of the Model Context Protocol, over both transports, calls every tool.
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createToken } from '../../src/accounts/tokens.ts';
import { type Listening, listen } from '../../src/api/listen.ts';
import { libraryTools } from '../../src/mcp/library-tools.ts';
import type { Scope, User } from '../../src/model/user.ts';
import { openApi, type TestApi } from '../support/api.ts';
import { isDeep } from '../support/depth.ts';
import { onBothEngines } from '../support/engines.ts';
import { databaseUrl } from '../support/lectern-process.ts';
import { callsOf, factsOf, fillLibrary, type Heard, type Lent, rowsOf } from '../support/mcp.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const reading = libraryTools.filter(({ writes }) => !writes).map(({ name }) => name);
const all = libraryTools.map(({ name }) => name);

onBothEngines('the official client of the Model Context Protocol', (engine) => {
  let api: TestApi;
  let anna: User;
  let lent: Lent;
  let listening: Listening;

  beforeAll(async () => {
    api = await openApi(engine);
    anna = await api.addUser('anna');
    await api.addUser('ben');
    lent = await fillLibrary(api, anna, 'anna');
    listening = await listen(api.app.fetch as never, { host: '127.0.0.1', port: 0, trustedProxies: [] });
    return async () => {
      await listening.stop();
      await api.close();
    };
  });

  const transports: Record<string, (scope: Scope) => Promise<Transport>> = {
    HTTP: async (scope) => {
      const { secret } = await createToken(api.accounts, anna, { name: 'assistant', scope });
      const url = new URL(`http://127.0.0.1:${listening.port}/mcp`);
      const requestInit = { headers: { Authorization: `Bearer ${secret}` } };
      return new StreamableHTTPClientTransport(url, { requestInit }) as Transport;
    },
    stdio: async (scope) =>
      new StdioClientTransport({
        command: process.execPath,
        args: [main, 'mcp', '--user', 'anna', ...(scope === 'write' ? ['--write'] : [])],
        env: {
          LECTERN_DATABASE_URL: databaseUrl(api.opened.target),
          LECTERN_LIBRARY_URL: `file:${api.opened.folder}`,
          LECTERN_HOME: api.opened.folder,
          // The transport hands on no other variables of ours.
          NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
        },
        stderr: 'pipe',
      }),
  };

  async function connect(how: string, scope: Scope): Promise<Client> {
    const client = new Client({ name: 'a test', version: '1' });
    await client.connect((await transports[how]?.(scope)) as Transport);
    onTestFinished(() => client.close());
    return client;
  }

  // Each connection over stdio starts a process.
  describe.each(isDeep ? ['HTTP', 'stdio'] : ['HTTP'])('over %s', (how) => {
    it('agrees on a version, lists every tool and calls every tool', async () => {
      const client = await connect(how, 'write');
      expect(client.getServerVersion()).toMatchObject({ name: 'lectern' });
      expect(client.getInstructions()).toContain('untrusted');
      await client.ping();
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(all);
      for (const { name, inputSchema, annotations, description } of tools) {
        expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
        expect(annotations).toMatchObject({ readOnlyHint: reading.includes(name), destructiveHint: false });
        expect(description?.length).toBeGreaterThan(20);
      }

      const heard = new Map<string, Heard>();
      for (const call of callsOf(lent, 'anna')) {
        const answer = (await client.callTool(call)) as unknown as Heard;
        expect([call.name, answer.isError ?? false, answer.content[0]?.text]).toEqual([
          call.name,
          false,
          expect.stringMatching(/^\{"untrusted":(true|false)/),
        ]);
        heard.set(call.name, answer);
      }
      expect([...heard.keys()]).toEqual(all);
      const of = (name: string) => heard.get(name) as Heard;
      expect(rowsOf(of('search'))[0]).toMatchObject({ kind: expect.any(String), title: expect.any(String) });
      expect(factsOf(of('get_text'))).toMatchObject({ untrusted: true, page: 1, next_page: 2 });
      expect(rowsOf(of('find_quote'))).toMatchObject([{ match: 'near', noted: 'anna noted this' }]);
      expect(rowsOf(of('list_highlights'))).toMatchObject([{ color: 'yellow', noted: 'anna noted this' }]);
      expect(rowsOf(of('list_tags'))).toContainEqual({ name: expect.any(String), items: 1 });
      expect(factsOf(of('save'))).toHaveProperty('id');
      expect(of('tag').content[1]?.text).toBe('{"tags":["maritime"]}');
      expect(factsOf(of('mark_read'))).toEqual({ untrusted: false, marked: 2, as: 'read', not_found: [] });
      const rows = api.opened.store.forUser(anna.id);
      expect(await rows.entries.count({ unread: true })).toBe(1);
      const saved = await rows.items.get(Number(factsOf(of('save')).id));
      expect(saved).toMatchObject({ url: 'https://anna.example/new', tags: ['to read'] });
      expect(saved.collectionId).not.toBe(null);
      await rows.entries.mark(lent.entries, { read: false });
    });

    it('may only read where it was given no more', async () => {
      const client = await connect(how, 'read');
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(reading);
      const before = await api.rows();
      for (const call of callsOf(lent, 'anna')) {
        const answer = (await client.callTool(call)) as unknown as Heard;
        expect([call.name, answer.isError ?? false]).toEqual([call.name, !reading.includes(call.name)]);
        if (answer.isError) expect(answer.content[0]?.text).toContain('you may only read');
      }
      expect(await api.rows()).toEqual(before);
    });

    it('is told what is wrong', async () => {
      const client = await connect(how, 'read');
      await expect(client.callTool({ name: 'sear', arguments: {} })).rejects.toMatchObject({ code: -32602 });
      await expect(client.listResources()).rejects.toThrow();
      const wrong = async (name: string, given: Record<string, unknown>) => {
        const answer = (await client.callTool({ name, arguments: given })) as unknown as Heard;
        return [answer.isError, answer.content[0]?.text];
      };
      expect(await wrong('search', {})).toEqual([true, expect.stringMatching(/^q: /)]);
      expect(await wrong('search', { q: 'a OR' })).toEqual([true, 'q: expected a word after OR']);
      expect(await wrong('search', { q: 'a', limit: 1e9 })).toEqual([
        true,
        expect.stringMatching(/^limit: /),
      ]);
      expect(await wrong('search', { q: 'a', cursor: 'x' })).toEqual([
        true,
        expect.stringMatching(/^cursor: /),
      ]);
      expect(await wrong('search', { q: 'a', more: 1 })).toEqual([true, expect.stringContaining('more')]);
      expect(await wrong('get_text', { kind: 'item', id: '999999' })).toEqual([true, 'item not found']);
      expect(await wrong('get_text', { kind: 'item', id: String(lent.item), page: 99 })).toEqual([
        true,
        expect.stringMatching(/^page: /),
      ]);
      expect(await wrong('recent_entries', { feed: 'nothing of the sort' })).toEqual([
        true,
        expect.stringMatching(/^feed: /),
      ]);
    });
  });
});
