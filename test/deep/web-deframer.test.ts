// The deframer in the web app: its feeds, for the operator; what it has made of titles, for whoever reads.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoDeframerFeeds, fillDeframer } from '../../scripts/demo-deframer.ts';
import { expectPolling, phone, useBrowser } from '../support/browser.ts';
import { TestClock } from '../support/clock.ts';
import { openFreshStore, useEngine } from '../support/engines.ts';
import { databaseUrl } from '../support/lectern-process.ts';
import { until } from '../support/until.ts';
import { startWebApp, type WebApp } from '../support/web-app.ts';

const browser = useBrowser();
const engine = useEngine('sqlite');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds, in every theme. */
async function violationsIn(page: Page): Promise<string[]> {
  await page.evaluate(`if (!window.axe) { ${axe} }`);
  const found: string[] = [];
  for (const theme of ['dark', 'sepia', 'light']) {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
    // Another theme changes nothing but colours.
    const options = {
      resultTypes: ['violations'],
      iframes: false,
      ...(theme !== 'light' && { runOnly: ['color-contrast', 'link-in-text-block'] }),
    };
    const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as {
      violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
    };
    for (const { id, nodes } of violations)
      for (const { html, failureSummary } of nodes)
        found.push(`${theme}: ${id}: ${html.slice(0, 160)}: ${failureSummary}`);
  }
  return found;
}

const opener =
  (app: () => WebApp) =>
  async (path: string, options = {}): Promise<Page> => {
    const page = await browser.page({ reducedMotion: 'reduce', ...options });
    await app().logIn(page.context());
    await page.goto(app().url + path);
    return page;
  };
const feed = (page: Page, host: string) =>
  page
    .getByRole('list', { name: 'Feeds' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: host, exact: true }) });

