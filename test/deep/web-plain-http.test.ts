// Many run Lectern at home under a plain http address, where browsers have no locks, no caches and no service worker.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { until } from '../support/until.ts';
import { ownerPassword, startWebApp, type WebApp } from '../support/web-app.ts';

const host = 'shelf.home.test';
const browser = useBrowser({ args: [`--host-resolver-rules=MAP ${host} 127.0.0.1`] });

describe('at a plain http address', () => {
  let app: WebApp;
  let feedId: number;
  beforeAll(async () => {
    app = await startWebApp();
    feedId = await app.follow({ path: '/feed.xml', title: 'Home Notes', entries: 3 });
  });
  afterAll(() => app.close());

  it('one logs in, reads and marks as anywhere else', async () => {
    // Over plain http a browser does without that header, and says so.
    const page = await browser.page({ expecting: [/Cross-Origin-Opener-Policy header has been ignored/] });
    const address = app.url.replace('127.0.0.1', host);
    await page.goto(`${address}/?feed=${feedId}`);
    await page.getByLabel('Password', { exact: true }).fill(ownerPassword);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('link', { name: /Home Notes, entry 2/ }).click();
    await page.frameLocator('iframe >> visible=true').getByText('This is the text of entry 2').waitFor();
    expect(await page.evaluate('window.isSecureContext')).toBe(false);
    await until('the server knows', async () => {
      const { data } = await app.api('GET', `/api/items?feed_id=${feedId}&unread=true`);
      return data.length === 2;
    });
  });
});
