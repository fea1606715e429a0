// The icon of a feed, as a browser gets it.
import { beforeEach, expect, it } from 'vitest';
import { answerOf, type Client, jsonOf, openEmptyApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { giveIcon } from '../support/reader.ts';

const link = 'https://example.org/feed';
const png = { type: 'image/png', etag: '"one"', bytes: Buffer.from('\x89PNG\r\n\x1a\n...', 'latin1') };
const svg = {
  type: 'image/svg+xml',
  etag: '"two"',
  bytes: Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(document.cookie)</script></svg>',
  ),
};
const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

onEachEngine('the icon of a feed', (engine) => {
  let api: TestApi;
  let anna: Client;
  let path: string;

  beforeEach(async () => {
    api = await openEmptyApi(engine);
    await api.addUser('anna');
    await api.addUser('ben');
    anna = await api.program('anna', 'write');
    const { data } = await jsonOf<{ data: { id: number } }>(await anna.post('/api/feeds', { link }));
    path = `/api/feeds/${data.id}`;
  });

  const hasIcon = async (client = anna, at = path) =>
    (await jsonOf<{ data: { icon: boolean } }>(await client.get(at))).data.icon;

  it('is not found until there is one', async () => {
    expect(await hasIcon()).toBe(false);
    expect(await answerOf(await anna.get(`${path}/icon`))).toEqual({
      status: 404,
      body: { error: 'icon not found' },
    });
    await giveIcon(api.opened.store, link, png);
    expect(await hasIcon()).toBe(true);
    const { data } = await jsonOf<{ data: { icon: boolean }[] }>(await anna.get('/api/feeds'));
    expect(data.map(({ icon }) => icon)).toEqual([true]);
  });

  it('comes as what it is, to be kept for a day', async () => {
    await giveIcon(api.opened.store, link, png);
    const response = await anna.get(`${path}/icon`);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': policy,
      'cache-control': 'private, max-age=86400',
      etag: '"one"',
    });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(png.bytes);
  });

  it('is not sent again to those who have it', async () => {
    await giveIcon(api.opened.store, link, png);
    const ask = (etag: string) => anna.get(`${path}/icon`, { headers: { 'If-None-Match': etag } });
    for (const etag of ['"one"', 'W/"one"', '"zero", "one"', '*']) {
      const response = await ask(etag);
      expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([
        304,
        '',
        '"one"',
      ]);
      expect(response.headers.get('content-security-policy')).toBe(policy);
    }
    expect((await ask('"zero"')).status).toBe(200);
  });

  it('can run nothing and load nothing when it is an SVG, opened by itself', async () => {
    await giveIcon(api.opened.store, link, svg);
    const response = await anna.get(`${path}/icon`);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/svg+xml',
      'x-content-type-options': 'nosniff',
      'content-security-policy': policy,
      'content-disposition': 'inline',
    });
  });

  it('is for those who follow the feed, and for nobody else', async () => {
    await giveIcon(api.opened.store, link, png);
    const ben = await api.program('ben', 'write');
    expect(await answerOf(await ben.get(`${path}/icon`))).toEqual({
      status: 404,
      body: { error: 'feed not found' },
    });
    expect((await api.visitor().get(`${path}/icon`)).status).toBe(401);
    await anna.delete(path);
    expect((await anna.get(`${path}/icon`)).status).toBe(404);
  });
});
