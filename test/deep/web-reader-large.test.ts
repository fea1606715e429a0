// Thousands of articles in the reader, of which few are in the document.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { until } from '../support/until.ts';
import { joinWebApp, type WebApp } from '../support/web-app.ts';
import { rss } from '../support/web-site.ts';

const browser = useBrowser();

const list = (page: Page) => page.getByRole('region', { name: 'Articles' });
const row = (page: Page, title: string) =>
  list(page).getByRole('link', { name: new RegExp(`${title}(?!\\d)`) });
const opened = (page: Page, title: string) =>
  page.getByRole('article', { name: 'Article' }).getByRole('heading', { name: title, exact: true });

describe('the reader', () => {
  let app: WebApp;
  beforeAll(async () => {
    app = await joinWebApp();
  });
  afterAll(() => app.close());

  it('keeps few rows in the document however long the list is', async () => {
    // Each as long as a feed may be.
    const parts = [0, 1];
    const groupId = (await app.api('POST', '/api/groups', { name: 'Long' })).data.id;
    const count = 5_000 * parts.length;
    await Promise.all(
      parts.map((part) => {
        const entries = Array.from({ length: 5_000 }, (_, n) => {
          const at = parts.length * n + part;
          return {
            guid: `long-${at}`,
            title: `Long, entry ${at + 1}`,
            html: '<p>Short.</p>',
            at: Date.now() - at * 60_000,
          };
        });
        const title = `Long ${part}`;
        return app.follow({ path: `/Long-${part}.xml`, title, entries: rss({ title, entries }), groupId });
      }),
    );
    const page = await browser.page();
    await app.logIn(page.context());
    await page.goto(`${app.url}/?group=${groupId}`);
    await row(page, 'Long, entry 1').waitFor();
    const rows = list(page).getByRole('listitem');
    const scroller = list(page).locator('xpath=.//ul/..');
    let most = 0;
    await until(
      'the end of the list is there',
      async () => {
        most = Math.max(most, await rows.count());
        await scroller.evaluate((element) => element.scrollTo(0, element.scrollHeight));
        return (await row(page, `Long, entry ${count}`).count()) > 0;
      },
      50_000,
    );
    expect(most).toBeLessThan(100);
    expect(await rows.first().getAttribute('aria-setsize')).toBe(String(count));
    // Back at the top, its first row is where it was.
    await scroller.evaluate((element) => element.scrollTo(0, 0));
    await row(page, 'Long, entry 1').click();
    await opened(page, 'Long, entry 1').waitFor();
  });
});
