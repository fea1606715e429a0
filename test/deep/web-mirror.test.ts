// The mirror of Raindrop in the web app: how it is switched on, how far it is, and what it has brought. Raindrop is a server
// of ours, and what is to be there is brought by the command that does not wait.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectPolling, phone, useBrowser } from '../support/browser.ts';
import { useLectern } from '../support/lectern-process.ts';
import { type RaindropServer, startRaindropServer } from '../support/raindrop-server.ts';
import { until } from '../support/until.ts';
import { startWebApp, type WebApp } from '../support/web-app.ts';
import { startWebSite, type WebSite } from '../support/web-site.ts';

const browser = useBrowser();
const lectern = useLectern(afterAll);
const now = () => Date.now();

describe('the mirror', { timeout: 60_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), 'lectern-web-mirror-'));
  let raindrop: RaindropServer;
  let site: WebSite;
  let app: WebApp;

  const env = (token: string) => ({
    LECTERN_HOME: home,
    LECTERN_ALLOW_PRIVATE_NETWORKS: 'true',
    LECTERN_RAINDROP_TOKEN: token,
    LECTERN_RAINDROP_API_URL: raindrop.apiUrl,
  });
  const mirrorAll = (token: string) =>
    lectern.run(['mirror', 'run', '--no-wait', '--json'], { env: env(token) });

  beforeAll(async () => {
    raindrop = await startRaindropServer({ now });
    site = await startWebSite();
    site.put('/kept', { type: 'text/html', body: '<title>Kept</title><p>As it is today.</p>' });
    const day = 24 * 3_600_000;
    raindrop.account.add({
      link: `${site.origin}/kept`,
      title: 'What the tide leaves behind',
      lastUpdate: now() - 2 * day,
      created: now() - 3 * day,
      copy: {
        html: `<!doctype html><title>As it was</title><p id="text">As it was when it was saved.</p>
          <img src="${site.origin}/leak.png" alt="leak" onerror="this.alt='ran'">
          <script src="${site.origin}/leak.js"></script>
          <script>document.getElementById('text').textContent = 'A script has run.'</script>`,
      },
    });
    raindrop.account.add({ link: `${site.origin}/plain`, title: 'Without a copy', lastUpdate: now() - day });
    // Whose it all is: the first start makes the owner, and has no token.
    app = await startWebApp({ env: { LECTERN_HOME: home } });
  }, 120_000);
  afterAll(async () => {
    await app?.close();
    await raindrop?.close();
    site?.close();
    rmSync(home, { recursive: true, force: true });
  });

  const open = async (path: string, options = {}): Promise<Page> => {
    const page = await browser.page({ reducedMotion: 'reduce', ...options });
    await app.logIn(page.context());
    await page.goto(app.url + path);
    return page;
  };
  const fact = (page: Page, name: string) =>
    page
      .locator('dl > div')
      .filter({ has: page.getByText(name, { exact: true }) })
      .locator('dd');
  const button = (page: Page) => page.getByRole('button', { name: 'Run the next batch now' });

  it('says without a token what it is for, and how it is switched on', async () => {
    const page = await open('/operations');
    await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Mirror' }).click();
    await page.getByRole('heading', { name: 'Mirror of Raindrop', level: 1 }).waitFor();
    const link = page.getByRole('link', { name: 'Integrations at Raindrop' });
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe('https://app.raindrop.io/settings/integrations');
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    await page.getByText('LECTERN_RAINDROP_TOKEN=').waitFor();
    expect(await button(page).count()).toBe(0);

    // On a phone the bar has no room for it.
    const small = await open('/operations', { viewport: phone });
    await small.getByRole('main').getByRole('link', { name: 'Mirror of Raindrop' }).click();
    await small.getByRole('link', { name: 'Integrations at Raindrop' }).waitFor();
  });

  it('is the owner’s', async () => {
    await app.api('POST', '/api/users', { username: 'nora', password: 'a password of hers' });
    const page = await browser.page();
    await app.logIn(page.context(), { username: 'nora', password: 'a password of hers' });
    await page.goto(`${app.url}/mirror`);
    await page.getByRole('heading', { name: 'This page is the owner’s' }).waitFor();
    // From the second page on, the browser knows whose it is.
    await page.reload();
    await page.getByRole('heading', { name: 'This page is the owner’s' }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Places' }).getByText('Mirror').count()).toBe(0);
  });

  it('tells what has stopped it, and then what it has brought', async () => {
    // With a token from here on. A batch that was refused is tried again in an hour: nothing begins by itself.
    await app.close();
    const refused = await mirrorAll('of somebody else');
    expect(JSON.parse(refused.stdout)).toMatchObject({
      problem: expect.stringContaining('refused the token'),
    });
    app = await startWebApp({ env: env('test-token') });

    const page = await open('/mirror');
    const alert = page.getByRole('alert');
    await alert.getByText('Raindrop refused the token.').waitFor();
    await alert.getByText('What is here is safe').waitFor();
    await page.getByText('The last batch had to stop.').waitFor();
    await fact(page, 'Next batch')
      .getByText(/^in (59|60) min /)
      .waitFor();
    await page.getByText('lectern mirror run --no-wait').waitFor();

    const done = await mirrorAll('test-token');
    expect(done).toMatchObject({ code: 0 });
    // It looks as soon as somebody does.
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByText('Up to date.').waitFor();
    await alert.waitFor({ state: 'detached' });
    expect(await fact(page, 'Deleted at Raindrop, kept here').textContent()).toBe('0');
    await fact(page, 'Next batch')
      .getByText(/^in 24 h|^tomorrow/)
      .waitFor();
    await fact(page, 'Last complete run').getByText('now').waitFor();
    const copies = page.getByRole('region', { name: 'What became of the permanent copies?' });
    await copies.getByRole('row', { name: 'Kept here 1' }).waitFor();
    await copies.getByRole('row', { name: 'Raindrop has none 1' }).waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(0);

    await fact(page, 'Bookmarks that are here').getByRole('link').click();
    await page.getByRole('link', { name: 'Without a copy' }).waitFor();
    await page.getByRole('button', { name: 'Without the filter From Raindrop' }).waitFor();
  });

  it('is polled while the page is visible, and not while it is hidden', async () => {
    const page = await browser.page();
    await app.logIn(page.context());
    await expectPolling(page, { prefix: '/api/v1/mirror', intervalMs: 30_000, requests: 1 }, async () => {
      await page.goto(`${app.url}/mirror`);
      await page.getByText('Up to date.').waitFor();
    });
  });

  it('has what came from Raindrop in the library, with a permanent copy that runs nothing', async () => {
    const page = await open('/library', { expecting: [/Blocked script execution|Content Security Policy/] });
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('menuitemcheckbox', { name: 'From Raindrop' }).click();
    await page.waitForURL((url) => url.searchParams.get('origin') === 'raindrop');
    expect(await page.getByRole('link', { name: 'How far the mirror is' }).getAttribute('href')).toBe(
      '/mirror',
    );
    await page.getByRole('link', { name: 'Without a copy' }).click();
    await page.getByRole('heading', { name: 'Without a copy', level: 1 }).waitFor();
    expect(await page.getByRole('link', { name: 'Permanent copy' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'What the tide leaves behind' }).click();

    const link = page.getByRole('link', { name: 'Permanent copy' });
    await link.waitFor();
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    const path = await link.getAttribute('href');
    expect(path).toMatch(/^\/api\/v1\/items\/\d+\/permacopy$/);
    const answered = page
      .context()
      .waitForEvent('response', (response) => response.url().endsWith(`${path}`));
    const [copy] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await copy.getByText('As it was when it was saved.').waitFor();
    const policy = (await (await answered).headerValue('content-security-policy')) ?? '';
    expect(policy).toMatch(/(^|; )sandbox(;|$)/);
    expect(policy).toContain("default-src 'none'");
    await copy.waitForLoadState('load');
    expect(await copy.locator('#text').textContent()).toBe('As it was when it was saved.');
    expect(await copy.locator('img').getAttribute('alt')).toBe('leak');
    expect(site.requests.filter((path) => path.startsWith('/leak'))).toEqual([]);
  });

  it('runs a batch when it is asked to, and no second one beside it', async () => {
    raindrop.account.add({ link: `${site.origin}/third`, title: 'The third' });
    const page = await open('/mirror');
    const elsewhere = await open('/mirror');
    for (const each of [page, elsewhere]) await each.getByText('Up to date.').waitFor();
    await button(page).click();
    await page.getByText('A batch is running.').waitFor();
    await fact(page, 'Next batch').getByText('runs now').waitFor();
    expect(await button(page).isDisabled()).toBe(true);

    await button(elsewhere).click();
    await elsewhere.getByText('One is under way already').waitFor();
    await elsewhere.getByText('A batch is running.').waitFor();
    // A worker that pauses in the middle of it would take its time to end.
    const { data: jobs } = await app.api('GET', '/api/v1/jobs?state=running');
    for (const { id } of jobs) await app.api('POST', `/api/v1/jobs/${id}/cancel`);
    await until('it has ended', async () => {
      const { data } = await app.api('GET', '/api/v1/jobs?state=running');
      return data.length === 0;
    });
  });
});
