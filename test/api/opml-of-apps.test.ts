// OPML through the protocols of reader apps: the same file as through our own API, in and out.
import { beforeEach, expect, it } from 'vitest';
import { createToken } from '../../src/accounts/tokens.ts';
import { openEmptyApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';

const file = `<?xml version="1.0"?><opml version="2.0"><head><title>x</title></head><body>
  <outline text="News"><outline type="rss" text="A" xmlUrl="https://a.example/feed"/></outline>
  <outline type="rss" text="B" xmlUrl="https://b.example/feed"/></body></opml>`;

const ways = [
  ['/reader/api/0/subscription/import', '/reader/api/0/subscription/export', 200],
  [
    '/api/greader.php/reader/api/0/subscription/import',
    '/api/greader.php/reader/api/0/subscription/export',
    200,
  ],
  ['/v1/import', '/v1/export', 201],
] as const;

onEachEngine('OPML through the protocols of reader apps', (engine) => {
  let api: TestApi;
  let authorization: Record<'read' | 'write', string>;

  beforeEach(async () => {
    api = await openEmptyApi(engine);
    const anna = await api.addUser('anna');
    const header = async (scope: 'read' | 'write') =>
      `Bearer ${(await createToken(api.accounts, anna, { name: scope, scope })).secret}`;
    authorization = { read: await header('read'), write: await header('write') };
  });

  const send = (method: string, path: string, scope: 'read' | 'write', body?: string) =>
    api.visitor().send(method, path, {
      headers: { Authorization: authorization[scope], ...(body && { 'Content-Type': 'text/xml' }) },
      ...(body && { body }),
    });

  it.each(ways)('%s takes the file in, and %s gives it back', async (into, out, status) => {
    expect((await send('POST', into, 'read', file)).status).toBe(403);
    const answer = await send('POST', into, 'write', file);
    expect(answer.status).toBe(status);
    if (status === 200) expect(await answer.text()).toBe('OK: 2');
    const anna = await api.program('anna', 'read');
    const own = await (await anna.get('/api/opml')).text();
    expect(own).toContain('https://a.example/feed');
    const given = await send('GET', out, 'read');
    expect(given.headers.get('content-type')).toMatch(/^text\/xml/);
    expect(await given.text()).toBe(own);
  });

  it.each(ways)('%s says what is wrong with a file that is none', async (into) => {
    const answer = await send('POST', into, 'write', '<html></html>');
    expect(answer.status).toBe(400);
    expect(await answer.text()).toMatch(/OPML/);
  });
});
