// Single sign-on as a person meets it: the button, the provider's page, and back in the app.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { client, type OidcServer, startOidcServer } from '../support/oidc-server.ts';
import { ownerPassword, startWebApp, type WebApp } from '../support/web-app.ts';

const browser = useBrowser();
const places = (page: Page) => page.getByRole('navigation', { name: 'Places' });
const path = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search;
const callback = 'http://127.0.0.1/api/oidc/callback';

describe('single sign-on in the web app', () => {
  let app: WebApp;
  let provider: OidcServer;

  beforeAll(async () => {
    // On the loopback any port will do to come back to.
    provider = await startOidcServer([callback]);
    provider.accounts.set('anna', { email: 'anna@example.org', email_verified: true });
    provider.accounts.set('otto', { email: 'otto@example.org', email_verified: true });
    provider.accounts.set('mallory', {});
    app = await startWebApp({ env: allowing('anna@example.org as anna, otto@example.org') });
  });
  afterAll(async () => {
    await app.close();
    provider.close();
  });

  const allowing = (people: string) => ({
    LECTERN_OIDC_ISSUER: provider.issuer,
    LECTERN_OIDC_CLIENT_ID: client.clientId,
    LECTERN_OIDC_CLIENT_SECRET: client.clientSecret,
    LECTERN_OIDC_ALLOWED_USERS: people,
  });
  const leave = (page: Page) => page.getByRole('button', { name: 'Sign in with single sign-on' }).click();
  const sayThatIAm = (page: Page, who: string) => page.getByRole('button', { name: who }).click();

  it('takes somebody in, and to the page that they wanted', async () => {
    const page = await browser.page();
    await page.goto(`${app.url}/settings`);
    await leave(page);
    await sayThatIAm(page, 'Continue as anna');
    await places(page).waitFor();
    expect(path(page)).toBe('/settings');
    const account = page.getByRole('region', { name: 'Account' });
    await account.getByText('Your way in: this account has no password').waitFor();
    expect(await account.getByRole('button', { name: 'Change password' }).count()).toBe(0);
  });

  it('lets somebody go on where they were, by signing in in another tab', async () => {
    const page = await browser.page({ expecting: [/status of 401/] });
    await page.goto(`${app.url}/settings`);
    await leave(page);
    await sayThatIAm(page, 'Continue as anna');
    const tokens = page.getByRole('region', { name: 'Tokens' });
    await tokens.getByRole('button', { name: 'Make a token' }).click();
    await tokens.getByLabel('What is it for?').fill('A name that took a while to think of');
    await page.context().clearCookies({ name: /^(session|_session.*)$/ });
    await tokens.getByRole('button', { name: 'Make a token' }).click();
    const other = page.waitForEvent('popup');
    await page
      .getByRole('dialog')
      .getByRole('link', { name: /single sign-on in another tab/ })
      .click();
    const tab = await other;
    await leave(tab);
    await sayThatIAm(tab, 'Continue as anna');
    await places(tab).waitFor();
    await tab.close();
    // As a browser tells a page that is looked at again.
    await page.evaluate("window.dispatchEvent(new Event('focus'))");
    await tokens.getByText('Token “A name that took a while to think of” is made').waitFor();
    expect(new URL(page.url()).pathname).toBe('/settings');
  });

  it('makes the owner of the only person on the list', async () => {
    const fresh = await startWebApp({ ownerless: true, env: allowing('anna@example.org') });
    const page = await browser.page();
    try {
      await page.goto(fresh.url);
      await page.getByRole('heading', { name: 'Almost there' }).waitFor();
      await leave(page);
      await sayThatIAm(page, 'Cancel');
      await page.getByRole('alert').filter({ hasText: 'cancelled' }).waitFor();
      await leave(page);
      await sayThatIAm(page, 'Continue as anna');
      await places(page).waitFor();
      expect(await (await fresh.server.request('/api/setup')).json()).toEqual({ data: { done: true } });
    } finally {
      // Before its server: a page that is cut off from it complains.
      await page.close();
      await fresh.close();
    }
  });

  it('says in a sentence why it let nobody in, once', async () => {
    const page = await browser.page();
    await page.goto(`${app.url}/login`);
    await leave(page);
    await sayThatIAm(page, 'Continue as mallory');
    await page.getByRole('alert').filter({ hasText: 'not on the list' }).waitFor();
    expect(path(page)).toBe('/login');
    // The provider would know her again.
    await page.context().clearCookies({ name: /^_session/ });
    await leave(page);
    await sayThatIAm(page, 'Cancel');
    await page.getByRole('alert').filter({ hasText: 'cancelled' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    expect(await page.getByText('cancelled').count()).toBe(0);
  });

  it('is linked and unlinked in the settings, by somebody who knows the password', async () => {
    const page = await browser.page({ expecting: [/status of 400.*api\/me\/oidc/] });
    await app.logIn(page.context());
    await page.goto(`${app.url}/settings#account`);
    const account = page.getByRole('region', { name: 'Account' });
    await account.getByRole('button', { name: 'Link', exact: true }).click();
    await account.getByLabel('Current password').fill('not the password');
    await account.getByRole('button', { name: 'Go on' }).click();
    await account.getByRole('alert').filter({ hasText: 'not your present password' }).waitFor();
    await account.getByLabel('Current password').fill(ownerPassword);
    await account.getByRole('button', { name: 'Go on' }).click();
    await sayThatIAm(page, 'Continue as otto');
    await account.getByText('Linked: you can come in without your password').waitFor();
    expect(path(page)).toBe('/settings');
    await account.getByRole('button', { name: 'Unlink' }).click();
    await page.getByText('Your account is unlinked.').waitFor();
    await account.getByRole('button', { name: 'Link', exact: true }).waitFor();
  });
});
