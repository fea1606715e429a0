// The pages beside the reader: search, operations, settings.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { openFreshStore, useEngine } from '../support/engines.ts';
import { makeJob } from '../support/jobs.ts';
import { databaseUrl } from '../support/lectern-process.ts';
import { until } from '../support/until.ts';
import { plainFeed, startWebApp, type WebApp } from '../support/web-app.ts';
import { rss } from '../support/web-site.ts';

const browser = useBrowser();
const engine = useEngine('sqlite');

describe('the pages beside the reader', () => {
  let app: WebApp;
  let opened: Awaited<ReturnType<typeof openFreshStore>>;

  beforeAll(async () => {
    opened = await openFreshStore(engine);
    await makeJob({ opened }, 'dead');
    app = await startWebApp({ env: { LECTERN_DATABASE_URL: databaseUrl(opened.target) } });
    const { origin } = app.site;
    const feed = plainFeed('Field Notes', 4, origin);
    const special = {
      guid: 'heron',
      title: 'A morning by the weir',
      link: `${origin}/heron`,
      html: '<p>Nothing moved for an hour, and then the heron did, once, with great economy.</p>',
      at: Date.now() - 1000,
    };
    await app.follow({
      path: '/feed.xml',
      title: 'Field Notes',
      entries: rss({ ...feed, entries: [special, ...feed.entries] }),
    });
    const broken = await app.follow({ path: '/broken.xml', title: 'Broken Wire', entries: 1 });
    app.site.put('/broken.xml', { status: 500, body: 'no' });
    await app.api('POST', `/api/feeds/${broken}/refresh`);
    await until('it has failed', async () => {
      const { data } = await app.api('GET', `/api/feeds/${broken}`);
      return data.fetch_state.consecutive_failures > 0;
    });
    await until(
      'the texts are indexed',
      async () => (await app.api('GET', '/api/v1/search?q=heron')).data.length > 0,
    );
  });
  afterAll(async () => {
    await app.close();
    await opened.store.close();
  });

  const open = async (path: string): Promise<Page> => {
    const page = await browser.page();
    await app.logIn(page.context());
    await page.goto(app.url + path);
    return page;
  };

  it('searches while one types, shows where it was found, and opens it', async () => {
    const page = await open('/search');
    const box = page.getByRole('searchbox', { name: 'Search your library' });
    await box.pressSequentially('heron eco');
    const hit = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: 'A morning by the weir' }) });
    await hit.waitFor();
    await hit.locator('mark', { hasText: 'heron' }).waitFor();
    await page.waitForURL((url) => url.searchParams.get('q') === 'heron eco');
    await box.fill('nowhere-to-be-found');
    await page.getByRole('heading', { name: 'Nothing like that here' }).waitFor();
    await box.fill('heron');
    await page.getByRole('link', { name: 'A morning by the weir' }).click();
    await page
      .getByRole('article', { name: 'Article' })
      .getByRole('heading', { name: 'A morning by the weir' })
      .waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'A morning by the weir' }).waitFor();
    expect(await until('the question is back', async () => (await box.inputValue()) === 'heron')).toBe(true);
  });

  it('shows the owner how Lectern is doing: entries, fetches, failures, room', async () => {
    const page = await open('/operations');
    const answer = (question: string) => page.getByRole('region', { name: question });
    await answer('How many entries came each day?').locator('svg').first().waitFor();
    await answer('How did fetching go?').locator('svg').first().waitFor();
    await answer('Which feeds fail now?').getByText('Broken Wire').waitFor();
    await answer('Is every change in the library?')
      .getByText(/^(Yes\. The library has|Nearly\. Changes)/)
      .waitFor();
    await answer('How much room does it take?').getByText('Journal').waitFor();
    await expect(
      answer('How much room does it take?')
        .getByText(/\d (KB|MB)/)
        .first()
        .waitFor(),
    ).resolves.toBeUndefined();
  });

  it('shows what was given up, and tries it again', async () => {
    const page = await open('/operations');
    const jobs = page.getByRole('region', { name: 'What is Lectern doing?' });
    await jobs.getByRole('heading', { name: 'Given up' }).waitFor();
    await jobs.getByText('It could not be done.').waitFor();
    await jobs.getByRole('button', { name: /^Try again: / }).click();
    await page.getByText('1 job is tried again.').waitFor();
    await expect(
      jobs.getByText('It could not be done.').waitFor({ state: 'detached' }),
    ).resolves.toBeUndefined();
  });

  it('checks the library when asked', async () => {
    const page = await open('/operations');
    const check = page.getByRole('region', { name: 'Is the library whole?' });
    await check.getByText('Nobody has looked yet.').waitFor();
    await check.getByRole('button', { name: 'Check now' }).click();
    await expect(check.getByText(/^Yes\. All \d+ files were there/).waitFor()).resolves.toBeUndefined();
  });

  it('keeps the operations page for the owner', async () => {
    await app.api('POST', '/api/users', { username: 'nora', password: 'a password of hers' });
    const page = await browser.page();
    await app.logIn(page.context(), { username: 'nora', password: 'a password of hers' });
    await page.goto(`${app.url}/operations`);
    await expect(
      page.getByRole('heading', { name: 'This page is the owner’s' }).waitFor(),
    ).resolves.toBeUndefined();
  });

  it('takes theme, type and language along to every page and every browser', async () => {
    const page = await open('/settings');
    const theme = () => page.evaluate('document.documentElement.dataset.theme');
    await page.getByRole('group', { name: 'Theme' }).getByRole('button', { name: 'Sepia' }).click();
    await until('it is sepia', async () => (await theme()) === 'sepia');
    await until('the account knows', async () => {
      const { data } = await app.api('GET', '/api/me/preferences');
      return data.theme === 'sepia';
    });
    const elsewhere = await open('/search');
    await until('it is sepia there', async () => {
      return (await elsewhere.evaluate('document.documentElement.dataset.theme')) === 'sepia';
    });

    await page.getByRole('combobox', { name: 'Language of Lectern' }).selectOption({ label: 'Deutsch' });
    await page.getByRole('heading', { name: 'Einstellungen' }).waitFor();
    await page.locator('html[lang="de"]').waitFor();
    await expect(
      page.getByRole('navigation').getByRole('link', { name: 'Suche' }).waitFor(),
    ).resolves.toBeUndefined();
    await app.api('PATCH', '/api/me/preferences', { language: '', theme: 'system' });
  });

  it('has saved pages looked after when asked, and gives a way to save from any page', async () => {
    const page = await open('/settings');
    const section = page.getByRole('region', { name: 'Library' });
    await section.getByLabel('Look after saved pages').check();
    await until('the account knows', async () => {
      const { data } = await app.api('GET', '/api/me/preferences');
      return data.check_links === true;
    });
    await expect(
      section.getByText(`javascript:void open('${app.url}/library?url='`).waitFor(),
    ).resolves.toBeUndefined();
  });

  it('shows every part that the pages are made of', async () => {
    const page = await open('/parts');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByRole('heading', { level: 2 }).count()).toBeGreaterThan(4);
  });
});
