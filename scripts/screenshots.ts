// `npm run screenshots`: the main pages as a person sees them, on a desk and on a phone, by day and by night, written to
// docs/screenshots. Arguments name the pages to take; none: all of them.
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { migrateSqlite } from '../src/store/dialect/sqlite/migrate.ts';
import { openStore } from '../src/store/open.ts';
import { desktop, launchBrowser, phone } from '../test/support/chromium.ts';
import { TestClock } from '../test/support/clock.ts';
import { until } from '../test/support/until.ts';
import { startWebApp, type WebApp } from '../test/support/web-app.ts';
import { demoDeframerFeeds, fillDeframer } from './demo-deframer.ts';
import { highlightDemo } from './demo-highlights.ts';
import { fillWithDemo } from './demo-library.ts';

const folder = fileURLToPath(new URL('../docs/screenshots', import.meta.url));

const devices: Record<string, BrowserContextOptions> = {
  desktop: { viewport: desktop },
  phone: { viewport: phone, isMobile: true, hasTouch: true, deviceScaleFactor: 1.5 },
};
const themes = ['light', 'dark'] as const;

/** Each goes to its page and waits until what it is about is there. */
const shots: Record<string, (page: Page, app: WebApp, device: string) => Promise<void>> = {
  async reader(page, app, device) {
    await page.goto(`${app.url}/?view=all`);
    const first = page.getByRole('link', { name: /What a shelf remembers/ });
    await first.waitFor();
    if (device === 'desktop') await openArticle(page, /What a shelf remembers/);
  },
  async article(page, app, device) {
    await page.goto(`${app.url}/?view=all`);
    await openArticle(
      page,
      device === 'desktop' ? /How wide is a comfortable line/ : /What a shelf remembers/,
    );
    if (device === 'desktop') await page.keyboard.press('f');
  },
  async library(page, app) {
    await page.goto(`${app.url}/library`);
    await page.getByRole('link', { name: 'What a shelf remembers' }).waitFor();
  },
  async highlights(page, app) {
    await page.goto(`${app.url}/highlights`);
    await page.getByText('The whole argument against folders').waitFor();
  },
  async search(page, app) {
    await page.goto(`${app.url}/search?q=morning+light+-kind:feed+after:4w`);
    await page.locator('[data-hit]').nth(2).waitFor();
    await page.getByRole('searchbox', { name: 'Search your library' }).blur();
  },
  async operations(page, app) {
    await page.goto(`${app.url}/operations`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  },
  async mirror(page, app) {
    await page.goto(`${app.url}/mirror`);
    await page.getByRole('link', { name: 'Integrations at Raindrop' }).waitFor();
  },
  async deframer(page, app, device) {
    await page.goto(`${app.url}/deframer`);
    const first = page.getByRole('button', { name: /^4 articles/ });
    await first.waitFor();
    if (device === 'phone') return;
    await first.click();
    await page.getByText('Original: You won’t BELIEVE').waitFor();
  },
  async settings(page, app) {
    await page.goto(`${app.url}/settings`);
    await page.getByRole('heading', { name: 'Reading' }).waitFor();
  },
};

const named = process.argv.slice(2);
const wanted = Object.entries(shots).filter(([name]) => named.length === 0 || named.includes(name));

async function openArticle(page: Page, title: RegExp): Promise<void> {
  await page.getByRole('link', { name: title }).first().click();
  await page.getByRole('article').getByRole('heading', { name: title }).waitFor();
  await page.frameLocator('iframe >> visible=true').getByRole('paragraph').first().waitFor();
}

async function takeAll(browser: Browser, app: WebApp): Promise<number> {
  let sizeBytes = 0;
  for (const [device, options] of Object.entries(devices)) {
    for (const colorScheme of themes) {
      const context = await browser.newContext({
        ...options,
        colorScheme,
        locale: 'en-GB',
        reducedMotion: 'reduce',
      });
      await app.logIn(context);
      for (const [name, prepare] of wanted) {
        const page = await context.newPage();
        const path = join(folder, `${name}-${device}-${colorScheme}.png`);
        await prepare(page, app, device);
        await settle(page);
        await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
        await page.close();
        sizeBytes += statSync(path).size;
        process.stdout.write(`docs/screenshots/${name}-${device}-${colorScheme}.png\n`);
      }
      await context.close();
    }
  }
  return sizeBytes;
}

/** Until nothing is fetched any more, the fonts are there and two frames have been drawn. */
async function settle(page: Page): Promise<void> {
  // A stream of events may stay open: then the network never falls silent.
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => {});
  await page.evaluate(
    `document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))`,
  );
}

/** An index whose feeds of the deframer have a past, which only the store can give them. */
async function makeIndex(path: string): Promise<void> {
  const clock = new TestClock(Date.now());
  await migrateSqlite(path, clock.now);
  const store = await openStore({ engine: 'sqlite', path }, { now: clock.now, onIdleError: () => {} });
  await fillDeframer(store, clock, demoDeframerFeeds);
  await store.close();
}

mkdirSync(folder, { recursive: true });
const home = mkdtempSync(join(tmpdir(), 'lectern-screenshots-'));
await makeIndex(join(home, 'index.db'));
const app = await startWebApp({
  env: { LECTERN_DATABASE_URL: `sqlite:${join(home, 'index.db')}`, LECTERN_EMBEDDINGS: 'local' },
});
try {
  await fillWithDemo(app);
  await highlightDemo(app);
  await app.api('POST', '/api/v1/searches', { name: 'Tides, unread', q: 'tide is:unread' });
  await app.api('POST', '/api/v1/searches', { name: 'On reading', q: 'reading OR books tag:reading' });
  // The worker tells how fetching went once a minute.
  await until(
    'the fetches are counted',
    async () => {
      const { data } = await app.api('GET', '/api/v1/operations/activity?days=30');
      return data.days.some(({ pulls }: { pulls: { failed: number } }) => pulls.failed > 0);
    },
    150_000,
  );
  await until(
    'everything can be found by what it means',
    async () => {
      const { data } = await app.api('GET', '/api/v1/search/meaning');
      return data.documents > 0 && data.pending === 0;
    },
    150_000,
  );
  const browser = await launchBrowser();
  try {
    const sizeBytes = await takeAll(browser, app);
    process.stdout.write(`${(sizeBytes / 1e6).toFixed(1)} MB in all.\n`);
  } finally {
    await browser.close();
  }
} finally {
  await app.close();
  rmSync(home, { recursive: true, force: true });
}
