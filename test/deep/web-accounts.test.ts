// The way in: the setup link, logging in and out, passwords, tokens, and the people who share a Lectern.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { until } from '../support/until.ts';
import { owner, ownerPassword, plainFeed, startWebApp, type WebApp } from '../support/web-app.ts';
import { rss } from '../support/web-site.ts';

const browser = useBrowser();
const path = (page: Page) => new URL(page.url()).pathname;
const places = (page: Page) => page.getByRole('navigation', { name: 'Places' });

describe('accounts in the web app', () => {
  let app: WebApp;
  beforeAll(async () => {
    app = await startWebApp();
  });
  afterAll(() => app.close());

  it('asks somebody who is not logged in for the password, and takes them where they wanted to go', async () => {
    const page = await browser.page({ expecting: [/status of 401.*api\/sessions/] });
    await page.goto(`${app.url}/settings`);
    await page.getByLabel(/^Password/).fill('not the password');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: /password/i })
      .waitFor();
    await page.getByLabel(/^Password/).fill(ownerPassword);
    await page.getByRole('button', { name: 'Log in' }).click();
    await places(page).waitFor();
    expect(path(page)).toBe('/settings');
  });

  it('logs out, on the server too', async () => {
    const page = await browser.page();
    await app.logIn(page.context(), owner);
    const [cookie] = await page.context().cookies();
    await page.goto(`${app.url}/settings`);
    await page.getByRole('button', { name: 'Log out', exact: true }).click();
    await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
    const answer = await app.server.request('/api/me', {
      headers: { Cookie: `${cookie?.name}=${cookie?.value}` },
    });
    expect(answer.status).toBe(401);
  });

  it('makes a token that is shown once and works, and takes it away again', async () => {
    const page = await browser.page();
    await app.logIn(page.context());
    await page.goto(`${app.url}/settings`);
    const section = page.getByRole('region', { name: 'Tokens' });
    await section.getByRole('button', { name: 'Make a token' }).click();
    await section.getByLabel('What is it for?').fill('Reader on the train');
    await section.getByRole('button', { name: 'Read only' }).click();
    await section.getByRole('button', { name: 'Make a token' }).click();
    const token = await section.getByLabel('The token').inputValue();
    const status = async (method: string) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const init = method === 'POST' ? { method, headers, body: '{"name":"x"}' } : { method, headers };
      return (await app.server.request('/api/groups', init)).status;
    };
    expect([await status('GET'), await status('POST')]).toEqual([200, 403]);

    await page.reload();
    const revoke = section.getByRole('button', { name: 'Revoke Reader on the train' });
    await revoke.waitFor();
    expect(await section.getByLabel('The token').count()).toBe(0);
    await revoke.click();
    await section.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('“Reader on the train” is revoked.').waitFor();
    expect(await status('GET')).toBe(401);
  });

  it('loses nothing typed when the session ends meanwhile', async () => {
    const page = await browser.page({ expecting: [/status of 401/] });
    await app.logIn(page.context(), owner);
    await page.goto(`${app.url}/settings`);
    const section = page.getByRole('region', { name: 'Tokens' });
    await section.getByRole('button', { name: 'Make a token' }).click();
    await section.getByLabel('What is it for?').fill('A name that took a while to think of');
    // Every session but the one that asks.
    await app.api('DELETE', '/api/me/sessions');

    await section.getByRole('button', { name: 'Make a token' }).click();
    const again = page.getByRole('dialog', { name: 'Log in again' });
    await again.waitFor();
    expect(await section.getByLabel('What is it for?').inputValue()).toBe(
      'A name that took a while to think of',
    );
    await again.getByLabel('Name').fill('owner');
    await again.getByLabel(/^Password/).fill(ownerPassword);
    await again.getByRole('button', { name: 'Log in' }).click();
    await section.getByText('Token “A name that took a while to think of” is made').waitFor();
    const { data: tokens } = await app.api('GET', '/api/tokens');
    expect(tokens.map(({ name }: { name: string }) => name)).toEqual([
      'A name that took a while to think of',
    ]);
  });

  it('sends what was marked in two tabs when somebody logs in again in one of them', async () => {
    const feedId = await app.follow({ path: '/ended.xml', title: 'Ended', entries: 2 });
    const page = await browser.page({ expecting: [/status of 401/, /frame-ancestors/] });
    await app.logIn(page.context(), owner);
    const other = await page.context().newPage();
    for (const tab of [page, other]) {
      await tab.goto(`${app.url}/?feed=${feedId}`);
      await tab.getByRole('link', { name: /Ended, entry 2/ }).waitFor();
    }
    await app.api('DELETE', '/api/me/sessions');
    for (const [tab, n] of [
      [page, 1],
      [other, 2],
    ] as const) {
      await tab.getByRole('link', { name: new RegExp(`Ended, entry ${n}`) }).click();
      await tab.getByRole('dialog', { name: 'Log in again' }).waitFor();
    }

    const again = other.getByRole('dialog', { name: 'Log in again' });
    await again.getByLabel(/^Password/).fill(ownerPassword);
    await again.getByRole('button', { name: 'Log in' }).click();
    await until('both marks', async () => {
      const { total } = await app.api('GET', `/api/items?feed_id=${feedId}&unread=true`);
      return total === 0;
    });
    expect(new URL(other.url()).pathname).toBe('/');
  });

  it('adds a member, who logs in by name and changes the password', async () => {
    const page = await browser.page();
    await app.logIn(page.context());
    await page.goto(`${app.url}/settings`);
    const users = page.getByRole('region', { name: 'Users' });
    await users.getByRole('button', { name: 'Add a member' }).click();
    await users.getByLabel('Name').fill('nora');
    await users.getByLabel(/^Password/).fill('the first password');
    await users.getByRole('button', { name: 'Add a member' }).click();
    await page.getByText('nora can log in now.').waitFor();

    const hers = await browser.page();
    await hers.goto(`${app.url}/settings`);
    await hers.getByLabel('Name').fill('nora');
    await hers.getByLabel(/^Password/).fill('the first password');
    await hers.getByRole('button', { name: 'Log in' }).click();
    await hers.getByRole('region', { name: 'Account' }).getByText('Member').waitFor();
    expect(await hers.getByRole('region', { name: 'Users' }).count()).toBe(0);
    await hers.getByRole('button', { name: 'Change password' }).click();
    await hers.getByLabel('Current password').fill('the first password');
    await hers.getByLabel('New password').fill('a password of her own');
    await hers.getByRole('button', { name: 'Change password' }).click();
    await hers.getByText('Your password is changed.').waitFor();

    await users.getByRole('button', { name: 'Set password: nora' }).click();
    await users.getByLabel('New password for nora').fill('and one from the owner');
    await users.getByRole('button', { name: 'Set password', exact: true }).click();
    await page.getByText('nora has a new password').waitFor();
    const third = await browser.context();
    await app.logIn(third, { username: 'nora', password: 'and one from the owner' });
  });

  it('disables a member, who is told why, and enables them again', async () => {
    await app.api('POST', '/api/users', { username: 'otto', password: 'a password of his' });
    const page = await browser.page();
    await app.logIn(page.context());
    await page.goto(`${app.url}/settings`);
    const users = page.getByRole('region', { name: 'Users' });
    await users.getByRole('button', { name: 'Disable otto' }).click();
    await page.getByText('otto is disabled and logged out everywhere.').waitFor();

    const his = await browser.page({ expecting: [/403/] });
    await his.goto(`${app.url}/login`);
    await his.getByLabel('Name').fill('otto');
    await his.getByLabel(/^Password/).fill('a password of his');
    await his.getByRole('button', { name: 'Log in' }).click();
    await his.getByText('this account is disabled: ask the owner of this Lectern').waitFor();

    await users.getByRole('button', { name: 'Enable otto' }).click();
    await page.getByText('otto can log in again.').waitFor();
    await his.getByRole('button', { name: 'Log in' }).click();
    await his.waitForURL((url) => url.pathname !== '/login');
    expect(await his.evaluate("fetch('/api/me').then((answer) => answer.status)")).toBe(200);
  });
});

