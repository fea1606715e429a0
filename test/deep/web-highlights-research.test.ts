// Highlights from Research in the web app. The owner names its file, so the file has a server for itself.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { startWebApp, type WebApp } from '../support/web-app.ts';

const browser = useBrowser();

describe('highlights', () => {
  let app: WebApp;
  beforeAll(async () => {
    app = await startWebApp();
  });
  afterAll(() => app.close());

  const open = async (path: string, options = {}): Promise<Page> => {
    const page = await browser.page({ reducedMotion: 'reduce', ...options });
    await app.logIn(page.context());
    await page.goto(app.url + path);
    return page;
  };

  it('come from Research, whose file the owner names', async () => {
    const page = await open('/highlights?view=sources', { expecting: [/status of (4|5)\d\d/] });
    const section = page.getByRole('region', { name: 'Research' });
    const sync = section.getByRole('button', { name: 'Sync now' });
    await section.getByLabel('Path of the file').fill('/nowhere/research.db');
    expect(await sync.isDisabled()).toBe(true);
    await section.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    await sync.click();
    await section.getByRole('alert').getByText(/\w/).waitFor();
    await page
      .getByRole('region', { name: 'Where they come from' })
      .getByText('Nothing was changed here.')
      .waitFor();
  });
});