describe('the deframer, from its first feed to the reader', { timeout: 60_000 }, () => {
  let app: WebApp;
  const open = opener(() => app);
  beforeAll(async () => {
    app = await startWebApp({ env: { AI_TYPE: 'mock', LECTERN_AI_MOCK_LATENCY: '0' } });
    await app.follow({ path: '/news.xml', title: 'Harbour Post', entries: 3 });
    await app.follow({ path: '/plain.xml', title: 'Field Notes', entries: 2 });
  });
  afterAll(() => app?.close());

  it('says what it is for, and takes the first feed', async () => {
    const page = await open('/operations', { expecting: [/status of 409/] });
    await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Deframer' }).click();
    await page.getByRole('heading', { name: 'Deframer', level: 1 }).waitFor();
    await page.getByRole('region', { name: 'What is it for?' }).waitFor();
    expect(await violationsIn(page)).toEqual([]);

    const first = page.getByRole('region', { name: 'Which feed comes first?' });
    const address = first.getByLabel('Address of the feed');
    await address.fill('nothing like it');
    await first.getByRole('button', { name: 'Add' }).click();
    await first.getByText('That does not look like an address.').waitFor();
    await address.fill(`${app.site.origin}/news.xml`);
    expect(await first.getByLabel('Enable it and fetch it now').isChecked()).toBe(true);
    await address.press('Enter');

    const row = feed(page, '127.0.0.1');
    await row.getByText(/^Runs again in (29|30) min\./).waitFor();
    await row.getByRole('button', { name: /^3 articles/ }).click();
    const newest = row.getByRole('list', { name: /^Newest articles of/ });
    await newest.getByRole('link', { name: 'Mock: Harbour Post, entry 1' }).waitFor();
    await newest.getByText('Original: Harbour Post, entry 1').waitFor();

    await page.getByRole('button', { name: 'Add a feed' }).click();
    const panel = page.getByRole('dialog', { name: 'Add a feed' });
    await panel.getByLabel('Address of the feed').fill(`${app.site.origin}/news.xml`);
    await panel.getByRole('button', { name: 'Add' }).click();
    await panel.getByRole('alert').getByText('The feed is there already').waitFor();
  });

  it('is reached on a phone too, and is the owner’s', async () => {
    const small = await open('/operations', { viewport: phone });
    await small.getByRole('main').getByRole('link', { name: 'Deframer' }).click();
    await feed(small, '127.0.0.1').waitFor();

    await app.api('POST', '/api/users', { username: 'nora', password: 'a password of hers' });
    const page = await browser.page();
    await app.logIn(page.context(), { username: 'nora', password: 'a password of hers' });
    await page.goto(`${app.url}/deframer`);
    await page.getByRole('heading', { name: 'This page is the owner’s' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'This page is the owner’s' }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Places' }).getByText('Deframer').count()).toBe(0);
  });

  it('tells why a feed is dead, and revives it', async () => {
    app.site.put('/late.xml', { status: 503, body: 'no' });
    const page = await open('/deframer');
    await page.getByRole('button', { name: 'Add a feed' }).click();
    await page.getByLabel('Address of the feed').fill(`${app.site.origin}/late.xml`);
    await page.getByLabel('Run it regularly').uncheck();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const row = page.locator('li[data-standing]').filter({ hasText: 'late.xml' });
    await row.getByText('Dead since its last run.').waitFor();
    await row.getByText('It is not fetched again until you press Sync.').waitFor();
    await row.getByText(/503/).waitFor();

    app.site.put('/late.xml', { body: '<rss version="2.0"><channel><title>Late</title></channel></rss>' });
    await row.getByRole('button', { name: /^Sync: / }).click();
    await row.getByText('Done. It is not fetched again until you sync it.').waitFor();
    expect(await row.getByText(/503/).count()).toBe(0);
  });

  it('shows neutral titles to whoever reads, with the original at hand', async () => {
    const page = await open('/?view=all');
    const rows = page.getByRole('region', { name: 'Articles' }).getByRole('link');
    const row = rows.filter({ hasText: 'Mock: Harbour Post, entry 1' });
    await row.getByText('Neutral title').waitFor();
    await row.locator('[title="Original title: Harbour Post, entry 1"]').first().waitFor();
    await rows.filter({ hasText: /^(?!.*Neutral title).*Field Notes, entry 1/ }).waitFor();

    await row.click();
    const article = page.getByRole('article', { name: 'Article' });
    const title = article.getByRole('heading', { level: 1 });
    await until('the neutral title is there', async () =>
      (await title.textContent())?.includes('Mock: Harbour'),
    );
    await article.getByRole('button', { name: 'Show the original title' }).click();
    await until(
      'the original is there',
      async () => (await title.textContent())?.trim() === 'Harbour Post, entry 1',
    );
    await rows.filter({ hasText: /^(?!.*Mock).*Harbour Post, entry 1/ }).waitFor();
    await article.getByRole('button', { name: 'Show the neutral title' }).click();
    await row.waitFor();

    // Nothing is known of one that nobody has weighed.
    await rows.filter({ hasText: 'Field Notes, entry 2' }).click();
    await article.getByRole('heading', { name: 'Field Notes, entry 2' }).waitFor();
    expect(await article.getByRole('button', { name: /^Language/ }).count()).toBe(0);
  });

  it('opens the scores by the keyboard, without moving what is there', async () => {
    const page = await open('/?view=all');
    await page
      .getByRole('region', { name: 'Articles' })
      .getByRole('link', { name: /Mock: Harbour Post, entry 2/ })
      .click();
    const article = page.getByRole('article', { name: 'Article' });
    const verdict = article.getByRole('button', { name: /^Language: / });
    await page.frameLocator('iframe >> visible=true').getByText('This is the text of entry 2').waitFor();
    const before = await verdict.boundingBox();
    await verdict.focus();
    expect(await verdict.getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('Enter');
    const scores = article.getByRole('region', { name: 'How it was weighed' });
    for (const name of ['framing', 'clickbait', 'persuasive', 'hyper stimulus', 'speculative'])
      await scores.getByText(`Mock: ${name}.`).waitFor();
    await scores.getByText('Mock: the highest of the five.').waitFor();
    await scores.getByText('Original title').waitFor();
    await scores.getByText('a stand-in for trials').waitFor();
    expect(await verdict.boundingBox()).toEqual(before);
    expect(await verdict.getAttribute('aria-expanded')).toBe('true');
    expect(await violationsIn(page)).toEqual([]);
    await page.keyboard.press('Space');
    await scores.waitFor({ state: 'detached' });
  });

  it('leaves titles as they are for a reader who prefers that', async () => {
    const page = await open('/settings');
    await page.getByLabel('Show original titles').check();
    await until('the account knows', async () => {
      const { data } = await app.api('GET', '/api/me/preferences');
      return data.original_titles === true;
    });
    await page.goto(`${app.url}/?view=all`);
    const rows = page.getByRole('region', { name: 'Articles' }).getByRole('link');
    await rows.filter({ hasText: 'Harbour Post, entry 1' }).click();
    const article = page.getByRole('article', { name: 'Article' });
    await article.getByRole('heading', { name: 'Harbour Post, entry 1', exact: true }).waitFor();
    expect(await rows.filter({ hasText: 'Mock' }).count()).toBe(0);
    await article.getByRole('button', { name: 'Show the neutral title' }).click();
    await article.getByRole('heading', { name: 'Mock: Harbour Post, entry 1' }).waitFor();
    await app.api('PATCH', '/api/me/preferences', { original_titles: null });
  });
});

describe('the feeds of the deframer', { timeout: 60_000 }, () => {
  let app: WebApp;
  let opened: Awaited<ReturnType<typeof openFreshStore>>;
  const open = opener(() => app);

  beforeAll(async () => {
    opened = await openFreshStore(engine, new TestClock(Date.now()));
    const running = { url: 'https://slow.example/feed.xml', running: true };
    await fillDeframer(opened.store, opened.clock, [...demoDeframerFeeds, running], { price: 0.25 });
    app = await startWebApp({
      env: {
        LECTERN_DATABASE_URL: databaseUrl(opened.target),
        AI_TYPE: 'openai',
        AI_MODEL: 'gpt-5-mini',
        AI_API_KEY: 'of nobody',
      },
    });
  });
  afterAll(async () => {
    await app?.close();
    await opened?.store.close();
  });

  it('says of each in words how it stands, and what the analyses took', async () => {
    const page = await open('/deframer');
    await page.getByText('Weighed by gpt-5-mini.').waitFor();
    const says = (host: string, sentence: string) => feed(page, host).getByText(sentence).waitFor();
    await says('morning-wire.example', 'Runs again in');
    await says('feeds.harbour-post.example', 'Dead since its last run.');
    await says('feeds.harbour-post.example', 'The server answered 503 (Service Unavailable) three times');
    await says('valley-courier.example', '3 of 20 articles were left out');
    await says('the-quiet-observer.example', 'Waiting for its first sync.');
    await says('markets.example', 'Disabled.');
    await says('science-weekly.example', 'Done.');
    await says('science-weekly.example', 'own prompt');
    await says('slow.example', 'Is being fetched and weighed now.');
    expect(
      await feed(page, 'slow.example')
        .getByRole('button', { name: /^Sync now/ })
        .isDisabled(),
    ).toBe(true);
    const used = page.getByRole('region', { name: 'What did the analyses take each day?' });
    await used.getByRole('img', { name: /^Tokens: .* in 30 days/ }).waitFor();
    await used.getByRole('img', { name: /^Cost: .* in 30 days/ }).waitFor();
    expect(await violationsIn(page)).toEqual([]);
  });

  it('has no sideways scroll on a phone, in German, with everything open', async () => {
    const page = await open('/deframer', { viewport: phone, locale: 'de-DE' });
    await page.getByRole('button', { name: /^4 Artikel/ }).click();
    await page.getByRole('link', { name: 'Harbour council sells its last ferry to a museum' }).waitFor();
    const overflow = () =>
      page.evaluate(`[document.documentElement, document.querySelector('#content')].map(
        ({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)`);
    expect(await overflow()).toEqual([0, 0]);
    expect(await violationsIn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Mehr zu feeds.harbour-post.example', exact: false }).click();
    await page.getByRole('menuitem', { name: 'Einstellungen' }).click();
    const panel = page.getByRole('dialog');
    await panel.getByLabel('Stammdomain').waitFor();
    expect(await panel.evaluate((dialog) => dialog.scrollWidth - dialog.clientWidth)).toBe(0);
    expect(await violationsIn(page)).toEqual([]);
  });

  it('switches, changes and deletes a feed', async () => {
    const page = await open('/deframer', {
      permissions: ['clipboard-read', 'clipboard-write'],
      expecting: [/status of 400/],
    });
    const row = feed(page, 'markets.example');
    const id = 'markets.example';
    const stored = async () => {
      const { data } = await app.api('GET', '/api/v1/deframer/feeds');
      return data.find(({ url }: { url: string }) => url === 'https://markets.example/rss');
    };
    const menu = async (item: string) => {
      await row.getByRole('button', { name: 'More for markets.example/rss' }).click();
      await page.getByRole('menu').getByText(item, { exact: true }).click();
    };
    await row.getByRole('button', { name: 'More for markets.example/rss' }).click();
    expect(await page.getByRole('menuitem', { name: 'Sync now (enable it first)' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');

    await row.getByRole('button', { name: 'Enable: markets.example/rss' }).click();
    await row.getByText('Waiting for its first sync.').waitFor();
    await menu('Run it regularly');
    await until('it is not polled', async () => (await stored()).polling === false);
    await menu('Copy the address of the new feed');
    await page.getByText('Copied. Follow it in any reader.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      `${app.url}/rss?url=${encodeURIComponent('https://markets.example/rss')}`,
    );

    await menu('Settings');
    const panel = page.getByRole('dialog', { name: id });
    await panel.getByLabel('Root domain').fill('not a domain/');
    await panel.getByLabel('A prompt of its own').fill('Weigh numbers gently.');
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.getByRole('alert').getByText('Expected the name of a host').waitFor();
    await panel.getByLabel('Root domain').fill('other.example');
    await panel.getByLabel('Only articles on its own host').uncheck();
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.waitFor({ state: 'detached' });
    await row.getByText('own prompt').waitFor();
    await row.getByText('from any host').waitFor();
    expect(await stored()).toMatchObject({
      enabled: true,
      polling: false,
      enforce_feed_domain: false,
      root_domain: 'other.example',
      prompt: 'Weigh numbers gently.',
    });

    await menu('Delete …');
    await page.getByRole('dialog', { name: 'Delete markets.example/rss?' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await menu('Delete …');
    await page.getByRole('button', { name: 'Delete the feed' }).click();
    await page.getByText('markets.example/rss is deleted.').waitFor();
    await row.waitFor({ state: 'detached' });
    expect(await stored()).toBeUndefined();
  });

  it('is polled every few seconds while something runs, and not while the page is hidden', async () => {
    const page = await browser.page();
    await app.logIn(page.context());
    await expectPolling(page, { prefix: '/api/v1/deframer', intervalMs: 3_000, requests: 2 }, async () => {
      await page.goto(`${app.url}/deframer`);
      await feed(page, 'slow.example').waitFor();
    });
  });
});
