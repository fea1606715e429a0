// Reading without the server: what was there is there, and what is marked meanwhile arrives later.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { deepIt } from '../support/deep-it.ts';
import { pageText, putPage } from '../support/saved-pages.ts';
import { until } from '../support/until.ts';
import { joinWebApp, type WebApp } from '../support/web-app.ts';

const browser = useBrowser();
const withWorker = {
  serviceWorkers: 'allow',
  expecting: [/ERR_INTERNET_DISCONNECTED|Failed to load resource/],
} as const;

describe('without the server', () => {
  let app: WebApp;
  let feedId: number;
  beforeAll(async () => {
    app = await joinWebApp();
    feedId = await app.follow({ path: '/feed.xml', title: 'Field Notes', entries: 6 });
  });
  afterAll(() => app.close());

  const row = (page: Page, n: number) =>
    page
      .getByRole('region', { name: 'Articles' })
      .getByRole('link', { name: new RegExp(`Field Notes, entry ${n}(?!\\d)`) });
  const text = (page: Page, n: number) =>
    page.frameLocator('iframe >> visible=true').getByText(`This is the text of entry ${n} of Field Notes.`);
  const items = async () =>
    (await app.api('GET', `/api/items?feed_id=${feedId}`)).data as {
      id: number;
      unread: boolean;
      bookmark_id: number | null;
    }[];

  /** Where everything that was seen is kept, and the network is gone. */
  async function readThenLeave(): Promise<Page> {
    const page = await browser.page(withWorker);
    await app.logIn(page.context());
    await page.goto(`${app.url}/?feed=${feedId}`);
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
    // The first visit brings the worker, the second is already served by it.
    await page.reload();
    for (const n of [1, 2]) {
      await row(page, n).click();
      await text(page, n).waitFor();
    }
    await page.waitForLoadState('networkidle');
    await page.context().setOffline(true);
    return page;
  }

  deepIt('shows the shell, the list and the articles that were read, after a reload too', async () => {
    await app.api('PATCH', '/api/me/preferences', { show: 'all' });
    const page = await readThenLeave();
    await page.reload();
    await row(page, 3).waitFor();
    await row(page, 1).click();
    await text(page, 1).waitFor();
    await row(page, 2).click();
    await text(page, 2).waitFor();
    await page.goto(`${app.url}/search`);
    await expect(page.getByRole('navigation', { name: 'Places' }).waitFor()).resolves.toBeUndefined();
  });

  it('shows the library and the saved pages that were read', async () => {
    const title = 'Kept for the train';
    const url = putPage(app.site, '/kept', { title });
    await app.api('POST', '/api/v1/items', { url });
    const page = await browser.page(withWorker);
    await app.logIn(page.context());
    await page.goto(`${app.url}/library`);
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
    await page.getByRole('link', { name: title }).waitFor();
    await page.reload();
    const copy = page.frameLocator('iframe >> visible=true').getByText(pageText(title));
    await page.getByRole('link', { name: title }).click();
    await copy.waitFor();
    await page.goBack();
    await page.getByRole('link', { name: title }).waitFor();
    await page.context().setOffline(true);
    await page.reload();
    await page.getByRole('link', { name: title }).click();
    await copy.waitFor();
    // What needs the server says so, and leaves everything as it is.
    await page.keyboard.press('s');
    await page.getByText('That was not saved.').waitFor();
    await page.getByRole('button', { name: 'Favourite', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Remove from favourites' }).count()).toBe(0);
  });

  deepIt(
    'keeps what is set meanwhile, over a reload, and tells the account when the server is back',
    async () => {
      await app.api('PATCH', '/api/me/preferences', { theme: 'light', show: 'all' });
      const page = await readThenLeave();
      await page.getByRole('button', { name: 'Type and theme' }).click();
      await page.getByRole('dialog').getByText('Sepia').click();
      await page.reload();
      await row(page, 3).waitFor();
      expect(await page.locator('html').getAttribute('data-theme')).toBe('sepia');
      await page.context().setOffline(false);
      await page.reload();
      await until(
        'the theme',
        async () => (await app.api('GET', '/api/me/preferences')).data.theme === 'sepia',
      );
    },
  );

  it('keeps the marks that are made meanwhile, over a reload, and sends them when the server is back', async () => {
    const [first, , third, fourth] = await items();
    await app.api('PATCH', '/api/items/-/unread', { ids: [first?.id, third?.id, fourth?.id] });
    const page = await readThenLeave();
    await row(page, 1).click();
    await text(page, 1).waitFor();
    await page.keyboard.press('m');
    await page.getByRole('button', { name: 'Mark read' }).waitFor();
    await page.keyboard.press('s');
    await page.getByRole('button', { name: 'Remove the bookmark' }).waitFor();
    // Kept by now. What is not goes out as the page is left, past the network that only the page believes to be gone.
    await page.getByRole('status').filter({ hasText: 'Offline. 2 changes' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Remove the bookmark' }).waitFor();

    // Somebody else has marked something meanwhile: that stays.
    await app.api('PATCH', '/api/items/-/read', { ids: [fourth?.id] });
    expect((await items())[0]?.bookmark_id).toBe(null);
    await page.context().setOffline(false);
    await until('what was marked has arrived', async () => {
      const [one] = await items();
      return one?.bookmark_id !== null;
    });
    const [, , thirdNow, fourthNow] = await items();
    expect([thirdNow?.unread, fourthNow?.unread]).toEqual([true, false]);
  });
});
