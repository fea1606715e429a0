// `lectern ask`, and `lectern mcp` over real pipes.
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createToken } from '../../src/accounts/tokens.ts';
import { openApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { databaseUrl, jsonRequest, useLectern } from '../support/lectern-process.ts';
import { fillLibrary } from '../support/mcp.ts';
import { Speaker } from '../support/model-server.ts';
import { listen } from '../support/outbound.ts';

onEachEngine('questions on the command line', (engine) => {
  const lectern = useLectern(afterAll);
  let api: TestApi;
  let env: Record<string, string>;

  beforeAll(async () => {
    api = await openApi(engine);
    await fillLibrary(api, await api.addUser('anna'), 'anna');
    await api.addUser('ben');
    env = {
      LECTERN_DATABASE_URL: databaseUrl(api.opened.target),
      LECTERN_LIBRARY_URL: `file:${api.opened.folder}`,
    };
    return () => api.close();
  });

  /** A model on the operator's own machine. */
  async function withModel(): Promise<Record<string, string>> {
    const port = await listen(
      createServer((_, response) =>
        new Speaker(response, 'openai').says('At the end ', 'of the road [1].').ends(),
      ),
    );
    return { ...env, AI_TYPE: 'openai', AI_MODEL: 'm-1', AI_BASE_URL: `http://127.0.0.1:${port}/v1` };
  }

  it('are answered as the answer comes, with the sources below', async () => {
    const { code, stdout } = await lectern.run(['ask', 'Where', 'is the lighthouse?'], {
      env: await withModel(),
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^At the end of the road \[1\]\.\n\n\[1\] .*anna.*\n {4}https:\/\/anna\.example\//,
    );
    const json = await lectern.run(['ask', 'the lighthouse', '--json'], { env: await withModel() });
    expect(JSON.parse(json.stdout)).toMatchObject({
      answer: 'At the end of the road [1].',
      citations: [1],
      answered: true,
      notice: null,
    });
  });

  it('are answered with passages where there is no model, and only from one’s own library', async () => {
    const { code, stdout } = await lectern.run(['ask', 'lighthouse'], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^No language model is set up[^\n]*\n\n\[1\] /);
    expect(stdout).toContain('about the lighthouse');
    const bens = await lectern.run(['ask', 'lighthouse', '--user', 'ben'], { env });
    expect(bens).toMatchObject({ code: 0, stdout: 'Your library does not hold an answer to this.\n' });
  });

  it('fail with one sentence where the model does', async () => {
    const port = await listen(createServer((_, response) => response.writeHead(401).end()));
    const broken = { ...(await withModel()), AI_BASE_URL: `http://user:hunter22@127.0.0.1:${port}` };
    const { code, stderr, stdout } = await lectern.run(['ask', 'lighthouse'], { env: broken });
    expect([code, stdout, stderr]).toEqual([1, '', 'openai: the key was refused\n']);
  });

  it('are answered by a server, through its own way to the model', async () => {
    const server = await lectern.serve({ env: await withModel() });
    const anna = await api.opened.store.users.findByName('anna');
    const { secret } = await createToken(api.accounts, anna as never, { name: 'asker', scope: 'read' });
    const init = jsonRequest('POST', { q: 'lighthouse' }, { Authorization: `Bearer ${secret}` });
    const text = await (await server.request('/api/v1/ask', init)).text();
    expect(text).toContain('"text":"At the end"');
    expect(text).toContain('event: done\ndata: {"citations":[1]');
    expect((await server.stop()).code).toBe(0);
  });

  it('leave what is no JSON, no method and too long to be answered by lectern mcp, on stdout alone', async () => {
    const lines = [
      'no JSON',
      '',
      '{"jsonrpc":"2.0","id":1,"method":"resources/list"}',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      'x'.repeat(1_100_000),
      '[{"jsonrpc":"2.0","id":2,"method":"ping"}]',
      '{"jsonrpc":"2.0","id":3,"method":"ping"}',
    ];
    const { code, stdout, stderr } = await lectern.spawn(['mcp'], { env, stdin: lines.join('\n') });
    expect([code, stderr]).toEqual([0, '']);
    const replies = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(replies.map((reply) => [reply.id, reply.error?.code])).toEqual([
      [null, -32700],
      [1, -32601],
      [null, -32600],
      [undefined, undefined],
      [3, undefined],
    ]);
    expect(replies[3]).toEqual([{ jsonrpc: '2.0', id: 2, result: {} }]);
    expect((await lectern.run(['mcp', '--user', 'nobody'], { env })).code).toBe(1);
  });
});
