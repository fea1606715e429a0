// How much JavaScript a page may load: all of it, counted as it goes over the wire.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { until } from '../support/until.ts';
import { joinWebApp, type WebApp } from '../support/web-app.ts';

const dist = fileURLToPath(new URL('../../web/dist', import.meta.url));
const mostBytes = 90_000;

const browser = useBrowser();

describe('the JavaScript of a page', () => {
  let app: WebApp;
  beforeAll(async () => {
    app = await joinWebApp();
    await app.follow({ path: '/feed.xml', title: 'Field Notes', entries: 3 });
  });
  afterAll(() => app.close());

  /** Whatever is loaded from the first look on, while `use` goes through what the page has. */
  async function bytesOf(html: string, path: string, use: (page: Page) => Promise<void>) {
    const page = await browser.page();
    await app.logIn(page.context());
    const requested = new Set<string>();
    page.on('request', (request) => {
      if (request.resourceType() === 'script') requested.add(new URL(request.url()).pathname);
    });
    await page.goto(app.url + path);
    await use(page);
    expect(requested.size).toBeGreaterThan(1);
    const files = new Set([...requested].map((script) => join(dist, script)));
    for (const file of staticScripts(html)) files.add(file);
    const sizes = [...files].map((file) => ({
      file: basename(file),
      bytes: gzipSync(readFileSync(file), { level: 9 }).length,
    }));
    const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    return { total, sizes: JSON.stringify(sizes) };
  }

  /** Panels are loaded when they are first wanted. */
  async function openPanels(page: Page, keys: string): Promise<void> {
    for (const key of keys) {
      await page.keyboard.press(key);
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  }

  it(`is at most ${mostBytes / 1000} KB of gzip, with whatever is loaded while one reads`, async () => {
    const { total, sizes } = await bytesOf('index.html', '/', async (page) => {
      await page.getByRole('link', { name: /Field Notes, entry 1/ }).click();
      await page.getByRole('article').getByRole('heading', { name: 'Field Notes, entry 1' }).waitFor();
      await openPanels(page, '?a');
    });
    expect(total, sizes).toBeLessThanOrEqual(mostBytes);
  });

  it(`is at most ${mostBytes / 1000} KB of gzip with highlights in what one reads`, async () => {
    const { total, sizes } = await bytesOf('index.html', '/', async (page) => {
      await page.getByRole('link', { name: /Field Notes, entry 2/ }).click();
      const text = page.frameLocator('iframe >> visible=true').getByText('This is the text of entry 2');
      await text.selectText();
      await page.getByRole('toolbar', { name: 'Highlight the selection' }).waitFor();
      await page.keyboard.press('h');
      const highlight = page.getByRole('dialog', { name: 'Highlight', exact: true });
      await highlight.getByRole('button', { name: 'Add a note' }).waitFor();
    });
    expect(total, sizes).toBeLessThanOrEqual(mostBytes);
  });

  it(`is at most ${mostBytes / 1000} KB of gzip in the list of highlights, with its sources`, async () => {
    const { total, sizes } = await bytesOf('highlights.html', '/highlights', async (page) => {
      await page.getByRole('link', { name: 'Sources' }).click();
      await page.getByRole('heading', { name: 'Import a file' }).waitFor();
    });
    expect(total, sizes).toBeLessThanOrEqual(mostBytes);
  });

  it(`is at most ${mostBytes / 1000} KB of gzip where one searches, with an answer`, async () => {
    await until('it can be found', async () => (await app.api('GET', '/api/v1/search?q=entry')).found > 0);
    const { total, sizes } = await bytesOf('search.html', '/search?q=entry+text', async (page) => {
      await page.getByRole('button', { name: 'Ask your library' }).click();
      await page.getByRole('region', { name: 'Answer' }).getByRole('listitem').first().waitFor();
      await page.locator('[data-hit]').first().focus();
      await openPanels(page, '?');
    });
    expect(total, sizes).toBeLessThanOrEqual(mostBytes);
  });

  it(`is at most ${mostBytes / 1000} KB of gzip in the library, with every panel`, async () => {
    const { title } = await app.api('POST', '/api/v1/items', {
      url: `${app.site.origin}/kept`,
      title: 'Kept for later',
    });
    const { total, sizes } = await bytesOf('library.html', '/library', async (page) => {
      await page.getByRole('link', { name: title }).focus();
      await openPanels(page, '?atm');
      await page.getByRole('link', { name: title }).click();
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
    });
    expect(total, sizes).toBeLessThanOrEqual(mostBytes);
  });
});

/** The scripts that a page names, and those that they import before they run. */
function staticScripts(page: string): Set<string> {
  const html = readFileSync(join(dist, page), 'utf8');
  const found = new Set<string>();
  const visit = (file: string) => {
    if (found.has(file)) return;
    found.add(file);
    const code = readFileSync(file, 'utf8');
    for (const [, name = ''] of code.matchAll(/(?:from|import)\s*["'](\.\/[^"']+\.js)["']/g)) {
      visit(join(file, '..', name));
    }
  };
  for (const [, path = ''] of html.matchAll(/<(?:script|link)[^>]+(?:src|href)="([^"]+\.js)"/g)) {
    visit(join(dist, path));
  }
  return found;
}
