// The life of a feed, as somebody who has just started Lectern tries it: by the command line alone, beside a server.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { newsSite } from '../support/deframing.ts';
import { onEachEngine } from '../support/engines.ts';
import { databaseUrl, useLectern } from '../support/lectern-process.ts';

onEachEngine('a feed of the deframer', (engine) => {
  const lectern = useLectern(afterAll);

  it('is added, enabled, run, served, disabled, enabled, dies, and is revived', async () => {
    const site = newsSite();
    const server = createServer(site.listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const feedUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed`;
    site.publish(
      { title: 'BREAKING: Mayor SLAMS critics of 3 new bridges!!!', link: '/bridges', at: 2 },
      { title: 'Council meets on Tuesday', link: '/council', at: 1 },
    );
    const env = {
      LECTERN_DATABASE_URL: databaseUrl(await engine.freshTarget()),
      LECTERN_ALLOW_PRIVATE_NETWORKS: 'true',
    };
    const running = await lectern.serve({ role: 'all', env });
    const admin = async (...args: string[]) => {
      const { code, stdout, stderr } = await lectern.run(['admin', ...args], { env });
      return { code, said: stdout + stderr };
    };
    const rss = (query = '') => running.request(`/rss?url=${encodeURIComponent(feedUrl)}${query}`);
    const listed = async () => {
      const { said } = await admin('feed', 'list', '--json');
      return (JSON.parse(said) as Record<string, unknown>[])[0];
    };

    expect((await rss()).status).toBe(404);
    expect(await admin('feed', 'add', feedUrl)).toMatchObject({ code: 0 });
    expect((await rss()).status).toBe(403);
    expect(await admin('feed', 'sync', feedUrl)).toMatchObject({
      code: 1,
      said: expect.stringContaining('enable'),
    });
    expect(await admin('feed', 'enable', feedUrl)).toMatchObject({ code: 0 });
    expect((await rss()).status).toBe(404);
    expect(await listed()).toMatchObject({
      enabled: true,
      polling: false,
      next_run_at: null,
      last_error: null,
    });

    expect(await admin('feed', 'sync', feedUrl, '--wait')).toMatchObject({ code: 0 });
    const answer = await rss();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/rss+xml; charset=utf-8');
    const xml = await answer.text();
    expect(xml).toContain('<title>Deframer: The Loud Times</title>');
    expect(xml).toContain('<title>Mayor criticises critics of 3 new bridges</title>');
    expect(xml).toContain('<title>Council meets on Tuesday</title>');
    const sober = await (await rss('&max_score=0.1')).text();
    expect(sober).toContain('Council meets');
    expect(sober).not.toContain('bridges');
    const known = { 'If-None-Match': answer.headers.get('etag') ?? '' };
    expect(
      (await running.request(`/rss?url=${encodeURIComponent(feedUrl)}`, { headers: known })).status,
    ).toBe(304);

    await admin('feed', 'disable', feedUrl);
    expect((await rss()).status).toBe(403);
    await admin('feed', 'enable', feedUrl);
    expect(await (await rss()).text()).toBe(xml);

    site.override('/feed', (response) => response.writeHead(500).end());
    expect(await admin('feed', 'polling', feedUrl, 'true')).toMatchObject({ code: 0 });
    expect(await admin('feed', 'sync', feedUrl, '--wait')).toMatchObject({
      code: 1,
      said: expect.stringContaining('500'),
    });
    expect(await listed()).toMatchObject({ polling: true, next_run_at: null });
    expect(String((await listed())?.last_error)).toMatch(/^500: /);
    // Dead, and still served.
    expect(await (await rss()).text()).toBe(xml);

    site.override('/feed');
    expect(await admin('feed', 'sync', feedUrl, '--wait')).toMatchObject({ code: 0 });
    const alive = await listed();
    expect(alive).toMatchObject({ last_error: null });
    expect(alive?.next_run_at).not.toBeNull();

    expect(await admin('feed', 'delete', feedUrl)).toMatchObject({ code: 0 });
    expect((await rss()).status).toBe(404);
    await running.stop();
    server.closeAllConnections();
    server.close();
  });
});