describe('the first run', () => {
  let app: WebApp;
  beforeAll(async () => {
    app = await startWebApp({ ownerless: true });
    app.site.put('/', {
      type: 'text/html',
      body: '<title>A blog</title><link rel="alternate" type="application/rss+xml" href="/feed.xml">',
    });
    app.site.put('/feed.xml', {
      type: 'application/rss+xml',
      body: rss(plainFeed('Field Notes', 5, app.site.origin)),
    });
  });
  afterAll(() => app.close());

  it('tells somebody without the link where it is', async () => {
    const page = await browser.page();
    await page.goto(app.url);
    await expect(page.getByRole('heading', { name: 'Almost there' }).waitFor()).resolves.toBeUndefined();
  });

  it('goes from the setup link to the first article in a few clicks and less than a minute', async () => {
    const began = performance.now();
    const page = await browser.page();
    let clicks = 0;
    const click = async (name: string | RegExp, role: 'button' | 'link' = 'button') => {
      clicks += 1;
      await page.getByRole(role, { name }).first().click();
    };
    await page.goto(`${app.url}/setup#${app.server.setupSecret}`);
    await page.getByLabel(/^Password/).fill(ownerPassword);
    await click('Set up Lectern');
    await page.getByLabel('Address of a site or a feed').fill(app.site.origin);
    await click('Find feeds');
    await page.getByText('Field Notes, entry 1').waitFor();
    await click(/^Follow/);
    await click(/Field Notes, entry 1/, 'link');
    const article = page.getByRole('article', { name: 'Article' });
    await article.getByRole('heading', { name: 'Field Notes, entry 1' }).waitFor();
    await article
      .frameLocator('iframe >> visible=true')
      .getByText('This is the text of entry 1 of Field Notes.')
      .waitFor();
    expect(clicks).toBeLessThanOrEqual(5);
    expect(performance.now() - began).toBeLessThan(60_000);
  });
});
