// Thousands of saved items in the web app, and the few of them that are in the document.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { openFreshStore, useEngine } from '../support/engines.ts';
import { databaseUrl } from '../support/lectern-process.ts';
import { saveMany } from '../support/saved-pages.ts';
import { until } from '../support/until.ts';
import { startWebApp, type WebApp } from '../support/web-app.ts';

const browser = useBrowser();
const engine = useEngine('sqlite');

const items = (page: Page) => page.getByRole('region', { name: 'Items' });
const item = (page: Page, title: string) => items(page).getByRole('link', { name: title, exact: true });
const titles = async (page: Page) => {
  const links = await items(page).getByRole('listitem').getByRole('link').allTextContents();
  return links.map((text) => text.trim());
};

describe('a large library', () => {
  let app: WebApp;
  const count = 5_000;
  let opened: Awaited<ReturnType<typeof openFreshStore>>;
  beforeAll(async () => {
    opened = await openFreshStore(engine);
    app = await startWebApp({ env: { LECTERN_DATABASE_URL: databaseUrl(opened.target) } });
    await saveMany(opened.database, count, (n) => `Page ${n + 1} of many`);
  });
  afterAll(async () => {
    await app.close();
    await opened.store.close();
  });

  it.each(['grid', 'list'] as const)('keeps few nodes in the document, as a %s', async (view) => {
    await app.api('PATCH', '/api/me/preferences', { library_view: view });
    const page = await browser.page({ reducedMotion: 'reduce' });
    await app.logIn(page.context());
    await page.goto(`${app.url}/library`);
    await item(page, `Page ${count} of many`).waitFor();
    await page.getByRole('link', { name: /^All 5k/ }).waitFor();
    const nodes = () => page.evaluate('document.querySelectorAll("*").length') as Promise<number>;
    const few = 1_800;
    expect(await nodes()).toBeLessThan(few);
    const first = view === 'grid' ? 400 : 250;
    await until(`page ${count - first} is in sight`, async () => {
      await page.evaluate(`document.querySelector('.items .scroll').scrollBy(0, 20_000)`);
      expect(await nodes()).toBeLessThan(few);
      const last = (await titles(page)).at(-1) ?? '';
      return Number(/\d+/.exec(last)?.[0] ?? count) < count - first;
    });
    // What the last scrolling asked for is drawn in the next frame.
    const seen = await until('the list rests', async () => {
      const before = await titles(page);
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      return (await titles(page)).join() === before.join() && before[4];
    });
    // Back from an item, the list is where it was.
    await item(page, seen).click();
    await page.getByRole('article', { name: 'Item' }).getByRole('heading', { name: seen }).waitFor();
    await page.goBack();
    await item(page, seen).waitFor();
    expect(await item(page, seen).isVisible()).toBe(true);
  });
});
