// The way in: the setup link, logging in and out.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { ownerPassword, startWebApp, type WebApp } from '../support/web-app.ts';

const browser = useBrowser();

describe('accounts in the web app', () => {
  let app: WebApp;
  beforeAll(async () => {
    app = await startWebApp();
  });
  afterAll(() => app.close());

  const path = (page: Page) => new URL(page.url()).pathname;

  it('asks somebody who is not logged in for the password, and lets them in by it', async () => {
    const page = await browser.page({ expecting: [/status of 401.*api\/sessions/] });
    await page.goto(`${app.url}/`);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: /password/i })
      .waitFor();
    await page.getByLabel('Password').fill(ownerPassword);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('navigation', { name: 'Places' }).waitFor();
    expect(path(page)).toBe('/');
  });
});
