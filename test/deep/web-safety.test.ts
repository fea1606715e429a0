// What a feed writes stays text: it cannot run, ask for anything, or lead anybody away.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { sampleOf } from '../support/depth.ts';
import { openFreshStore, useEngine } from '../support/engines.ts';
import { databaseUrl } from '../support/lectern-process.ts';
import { writeItems } from '../support/saved-pages.ts';
import { weaknessesOf } from '../support/strict-policy.ts';
import { until } from '../support/until.ts';
import { startWebApp, type WebApp } from '../support/web-app.ts';
import { rss, startWebSite, type WebSite } from '../support/web-site.ts';
import { dormantHarm, setXssTrap } from '../support/xss-trap.ts';
import { xssAddresses, xssVectors } from '../support/xss-vectors.ts';

const browser = useBrowser();
const engine = useEngine('sqlite');

/** The test also opens the index and library directly, to write data that no request could create. */
let app: WebApp;
let opened: Awaited<ReturnType<typeof openFreshStore>>;
const folder = mkdtempSync(join(tmpdir(), 'lectern-harm-'));

beforeAll(async () => {
  opened = await openFreshStore(engine);
  app = await startWebApp({
    env: { LECTERN_DATABASE_URL: databaseUrl(opened.target), LECTERN_LIBRARY_URL: `file:${folder}` },
  });
});
afterAll(async () => {
  await app.close();
  await opened.store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Otherwise nothing would be proven by a page in which nothing happens. */
describe('the trap', () => {
  let evil: WebSite;
  beforeAll(async () => {
    evil = await startWebSite();
  });
  afterAll(() => evil.close());

  it('catches every vector in a page that does not protect itself', async () => {
    const vectors = xssVectors(evil.origin);
    expect(vectors.length).toBeGreaterThanOrEqual(60);
    const harmless = { type: 'text/html', body: 'x' };
    for (const [n, { html }] of vectors.entries()) {
      evil.put(`/raw/${n}`, { type: 'text/html', body: `<!doctype html><body>${html}` });
      evil.put(`/canary/${n}`, harmless);
    }
    const context = await browser.context({ expecting: [/./] });
    const { caught } = await setXssTrap(context, { home: evil.origin, evil: evil.origin });
    const isCaught = (n: number) =>
      caught.some((what) => new RegExp(`\\(${n}\\)|/canary/${n}(?!\\d)`).test(what));
    const asleep = (wakes: string) =>
      [...vectors.entries()].filter(([n, vector]) => vector.wakes === wakes && !isCaught(n));

    evil.put('/all', {
      type: 'text/html',
      body: vectors.map((_, n) => `<iframe src="/raw/${n}"></iframe>`).join(''),
    });
    const page = await context.newPage();
    await page.goto(`${evil.origin}/all`);
    await page.evaluate(`for (const { contentDocument } of document.querySelectorAll('iframe')) {
      for (const element of contentDocument?.querySelectorAll('a, button, label, text') ?? []) {
        element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, view: window }));
      }
    }`);
    // Before the page is left: a javascript: link runs after its click.
    await until('clicks are caught', () => asleep('on a click').length === 0).catch(() => {});
    // A focus goes to one element of a page alone.
    for (const [n] of asleep('by itself')) {
      await page.goto(`${evil.origin}/raw/${n}`);
      await until(`vector ${n} is caught`, () => isCaught(n));
    }
    expect([...asleep('by itself'), ...asleep('on a click')]).toEqual([]);
  });
});

/** Each is shown in the browser, so `npm test` takes every third. */
const someVectors = (origin: string) => sampleOf(xssVectors(origin), 3);

describe('feeds that mean harm', () => {
  let feedId: number;
  let brokenIds: number[];
  const name = `"><img src=// onerror=alert(900)><script>alert(901)</script>`;

  beforeAll(async () => {
    const { site, api } = app;
    const groupId = (await api('POST', '/api/groups', { name })).data.id;
    const addresses = xssAddresses(site.origin);
    const escaped = (html: string) => html.replaceAll('<', '&lt;');
    const entries = someVectors(site.origin).map(({ html }, n) => ({
      guid: `xss-${n}`,
      title: `${n} ${escaped(html)} ${html}`,
      author: `${escaped(html)} ${html}`,
      link: addresses[n % addresses.length] as string,
      html: `<p>zebra-${n} ${escaped(html)}</p>${html}<p>the end</p>`,
      categories: [escaped(html), html],
      enclosure: {
        url: addresses[(n + 1) % addresses.length] as string,
        type: n % 2 ? 'image/png' : `text/html"><script>alert(${n})</script>`,
      },
      at: Date.now() - n * 60_000,
    }));
    feedId = await app.follow({
      path: '/xss.xml',
      title: name,
      entries: rss({ title: name, entries }),
      groupId,
    });
    const text = `<html><title>${name}</title>${name}`;
    const broken = [
      { status: 500, type: `text/html; charset="${name}"`, body: text },
      { status: 200, type: 'text/xml', body: `{"version": "${name}` },
      { status: 200, type: 'text/html', body: text },
      { status: 302, location: "javascript:alert('902')" },
      { status: 302, location: `http://127.0.0.1:1/${name}` },
    ];
    brokenIds = await Promise.all(
      broken.map(async (page, n) => {
        const path = `/broken-${n}.xml`;
        site.put(path, page);
        const link = site.origin + path;
        const { id } = (await api('POST', '/api/feeds', { link, name: `${n} ${name}`, group_id: groupId }))
          .data;
        await until('it has failed', async () => {
          const { data } = await api('GET', `/api/feeds/${id}`);
          return data.fetch_state.consecutive_failures > 0;
        });
        return id as number;
      }),
    );
    await api('POST', '/api/tokens', { name: name.slice(0, 100), scope: 'read' });
    await until('the texts are indexed', async () => {
      const { found } = await api('GET', '/api/v1/search?q=zebra');
      return found >= entries.length;
    });
  });

  const open = async (path: string) => {
    const context = await browser.context();
    const trap = await setXssTrap(context, { home: app.url, evil: app.site.origin });
    await app.logIn(context);
    const page = await context.newPage();
    await page.goto(app.url + path);
    return { page, trap };
  };

  it('run nothing in the list and in the article, whatever they write', async () => {
    const { page, trap } = await open(`/?feed=${feedId}`);
    const rows = page.getByRole('region', { name: 'Articles' }).getByRole('link');
    await rows.first().waitFor();
    for (const [n] of someVectors('').entries()) {
      await page.keyboard.press('j');
      await until(`article ${n} is shown`, () =>
        page.evaluate(`[...document.querySelectorAll('iframe')].some((frame) =>
          frame.contentDocument?.body?.textContent.includes('zebra-${n} ')) &&
          document.querySelector('article h1')?.textContent.trim().startsWith('${n} ')`),
      );
      expect(await dormantHarm(page)).toEqual([]);
    }
    expect(trap.caught).toEqual([]);
  });

  it('run nothing among what was found', async () => {
    const { page, trap } = await open('/search?q=zebra');
    const hits = page.getByRole('listitem').filter({ has: page.locator('mark') });
    await hits.first().waitFor();
    await until('all are shown', async () => {
      await hits.last().scrollIntoViewIfNeeded();
      return (await hits.count()) >= someVectors('').length;
    });
    expect(await dormantHarm(page)).toEqual([]);
    expect(trap.caught).toEqual([]);
  });

  it('run nothing where their failures are told', async () => {
    const { page, trap } = await open('/');
    for (const id of brokenIds) {
      await page.goto(`${app.url}/?feed=${id}`);
      await page.getByRole('button', { name: 'How the list is shown' }).click();
      await page.getByRole('menuitem', { name: 'Feed settings' }).click();
      await page.getByText('It said').waitFor();
      expect(await dormantHarm(page)).toEqual([]);
    }
    await page.goto(`${app.url}/operations`);
    await page
      .getByRole('region', { name: 'Which feeds fail now?' })
      .getByText('alert(900)')
      .first()
      .waitFor();
    expect(await dormantHarm(page)).toEqual([]);
    await page.goto(`${app.url}/settings`);
    await page.getByRole('region', { name: 'Tokens' }).getByText('alert(900)').first().waitFor();
    expect(await dormantHarm(page)).toEqual([]);
    expect(trap.caught).toEqual([]);
  });

  it('run nothing in the preview, before they are followed', async () => {
    const { page, trap } = await open('/');
    await page.getByRole('button', { name: 'Add a feed' }).first().click();
    const panel = page.getByRole('dialog', { name: 'Add a feed' });
    await panel.getByLabel('Address of a site or a feed').fill(`${app.site.origin}/xss.xml`);
    await panel.getByRole('button', { name: 'Find feeds' }).click();
    await panel.getByText('1 feed found').waitFor();
    expect(await dormantHarm(page)).toEqual([]);
    expect(trap.caught).toEqual([]);
  });

  it('meet a strict policy on every page', async () => {
    const { data: items } = await app.api('GET', `/api/items?feed_id=${feedId}&limit=1`);
    const content = `/api/items/${items[0].id}/content`;
    const context = await browser.context();
    await app.logIn(context);
    const paths = [
      '/',
      '/library',
      '/search',
      '/operations',
      '/mirror',
      '/settings',
      '/parts',
      '/login',
      '/docs',
      content,
    ];
    for (const path of paths) {
      const answer = await context.request.get(app.url + path);
      expect([path, answer.status()]).toEqual([path, 200]);
      const policy = answer.headers()['content-security-policy'];
      expect([path, ...weaknessesOf(policy)]).toEqual([path]);
      const html = await answer.text();
      expect([path, html.match(/<script(?![^>]*\ssrc=)[^>]*>|<style|\sstyle=|\son\w+=/gi)]).toEqual([
        path,
        null,
      ]);
      if (path === content) {
        expect(policy).toMatch(/(^|; )sandbox (?!.*allow-scripts)/);
        expect(policy).toContain("default-src 'none'");
        expect(html).not.toContain('<script');
      }
    }
  });
});

describe('saved pages that mean harm', () => {
  const name = `"><img src=// onerror=alert(910)><svg onload=alert(911)>`;
  let collectionId: string;

  beforeAll(async () => {
    const evil = app.site.origin;
    const addresses = xssAddresses(evil);
    collectionId = (await app.api('POST', '/api/v1/collections', { name })).id;
    // As no page and no person could have given it: past every check on the way in.
    await writeItems(
      { db: opened.database, folder },
      someVectors(evil).map(({ html }, n) => ({
        url: addresses[n % addresses.length] as string,
        title: `${n} ${html}`,
        excerpt: html,
        author: html,
        siteName: html,
        tags: [html.slice(0, 45), `<b onclick=alert(${n})>`],
        collectionId: Number(collectionId),
        error: n % 7 === 3 ? html : null,
        copy: n % 7 === 3 ? null : `<p>zebra-${n}</p>${html}<p>the end</p>`,
      })),
    );
  });

  const open = async (path: string) => {
    const context = await browser.context({ reducedMotion: 'reduce' });
    const trap = await setXssTrap(context, { home: app.url, evil: app.site.origin });
    await app.logIn(context);
    const page = await context.newPage();
    await page.goto(app.url + path);
    return { page, trap };
  };

  it('run nothing in the grid, the list and the copy, whatever they say', async () => {
    await app.api('PATCH', '/api/me/preferences', { library_view: 'grid' });
    const { page, trap } = await open('/library');
    const links = page.getByRole('region', { name: 'Items' }).getByRole('listitem').getByRole('link');
    await links.first().waitFor();
    expect(await dormantHarm(page)).toEqual([]);
    await page.keyboard.press('w');
    await page.keyboard.press('j');
    await page.keyboard.press('o');
    for (const [n] of someVectors('').entries()) {
      await until(`item ${n} is shown`, () =>
        page.evaluate(`document.querySelector('article h1')?.textContent.trim().startsWith('${n} ') &&
          (${n % 7 === 3} || [...document.querySelectorAll('iframe')].some((frame) =>
          frame.contentDocument?.body?.textContent.includes('zebra-${n}')))`),
      );
      expect(await dormantHarm(page)).toEqual([]);
      await page.keyboard.press('j');
    }
    expect(trap.caught).toEqual([]);
  });

  it('run nothing where they are named, tagged, moved and edited', async () => {
    const { page, trap } = await open(
      `/library?collection=${collectionId}&tag=${encodeURIComponent('<b onclick=alert(0)>')}`,
    );
    await page.getByRole('heading', { level: 1 }).getByText('alert(910)').waitFor();
    await page.getByRole('region', { name: 'Items' }).getByRole('listitem').first().waitFor();
    await page.keyboard.press('j');
    for (const key of ['t', 'm', 'a']) {
      await page.keyboard.press(key);
      await page.getByRole('dialog').waitFor();
      expect(await dormantHarm(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await page.keyboard.press('o');
    await page.getByRole('article').getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('i');
    await page.getByRole('textbox', { name: /^Excerpt/ }).waitFor();
    expect(await dormantHarm(page)).toEqual([]);
    // An address that is none of the web leads nowhere.
    const hrefs = await page
      .locator('article a[href]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    for (const href of hrefs) expect(href).toMatch(/^(https?:\/\/|\/library|\/\?entry=\d)/);
    expect(trap.caught).toEqual([]);
  });

  it('and what is handed over by an address is shown as text', async () => {
    const given = new URLSearchParams({ url: `javascript:alert(920)//${name}`, title: name, text: name });
    const { page, trap } = await open(`/library?${given}`);
    await page.getByRole('dialog').getByText('not an address').first().waitFor();
    expect(await dormantHarm(page)).toEqual([]);
    expect(trap.caught).toEqual([]);
  });
});
